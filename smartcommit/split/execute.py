"""From a snapshot and a plan to commits: written apart, proven, and only then made the user's.

The invariants of every run: the last tree is the snapshot's; every commit changes its parent's tree; every unit is in
exactly one commit; the commits form one line from the old HEAD; only HEAD's branch and a backup ref move; the working
tree is never written; and after any failure HEAD, index and objects are what they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from smartcommit.errors import SplitError, TreeMismatch
from smartcommit.git import transaction
from smartcommit.git.chain import ABSENT, Edit, NewCommit, Written, sign, write_commits
from smartcommit.git.hunks import Pieces, Unit
from smartcommit.git.identity import Identity
from smartcommit.git.snapshot import Snapshot
from smartcommit.split.plan import SplitPlan


@dataclass(frozen=True, slots=True)
class Prepared:
    """The commits of a plan, written into the quarantine and proven; nothing of the user's has changed yet."""

    snapshot: Snapshot
    plan: SplitPlan
    commits: tuple[Written, ...]
    backup: str

    @property
    def ref_lines(self) -> list[str]:
        """What `git update-ref --stdin` will be told."""
        return transaction.plan_refs(self.snapshot, self.commits[-1].commit, self.backup)

    def publish(self) -> None:
        """Make the commits the user's: HEAD and index move together, or neither does.

        Raises: as `smartcommit.git.transaction.publish`.
        """
        transaction.publish(self.snapshot, self.commits[-1].commit, self.backup, len(self.commits))


def prepare(snapshot: Snapshot, plan: SplitPlan, pieces: Pieces, identity: Identity) -> Prepared:
    """Write the commits that `plan` makes of `pieces`, and prove them.

    Raises: SplitError when the plan is not one for these units; TreeMismatch when the proof fails; GitError.
    """
    if (plan.base, plan.target, plan.staged) != (snapshot.base, snapshot.target, snapshot.staged):
        raise SplitError("the plan was made for another snapshot")
    plan.check(pieces.units)
    steps = Steps(pieces)
    chain: list[NewCommit] = []
    for planned in plan.commits:
        parents = (len(chain) - 1,) if chain else _one(snapshot.base)
        chain.append(NewCommit(planned.message, parents, list(steps.edits(planned.units))))
    everything = [*chain, *_backup(snapshot, len(chain))]
    *line, _, backup = write_commits(snapshot.repository, snapshot.base, everything, identity)
    _prove(snapshot, line)
    commits = line[1:]
    if identity.signed:
        commits = sign(snapshot.repository, chain, commits, identity)
    return Prepared(snapshot, plan, tuple(commits), backup.commit)


class Steps:
    """What each commit changes, taken one after the other: a file's content depends on its hunks committed so far."""

    def __init__(self, pieces: Pieces) -> None:
        self._texts = pieces.texts
        self._parts: dict[bytes, list[Unit]] = {}
        for unit in pieces.units:
            self._parts.setdefault(unit.change.path, []).append(unit)
        self._taken: dict[bytes, set[str]] = {}

    def edits(self, units: Iterable[Unit]) -> Iterator[Edit]:
        """The edits that add `units` to what was taken before."""
        touched: dict[bytes, None] = {}
        for unit in units:
            touched[unit.change.path] = None
            self._taken.setdefault(unit.change.path, set()).add(unit.id)
        for path in touched:
            yield from self._file(path)

    def _file(self, path: bytes) -> Iterator[Edit]:
        parts, taken = self._parts[path], self._taken[path]
        change = parts[0].change
        if change.old_path is not None:
            yield Edit(change.old_path, ABSENT, change.old_id)
        if len(taken) == len(parts):
            yield Edit(path, change.new_mode, change.new_id)
            return
        chosen = [number for number, unit in enumerate(parts) if unit.kind == "text" and unit.id in taken]
        mode = change.new_mode if any(u.kind == "mode" and u.id in taken for u in parts) else change.old_mode
        yield Edit(path, mode, change.new_id, self._texts[path].compose(chosen))


def _one(base: str | None) -> tuple[str, ...]:
    return (base,) if base else ()


def _backup(snapshot: Snapshot, position: int) -> list[NewCommit]:
    """Two commits, formed as a stash is, that keep the staged tree and the target from being collected."""
    parents = _one(snapshot.base)
    return [
        NewCommit("staged when the split began\n", parents, tree=snapshot.staged_tree),
        NewCommit("all that was split\n", (*parents, position), tree=snapshot.target),
    ]


def _prove(snapshot: Snapshot, line: Sequence[Written]) -> None:
    """Raises: TreeMismatch when the line of commits, the base first, does not end in the target or stands still."""
    if line[-1].tree != snapshot.target:
        raise TreeMismatch(
            f"the commits end in tree {line[-1].tree}, the change in {snapshot.target}",
            hint="nothing was changed; please report this",
        )
    for before, commit in pairwise(line):
        if before.tree == commit.tree:
            raise TreeMismatch(f"commit {commit.commit} would be empty", hint="nothing was changed; please report this")
