"""Creates and verifies the commits of a split and the index after it, then moves HEAD.

The invariants of every run: the last tree and what is skipped add up to the snapshot's tree; every commit changes its
parent's tree; every unit is in one commit or skipped; the commits form one line from the old HEAD, or from an earlier
commit whose descendants they replace; only HEAD's branch moves, and the refs that are named; the working tree is never
written; and after any failure HEAD and index are as before.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from smartcommit.errors import SplitError, TreeMismatch
from smartcommit.git.diff import ABSENT, REGULAR, FileChange, list_changes
from smartcommit.git.fast_import import BlobPack, Edit, Identity, NewCommit, WrittenCommit, sign_commits, write_commits
from smartcommit.git.hunks import Unit, read_texts_at
from smartcommit.git.snapshot import ComposedTarget, Snapshot, write_index
from smartcommit.git.transaction.journal import RefMove
from smartcommit.git.transaction.publish import publish
from smartcommit.split.constraints import check_path_conflicts, list_parents
from smartcommit.split.file_states import Steps
from smartcommit.split.plan import SplitPlan


class Chain(NamedTuple):
    """A line of commits to write on top of `onto` (None: the first one has no parent).

    Before them come those that are `kept` as they are, each with its title; `onto` is the last of these, if any. The
    rest is as in Prepared.
    """

    onto: str | None
    commits: Sequence[NewCommit]
    kept: Sequence[tuple[WrittenCommit, str]] = ()
    continued: Sequence[str | None] = ()
    replaced: Sequence[str] = ()


# Returns the commits to write, and takes the units of all commits of the plan; new contents go to the pack.
MakeChain = Callable[[SplitPlan, Steps, BlobPack], Chain]


@dataclass(frozen=True, slots=True)
class Prepared:
    """The commits of a plan, written into the quarantine and verified; nothing of the user's has changed yet.

    `commits` come with their `titles`, the first lines of their messages. `backup` is a commit that keeps what undo
    needs, as `publish` describes it. `index_tree` is the new tree of the index. The paths in `staged_only` lose their
    staged content: they become as in the working tree.

    If they come in the place of old commits, these are `replaced`, and `continued` has the one that each new commit
    continues, None for one that continues none; both go on with `above`, the commits above these, which are written
    again and none of the plan's; in the place of one that is dropped is the last of `commits`. `notes` are what else
    the user is told.
    """

    snapshot: Snapshot
    plan: SplitPlan
    commits: tuple[WrittenCommit, ...]
    titles: tuple[str, ...]
    backup: str
    index_tree: str
    staged_only: tuple[bytes, ...]
    continued: tuple[str | None, ...] = ()
    replaced: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def all_commits(self) -> list[str]:
        """The names of all commits, of which the last one is for HEAD."""
        return [*(commit.commit for commit in self.commits), *self.above]

    def publish(self, refs: Sequence[RefMove] = ()) -> None:
        """Make the commits the user's: HEAD, the index and `refs` change together, or not at all."""
        commits = self.all_commits
        count = len(set(commits))
        publish(self.snapshot, commits[-1], self.backup, count=count, index_tree=self.index_tree, refs=refs)


def chain_commits(plan: SplitPlan, steps: Steps, blobs: BlobPack) -> Chain:
    commits: list[NewCommit] = []
    parents: tuple[int | str, ...] = (plan.base,) if plan.base else ()
    for planned in plan.commits:
        commits.append(NewCommit(planned.message, parents, list(steps.edits(planned.units, blobs))))
        parents = (len(commits) - 1,)
    return Chain(plan.base, commits)


def prepare(
    snapshot: Snapshot,
    plan: SplitPlan,
    identity: Identity,
    *,
    make_chain: MakeChain = chain_commits,
    keeps_staged: bool = False,
) -> Prepared:
    """Write the commits of `plan` that `make_chain` returns, and verify them: the last one must have the plan's tree.

    With `keeps_staged`, what only the index has stays there although everything else is committed.

    Raise SplitError if the plan does not have the units of its change, and TreeMismatch if the commits do not add up to
    the change.
    """
    if (plan.base, plan.target, plan.staged) != (snapshot.base, snapshot.target, snapshot.staged):
        raise SplitError("the plan is for another snapshot")
    plan.check()
    check_path_conflicts([plan.skipped, *(commit.units for commit in plan.commits)])
    steps = Steps(plan.change)
    with BlobPack(snapshot.run.quarantine.repository) as blobs:
        chain = make_chain(plan, steps, blobs)
        leftovers = None
        if snapshot.composed is not None:
            leftovers = keep_staged(snapshot.composed, plan, steps, blobs)
        elif (plan.skipped or keeps_staged) and not (snapshot.staged or snapshot.is_committed):
            leftovers = read_leftovers(snapshot, plan, steps, blobs)
        rest = list(steps.edits(plan.skipped, blobs))
    states = _make_states(snapshot, chain, leftovers.edits if leftovers else rest, rest)
    written = write_commits(snapshot.run.quarantine.repository, chain.onto, [*chain.commits, *states], identity)
    *line, _, index, everything = written
    _verify(snapshot, chain, line, everything)
    commits = line[1:]
    if identity.signed and commits:
        commits = sign_commits(snapshot.repository, chain.commits, commits, identity)
    dropped: list[bytes] = []
    if leftovers is not None:
        put_into_index(snapshot, leftovers, index.tree)
        dropped = leftovers.dropped
    elif not snapshot.is_committed and snapshot.staged_tree not in (snapshot.target, line[0].tree):
        # They differ from the base in the index, but not in the working tree.
        dropped = list(_find_staged_only(_read_unstaged(snapshot), plan))
    new_commits = [*(item[0] for item in chain.kept), *commits]
    titles = [*(item[1] for item in chain.kept), *(commit.title for commit in chain.commits)]
    return Prepared(
        snapshot, plan, tuple(new_commits), tuple(titles), everything.commit, index.tree, tuple(dropped),
        tuple(chain.continued), tuple(chain.replaced),
    )  # fmt: skip


