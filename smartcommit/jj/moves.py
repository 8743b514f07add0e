"""Rewrites changes by jj in operations that nobody sees before all of them are made and verified.

The contents come from commits in jj's git repository, byte for byte: no file is written to disk and read back. jj knows
such a commit once a branch names it, for as long as it takes jj to import that branch. Each command follows the last
one with `--at-operation` and `--no-integrate-operation`, so it neither reads nor updates the working copy, and it is no
part of jj's log; only the last command joins the log, and all the others with it. Whatever fails before, or is killed,
has changed nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from smartcommit import state_files
from smartcommit.errors import JjError, NothingToUndo
from smartcommit.git.fast_import import WrittenCommit
from smartcommit.git.repo import Repository
from smartcommit.jj.run import NO_SNAPSHOT, JjChange, find_state_directory, finish_jj, read_change, read_changes, run_jj

# How the branches begin that name our commits for jj.
_BRANCH = "smartcommit-split-"
_HIDDEN = "--no-integrate-operation"
# What jj says of an operation that is not in its log.
_MADE = re.compile(r"was requested: ([0-9a-f]+)$", re.M)
# What jj says of the branches and tags that it imports.
_IMPORTED = re.compile(r"^(?:bookmark|tag): .*$", re.M)
_SETTINGS = (
    "--config", "ui.quiet=false",
    "--config", "templates.duplicate_description=self.description()", "--config", "templates.commit_trailers=''",
)  # fmt: skip
_INEXACT = "jj would not make exactly these changes"
# The last operation before the last split, in the state directory of the workspace.
_BEFORE = "operation-before-split"
# Operations after a split in which it is looked for.
_OPERATIONS_READ = 50


class HiddenOperations:
    """jj commands in the workspace at `root` that are not in jj's log yet; the caller holds the lock.

    `repository` is jj's git repository. They follow the operation `start`, a snapshot that is taken now if the files
    have changed, and `last` is the operation of the last one.
    """

    def __init__(self, root: str, repository: Repository) -> None:
        self.root = root
        # What a run that was killed has left: jj forgets its commits when it takes the snapshot.
        _drop_branches(repository)
        self.start = self.last = _read_operations(root, 1)[0].id

    def run(self, *arguments: str, stdin: bytes = b"") -> str:
        try:
            done = finish_jj((*arguments, *self._options, _HIDDEN), repository=self.root, stdin=stdin)
        except JjError as error:
            if _HIDDEN in str(error):
                raise JjError("this jj is too old", hint="update it to 0.41 or later") from None
            raise
        text = done.stderr.decode("utf-8", "replace")
        match = _MADE.search(text)
        if match is not None:  # else there was nothing to do
            self.last = match[1]
        return text

    def read(self, revset: str) -> list[JjChange]:
        return read_changes(self.root, revset, NO_SNAPSHOT, "--at-operation", self.last)

    def import_commits(self, repository: Repository, tip: str) -> None:
        """Let jj know the commit `tip` of its git repository with all that it reaches, until `publish`.

        It must not reach a commit of the user's: jj forgets what no branch reaches any more. Raise JjError if jj does
        not know of other changes to git's references.
        """
        branch = f"{_BRANCH}{tip[:12]}"
        repository.run("update-ref", f"refs/heads/{branch}", tip)
        try:
            text = self.run("git", "import", "--config", "git.abandon-unreachable-commits=false")
        finally:
            _drop_branches(repository)
        if not all(f" {branch}@" in line for line in _IMPORTED.findall(text)):
            raise JjError("git's branches or tags have changed", hint="run 'jj git import', and then again")

    def publish(self, expected: Sequence[JjChange], *command: str, stdin: bytes = b"") -> None:
        """Put all operations into jj's log as one, so that the working-copy commit and those below it are as expected.

        The last one is that of `command`, which changes the working-copy commit; or jj forgets the commits that were
        imported. Raise JjError if jj fails, with everything as it was, or if another command has changed the
        working-copy commit at the same time: then jj has both.
        """
        state_files.save(find_state_directory(self.root), _BEFORE, self.start.encode())
        forgetting = ("git", "import", "--config", "git.abandon-unreachable-commits=true")
        finish_jj((*(command or forgetting), *self._options), repository=self.root, stdin=stdin)
        changes = read_changes(self.root, f"{expected[0].parents[0]}..@", NO_SNAPSHOT)[::-1]
        if command and changes[-1].change_id == expected[-1].change_id:
            changes[-1] = expected[-1]
        if [change.commit_id for change in changes] != [change.commit_id for change in expected]:
            raise JjError(
                "another jj command changed the working-copy commit at the same time",
                hint=f"see 'jj op log'; to restore what was before both: jj op restore {self.start[:12]}",
            )
        with suppress(JjError):  # they are one operation for 'jj undo', or several
            run_jj(("op", "abandon", NO_SNAPSHOT, f"{self.start}..{self.last}"), repository=self.root)

    @property
    def _options(self) -> tuple[str, ...]:
        return (NO_SNAPSHOT, "--at-operation", self.last, *_SETTINGS)


@dataclass(frozen=True, slots=True)
class WantedChange:
    """What a change is to be: the message and the content of `commit`, and the id that it keeps, None for a new one.

    A new change has the commit's author, too.
    """

    commit: WrittenCommit
    message: str
    change_id: str | None


def rewrite_changes(
    hidden: HiddenOperations,
    repository: Repository,
    change: JjChange,
    *,
    old: Sequence[JjChange],
    wanted: Sequence[WantedChange],
) -> list[JjChange]:
    """Make of `old`, the line of changes below `change`, oldest first, those that are `wanted`, in their order.

    The commits of the wanted changes are a line, and reach no commit of the user's. Those of the old changes that are
    not wanted go away; their bookmarks move to the last one that is. `change` is the working-copy commit as `hidden`
    reads it, and keeps its tree. Without old changes it loses what the last new one has, and its bookmarks move to that
    if nothing is left. What else is on an old change jj rebases. Return the new changes, oldest first. Raise JjError if
    jj fails or the result would not be exactly this.
    """
    last = wanted[-1].commit
    hidden.import_commits(repository, last.commit)
    base = (*old, change)[0].parents[0]
    below, line = base, [one.change_id for one in old]
    ids, trees = [], []
    for one in wanted:
        above = line[0] if line else "@"
        between = ("--insert-after", below, "--insert-before", above)
        name = one.change_id
        if name is None:
            hidden.run("duplicate", one.commit.commit, *between)
            name = hidden.read(f"{above}-")[0].change_id
        elif name == above:
            line.remove(name)
        else:
            hidden.run("rebase", "--revisions", name, *between)
            line.remove(name)
        ids.append(name)
        trees.append(one.commit.tree)
        below = name
    if line:
        hidden.run("abandon", "--retain-bookmarks", *line)
    messages = {one.change_id: one.description for one in old}
    for name, one in zip(ids, wanted, strict=True):
        if messages.get(name, one.message) != one.message:
            hidden.run("describe", "-r", name, "--stdin", stdin=one.message.encode())
        hidden.run("restore", "--from", one.commit.commit, "--into", name)
    # Whatever conflicts the commands above have caused in it, they are gone now.
    hidden.run("restore", "--from", change.commit_id, "--into", "@")
    if not old and change.bookmarks and [last.tree] == _read_trees(repository, [change]):
        hidden.run("bookmark", "move", "--allow-backwards", "--from", "@", "--to", "@-")
    changes = hidden.read(f"{base}..@")[::-1]
    _verify(repository, change, changes, trees)
    for new, name, one in zip(changes, ids, wanted, strict=False):
        if (new.change_id, new.description) != (name, one.message):
            raise JjError(_INEXACT, hint="nothing was changed; please report this")
    hidden.publish(changes)
    return changes[:-1]


def _verify(repository: Repository, change: JjChange, made: Sequence[JjChange], trees: Sequence[str]) -> None:
    """Raise JjError unless `made` is a line of changes with `trees`, and on top `change` with the tree that it had."""
    if (made[-1].change_id, made[-1].description) == (change.change_id, change.description):
        old, *new = _read_trees(repository, [change, *made])
        if new == [*trees, old] and not any(each.conflict or len(each.parents) != 1 for each in made):
            return
    raise JjError(_INEXACT, hint="nothing was changed; please report this")


def _read_trees(repository: Repository, changes: Sequence[JjChange]) -> list[str]:
    trees = [f"{change.commit_id}^{{tree}}" for change in changes]
    return repository.run("rev-parse", *trees).decode().split()


def _drop_branches(repository: Repository) -> None:
    """Remove the branches by which jj was to know our commits: of this run, or of one that was killed."""
    listing = repository.run("for-each-ref", "--format=delete %(refname)", f"refs/heads/{_BRANCH}*")
    if listing:
        repository.run("update-ref", "--stdin", stdin=listing)


def undo_split(root: str) -> str:
    """Restore the operation before the last split, and return its id; the caller holds the lock.

    What was edited since stays in the files, and is in the working-copy commit then. Raise NothingToUndo if
    there was no split, JjError if other operations came after it.
    """
    before = (state_files.load(find_state_directory(root), _BEFORE) or b"").decode()
    if not before:
        raise NothingToUndo("nothing to undo")
    since = []
    for operation in _read_operations(root, _OPERATIONS_READ):
        if operation.id == before:
            break
        since.append(operation.is_snapshot or "--at-operation" in operation.attributes)
    else:
        since.append(False)
    if not since or not all(since):
        reason = "other operations came after the split" if since else "the last split was undone already"
        raise JjError(reason, hint=f"see 'jj op log'; to restore what was before it: jj op restore {before[:12]}")
    edited = read_change(root, snapshot=False)
    run_jj(("op", "restore", NO_SNAPSHOT, before), repository=root)
    # The files are as they were when the last snapshot was taken, and nothing has to be written.
    run_jj(("restore", NO_SNAPSHOT, "--from", edited.commit_id, "--into", "@"), repository=root)
    state_files.drop(find_state_directory(root), _BEFORE)
    return before


class _Operation(NamedTuple):
    """An operation of jj's log; `attributes` say with which arguments jj was run."""

    id: str
    is_snapshot: bool
    attributes: str


def _read_operations(root: str, count: int) -> list[_Operation]:
    """Take a snapshot, and return the last operations, newest first."""
    template = '"[" ++ json(self.id()) ++ "," ++ json(self.snapshot()) ++ "," ++ json(self.attributes()) ++ "]\\n"'
    output = run_jj(("op", "log", "--no-graph", f"-n{count}", "-T", template), repository=root)
    return [_Operation(*json.loads(line)) for line in output.splitlines()]
