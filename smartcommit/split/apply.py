"""Creates and verifies the commits of a split, then moves HEAD.

The invariants of every run: the last tree and what is skipped add up to the snapshot's tree; every commit changes its
parent's tree; every unit is in one commit or skipped; the commits form one line from the old HEAD, or from an earlier
commit whose descendants they replace; only HEAD's branch moves, and the refs that are named; the working tree is never
written; and after any failure HEAD and index are as before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from smartcommit.errors import SplitError, TreeMismatch
from smartcommit.git.fast_import import BlobPack, Edit, Identity, NewCommit, WrittenCommit, sign_commits, write_commits
from smartcommit.git.hunks import ChangeUnits
from smartcommit.git.snapshot import Snapshot
from smartcommit.git.transaction.journal import RefMove
from smartcommit.git.transaction.publish import publish
from smartcommit.split.constraints import check_path_conflicts
from smartcommit.split.file_states import Steps
from smartcommit.split.index_rest import keep_staged, list_staged_only, put_into_index, read_leftovers
from smartcommit.split.plan import SplitPlan, list_groups


@dataclass(frozen=True, slots=True)
class Chain:
    """A line of commits to write on top of `onto` (None: the first one has no parent).

    Before them come those that are `kept` as they are, each with its title; `onto` is the last of these, if any.
    """

    onto: str | None
    commits: Sequence[NewCommit]
    kept: Sequence[tuple[WrittenCommit, str]] = ()


# Returns the commits to write, and takes the units of all commits of the plan; new contents go to the pack.
MakeChain = Callable[[SplitPlan, Steps, BlobPack], Chain]


@dataclass(frozen=True, slots=True)
class Prepared:
    """The commits of a plan, written into the quarantine and verified; nothing of the user's has changed yet.

    `commits` come with their `titles`, the first lines of their messages. `backup` is a commit that keeps what undo
    needs, as `publish` describes it. `index_tree` is the new tree of the index. The paths in `staged_only` lose their
    staged content: they become as in the working tree.
    """

    snapshot: Snapshot
    plan: SplitPlan
    commits: tuple[WrittenCommit, ...]
    titles: tuple[str, ...]
    backup: str
    index_tree: str
    staged_only: tuple[bytes, ...]

    def publish(self, refs: Sequence[RefMove] = ()) -> None:
        """Make the commits the user's: HEAD, the index and `refs` change together, or not at all."""
        tip, count = self.commits[-1].commit, len(self.commits)
        publish(self.snapshot, tip, self.backup, count=count, index_tree=self.index_tree, refs=refs)


def prepare(
    snapshot: Snapshot,
    plan: SplitPlan,
    change: ChangeUnits,
    identity: Identity,
    *,
    make_chain: MakeChain | None = None,
) -> Prepared:
    """Write the commits that `plan` makes of `change`, and verify them.

    With `make_chain` those are written that it returns: whatever they are, the last one must have the plan's tree.

    Raise SplitError if the plan is not for these units, and TreeMismatch if the commits do not add up to the change.
    """
    if (plan.base, plan.target, plan.staged) != (snapshot.base, snapshot.target, snapshot.staged):
        raise SplitError("the plan is for another snapshot")
    plan.check(change.units)
    check_path_conflicts([plan.skipped, *list_groups(plan.commits)])
    steps = Steps(change)
    with BlobPack(snapshot.run.quarantine.repository) as blobs:
        if make_chain is not None:
            chain = make_chain(plan, steps, blobs)
        else:
            chain = Chain(snapshot.base, chain_commits(plan, steps, blobs, onto=snapshot.base))
        leftovers = None
        if snapshot.composed is not None:
            leftovers = keep_staged(snapshot.composed, plan, steps, blobs)
        elif plan.skipped and not (snapshot.staged or snapshot.is_committed):
            leftovers = read_leftovers(snapshot, plan, steps, blobs)
        rest = list(steps.edits(plan.skipped, blobs))
    states = _states(snapshot, chain, leftovers.edits if leftovers else rest, rest)
    written = write_commits(snapshot.run.quarantine.repository, chain.onto, [*chain.commits, *states], identity)
    *line, _, index, everything = written
    _verify(snapshot, chain, line, everything)
    commits = line[1:]
    if identity.signed and commits:
        commits = sign_commits(snapshot.repository, chain.commits, commits, identity)
    if leftovers is not None:
        put_into_index(snapshot, leftovers, index.tree)
        dropped = leftovers.dropped
    else:
        dropped = []
        if not snapshot.is_committed and snapshot.staged_tree not in (snapshot.target, line[0].tree):
            dropped = list_staged_only(snapshot, plan)
    titles = [title for _, title in chain.kept] + [commit.title for commit in chain.commits]
    made = [commit for commit, _ in chain.kept] + list(commits)
    return Prepared(snapshot, plan, tuple(made), tuple(titles), everything.commit, index.tree, tuple(dropped))


def chain_commits(plan: SplitPlan, steps: Steps, blobs: BlobPack, *, onto: str | None) -> list[NewCommit]:
    """Return the commits of `plan`, the first one on `onto`, and take their units; new contents go to `blobs`."""
    chain: list[NewCommit] = []
    for planned in plan.commits:
        parents = (len(chain) - 1,) if chain else _parents(onto)
        chain.append(NewCommit(planned.message, parents, list(steps.edits(planned.units, blobs))))
    return chain


def _parents(base: str | None) -> tuple[str, ...]:
    return (base,) if base else ()


def _states(snapshot: Snapshot, chain: Chain, staged: Sequence[Edit], rest: Sequence[Edit]) -> list[NewCommit]:
    """Return three commits, similar to a stash, of the index before and after the split, and of the target.

    They are for the last commit of `chain`; `staged` is what the index has beyond it, and `rest` what is skipped.
    """
    count = len(chain.commits)
    tip = (count - 1,) if count else _parents(chain.onto)
    after = NewCommit("index when the split was created\n", tip, staged)
    if snapshot.is_committed:
        after = replace(after, edits=(), tree=snapshot.staged_tree)
    return [
        NewCommit("index when the split started\n", _parents(snapshot.head), tree=snapshot.staged_tree),
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
