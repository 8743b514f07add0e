"""Make a plan by a model or by the embedded splitter; what a model left unfinished is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

from smartcommit import state_files
from smartcommit.change.definitions import find_missing
from smartcommit.change.syntax import States
from smartcommit.change.wording import format_count
from smartcommit.config import Settings, wants_model
from smartcommit.draft.engine import explain_failure
from smartcommit.draft.guidance import make_guidance
from smartcommit.errors import SmartcommitError, explain
from smartcommit.git.hunks import ChangeUnits, Unit, cut_files, read_units
from smartcommit.git.snapshot import Snapshot
from smartcommit.llm.provider import api_config
from smartcommit.processes.runner import stash_is_held
from smartcommit.secrets.files import is_any_above
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.cut import keep_files_whole, reapply_cuts
from smartcommit.split.embedded.partition import Partition, find_partition
from smartcommit.split.embedded.segments import find_segments
from smartcommit.split.file_states import Checker
from smartcommit.split.plan import PlannedCommit, SplitPlan, WrittenPlan, list_groups, make_plan
from smartcommit.split.unwanted import SuspectFile
from smartcommit.terminal import Terminal
from smartcommit.waiting import Deadline, wait_for_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.llm.api import ApiConfig
    from smartcommit.split.model.tools import ModelPlan

AUTO, EMBEDDED, MODEL = ENGINES = ("auto", "embedded", "model")
# Seconds for all requests of a split together, and while pre-commit has unstaged changes stashed.
TIME_LIMIT, TIME_LIMIT_STASHED = 300, 60
# Tokens of one answer: a commit can list many hunks.
_OUTPUT = 4096

Log = Callable[[str], None]
FILE = "partial-plan.json"


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How to split a change: with which of ENGINES, and into what.

    `strategy` and `count` are for the embedded splitter; a model is given the count too. `instructions` are the user's,
    and only a model can follow them.
    """

    engine: str = AUTO
    strategy: str = AUTO
    count: int | None = None
    instructions: str = ""

    @property
    def prompt(self) -> str:
        """The count and the instructions, for a model."""
        count = f"Make {format_count(self.count, 'commit')}." if self.count else ""
        return "\n".join(filter(None, (count, self.instructions)))

    def asks_model(self, settings: Settings) -> bool:
        """Whether a model is asked first."""
        if self.engine == AUTO and self.strategy == AUTO:
            return wants_model(settings)
        return self.engine == MODEL


@dataclass(frozen=True)
class PlanResult:
    """A plan, the change it is made of, and how it was made.

    `reason` is why a model that was asked did not make it, and `usage` counts tokens and requests. `checker` may
    already know what parses. `alternative` is a plan with another number of commits that is nearly as likely to be the
    right one, for the user to choose.
    """

    plan: SplitPlan
    change: ChangeUnits
    reason: str | None = None
    usage: dict[str, int] = field(default_factory=dict)
    checker: Checker | None = None
    alternative: SplitPlan | None = None

    @cached_property
    def states(self) -> list[States]:
        """What is known of the files between the commits, for each commit; parsing them may take some seconds."""
        checker = self.checker or Checker(self.change)
        commits = list_groups(self.plan.commits)
        found = checker.check(commits)
        missing = find_missing(commits, self.plan.skipped) if any(found) else {}
        for number, states in enumerate(found):
            for path, sound in states.items():
                # A file that uses a name that does not exist yet counts as not checked.
                if sound and any(number in span for span in missing[path]):
                    states[path] = None
        return found

    def to_json(self) -> str:
        """Return the plan as JSON, with its states."""
        return self.plan.to_json(states=self.states)


def read_change(snapshot: Snapshot, *, plan: SplitPlan | WrittenPlan | None = None, cut: bool = True) -> ChangeUnits:
    """Return the change of `snapshot`, with the cuts that `plan` has; with `cut` files are split into hunks."""
    change = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=cut)
    if plan is None:
        return change
    return reapply_cuts(change, [unit.fingerprint for unit in plan.units])


