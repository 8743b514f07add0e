"""From a snapshot and a plan to commits: written apart, proven, and only then made the user's.

The invariants of every run: the last tree with what is skipped is the snapshot's; every commit changes its parent's
tree; every unit is in one commit or skipped; the commits form one line from the old HEAD; only HEAD's branch moves;
the working tree is never written; and after any failure HEAD and index are what they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from smartcommit.errors import SplitError, TreeMismatch
from smartcommit.git import transaction
from smartcommit.git.fast_import import Edit, Identity, NewCommit, Written, sign, write_commits
from smartcommit.git.hunks import ChangeUnits
from smartcommit.git.packs import BlobPack
from smartcommit.git.snapshot import Snapshot
from smartcommit.split.constraints import check_path_conflicts
from smartcommit.split.file_states import Steps
from smartcommit.split.index_rest import list_staged_only, put_into_index, read_leftovers
from smartcommit.split.plan import SplitPlan


@dataclass(frozen=True, slots=True)
class Prepared:
    """The commits of a plan, written into the quarantine and proven; nothing of the user's has changed yet.

    `backup` is a commit that reaches what undoing needs, None where HEAD before and after is all. `index_tree` is what
    the index will hold. What was `staged_only` it holds no more: these paths are again as in the working tree.
    """

    snapshot: Snapshot
    plan: SplitPlan
    commits: tuple[Written, ...]
    backup: str | None
    index_tree: str
    staged_only: tuple[bytes, ...]

    def publish(self) -> None:
        """Make the commits the user's: HEAD and index move together, or neither does.

        Raises: as `smartcommit.git.transaction.publish`.
        """
        transaction.publish(
            self.snapshot, self.commits[-1].commit, self.backup, count=len(self.commits), index_tree=self.index_tree
        )


def prepare(snapshot: Snapshot, plan: SplitPlan, pieces: ChangeUnits, identity: Identity) -> Prepared:
    """Write the commits that `plan` makes of `pieces`, and prove them.

    Raises: SplitError when the plan is not one for these units; TreeMismatch when the proof fails; GitError.
    """
    if (plan.base, plan.target, plan.staged) != (snapshot.base, snapshot.target, snapshot.staged):
        raise SplitError("the plan was made for another snapshot")
    plan.check(pieces.units)
    check_path_conflicts([plan.skipped, *(commit.units for commit in plan.commits)])
    steps = Steps(pieces)
    chain: list[NewCommit] = []
    with BlobPack(snapshot.repository, snapshot.run.quarantine.folders[0]) as blobs:
        for planned in plan.commits:
            parents = (len(chain) - 1,) if chain else _one(snapshot.base)
            chain.append(NewCommit(planned.message, parents, list(steps.edits(planned.units, blobs))))
        leftovers = read_leftovers(snapshot, plan, steps, blobs) if plan.skipped and not snapshot.staged else None
        rest = list(steps.edits(plan.skipped, blobs))
    states = _states(snapshot, len(chain) - 1, leftovers.edits if leftovers else rest, rest)
    written = write_commits(snapshot.run.quarantine.repository, snapshot.base, [*chain, *states], identity)
    *line, _, index, everything = written
    _prove(snapshot, line, everything)
    commits = line[1:]
    if identity.signed:
        commits = sign(snapshot.repository, chain, commits, identity)
    if leftovers is not None:
        put_into_index(snapshot, leftovers, index.tree)
        dropped = leftovers.dropped
    else:
        staged = snapshot.staged_tree not in (snapshot.target, line[0].tree)
        dropped = list_staged_only(snapshot, plan) if staged else []
    old, new = line[0].tree, line[-1].tree
    implied = index.tree == new and snapshot.staged_tree in (old, new)
    backup = None if implied else everything.commit
    return Prepared(snapshot, plan, tuple(commits), backup, index.tree, tuple(dropped))


def _one(base: str | None) -> tuple[str, ...]:
    return (base,) if base else ()


def _states(snapshot: Snapshot, tip: int, staged: Sequence[Edit], rest: Sequence[Edit]) -> list[NewCommit]:
    """Three commits, much as a stash is formed, that keep what the index holds, before and after, and the target.

    `tip` is the position of the last commit, `staged` what the index holds beyond it, and `rest` what is skipped.
    """
    return [
        NewCommit("staged when the split began\n", _one(snapshot.base), tree=snapshot.staged_tree),
        NewCommit("staged when the split was made\n", (tip,), staged),
        NewCommit("all that was split\n", (tip, tip + 2, tip + 1), rest),
    ]


def _prove(snapshot: Snapshot, line: Sequence[Written], everything: Written) -> None:
    """Raises: TreeMismatch when the commits, the base first, with the leftovers are not the target or stand still."""
    if everything.tree != snapshot.target:
        raise TreeMismatch(
            f"the commits end in tree {everything.tree}, the change in {snapshot.target}",
            hint="nothing was changed; please report this",
        )
    for before, commit in pairwise(line):
        if before.tree == commit.tree:
            raise TreeMismatch(f"commit {commit.commit} would be empty", hint="nothing was changed; please report this")
