"""Creates and verifies the commits of a split, then moves HEAD.

The invariants of every run: the last tree and what is skipped add up to the snapshot's tree; every commit changes its
parent's tree; every unit is in one commit or skipped; the commits form one line from the old HEAD; only HEAD's branch
moves; the working tree is never written; and after any failure HEAD and index are as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from smartcommit.errors import SplitError, TreeMismatch
from smartcommit.git.fast_import import Edit, Identity, NewCommit, WrittenCommit, sign_commits, write_commits
from smartcommit.git.hunks import ChangeUnits
from smartcommit.git.packs import BlobPack
from smartcommit.git.snapshot import Snapshot
from smartcommit.git.transaction.publish import publish
from smartcommit.split.constraints import check_path_conflicts
from smartcommit.split.file_states import Steps
from smartcommit.split.index_rest import keep_staged, list_staged_only, put_into_index, read_leftovers
from smartcommit.split.plan import SplitPlan, list_groups


@dataclass(frozen=True, slots=True)
class Prepared:
    """The commits of a plan, written into the quarantine and verified; nothing of the user's has changed yet.

    `backup` is a commit that keeps what undo needs besides HEAD before and after; None if it needs nothing else.
    `index_tree` is the new tree of the index. The paths in `staged_only` lose their staged content: they become as in
    the working tree.
    """

    snapshot: Snapshot
    plan: SplitPlan
    commits: tuple[WrittenCommit, ...]
    backup: str | None
    index_tree: str
    staged_only: tuple[bytes, ...]

    def publish(self) -> None:
        """Make the commits the user's: HEAD and index change together, or not at all."""
        publish(
            self.snapshot, self.commits[-1].commit, self.backup, count=len(self.commits), index_tree=self.index_tree
        )


def prepare(snapshot: Snapshot, plan: SplitPlan, change: ChangeUnits, identity: Identity) -> Prepared:
    """Write the commits that `plan` makes of `change`, and verify them.

    Raise SplitError if the plan is not for these units, and TreeMismatch if the commits do not add up to the change.
    """
    if (plan.base, plan.target, plan.staged) != (snapshot.base, snapshot.target, snapshot.staged):
        raise SplitError("the plan is for another snapshot")
    plan.check(change.units)
    check_path_conflicts([plan.skipped, *list_groups(plan.commits)])
    steps = Steps(change)
    chain: list[NewCommit] = []
    with BlobPack(snapshot.repository, snapshot.run.quarantine.objects) as blobs:
        for planned in plan.commits:
            parents = (len(chain) - 1,) if chain else _parents(snapshot.base)
            chain.append(NewCommit(planned.message, parents, list(steps.edits(planned.units, blobs))))
        leftovers = None
        if snapshot.composed is not None:
            leftovers = keep_staged(snapshot.composed, plan, steps, blobs)
        elif plan.skipped and not snapshot.staged:
            leftovers = read_leftovers(snapshot, plan, steps, blobs)
        rest = list(steps.edits(plan.skipped, blobs))
    states = _states(snapshot, len(chain) - 1, leftovers.edits if leftovers else rest, rest)
    written = write_commits(snapshot.run.quarantine.repository, snapshot.base, [*chain, *states], identity)
    *line, _, index, everything = written
    _verify(snapshot, line, everything)
    commits = line[1:]
    if identity.signed:
        commits = sign_commits(snapshot.repository, chain, commits, identity)
    if leftovers is not None:
        put_into_index(snapshot, leftovers, index.tree)
        dropped = leftovers.dropped
    else:
        dropped = []
        if snapshot.staged_tree not in (snapshot.target, line[0].tree):
            dropped = list_staged_only(snapshot, plan)
    old, new = line[0].tree, line[-1].tree
    implied = index.tree == new and snapshot.staged_tree in (old, new)
    backup = None if implied else everything.commit
    return Prepared(snapshot, plan, tuple(commits), backup, index.tree, tuple(dropped))


def _parents(base: str | None) -> tuple[str, ...]:
    return (base,) if base else ()


def _states(snapshot: Snapshot, tip: int, staged: Sequence[Edit], rest: Sequence[Edit]) -> list[NewCommit]:
    """Return three commits, similar to a stash, of the index before and after the split, and of the target.

    `tip` is the position of the last commit, `staged` what the index has beyond it, and `rest` what is skipped.
    """
    return [
        NewCommit("index when the split started\n", _parents(snapshot.base), tree=snapshot.staged_tree),
        NewCommit("index when the split was created\n", (tip,), staged),
        NewCommit("everything that was split\n", (tip, tip + 2, tip + 1), rest),
    ]


def _verify(snapshot: Snapshot, line: Sequence[WrittenCommit], everything: WrittenCommit) -> None:
    """Raise TreeMismatch if the commits (after the base) do not lead to the target, or one of them is empty."""
    if everything.tree != snapshot.target:
        raise TreeMismatch(
            f"the commits end in tree {everything.tree}, expected {snapshot.target}",
            hint="nothing was changed; please report this",
        )
    for before, commit in pairwise(line):
        if before.tree == commit.tree:
            raise TreeMismatch(f"commit {commit.commit} would be empty", hint="nothing was changed; please report this")
