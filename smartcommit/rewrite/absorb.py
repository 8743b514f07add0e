"""`absorb`: each hunk of the change goes into the commit of the current branch that it belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

from smartcommit.change.wording import format_count
from smartcommit.errors import SplitError, SplitPlanOutdated
from smartcommit.git.fast_import import BlobPack, Identity
from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.git.repo import Repository
from smartcommit.git.transaction.recover import refuse_if_interrupted
from smartcommit.jj.run import find_jj_repository, read_change_at_work
from smartcommit.message.characters import printable
from smartcommit.message.rules import CODES, OFF, Rules
from smartcommit.rewrite.autosquash import absorb_units
from smartcommit.rewrite.branches import find_moves
from smartcommit.rewrite.commits import CommitRange
from smartcommit.rewrite.in_jj import JjPublisher, find_range, make_range, read_author, read_range, take_change_snapshot
from smartcommit.rewrite.origins import Origins, read_origins
from smartcommit.rewrite.past import move_above, take_past_snapshot
from smartcommit.rewrite.targets import Placement, find_targets
from smartcommit.signals import exit_on_signals
from smartcommit.split.analyzer import ChangeReader
from smartcommit.split.apply import Chain, Prepared, prepare
from smartcommit.split.engine import make_plan
from smartcommit.split.file_states import Steps
from smartcommit.split.flow import ChangePlanner, Flow, GitPublisher, Publisher, check_not_jj
from smartcommit.split.outcome import NOTHING, Out, SplitResult
from smartcommit.split.plan import PlannedCommit, SplitPlan
from smartcommit.split.plan_file import describe_plan, list_plan_files
from smartcommit.split.review.render import FILES, show_left_out, show_notes, show_staged_only
from smartcommit.split.source import EngineOptions, Source, SplitOptions
from smartcommit.split.unwanted import find_suspects, take_screened_snapshot
from smartcommit.split.words import Words, Write
from smartcommit.terminal import Terminal
from smartcommit.waiting import announce_if_slow

# How a plan says that its commits are parts of earlier ones.
ENGINE = "absorb"
_FIXUP = "fixup! "


def absorb(
    repository: Repository, commits: CommitRange, *, options: SplitOptions, terminal: Terminal | None, complain: Out
) -> SplitResult:
    """Put each hunk that is not committed into the one of `commits` that it belongs to; others stay uncommitted.

    The other arguments and the result are as for `flow.split`.
    """
    check_not_jj(repository.worktree)
    refuse_if_interrupted(repository)
    with exit_on_signals(), take_screened_snapshot(repository, options) as (snapshot, suspects):
        if snapshot.head != commits.head:
            raise SplitPlanOutdated("HEAD has moved in the meantime", hint="run the command again")
        source = Source(snapshot, suspects, options, terminal, complain=complain)
        return _make_flow(source, commits, GitPublisher(find_moves)).run()


def absorb_commit(
    repository: Repository, commits: CommitRange, *, options: SplitOptions, terminal: Terminal | None, complain: Out
) -> SplitResult:
    """Put each hunk of the first commit above `commits` into the one of these that it belongs to.

    Other hunks stay in that commit, which is dropped if there are none. The other arguments and the result are as for
    a split.
    """
    commit = commits.above[0].oid
    with take_past_snapshot(repository, commits.head, commit, tip=commits.tip, paths=options.paths) as snapshot:
        source = Source(snapshot, (), options, terminal, complain=complain)
        return _make_flow(source, commits, GitPublisher(find_moves)).run()


def absorb_change(
    root: str, name: str | None, *, allow_pushed: bool, options: SplitOptions, terminal: Terminal | None, complain: Out
) -> SplitResult:
    """Put each hunk of jj's working-copy commit into the change below it that it belongs to.

    That is one of the range `name`, or without a name one that was not pushed. The other arguments and the result are
    as for a split.
    """
    change = read_change_at_work(root)
    store = find_jj_repository(root)
    old = find_range(root) if name is None else read_range(root, name, allow_pushed=allow_pushed)
    commits = make_range(store, old)
    apart = list_plan_files(root, options.plan_files, options.planned_paths)
    with exit_on_signals(), take_change_snapshot(store, change, apart) as snapshot:
        suspects = find_suspects(snapshot, options)
        identify = partial(read_author, snapshot, change)
        source = Source(snapshot, suspects, options, terminal, complain=complain, identify=identify)
        return _make_flow(source, commits, JjPublisher(source, change, apart, old)).run()


def _make_flow(source: Source, commits: CommitRange, publisher: Publisher) -> Flow:
    planner = AbsorbPlanner(source, commits)
    write = planner.write
    command = "git smart-commit absorb"
    if commits.base is not None:
        command += f" {commits.base[:12]}.."
    if commits.above:
        command += f" --from {commits.above[0].oid[:12]}"
    if source.snapshot.staged:
        command += " --staged"
    if source.options.whole_file:
        command += " --whole-file"
    if source.options.fixup:
        command += " --fixup"
        write = partial(prepare, source.snapshot, keeps_staged=True)
    return Flow(source, planner, AbsorbWords(source, planner, publisher.name_commit), write, publisher, command)


class AbsorbPlanner:
    """Finds which of a line of commits each hunk belongs to; each commit of its plan is a `fixup!` for one of these.

    `placements` has where each hunk belongs, by its id, once a plan was made.
    """

    def __init__(self, source: Source, commits: CommitRange) -> None:
        self.commits = commits.commits
        self.placements: dict[str, Placement] = {}
        self.reader = ChangeReader(source.snapshot, source.settings)
        self._range = commits
        self._source = source
        # What a `fixup!` calls each commit: its title if no other has that.
        self._names = []
        counts = Counter(commit.title.strip() for commit in self.commits)
        for commit in self.commits:
            title = commit.title.strip()
            self._names.append(title if title and counts[title] == 1 else commit.oid)

    def make(self, choice: EngineOptions) -> SplitPlan | None:
        change = self.reader.select(self.reader.hunks, self._source.suspects)
        options = self._source.options
        titles = [commit.title for commit in self.commits]
        groups: dict[int, list[Unit]] = {}
        with announce_if_slow("looking for the commits that the change belongs to", self._source.progress):
            placements = find_targets(
                change, self._origins, titles, by_rebase=options.fixup, whole_file=options.whole_file
            )
        for placement in placements:
            self.placements[placement.unit.id] = placement
            if placement.target is not None:
                groups.setdefault(placement.target, []).append(placement.unit)
        commits = []
        for target in sorted(groups):
            commits.append(PlannedCommit(f"{_FIXUP}{self._names[target]}\n", tuple(groups[target])))
        if not commits:
            return None
        return self._make_plan(change, commits)

    def read(self, written: SplitPlan) -> SplitPlan | None:
        return ChangePlanner(self._source, AbsorbWords(self._source, self, str), self.reader).read(written)

    def make_empty(self) -> SplitPlan:
        return self._make_plan(self.reader.select(self.reader.hunks, self._source.suspects), [])

    def _make_plan(self, change: ChangeUnits, commits: Sequence[PlannedCommit]) -> SplitPlan:
        plan = make_plan(self.reader, change, commits, engine=ENGINE)
        evidence: dict[str, dict[str, object]] = {}
        for unit_id, placement in self.placements.items():
            target = None if placement.target is None else self.commits[placement.target].oid
            evidence[unit_id] = {"target": target, "reason": placement.reason, "confidence": placement.confidence}
        return replace(plan, warnings=self._source.suspects, evidence=evidence)

    @cached_property
    def _origins(self) -> Origins:
        return read_origins(self._source.snapshot.repository, self._range.oids)

    def read_position(self, commit: PlannedCommit) -> int:
        """Return the position of the commit that a planned one is for; raise SplitError if that is not one."""
        name = commit.subject.removeprefix(_FIXUP)
        for names in (self._names, self._range.oids):
            if name in names and name != commit.subject:
                return names.index(name)
        raise SplitError(
            f"'{commit.subject}' is for none of these commits, or for several",
            hint=f"call it '{_FIXUP}TITLE' with the title of one, or '{_FIXUP}COMMIT' with its object name",
        )

    def write(self, plan: SplitPlan, identity: Identity) -> Prepared:
        prepared = prepare(self._source.snapshot, plan, identity, make_chain=self._make_chain, keeps_staged=True)
        above = self._range.above
        is_absorbed = bool(above) and prepared.commits[-1].tree == above[0].tree
        return move_above(prepared, self._range, identity, drops_first=is_absorbed)

    def _make_chain(self, plan: SplitPlan, steps: Steps, blobs: BlobPack) -> Chain:
        absorbed: dict[int, list[Unit]] = {}
        for commit in plan.commits:
            absorbed.setdefault(self.read_position(commit), []).extend(commit.units)
            steps.take(commit.units)
        repository = self._source.snapshot.repository
        return absorb_units(repository, self.commits, absorbed, origins=self._origins, blobs=blobs)


class AbsorbWords(Words):
    """What the user is told of a change that is absorbed; the messages only name the commits, and keep no rules."""

    def __init__(self, source: Source, planner: AbsorbPlanner, name_commit: Callable[[str], str]) -> None:
        rules = Rules(levels=dict.fromkeys(CODES, OFF))
        super().__init__(source, name_commit, rules=rules, nothing="nothing to absorb")
        self._planner = planner

    def complete(self, message: str) -> str:
        return message

    def complete_plan(self, plan: SplitPlan) -> SplitPlan:
        return replace(plan, warnings=self._source.suspects)

    def check(self, plan: SplitPlan, *, advice: str = "") -> None:
        for commit in plan.commits:
            self._planner.read_position(commit)

    def announce(self) -> list[str]:
        return []  # no hook is run

    def finish(self, plan: SplitPlan, write: Write) -> SplitPlan:
        return plan

    def compare(self, prepared: Prepared) -> list[str]:
        return []  # such messages claim nothing

    def introduce(self, plan: SplitPlan) -> str:
        return f"{self.show(plan)}\n"

    def show(self, plan: SplitPlan) -> str:
        lines = []
        for commit in plan.commits:
            target = self._planner.commits[self._planner.read_position(commit)]
            lines.append(f"{self._name_commit(target.oid)} {printable(target.title)}")
            lines += [f"      {self._explain(unit)}" for unit in commit.units]
        return "\n".join([*lines, *show_notes(plan), *self._list_staying(plan.skipped)]) + "\n"

    def list_created(self, prepared: Prepared) -> list[str]:
        names = [written.commit for written in prepared.commits]
        if not prepared.replaced:
            return names
        first = len(self._planner.commits) - len(names)
        return [names[self._planner.read_position(commit) - first] for commit in prepared.plan.commits]

    def report(self, prepared: Prepared) -> list[str]:
        plan = prepared.plan
        lines = []
        for commit, created in zip(plan.commits, self.list_created(prepared), strict=True):
            hunks = format_count(len(commit.units), "hunk")
            title = self._planner.commits[self._planner.read_position(commit)].title
            lines.append(f"{self._name_commit(created)} {printable(title)} ({hunks})")
        lines += [*show_left_out(plan), *self._list_staying(plan.skipped), *show_staged_only(prepared.staged_only)]
        return [*lines, *prepared.notes]

    def report_nothing(self) -> SplitResult:
        source, placements = self._source, self._planner.placements
        if not placements:
            return super().report_nothing()
        if source.options.json:
            return SplitResult(NOTHING, plan=describe_plan(self._planner.make_empty()))
        lines = ["no hunk has a commit that it surely belongs to"]
        lines += self._list_staying([placement.unit for placement in placements.values()])
        source.warn()
        return SplitResult(NOTHING, source.unless_quiet(lines))

    def _list_staying(self, units: Sequence[Unit]) -> Iterator[str]:
        for unit in units[:FILES]:
            placement = self._planner.placements.get(unit.id)
            reason = self._explain(unit)
            if placement is not None and placement.target is not None:
                reason = f"{printable(unit.id)}: left out"
            yield f"stays: {reason}"
        if len(units) > FILES:
            yield f"stays: {len(units) - FILES} more"

    def _explain(self, unit: Unit) -> str:
        placement = self._planner.placements.get(unit.id)
        if placement is None:
            return printable(unit.id)
        return printable(f"{unit.id}: {placement.reason}")
