"""Make a plan by a model or by the embedded splitter; what a model left unfinished is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

from smartcommit import state_files
from smartcommit.config import Settings
from smartcommit.draft.engine import failure_of
from smartcommit.git.hunks import ChangeUnits, list_units, read_units
from smartcommit.git.snapshot import Snapshot
from smartcommit.hook_runner import stash_is_held
from smartcommit.llm.provider import api_config, wants_model
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.cut import reapply_cuts
from smartcommit.split.definitions import find_missing
from smartcommit.split.embedded import partition
from smartcommit.split.file_states import Checker
from smartcommit.split.messages import message_for
from smartcommit.split.plan import CommitDict, SplitPlan, plan_of
from smartcommit.split.syntax import States
from smartcommit.terminal import Terminal
from smartcommit.waiting import Deadline, wait_for_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.llm.api import ApiConfig

AUTO, EMBEDDED, MODEL = ENGINES = ("auto", "embedded", "model")
# Seconds that all of a split's questions may take together, and while pre-commit has taken unstaged work away.
PATIENCE, PATIENCE_STASHED = 300, 60
# Tokens of one answer: a commit can list many hunks.
_OUTPUT = 4096

Log = Callable[[str], None]
FILE = "partial-plan.json"


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How a change is to be split: by which of ENGINES, and what a person wants of the result.

    `strategy` and `count` are the embedded splitter's; a model is told the count. `wish` is what a person says about
    the commits, which only a model can follow.
    """

    engine: str = AUTO
    strategy: str = AUTO
    count: int | None = None
    wish: str = ""


@dataclass(frozen=True)
class PlanResult:
    """A plan, the pieces it is made of, and how it came about.

    `reason` says why a model that was asked did not make it, and `usage` counts tokens and requests. `checker` may know
    already what parses.
    """

    plan: SplitPlan
    pieces: ChangeUnits
    reason: str | None = None
    usage: dict[str, int] = field(default_factory=dict)
    checker: Checker | None = None

    @cached_property
    def states(self) -> list[States]:
        """What is known of the files between the commits, for each commit; parsing them may take some seconds."""
        checker = self.checker or Checker(self.pieces)
        commits = [commit.units for commit in self.plan.commits]
        found = checker.states(commits)
        missing = find_missing(commits, self.plan.skipped) if any(found) else {}
        return [_without_missing(states, number, missing) for number, states in enumerate(found)]


def _without_missing(states: States, number: int, missing: Mapping[bytes, Sequence[range]]) -> States:
    """The `states` after the commit `number`; a file that parses counts as not checked where a name is missing."""
    found = dict(states)
    for path, sound in states.items():
        if sound and any(number in span for span in missing[path]):
            found[path] = None
    return found


def by_model(choice: EngineOptions, settings: Settings) -> bool:
    """Whether a model is asked first."""
    return choice.engine == MODEL or (choice.engine == AUTO and choice.strategy == AUTO and wants_model(settings))


def make(
    snapshot: Snapshot,
    settings: Settings,
    choice: EngineOptions,
    *,
    terminal: Terminal | None,
    tell: Log,
    log: Log = lambda line: None,
) -> PlanResult | None:
    """The plan for `snapshot`, None where nothing changed.

    The engine AUTO ends in the embedded splitter whatever a model causes, even through a bug of ours. `log` gets a line
    for each of a model's calls, and `tell` where its unfinished plan is kept, also when the work is interrupted.

    Raises: with the engine MODEL what ended it: LLMError, AgentError (for a bug too), Cancelled; ConfigError; GitError.
    """
    asked = by_model(choice, settings)
    pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=asked or choice.strategy == "hunk")
    if not pieces.units:
        return None
    if not asked:
        return embedded(GitAnalyzer(snapshot, pieces, settings), choice)
    attempt = _Attempt(snapshot, pieces, settings, choice)
    try:
        return attempt.run(terminal, log)
    except Exception as error:  # whatever a model causes, the embedded splitter remains
        failure = failure_of(error, snapshot.repository.git_dir)
        if choice.engine == MODEL:
            raise failure from None
        whole = ChangeUnits(pieces.diffs, list_units(pieces.diffs, ()), {})
        made = embedded(GitAnalyzer(snapshot, whole, settings), choice)
        return replace(made, reason=str(failure), usage=attempt.usage)
    finally:
        if attempt.partial is not None and attempt.partial.path:
            tell(f"what the model had planned by then is kept: '--plan {attempt.partial.path}' carries it out")


def show_prompt(snapshot: Snapshot, settings: Settings, choice: EngineOptions) -> str | None:
    """Exactly what a model would be sent first, as JSON, or None where nothing changed; nothing is sent.

    Raises: ConfigError when none is named; AgentError when the change is too large for one.
    """
    # What a model needs is heavy, and most changes are split without one.
    from smartcommit.split.model import coarsen_to_context, preview

    config = config_of(settings)
    pieces = coarsen_to_context(read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True), config)
    return preview(GitAnalyzer(snapshot, pieces, settings), config, wish_of(choice)) if pieces.units else None