def _make_states(snapshot: Snapshot, chain: Chain, staged: Sequence[Edit], rest: Sequence[Edit]) -> list[NewCommit]:
    """Return three commits, as of a stash: the index before, that after with what is `staged`, and the target."""
    count = len(chain.commits)
    tip: tuple[int | str, ...] = (chain.onto,) if chain.onto else ()
    if count:
        tip = (count - 1,)
    head = (snapshot.head,) if snapshot.head else ()
    after = NewCommit("index when the split was created\n", tip, staged)
    if snapshot.is_committed:
        after = replace(after, edits=(), tree=snapshot.staged_tree)
    return [
        NewCommit("index when the split started\n", head, tree=snapshot.staged_tree),
        after,
        NewCommit("everything that was split\n", (*tip, count + 1, count), rest),
    ]


def _verify(snapshot: Snapshot, chain: Chain, line: Sequence[WrittenCommit], everything: WrittenCommit) -> None:
    """Raise TreeMismatch if the commits (after the first) do not lead to the target, or one became empty."""
    if everything.tree != snapshot.target:
        raise TreeMismatch(
            f"the commits end in tree {everything.tree}, expected {snapshot.target}",
            hint="nothing was changed; please report this",
        )
    for (before, commit), new in zip(pairwise(line), chain.commits, strict=True):
        if before.tree == commit.tree and (new.edits or new.tree is not None):
            raise TreeMismatch(f"commit {commit.commit} would be empty", hint="nothing was changed; please report this")


class Leftovers(NamedTuple):
    """What the index has beyond the new commits.

    `edits` turn the last commit's tree into that of the index. `unstaged` are those for paths that differ from the
    target, and `intended` are the paths to be marked as intent-to-add. `dropped` are paths that were only staged, and
    that a committed path above or below them replaces.
    """

    edits: list[Edit]
    unstaged: list[Edit]
    intended: list[bytes]
    dropped: list[bytes]


def read_leftovers(snapshot: Snapshot, plan: SplitPlan, steps: Steps, blobs: BlobPack) -> Leftovers:
    """Return what the index keeps once the commits of `plan` were taken in `steps`; at most four processes.

    A file of which nothing is committed keeps its entry, and so does one that is changed only in the index. A file that
    is committed in part has the committed content, and what was staged on lines that no committed hunk touches. New
    contents go to `blobs`.
    """
    unstaged = _read_unstaged(snapshot)
    untracked = set(snapshot.untracked)
    files = {unit.change.path: unit for unit in plan.skipped}
    # All that is staged is read for files whose staged content is neither the committed one nor the target's.
    thirds = set()
    for path, unit in files.items():
        if steps.files[path].taken and path in unstaged and unstaged[path].old_id != unit.change.old_id:
            thirds.add(path)
    staged = read_texts_at(snapshot.repository, snapshot.since, snapshot.staged_tree, thirds)
    edits: list[Edit] = []
    for path, unit in files.items():
        if not steps.files[path].taken:
            edits += _list_staged(unit, unstaged)
        elif path not in unstaged:
            edits.append(Edit(path, unit.change.new_mode, unit.change.new_id))
        else:
            edit = steps.files[path].edit(blobs, staged.get(path))
            if edit.mode == unit.change.old_mode and unstaged[path].old_mode in REGULAR:
                edit = replace(edit, mode=unstaged[path].old_mode)
            edits.append(edit)
    only = _find_staged_only(unstaged, plan)
    dropped = _find_displaced([path for path, change in only.items() if change.old_mode != ABSENT], plan)
    for path, change in only.items():
        if path not in dropped:
            edits.append(Edit(path, change.old_mode, change.old_id))
    changed, intended = [], []
    for edit in edits:
        if edit.path in unstaged:
            changed.append(edit)
            if edit.mode == ABSENT and edit.path not in untracked:
                intended.append(edit.path)
    return Leftovers(edits, changed, intended, dropped)


