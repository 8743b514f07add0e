"""The change to split: its base and target trees.

git itself creates the target: `git add -A` into a copy of the index. So clean filters, line endings, encodings, ignore
rules, intent-to-add, sparse and skipped entries are handled as in a commit by the user, and nothing that is read later
(for example a `.gitattributes` that is part of the change) can alter a byte of it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple

from smartcommit.errors import GitError, SplitError
from smartcommit.git.diff import ABSENT, FileChange, list_changes
from smartcommit.git.fast_import import NOBODY, Edit, NewCommit, write_commits
from smartcommit.git.hunks import Text, read_texts_at
from smartcommit.git.isolation import Config, hide_prologue, isolate
from smartcommit.git.query import parse_boolean, parse_config
from smartcommit.git.repo import Repository
from smartcommit.git.status import SHORTEN, STATUS, WorktreeStatus, parse_status, read_status
from smartcommit.git.transaction.journal import SplitRun, make_split_run

# The user's hooks would see an index that is not theirs; the other settings would turn a warning into a failure, omit
# files silently, or write a second index file.
_SCRATCH_OPTIONS = (
    "-c", f"core.hooksPath={os.devnull}", "-c", "core.safecrlf=false", "-c", "add.ignoreErrors=false",
    "-c", "core.splitIndex=false", "-c", "advice.updateSparsePath=false",
)  # fmt: skip


# What helps if `git add` fails, by a part of the message of git or the system.
_REMEDIES = {
    "will not add file alias": "run 'git config core.ignoreCase false' if the file system distinguishes case",
    "No space left": "free some disk space",
    "Permission denied": "make the file readable, or add it to .gitignore",
    "File name too long": SHORTEN,
    "Filename too long": SHORTEN,
    "filter": "fix the filter",
}


class Pathspecs(NamedTuple):
    """What a change is limited to: `words` are git's pathspecs as a user in `directory` writes them."""

    directory: str
    words: tuple[str, ...]

    def prepare(self, repository: Repository) -> Repository:
        """Return `repository` for git processes that read the pathspecs."""
        return repository.extended("-C", self.directory, "--no-literal-pathspecs")


class ComposedTarget(NamedTuple):
    """A target tree that has only a part of what the working tree has, and what is staged beside it.

    `staged` has the differences between HEAD and the index by path. Where one of these paths is changed in `tree` too,
    `combined` has its entry with both changes, and `texts` its text from HEAD to what is staged, if it is text.
    """

    tree: str
    staged: Mapping[bytes, FileChange]
    combined: Mapping[bytes, Edit]
    texts: Mapping[bytes, Text]


