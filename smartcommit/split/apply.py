"""Creates and verifies the commits of a split and the index after it, then moves HEAD.

The invariants of every run: the last tree and what is skipped add up to the snapshot's tree; every commit changes its
parent's tree; every unit is in one commit or skipped; the commits form one line from the old HEAD, or from an earlier
commit whose descendants they replace; only HEAD's branch moves, and the refs that are named; the working tree is never
written; and after any failure HEAD and index are as before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from smartcommit.errors import SplitError, TreeMismatch
from smartcommit.git.fast_import import BlobPack, Edit, Identity, NewCommit, WrittenCommit, sign_commits, write_commits
from smartcommit.git.snapshot import Snapshot
from smartcommit.git.transaction.journal import RefMove
from smartcommit.git.transaction.publish import publish
from smartcommit.split.constraints import check_path_conflicts
from smartcommit.split.file_states import Steps
from smartcommit.split.index_rest import find_staged_only, keep_staged, put_into_index, read_leftovers, read_unstaged
from smartcommit.split.plan import SplitPlan


class Chain(NamedTuple):
    """A line of `commits` to write on top of the commit `onto` (None: the first one has no parent).

    A rewrite may keep the first commits of its range as they are: they are `kept`, each with its title, and `onto` is
    the last of them. `continued` and `replaced` are as in Prepared.
    """

    onto: str | None
    commits: Sequence[NewCommit]
    kept: Sequence[tuple[WrittenCommit, str]] = ()
    continued: Sequence[str | None] = ()
    replaced: Sequence[str] = ()


# Returns the commits to write for a plan, and takes the units of all of them in `Steps`; new contents go to the pack.
MakeChain = Callable[[SplitPlan, Steps, BlobPack], Chain]


@dataclass(frozen=True, slots=True)
class Prepared:
    """The commits of a plan, written into the quarantine and verified; nothing of the user's has changed yet.

    `commits` come with their `titles`, the first lines of their messages. `backup` is a commit that keeps what undo
    needs, as `publish` describes it. `index_tree` is the new tree of the index. The paths in `staged_only` lose their
    staged content: they become as in the working tree. `notes` are what else the user is told.

    A rewrite has more. `replaced` are the old commits that go, and `continued` has for each new commit the old one
    that it continues, or None. `above` are the commits above the range, written again on their new parents; in the
    place of one that is dropped stands the last of `commits`. `continued` and `replaced` go on with those above.
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
    """Write the commits of `plan` that `make_chain` returns, and verify that they add up to the change.

    With `keeps_staged`, what only the index has stays there although everything else is committed. Raise SplitError if
    the plan does not have the units of its change, and TreeMismatch if the commits do not add up to it.
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
    onto, *commits, _, index, everything = written
    _verify(snapshot, chain, [onto, *commits], everything)
    if identity.signed and commits:
        commits = sign_commits(snapshot.repository, chain.commits, commits, identity)
    dropped: list[bytes] = []
    if leftovers is not None:
        put_into_index(snapshot, leftovers, index.tree)
        dropped = leftovers.dropped
    elif not snapshot.is_committed and snapshot.staged_tree not in (snapshot.target, onto.tree):
        dropped = list(find_staged_only(read_unstaged(snapshot), plan))
    kept = [written for written, _ in chain.kept]
    titles = [title for _, title in chain.kept]
    titles += [commit.title for commit in chain.commits]
    return Prepared(
        snapshot, plan, (*kept, *commits), tuple(titles), everything.commit, index.tree, tuple(dropped),
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
    """Raise TreeMismatch if `everything` is not the target, or a commit of `line`, after its first, became empty."""
    if everything.tree != snapshot.target:
        raise TreeMismatch(
            f"the commits end in tree {everything.tree}, expected {snapshot.target}",
            hint="nothing was changed; please report this",
        )
    for (before, commit), new in zip(pairwise(line), chain.commits, strict=True):
        if before.tree == commit.tree and (new.edits or new.tree is not None):
            raise TreeMismatch(f"commit {commit.commit} would be empty", hint="nothing was changed; please report this")