def _list_staged(unit: Unit, unstaged: Mapping[bytes, FileChange]) -> Iterator[Edit]:
    """Yield the entries that the index has for the paths of a skipped unit: those of the target if all is staged."""
    for path in unit.paths:
        if path in unstaged:
            yield Edit(path, unstaged[path].old_mode, unstaged[path].old_id)
        elif path == unit.change.path:
            yield Edit(path, unit.change.new_mode, unit.change.new_id)
        else:
            yield Edit(path, ABSENT, unit.change.old_id)


def keep_staged(composed: ComposedTarget, plan: SplitPlan, steps: Steps, blobs: BlobPack) -> Leftovers:
    """Return what the index keeps beside a target that was composed: everything that is staged, and nothing else.

    It gets the content of each path that the commits of `plan`, taken in `steps`, change. New contents go to `blobs`.

    Raise SplitError if a file is committed in part, and what is staged there cannot be combined with that part.
    """
    entries: dict[bytes, Edit] = {}
    for commit in plan.commits:
        for unit in commit.units:
            change = unit.change
            if change.old_path is not None:
                entries[change.old_path] = Edit(change.old_path, ABSENT, change.old_id)
            entries[change.path] = steps.files[change.path].edit(blobs)
    # A file that a folder of the paths displaces is changed, too, without being one of them.
    combined = entries.keys() & composed.combined.keys()
    edits = []
    others = [path for path, change in composed.staged.items() if path not in combined and change.new_mode != ABSENT]
    dropped = _find_displaced(others, plan)
    for path, change in composed.staged.items():
        if path in combined:
            is_removed = entries[path].mode == ABSENT
            entries[path] = _put_beside_staged(entries[path], composed, steps, blobs)
            # What the commits remove can be a folder by then, which an edit would remove again.
            if not (is_removed and entries[path].mode == ABSENT):
                edits.append(entries[path])
        elif path not in entries and path not in dropped:
            edits.append(Edit.of(change))
    # An entry that is as it should be keeps its flags.
    same = {path for path, change in composed.staged.items() if entries.get(path) == Edit.of(change)}
    unstaged = [edit for path, edit in entries.items() if path not in same]
    return Leftovers(edits, unstaged, intended=[], dropped=dropped)


def put_into_index(snapshot: Snapshot, leftovers: Leftovers, tree: str) -> None:
    """Give the index that will be installed the entries of `leftovers`; raise TreeMismatch if that is not `tree`."""
    # What is removed makes room for what is added.
    edits = sorted(leftovers.unstaged, key=lambda edit: edit.mode != ABSENT)
    lines = [b"%s %s 0\t%s\0" % (edit.mode.encode(), edit.oid.encode(), edit.path) for edit in edits]
    write_index(snapshot.repository, b"".join(lines), leftovers.intended)
    index_tree = snapshot.repository.run("write-tree").decode().strip()
    if index_tree != tree:
        raise TreeMismatch(
            f"the index would contain {index_tree}, expected {tree}", hint="nothing was changed; please report this"
        )


def _read_unstaged(snapshot: Snapshot) -> dict[bytes, FileChange]:
    repository, staged, target = snapshot.repository, snapshot.staged_tree, snapshot.target
    return {change.path: change for change in list_changes(repository, staged, target, renames=False, counts=False)}


def _find_staged_only(unstaged: Mapping[bytes, FileChange], plan: SplitPlan) -> dict[bytes, FileChange]:
    """Return the changes to files that no unit changes, because their target is the same as the base."""
    staged_only = dict(unstaged)
    for unit in plan.units:
        for path in unit.paths:
            staged_only.pop(path, None)
    return staged_only


def _find_displaced(paths: Sequence[bytes], plan: SplitPlan) -> list[bytes]:
    """Return those of the `paths` in the index that are above or below one that is committed."""
    committed = set()
    for commit in plan.commits:
        for unit in commit.units:
            if unit.change.new_mode != ABSENT:
                committed.add(unit.change.path)
    folders: set[bytes] = set()
    for path in committed:
        folders.update(list_parents(path))
    return [path for path in paths if path in folders or not committed.isdisjoint(list_parents(path))]


def _put_beside_staged(entry: Edit, composed: ComposedTarget, steps: Steps, blobs: BlobPack) -> Edit:
    path, staged = entry.path, composed.staged[entry.path]
    file = steps.files.get(path)
    if file is None or file.is_complete:
        return composed.combined[path]
    if (staged.new_mode, staged.new_id) == (file.change.new_mode, file.change.new_id):
        return composed.combined[path]
    if entry.mode == file.change.old_mode:
        entry = replace(entry, mode=staged.new_mode)
    text = composed.texts.get(path)
    if text is None:  # only its mode is staged
        return entry
    if not file.keeps(text):
        name = os.fsdecode(path)
        unstaging = f"git restore --staged {shlex.quote(name)}"
        raise SplitError(
            f"what is staged of '{name}' cannot be combined with a part of the change",
            hint=f"commit the file as a whole, or run '{unstaging}'", following=[unstaging],
        )  # fmt: skip
    return replace(entry, oid=blobs.add(file.compose(text)))