# Makes a target: it is called with a repository that writes objects into the quarantine of the run, the run, the commit
# of HEAD (None: none yet), and the tree of the index.
Compose = Callable[[Repository, SplitRun, str | None, str], ComposedTarget]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The change from `base` to `target`, with everything that is needed to split it.

    `repository` reads the new objects, which wait in the quarantine of `run`, and `index` is the path of the user's
    index. `head` is HEAD's commit, or None before the first one; `branch` is None if HEAD is detached. `base` is the
    commit that the change starts from: HEAD's, or an earlier one if the change is committed already. `target` is the
    tree of the whole change, `staged_tree` that of the index. With `staged` the change is only what is staged.
    `untracked`, `removed` and `overlong` are as in WorktreeStatus; `hides_untracked` is whether the change has no
    untracked files because git's settings, `config`, hide them. Of a target that was `composed` nothing is in the copy
    of the index yet.
    """

    repository: Repository
    run: SplitRun
    config: Config
    index: str
    head: str | None
    base: str | None
    branch: str | None
    target: str
    staged_tree: str
    staged: bool = False
    untracked: tuple[bytes, ...] = ()
    removed: frozenset[bytes] = frozenset()
    overlong: tuple[bytes, ...] = ()
    hides_untracked: bool = False
    composed: ComposedTarget | None = None

    @property
    def is_committed(self) -> bool:
        """Whether the change is that of commits: then neither index nor working tree has to do with it."""
        return self.base != self.head

    @property
    def since(self) -> str:
        """The base commit or the empty tree, with which the target is compared."""
        return self.base or self.repository.empty_tree


@contextmanager
def take_snapshot(
    repository: Repository,
    *,
    staged: bool = False,
    apart: Collection[bytes] = (),
    leave_out: Callable[[str | None, Sequence[bytes]], Collection[bytes]] = lambda head, untracked: (),
    compose: Compose | None = None,
    paths: Pathspecs | None = None,
) -> Iterator[Snapshot]:
    """Yield a snapshot of the working tree, or of the index alone; it is removed unless it was published.

    The files `apart` are omitted, and do not count as untracked, unless git knows their content. `leave_out` is called
    with HEAD's commit and the untracked paths, and returns those that are not added; a folder among them ends in a
    slash, and counts as one untracked path. A nested repository that is not a submodule is omitted: `git add` would
    record a link that nobody else can follow. With `compose` the target is what that returns, and untracked files do
    not matter. With `paths` the target has HEAD's content everywhere else, and the index keeps what it has there.

    Raise SplitError if HEAD must not be moved now, GitError if a file cannot be read.
    """
    with _start(repository) as (run, config, scratch):
        # Nothing is added if the target is composed.
        adding = not staged and compose is None
        hidden = adding and parse_boolean(dict(config).get("status.showuntrackedfiles", "all")) is False
        user = isolate(repository.pinned(GIT_INDEX_FILE=repository.index), config)
        state = read_status(user, untracked=compose is None and not hidden)
        _copy_index(repository, run, config)
        staged_tree = _write_tree(scratch)
        unknown = {path for path in (*state.untracked, *state.intended) if path in apart} - set(state.removed)
        untracked = _list_untracked(user, state, unknown, paths)
        target = staged_tree
        composed = None
        if compose is not None:
            composed = compose(scratch, run, state.head, staged_tree)
            target = composed.tree
        if adding:
            left_out = leave_out(state.head, untracked)
            folders = tuple(path for path in left_out if path.endswith(b"/"))
            untracked = [*folders, *(path for path in untracked if not path.startswith(folders))]
            adder = _copy_for_paths(scratch, run, state.head, staged_tree) if paths else scratch
            target = _add_all(adder, state, [*unknown, *left_out], untracked=not hidden, paths=paths)
        if paths is not None:
            composed = _limit_to_paths(scratch, run, state.head, staged_tree=staged_tree, whole=target, paths=paths)
            target = composed.tree
        yield Snapshot(
            scratch, run, config, repository.index, state.head, state.head, state.branch, target, staged_tree,
            staged=staged, untracked=tuple(untracked), removed=frozenset(state.removed), hides_untracked=hidden,
            composed=composed, overlong=tuple(state.overlong) if adding else (),
        )  # fmt: skip


@contextmanager
def take_range_snapshot(
    repository: Repository, since: str | None, until: str | None = None, *, paths: Pathspecs | None = None
) -> Iterator[Snapshot]:
    """Yield a snapshot of the commits of `until` (None: HEAD) since the commit `since` (None: all).

    With `paths` only these differ from `since` in the target. Raise as `take_snapshot` does.
    """
    with _start(repository) as (run, config, scratch):
        state = read_status(isolate(repository.pinned(GIT_INDEX_FILE=repository.index), config), untracked=False)
        if state.head is None:
            raise SplitError("there are no commits yet")
        _copy_index(repository, run, config)
        staged_tree = _write_tree(scratch)
        with suppress(FileNotFoundError):
            # git has written the copy again, without the sizes of files that it would have to look at.
            shutil.copy2(run.before, run.after)
        target = _read_tree(scratch, until or state.head)
        if paths is not None:
            target = _limit_to_paths(scratch, run, since, staged_tree=target, whole=target, paths=paths).tree
        yield Snapshot(scratch, run, config, repository.index, state.head, since, state.branch, target, staged_tree)


@contextmanager
def take_jj_snapshot(
    repository: Repository, commit: str, since: str | None, *, branch: str | None
) -> Iterator[Snapshot]:
    """Yield a snapshot of the commits of `commit` since `since` (None: all), whatever HEAD and the index are.

    In jj's git repository nobody uses these; `branch` is a bookmark for drafts to read, if there is one.
    """
    with _start(repository) as (run, config, scratch):
        target = _read_tree(scratch, commit)
        yield Snapshot(scratch, run, config, run.after, commit, since, branch, target, target)


@contextmanager
def _start(repository: Repository) -> Iterator[tuple[SplitRun, Config, Repository]]:
    """Yield a new run, git's settings, and the repository whose index is the run's and whose new objects wait in it."""
    with make_split_run(repository) as run:
        config = parse_config(repository.pinned().run("config", "-z", "--list"))
        yield run, config, _make_scratch(repository, config, GIT_INDEX_FILE=run.after, **run.quarantine.environment)


def write_index(scratch: Repository, entries: bytes, intended: Sequence[bytes]) -> None:
    """Set `entries`, as `git update-index -z --index-info` reads them, in a copy of the index.

    The paths `intended` have no entry; those that still exist are announced by `git add -N`.
    """
    scratch.run("update-index", "-z", "--index-info", stdin=entries)
    paths = []
    for path in intended:
        place = os.path.join(os.fsencode(scratch.worktree), path)
        # What git can track is a file, a link or a repository.
        if os.path.islink(place) or os.path.isfile(place) or os.path.exists(os.path.join(place, b".git")):
            paths.append(path)
    if paths:
        scratch.run(
            "add", "--intent-to-add", "--force", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul",
            stdin=b"\0".join(paths),
        )  # fmt: skip


def _make_scratch(repository: Repository, config: Config, **environment: str) -> Repository:
    return isolate(repository.pinned(**environment), config).extended(*_SCRATCH_OPTIONS)


def _copy_index(repository: Repository, run: SplitRun, config: Config) -> None:
    """Copy the index twice, with its time: git compares that with a file's to know if the file must be read again.

    A copy of a split index is joined with the shared index, which git may remove.
    """
    try:
        shutil.copy2(repository.index, run.before)
    except FileNotFoundError:  # no index before the first `git add`
        return
    if any(name.startswith("sharedindex.") for name in os.listdir(repository.git_dir)):
        _make_scratch(repository, config, GIT_INDEX_FILE=run.before).run("update-index", "--no-split-index")
        shutil.copystat(repository.index, run.before)
    shutil.copy2(run.before, run.after)


def _write_tree(scratch: Repository) -> str:
    return scratch.run("write-tree").decode().strip()


def _read_tree(scratch: Repository, commit: str) -> str:
    return scratch.run("rev-parse", "--verify", f"{commit}^{{tree}}").decode().strip()


def _copy_for_paths(scratch: Repository, run: SplitRun, head: str | None, staged_tree: str) -> Repository:
    """Return `scratch` with a copy of the index that also has the files whose removal is staged.

    Without them `git add` would not know these paths.
    """
    index = os.path.join(run.work, "paths")
    with suppress(FileNotFoundError):  # no index before the first `git add`
        shutil.copy2(run.after, index)
    adder = scratch.extended(GIT_INDEX_FILE=index)
    entries = b""
    for change in list_changes(scratch, head or scratch.empty_tree, staged_tree, renames=False, counts=False):
        if change.new_mode == ABSENT:
            entries += b"%s %s 0\t%s\0" % (change.old_mode.encode(), change.old_id.encode(), change.path)
    adder.run("update-index", "--replace", "-z", "--index-info", stdin=entries)
    return adder


def _limit_to_paths(
    scratch: Repository, run: SplitRun, head: str | None, *, staged_tree: str, whole: str, paths: Pathspecs
) -> ComposedTarget:
    """Return the target that has of the tree `whole` what is at `paths`, and else what HEAD has."""
    since = head or scratch.empty_tree
    command = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-relative", "--ignore-submodules=none")
    meant = set(paths.prepare(scratch).run(*command, since, whole, "--", *paths.words).split(b"\0")[:-1])
    changes = list_changes(scratch, since, whole, renames=False, counts=False)
    edits = {change.path: Edit.of(change) for change in changes if change.path in meant}
    commit = NewCommit("limited to paths\n", (head,) if head else (), list(edits.values()))
    *_, written = write_commits(run.quarantine.repository, head, [commit], NOBODY)
    changes = list_changes(scratch, since, staged_tree, renames=False, counts=False)
    staged = {change.path: change for change in changes}
    combined = {path: edits[path] for path in edits.keys() & staged.keys()}
    return ComposedTarget(written.tree, staged, combined, read_texts_at(scratch, since, staged_tree, combined))


def _list_untracked(
    repository: Repository, state: WorktreeStatus, unknown: Collection[bytes], paths: Pathspecs | None
) -> list[bytes]:
    """Return the untracked paths at `paths` (None: all) but for those that are `unknown`; one process, or none."""
    untracked = [path for path in state.untracked if path not in unknown]
    if paths is None or not untracked:
        return untracked
    # `git ls-files` takes pathspecs that only exclude as those of the user's directory, `git add` as those of all.
    listing = paths.prepare(repository).run(*STATUS, "--untracked-files=all", "--", *paths.words)
    meant = set(parse_status(listing).untracked)
    return [path for path in untracked if path in meant]


def _add_all(
    scratch: Repository, state: WorktreeStatus, unwanted: Iterable[bytes], *, untracked: bool, paths: Pathspecs | None
) -> str:
    nested = (path for path in state.untracked if path.endswith(b"/"))
    excluded = [b":(top,exclude,literal)" + path.rstrip(b"/") for path in (*nested, *unwanted)]
    limits = paths or Pathspecs(scratch.worktree, ())
    try:
        # Status 1 means that files outside a sparse checkout were skipped; they are reported as left out.
        done = limits.prepare(scratch).ended(
            "add", "--all" if untracked else "--update",
            "--pathspec-from-file=-", "--pathspec-file-nul",
            stdin=b"\0".join([*(os.fsencode(word) for word in limits.words), *excluded]), expected=(0, 1),
        )  # fmt: skip
    except GitError as error:
        raise _explain_failure(error) from error
    if done.returncode and b"sparse" not in done.stderr:
        raise SplitError("cannot add a file", hint="run 'git add -A --dry-run' to see which")
    return _write_tree(scratch)


def _explain_failure(error: GitError) -> GitError:
    hint = "nothing was changed"
    for part, remedy in _REMEDIES.items():
        if part in str(error):
            hint = f"{remedy}; {hint}"
            break
    return GitError(hide_prologue(str(error)), status=error.status, hint=hint)