def make(
    snapshot: Snapshot,
    settings: Settings,
    options: EngineOptions,
    *,
    terminal: Terminal | None,
    report: Log,
    log: Log = lambda line: None,
    suspects: Sequence[SuspectFile] = (),
) -> PlanResult | None:
    """Return the plan for `snapshot`, or None if there is nothing to commit: what `suspects` leave out is skipped.

    The engine AUTO falls back to the embedded splitter whatever goes wrong with a model, even if it is a bug. `log` is
    called with a line for each call of a model, and `report` with where its unfinished plan is, also after Ctrl-C.

    With the engine MODEL raise what stopped it: LLMError, AgentError (for a bug, too), or Cancelled.
    """
    asked = options.asks_model(settings)
    analyzer = _analyze(snapshot, read_change(snapshot, cut=asked or options.strategy == "hunk"), settings, suspects)
    if not analyzer.change.units:
        return None
    if not asked:
        return make_embedded(analyzer, options, asking=terminal is not None)
    change = analyzer.change
    attempt = _Attempt(analyzer, options)
    try:
        with _model_failures(snapshot):
            return attempt.run(terminal, log)
    except SmartcommitError as failure:
        if options.engine == MODEL:
            raise
        analyzer = GitAnalyzer(snapshot, keep_files_whole(change), settings, withheld=analyzer.withheld)
        made = make_embedded(analyzer, options, asking=terminal is not None)
        return replace(made, reason=explain(failure), usage=attempt.usage)
    finally:
        if attempt.partial.path:
            report(
                f"saved what the model had planned so far; run 'git smart-commit --plan {attempt.partial.path}' "
                "to apply it"
            )


def _analyze(
    snapshot: Snapshot, change: ChangeUnits, settings: Settings, suspects: Sequence[SuspectFile]
) -> GitAnalyzer:
    """Return the change of `snapshot`, without what `suspects` leave out of it and the executor's state.

    The executor commits its state with the work that it describes.
    """
    left_out = {suspect.path for suspect in suspects if suspect.left_out}

    def is_withheld(path: bytes) -> bool:
        return state_files.is_plan_state(path) or is_any_above(path, left_out)

    if not any(is_withheld(diff.change.path) for diff in change.diffs):
        return GitAnalyzer(snapshot, change, settings)
    withheld, rest = change.divide(is_withheld)
    return GitAnalyzer(snapshot, rest, settings, withheld=withheld)


@contextmanager
def _model_failures(snapshot: Snapshot) -> Iterator[None]:
    """Turn bugs into AgentError, and keep their traceback."""
    try:
        yield
    except Exception as error:  # a split, or a review, goes on without the model whatever it causes
        raise explain_failure(error, snapshot.repository.git_dir) from None


def show_prompt(
    snapshot: Snapshot, settings: Settings, options: EngineOptions, suspects: Sequence[SuspectFile] = ()
) -> str | None:
    """Return exactly what a model would be sent first, as JSON, or None if there is nothing to commit; nothing is sent.

    Raise ConfigError if no model is configured, and AgentError if the change is too large for it.
    """
    # What a model needs is heavy, and most changes are split without one.
    from smartcommit.split.model.splitter import coarsen_to_context, preview

    config = read_config(settings)
    analyzer = _analyze(snapshot, read_change(snapshot), settings, suspects)
    if not analyzer.change.units:
        return None
    analyzer.change = coarsen_to_context(analyzer.change, config)
    return preview(analyzer, config, add_guidance(analyzer, options))


def criticize(
    snapshot: Snapshot,
    settings: Settings,
    commits: Sequence[PlannedCommit],
    *,
    plan: SplitPlan,
    terminal: Terminal | None,
) -> str:
    """Return what the model says is wrong with `commits`, which were made of `plan`, a line each, or nothing.

    Raise LLMError, AgentError (for a bug, too), Cancelled or ConfigError.
    """
    with _model_failures(snapshot):
        # What a model needs is heavy, and most changes are split without one.
        from smartcommit.llm.client import LLMClient
        from smartcommit.split.model.critique import critique
        from smartcommit.split.model.splitter import check_fits_context

        client = LLMClient(read_config(settings))
        analyzer = GitAnalyzer(snapshot, read_change(snapshot, plan=plan), settings)
        check_fits_context(analyzer.change, client.config)
        deadline = Deadline(time_limit(settings))
        with wait_for_model(client.config.label, terminal, deadline):
            return critique(analyzer, client, commits, deadline=deadline)


def make_embedded(analyzer: GitAnalyzer, options: EngineOptions, *, asking: bool) -> PlanResult:
    """Return the plan of the embedded splitter and drafter; if `asking`, with an alternative where there is one."""
    change, found = _divide(analyzer, options, asking=asking)
    analyzer = GitAnalyzer(analyzer.snapshot, change, analyzer.settings, withheld=analyzer.withheld)
    checker = Checker(change)
    plan = _plan_groups(analyzer, checker.merge_broken(found.groups))
    if found.confidence is not None:
        plan = replace(plan, confidence=round(found.confidence, 2))
    alternative = None
    if found.alternative is not None:
        groups = checker.merge_broken(found.alternative)
        # The groups in which the two differ may have been merged because a file would not parse between them.
        if len(groups) != len(plan.commits):
            alternative = _plan_groups(analyzer, groups)
    return PlanResult(plan, analyzer.whole, checker=checker, alternative=alternative)


