"""`absorb`: each hunk of the change goes into the commit of the current branch that it belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from smartcommit.change.wording import format_count
from smartcommit.errors import SplitError, SplitPlanOutdated
from smartcommit.git.fast_import import BlobPack, Identity
from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.git.repo import Repository
from smartcommit.git.transaction.recover import check_recovered
from smartcommit.message.rules import CODES, OFF, Rules
from smartcommit.rewrite.autosquash import absorb_units
from smartcommit.rewrite.branches import copy_notes, list_branches, move_branches
from smartcommit.rewrite.commits import CommitRange
from smartcommit.rewrite.origins import Origins, read_origins
from smartcommit.rewrite.targets import Placement, find_targets
from smartcommit.signals import exit_on_signals
from smartcommit.split.apply import Chain, Prepared, prepare
from smartcommit.split.engine import SplitOptions, make_plan, withhold
from smartcommit.split.file_states import Steps
from smartcommit.split.flow import Flow, check_not_jj
from smartcommit.split.outcome import NOTHING, SplitResult
from smartcommit.split.plan import PlannedCommit, SplitPlan
from smartcommit.split.plan_file import PlanResult, list_plan_files
from smartcommit.split.review.render import FILES, show_left_out, show_notes, show_staged_only
from smartcommit.split.unwanted import take_screened_snapshot
from smartcommit.terminal import Terminal, printable
from smartcommit.waiting import announce_if_slow

# How a plan says that its commits are parts of earlier ones.
ENGINE = "absorb"
_FIXUP = "fixup! "


def absorb(
    repository: Repository,
    commits: CommitRange,
    *,
    staged: bool,
    yes: bool,
    options: SplitOptions,
    **console: Any,
) -> SplitResult:
    """Put what is not committed, or only what is `staged`, into `commits`, as far as it belongs there.

    The other arguments and the result are as for `flow.split`.
    """
    check_not_jj(repository.worktree)
    check_recovered(repository)
    staged = staged or (options.plan is not None and options.plan.plan.staged)
    planned = options.planned_paths
    apart = list_plan_files(repository.worktree, options.plan_files, planned)
    taking = partial(take_screened_snapshot, staged=staged, planned=planned, apart=apart, paths=options.paths)
    with exit_on_signals(), taking(repository, include_secrets=False) as (snapshot, suspects):
        if snapshot.head != commits.head:
            raise SplitPlanOutdated("HEAD has moved in the meantime", hint="run the command again")
        return AbsorbFlow(snapshot, suspects, options, commits=commits, **console).run(yes=yes)


class AbsorbFlow(Flow):
    """One change that is absorbed by a range of commits; each commit of its plan is a `fixup!` for one of these."""

    def __init__(self, *arguments: Any, commits: CommitRange, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._range = commits
        self._commits = commits.commits
        # The messages only say which commit is meant.
        self._rules = Rules(levels=dict.fromkeys(CODES, OFF))
        self._placements: dict[str, Placement] = {}
        # What the user is told afterwards.
        self._notes: list[str] = []

    def plan(self) -> PlanResult | None:
        if self._options.plan is not None:
            return self._read(self._options.plan)
        withhold(self._analyzer, self._analyzer.hunks, self._suspects)
        change = self._analyzer.change
        if not change.units:
            return None
        titles = [commit.title for commit in self._commits]
        groups: dict[int, list[Unit]] = {}
        with announce_if_slow("looking for the commits that the change belongs to", self._progress):
            for placement in find_targets(change, self._origins, titles, by_rebase=self._options.fixup):
                self._placements[placement.unit.id] = placement
                if placement.target is not None:
                    groups.setdefault(placement.target, []).append(placement.unit)
        if not groups:
            return None
        commits = []
        for target in sorted(groups):
            commits.append(PlannedCommit(self._name_target(target), tuple(groups[target])))
        return self._make_result(commits)

    def check_messages(self, made: PlanResult, **advice: str) -> None:
        """Raise SplitError if a message does not name the commit that it is for."""
        for commit in made.plan.commits:
            self._find_target(commit)

    def prepare(self, made: PlanResult, identity: Identity) -> Prepared:
        prepared = self.write(made.plan, made.change, identity)
        self._check(prepared)
        return prepared

    def write(self, plan: SplitPlan, change: ChangeUnits, identity: Identity) -> Prepared:
        make_chain = None if self._options.fixup else partial(self._make_chain, change)
        return prepare(self._snapshot, plan, change, identity, make_chain=make_chain)

    def publish(self, prepared: Prepared) -> Prepared:
        """Make the commits the user's, and move other branches with them as git is configured to."""
        if self._options.fixup:
            return super().publish(prepared)
        successors = {}
        for old, made in zip(reversed(self._commits), reversed(prepared.commits), strict=False):
            successors[old.oid] = made.commit
        branches = list_branches(self._snapshot.run.repository)
        moves, self._notes = move_branches(self._snapshot, branches, successors, successors.keys())
        prepared.publish([*moves, *copy_notes(self._snapshot, successors)])
        return prepared

    @property
    def command(self) -> str:
        staged = " --staged" if self._snapshot.staged else ""
        fixup = " --fixup" if self._options.fixup else ""
        return f"git smart-commit absorb{staged}{fixup}"

    def show(self, made: PlanResult) -> str:
        """Show which commits get what, and why."""
        lines = []
        for commit in made.plan.commits:
            target = self._commits[self._find_target(commit)]
            lines.append(f"{self.name_commit(target.oid)} {printable(target.title)}")
            for unit in commit.units:
                lines.append(f"      {self._explain(unit)}")
        notes = [*show_notes(made.plan), *self._list_staying(made.plan.skipped)]
        return "\n".join([*lines, *notes]) + "\n"

    def _review(self, made: PlanResult, terminal: Terminal) -> PlanResult | None:
        terminal.write(f"{self.show(made)}\n")
        return super()._review(made, terminal)

    def _announce_hooks(self) -> list[str]:
        # None is run.
        return []

    def report(self, prepared: Prepared) -> list[str]:
        plan = prepared.plan
        lines = []
        for commit, created in zip(plan.commits, self.list_created(prepared), strict=True):
            hunks = format_count(len(commit.units), "hunk")
            title = self._commits[self._find_target(commit)].title
            lines.append(f"{self.name_commit(created)} {printable(title)} ({hunks})")
        lines += [*show_left_out(plan), *self._list_staying(plan.skipped), *show_staged_only(prepared.staged_only)]
        return [*lines, *self._notes, self.undo_hint]

    def _report_nothing(self) -> SplitResult:
        if not self._placements:
            return super()._report_nothing()
        if self._options.json:
            return SplitResult(NOTHING, plan=self._make_result([]).describe())
        lines = ["no hunk has a commit that it surely belongs to"]
        lines += self._list_staying([placement.unit for placement in self._placements.values()])
        self._warn()
        return SplitResult(NOTHING, self._unless_quiet(lines))

    def _complete(self, message: str) -> str:
        return message

    @cached_property
    def _origins(self) -> Origins:
        return read_origins(self._snapshot.repository, self._range.oids)

    def _make_result(self, commits: Sequence[PlannedCommit]) -> PlanResult:
        """Return the plan with these commits; all other units stay."""
        plan = make_plan(self._analyzer, commits, engine=ENGINE)
        evidence: dict[str, dict[str, object]] = {}
        for unit_id, placement in self._placements.items():
            target = None if placement.target is None else self._commits[placement.target].oid
            evidence[unit_id] = {"target": target, "reason": placement.reason, "confidence": placement.confidence}
        return PlanResult(replace(plan, warnings=self._suspects), self._analyzer.whole, evidence=evidence)

    def list_created(self, prepared: Prepared) -> list[str]:
        """Return what became of the target of each commit of the plan."""
        names = super().list_created(prepared)
        if self._options.fixup:
            return names
        first = len(self._commits) - len(names)
        return [names[self._find_target(commit) - first] for commit in prepared.plan.commits]

    def _list_staying(self, units: Sequence[Unit]) -> Iterator[str]:
        """Yield a line about each of the units that stay."""
        for unit in units[:FILES]:
            placement = self._placements.get(unit.id)
            if placement is not None and placement.target is not None:
                yield f"stays: {printable(unit.id)}: left out"
            else:
                yield f"stays: {self._explain(unit)}"
        if len(units) > FILES:
            yield f"stays: {len(units) - FILES} more"

    def _explain(self, unit: Unit) -> str:
        placement = self._placements.get(unit.id)
        if placement is None:
            return printable(unit.id)
        return printable(f"{unit.id}: {placement.reason}")

    def _name_target(self, number: int) -> str:
        """Return the message of a commit for the one at a position."""
        title = self._commits[number].title.strip()
        if len(self._find_named(title)) != 1:
            title = self._commits[number].oid
        return f"{_FIXUP}{title}\n"

    def _find_target(self, commit: PlannedCommit) -> int:
        """Return the position of the commit that a planned one is for; raise SplitError if that is not one."""
        name = commit.subject.removeprefix(_FIXUP)
        found = self._find_named(name)
        if not commit.subject.startswith(_FIXUP) or len(found) != 1:
            raise SplitError(
                f"'{commit.subject}' is for none of these commits, or for several",
                hint=f"call it '{_FIXUP}TITLE' with the title of one, or '{_FIXUP}COMMIT' with its object name",
            )
        return found[0]

    def _find_named(self, name: str) -> list[int]:
        """Return the positions of the commits with a title or an object name."""
        return [number for number, commit in enumerate(self._commits) if name in (commit.title.strip(), commit.oid)]

    def _make_chain(self, change: ChangeUnits, plan: SplitPlan, steps: Steps, blobs: BlobPack) -> Chain:
        """Return the commits of the range with what the plan has for them."""
        absorbed: dict[int, list[Unit]] = {}
        for commit in plan.commits:
            absorbed.setdefault(self._find_target(commit), []).extend(commit.units)
            steps.take(commit.units)
        # A file whose only hunk is chosen has no text in a plan that was read.
        change = replace(change, texts={**self._analyzer.hunks.texts, **change.texts})
        return absorb_units(
            self._snapshot.repository, self._commits, change, absorbed, origins=self._origins, blobs=blobs
        )