def criticise(
    snapshot: Snapshot, settings: Settings, commits: Sequence[CommitDict], *, plan: SplitPlan, terminal: Terminal | None
) -> str:
    """What the model has to say against `commits`, which came of `plan`, a line each; empty where it has nothing.

    Raises: LLMError, AgentError (for a bug of ours too), Cancelled, ConfigError, GitError.
    """
    try:
        return _criticised(snapshot, settings, commits, plan=plan, terminal=terminal)
    except Exception as error:  # a review goes on without it
        raise failure_of(error, snapshot.repository.git_dir) from None


def _criticised(
    snapshot: Snapshot, settings: Settings, commits: Sequence[CommitDict], *, plan: SplitPlan, terminal: Terminal | None
) -> str:
    # What a model needs is heavy, and most changes are split without one.
    from smartcommit.llm.client import LLMClient
    from smartcommit.split.critique import critique
    from smartcommit.split.model import check_fits_context

    client = LLMClient(config_of(settings))
    pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
    pieces = check_fits_context(reapply_cuts(pieces, (unit.fingerprint for unit in plan.units)), client.config)
    deadline = Deadline(patience_of(settings))
    with wait_for_model(client.config.model, terminal, deadline):
        return critique(GitAnalyzer(snapshot, pieces, settings), client, commits, deadline=deadline)


def embedded(analyzer: GitAnalyzer, choice: EngineOptions) -> PlanResult:
    """The plan by the embedded splitter and drafter."""
    groups = partition(analyzer.pieces, strategy=choice.strategy, count=choice.count)
    checker = Checker(analyzer.pieces)
    groups = checker.joined(groups)
    commits = [
        {"message": message_for(units, analyzer.history, analyzer.settings), "hunks": [unit.id for unit in units]}
        for units in groups
    ]
    plan = plan_of(analyzer.snapshot, commits, analyzer.pieces.units, engine=EMBEDDED)
    return PlanResult(plan, analyzer.pieces, checker=checker)


class _Attempt:
    """One try of a model at one change; `partial` and `usage` tell of it also where it fails."""

    def __init__(self, snapshot: Snapshot, pieces: ChangeUnits, settings: Settings, choice: EngineOptions) -> None:
        self.usage: dict[str, int] = {}
        self.partial: Partial | None = None
        self._snapshot = snapshot
        self._pieces = pieces
        self._settings = settings
        self._choice = choice

    def run(self, terminal: Terminal | None, log: Log) -> PlanResult:
        # What a model needs is heavy, and most changes are split without one.
        from smartcommit.llm.client import LLMClient
        from smartcommit.split.model import coarsen_to_context, split

        client = LLMClient(config_of(self._settings))
        name = client.config.model
        analyzer = GitAnalyzer(self._snapshot, coarsen_to_context(self._pieces, client.config), self._settings)
        partial = self.partial = Partial(analyzer, name)
        deadline = Deadline(patience_of(self._settings))
        with wait_for_model(name, terminal, deadline) as show:

            def say(line: str) -> None:
                show(line)
                log(line)

            try:
                commits, gitignore = split(
                    analyzer, client, deadline=deadline,
                    wish=wish_of(self._choice), keep=partial.keep, log=say,
                )  # fmt: skip
            finally:
                self.usage = asdict(client.usage)
        partial.drop()
        plan = plan_of(self._snapshot, commits, analyzer.pieces.units, engine=name, gitignore=gitignore)
        return PlanResult(plan, analyzer.pieces, usage=self.usage)


def config_of(settings: Settings) -> ApiConfig:
    """How the chosen model is reached, with room for long answers.

    Raises: ConfigError when none is named.
    """
    config = api_config(settings)
    return replace(config, output=max(config.output, min(_OUTPUT, config.context // 4)))


def patience_of(settings: Settings) -> int:
    """Seconds that the questions of a split may take, as set or by what waits for it."""
    return settings.number("split-deadline") or (PATIENCE_STASHED if stash_is_held() else PATIENCE)


def wish_of(choice: EngineOptions) -> str:
    """What a model is told that a person wants."""
    count = f"Make {choice.count} {'commit' if choice.count == 1 else 'commits'}." if choice.count else ""
    return "\n".join(part for part in (count, choice.wish) if part)


class Partial:
    """Keeps what there is after every commit, so that nothing is lost whatever ends the work.

    `path` is where it is kept, None before the first commit and once the work is done.
    """

    def __init__(self, analyzer: GitAnalyzer, engine: str) -> None:
        self.path: str | None = None
        self._analyzer = analyzer
        self._engine = engine

    def keep(self, commits: Sequence[CommitDict]) -> None:
        """Keep `commits`; all other units stay uncommitted in this plan."""
        analyzer = self._analyzer
        plan = plan_of(analyzer.snapshot, commits, analyzer.pieces.units, engine=self._engine)
        if state_files.save(analyzer.repository.git_dir, FILE, plan.to_json().encode()):
            self.path = state_files.path(analyzer.repository.git_dir, FILE)

    def drop(self) -> None:
        """Forget it: the whole plan is there."""
        if self.path is not None:
            state_files.drop(self._analyzer.repository.git_dir, FILE)
            self.path = None