def _divide(analyzer: GitAnalyzer, options: EngineOptions, *, asking: bool) -> tuple[ChangeUnits, Partition]:
    """Return the change, with those files as hunks that go to several commits, and how its units are divided."""
    snapshot, change = analyzer.snapshot, analyzer.change
    if options.strategy != AUTO:
        return change, find_partition(change, strategy=options.strategy, count=options.count, asking=asking)
    segments = find_segments(change)
    if not segments:
        return change, find_partition(change, count=options.count, asking=asking)
    change = cut_files(snapshot.repository, change, segments)
    segments = {path: segments[path] for path in change.texts}
    found = find_partition(change, count=options.count, segments=segments, asking=asking)
    change = keep_files_whole(change, [path for path in change.texts if not found.divides(path)])
    return change, found.with_units(change.units)


def _plan_groups(analyzer: GitAnalyzer, groups: Sequence[Sequence[Unit]]) -> SplitPlan:
    """Return the plan that makes a commit of each group, described by the embedded drafter."""
    commits = [PlannedCommit(analyzer.describe(units), tuple(units)) for units in groups]
    return make_plan(analyzer.snapshot, commits, analyzer.whole.units, engine=EMBEDDED)


def add_guidance(analyzer: GitAnalyzer, options: EngineOptions) -> str:
    """Return what to tell a model: what is asked of every message, and what of this split."""
    guidance = make_guidance(analyzer.repository, analyzer.settings)
    return "\n".join(filter(None, (guidance, options.prompt)))


class _Attempt:
    """One attempt of a model at one change; `partial` and `usage` are what it came to even if it fails."""

    def __init__(self, analyzer: GitAnalyzer, options: EngineOptions) -> None:
        self.usage: dict[str, int] = {}
        self.partial = PartialPlan(analyzer)
        self._analyzer = analyzer
        self._options = options

    def run(self, terminal: Terminal | None, log: Log) -> PlanResult:
        # What a model needs is heavy, and most changes are split without one.
        from smartcommit.llm.client import LLMClient
        from smartcommit.split.model.splitter import coarsen_to_context, split
        from smartcommit.split.model.tools import ModelRequest

        analyzer = self._analyzer
        client = LLMClient(read_config(analyzer.settings))
        analyzer.change = coarsen_to_context(analyzer.change, client.config)
        self.partial.engine = client.config.model
        deadline = Deadline(time_limit(analyzer.settings))
        with wait_for_model(client.config.label, terminal, deadline) as show:

            def say(line: str) -> None:
                show(line)
                log(line)

            try:
                request = ModelRequest(deadline, add_guidance(analyzer, self._options), self.partial.keep, say)
                planned = split(analyzer, client, request)
            finally:
                self.usage = asdict(client.usage)
        self.partial.drop()
        plan = _plan_for(analyzer, planned, client.config.model)
        return PlanResult(plan, analyzer.whole, usage=self.usage)


def _plan_for(analyzer: GitAnalyzer, planned: ModelPlan, engine: str) -> SplitPlan:
    return make_plan(
        analyzer.snapshot, planned.commits, analyzer.whole.units,
        engine=engine, issues=planned.issues, gitignore=planned.gitignore,
    )  # fmt: skip


def read_config(settings: Settings) -> ApiConfig:
    """Return how to reach the configured model, with room for long answers; raise ConfigError if there is none."""
    config = api_config(settings)
    return replace(config, output=max(config.output, min(_OUTPUT, config.context // 4)))


def time_limit(settings: Settings) -> int:
    """Return the seconds that all requests of a split may take."""
    return settings.number("split-deadline") or (TIME_LIMIT_STASHED if stash_is_held() else TIME_LIMIT)


class PartialPlan:
    """Saves the commits a model emitted so far, to be applied if it is interrupted; `path` is the file, if any."""

    def __init__(self, analyzer: GitAnalyzer) -> None:
        self.path: str | None = None
        self.engine = MODEL
        self._analyzer = analyzer

    def keep(self, planned: ModelPlan) -> None:
        """Save the commits so far; all other units stay uncommitted in this plan."""
        analyzer = self._analyzer
        plan = _plan_for(analyzer, planned, self.engine)
        if state_files.save(analyzer.repository.git_dir, FILE, plan.to_json().encode()):
            self.path = state_files.path(analyzer.repository.git_dir, FILE)

    def drop(self) -> None:
        """Delete the file: the plan is complete."""
        if self.path is not None:
            state_files.drop(self._analyzer.repository.git_dir, FILE)
            self.path = None
