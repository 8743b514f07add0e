"""Makes a plan with a model or the embedded splitter, and describes its commits; keeps what a model left unfinished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import chain

from smartcommit import state_files
from smartcommit.change.facts import ChangeFacts
from smartcommit.change.symbols import symbol_changes
from smartcommit.change.wording import format_count, make_printable, safe_name, safe_path
from smartcommit.config import Settings, find_summary_limit, wants_model
from smartcommit.draft.conform import conform, is_accepted
from smartcommit.draft.embedded import drafter
from smartcommit.draft.engine import explain_failure
from smartcommit.draft.guidance import make_guidance
from smartcommit.draft.result import Draft
from smartcommit.errors import SmartcommitError, explain
from smartcommit.git.diff import FileDiff
from smartcommit.git.hunks import ChangeUnits, Unit, group_by_file
from smartcommit.git.snapshot import Pathspecs
from smartcommit.llm.provider import api_config
from smartcommit.message.header import Header, parse_loose_header
from smartcommit.message.parse import parse
from smartcommit.message.rules import Rules
from smartcommit.processes.runner import stash_is_held
from smartcommit.secrets.files import is_any_above
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.cut import keep_files_whole, select_lines
from smartcommit.split.embedded.similarity import Habits
from smartcommit.split.embedded.splitter import DivideOptions, Division, divide
from smartcommit.split.embedded.within.candidates import Candidate
from smartcommit.split.file_states import Checker
from smartcommit.split.plan import (
    Issue,
    OtherPlan,
    PlannedCommit,
    SplitPlan,
    SuspectFile,
    clean_message,
    list_files_left_out,
    list_ids,
    list_units,
)
from smartcommit.split.plan_file import PlanResult, WrittenPlan, print_plan
from smartcommit.terminal import Terminal
from smartcommit.waiting import Deadline, wait_for_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.llm.api import ApiConfig
    from smartcommit.split.model.tools import ModelPlan

# How a plan says that the user made it.
GIVEN = "given"
AUTO, EMBEDDED, MODEL = ENGINES = ("auto", "embedded", "model")
# Seconds for all requests of a split together; the second is for a hook for which pre-commit stashed unstaged changes.
TIME_LIMIT, TIME_LIMIT_STASHED = 300, 60
# Tokens of one answer: a commit can list many hunks.
_TOKENS_ANSWERED = 4096

# The file of a plan that a model has not finished.
PARTIAL_PLAN = "partial-plan.json"

Log = Callable[[str], None]


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

    def asks_model(self, settings: Settings) -> bool:
        """Whether a model is asked first."""
        if self.engine == AUTO and self.strategy == AUTO:
            return wants_model(settings)
        return self.engine == MODEL


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """What a caller can ask for besides the split itself.

    `choice` says how to make a plan. `plan` is a plan file's content to apply, `save_plan` the path of a file to write
    the plan to, and `plan_files` are all files that contain plans or will. `show_prompt` prints what a model would be
    sent. `check` is a shell command that must succeed on every commit. `include_secrets` commits files that look like
    secrets or build artifacts, or have conflict markers, too. `ticket` is the ticket of all commits, and `sign_off`
    adds `Signed-off-by` to them although the policy does not require it. `run_hooks` names the hooks that are run on
    each message; if None, the settings do. With a `message` all is one commit. What is absorbed goes into commits for
    `git rebase --autosquash` with `fixup`. Of a range, each commit but the last one gets a branch of its own with
    `branches`. Nothing is committed but what is at `paths`.
    """

    choice: EngineOptions = field(default_factory=EngineOptions)
    show_prompt: bool = False
    plan: WrittenPlan | None = None
    save_plan: str | None = None
    plan_files: Sequence[str] = ()
    check: str | None = None
    include_secrets: bool = False
    ticket: str | None = None
    sign_off: bool = False
    run_hooks: Sequence[str] | None = None
    fixup: bool = False
    message: str | None = None
    branches: bool = False
    paths: Pathspecs | None = None
    dry_run: bool = False
    json: bool = False
    quiet: bool = False

    @property
    def silent(self) -> bool:
        """Whether to print only errors, or JSON."""
        return self.quiet or self.json

    @property
    def planned_paths(self) -> set[str]:
        """The paths that the plan file changes."""
        return self.plan.paths if self.plan is not None else set()


def make(
    analyzer: GitAnalyzer,
    options: EngineOptions,
    *,
    terminal: Terminal | None,
    report: Log,
    log: Log = lambda line: None,
    suspects: Sequence[SuspectFile] = (),
) -> PlanResult | None:
    """Return the plan for a change, without what `suspects` leave out, or None if there is nothing to commit.

    With the engine AUTO the embedded splitter does what a model has left undone whatever goes wrong with it, even if it
    is a bug. `log` is called with a line for each call of a model, and `report` with where an unfinished plan is that
    is not used, also after Ctrl-C.

    With the engine MODEL raise what stopped it: LLMError, AgentError (for a bug, too), or Cancelled.
    """
    asked = options.asks_model(analyzer.settings)
    whole = analyzer.files
    if asked or options.strategy == "hunk":
        whole = analyzer.hunks
    withhold(analyzer, whole, suspects)
    if not analyzer.change.units:
        return None
    if not asked:
        return make_embedded(analyzer, options, asking=terminal is not None)
    attempt = _Attempt(analyzer, options)
    try:
        with _model_failures(analyzer):
            return attempt.run(terminal, log)
    except SmartcommitError as failure:
        if options.engine == MODEL:
            raise
        if attempt.planned is not None:
            made = attempt.complete(attempt.planned)
        else:
            withhold(analyzer, analyzer.files, suspects)
            made = make_embedded(analyzer, options, asking=terminal is not None)
        return replace(made, reason=explain(failure), usage=attempt.usage)
    finally:
        if attempt.saved is not None:
            report(
                f"saved what the model had planned so far; run 'git smart-commit --plan {attempt.saved}' to apply it"
            )


def make_single(analyzer: GitAnalyzer, message: str, suspects: Sequence[SuspectFile] = ()) -> PlanResult | None:
    """Return the plan for one commit of a change with the user's `message`, or None if there is nothing to commit.

    What `suspects` leave out stays uncommitted.
    """
    withhold(analyzer, analyzer.files, suspects)
    if not analyzer.change.units:
        return None
    commits = []
    for units in analyzer.drop_left_out([analyzer.change.units]):
        commits.append(PlannedCommit(clean_message(message), tuple(units)))
    return PlanResult(make_plan(analyzer, commits, engine=GIVEN), analyzer.whole) if commits else None


def withhold(analyzer: GitAnalyzer, whole: ChangeUnits, suspects: Sequence[SuspectFile]) -> None:
    """Make the commits of `whole` without the executor's state and what `suspects` leave out.

    The executor commits its state with the work that it describes.
    """
    left_out = list_files_left_out(suspects)
    analyzer.left_out = [suspect for suspect in suspects if suspect.left_out and suspect.line is not None]
    analyzer.withhold(whole, lambda path: state_files.is_plan_state(path) or is_any_above(path, left_out))


@contextmanager
def _model_failures(analyzer: GitAnalyzer) -> Iterator[None]:
    """Turn bugs into AgentError, and keep their traceback."""
    try:
        yield
    except Exception as error:  # a split, or a review, goes on without the model whatever it causes
        raise explain_failure(error, analyzer.repository.git_dir) from None


def show_prompt(analyzer: GitAnalyzer, options: EngineOptions, suspects: Sequence[SuspectFile] = ()) -> str | None:
    """Return exactly what a model would be sent first, as JSON, or None if there is nothing to commit; nothing is sent.

    Raise ConfigError if no model is configured, and AgentError if the change is too large for it.
    """
    # What a model needs is heavy, and most changes are split without one.
    from smartcommit.split.model.splitter import coarsen_to_context, preview

    config = read_config(analyzer.settings)
    withhold(analyzer, analyzer.hunks, suspects)
    if not analyzer.change.units:
        return None
    analyzer.use(coarsen_to_context(analyzer.change, config), analyzer.withheld)
    return preview(analyzer, config, add_guidance(analyzer, options))


def criticize(
    analyzer: GitAnalyzer, change: ChangeUnits, commits: Sequence[PlannedCommit], *, terminal: Terminal | None
) -> str:
    """Return what the model says is wrong with `commits`, one line for each problem; `change` has their units.

    Raise LLMError, AgentError (for a bug, too), Cancelled or ConfigError.
    """
    with _model_failures(analyzer):
        # What a model needs is heavy, and most changes are split without one.
        from smartcommit.llm.client import LLMClient
        from smartcommit.split.model.critique import critique
        from smartcommit.split.model.splitter import check_fits_context

        client = LLMClient(read_config(analyzer.settings))
        check_fits_context(change, client.config)
        analyzer.use(change)
        deadline = Deadline(time_limit(analyzer.settings))
        with wait_for_model(client.config.model, terminal, deadline):
            return critique(analyzer, client, commits, deadline=deadline)


def make_embedded(analyzer: GitAnalyzer, options: EngineOptions, *, asking: bool) -> PlanResult:
    """Return the plan of the embedded splitter and drafter, with an alternative where there is one.

    Another number of commits is only an alternative if `asking`.
    """
    division = _divide(analyzer, analyzer.change, options, asking=asking)
    alternative = None
    if division.alternative is not None:
        alternative = _plan_division(analyzer, division.alternative)
    made = _plan_division(analyzer, division)
    # Groups are merged if a file would not parse between them, which may have made the two plans the same.
    if alternative is None or len(alternative.plan.commits) == len(made.plan.commits):
        return made
    other = None
    if division.alternative is not None and division.alternative.apart is not None:
        other = _describe_other(len(alternative.plan.commits), division.alternative.apart)
    return replace(made, plan=replace(made.plan, other=other), alternative=alternative)


def _divide(analyzer: GitAnalyzer, change: ChangeUnits, options: EngineOptions, *, asking: bool) -> Division:
    """Return how the embedded splitter divides `change`, which is in whole files."""
    how = DivideOptions(options.strategy, count=options.count, asking=asking)
    paths = frozenset(diff.change.path for diff in change.diffs)
    return divide(analyzer.repository, change, how, habits=Habits(analyzer.history.commits, paths))


def _divide_rest(analyzer: GitAnalyzer, options: EngineOptions, emitted: Sequence[PlannedCommit]) -> list[list[Unit]]:
    """Return the units that are in no `emitted` commit in groups, one for each commit.

    The analyzer's commits are made of the emitted units and of these from now on.
    """
    begun = {unit.change.path for unit in list_units(emitted)}
    left: dict[bytes, list[Unit]] = {}
    taken = set(list_ids(list_units(emitted)))
    for unit in analyzer.change.units:
        if unit.id not in taken:
            left.setdefault(unit.change.path, []).append(unit)
    diffs = []
    for diff in analyzer.files.diffs:
        path = diff.change.path
        if path not in left:
            continue
        if path in begun:
            # These hunks alone do not make the file, so they are not divided.
            hunks = list(chain.from_iterable(unit.hunks for unit in left[path]))
            diffs.append(FileDiff(diff.change, hunks, diff.complete))
        else:
            diffs.append(diff)
    rest = keep_files_whole(ChangeUnits(diffs, [], {}))
    division = _divide(analyzer, rest, options, asking=False)
    kept, _ = analyzer.change.divide(begun.__contains__)
    divided, _ = division.change.divide(lambda path: path not in begun)
    analyzer.use(kept.join(divided), analyzer.withheld)
    groups = []
    for group in division.groups:
        units: list[Unit] = []
        for unit in group:
            units += left.pop(unit.change.path, ()) if unit.change.path in begun else [unit]
        if units:
            groups.append(units)
    return groups


def _plan_division(analyzer: GitAnalyzer, division: Division) -> PlanResult:
    """Return the plan for `division`, of whose units the analyzer's commits are made from now on."""
    analyzer.use(division.change, analyzer.withheld)
    groups = analyzer.drop_left_out(division.groups)
    checker = Checker(analyzer.change)
    plan = _plan_groups(analyzer, checker.merge_broken(groups))
    if division.confidence is not None:
        plan = replace(plan, confidence=round(division.confidence, 2))
    return PlanResult(plan, analyzer.whole, checker=checker)


def _describe_other(count: int, apart: Candidate) -> OtherPlan:
    """Return what the plan with `count` commits has apart from the others."""
    hunks = []
    for piece in sorted(apart.pieces, key=lambda piece: (piece.file.path, piece.first_line)):
        hunks.append((piece.file.path, select_lines(piece.hunk, piece.removed, piece.added)))
    return OtherPlan(count, apart.kind, tuple(hunks))


def _plan_groups(analyzer: GitAnalyzer, groups: Sequence[Sequence[Unit]]) -> SplitPlan:
    """Return the plan that makes a commit of each group, described by the embedded drafter."""
    return make_plan(analyzer, _describe_groups(analyzer, groups), engine=EMBEDDED)


def _describe_groups(analyzer: GitAnalyzer, groups: Sequence[Sequence[Unit]]) -> list[PlannedCommit]:
    commits = []
    for message, units in zip(describe_all(analyzer, groups), groups, strict=True):
        commits.append(PlannedCommit(clean_message(message), tuple(units)))
    return commits


def make_plan(
    analyzer: GitAnalyzer,
    commits: Sequence[PlannedCommit],
    *,
    engine: str,
    issues: Sequence[Issue] = (),
    gitignore: Sequence[str] = (),
) -> SplitPlan:
    """Return the plan that makes `commits` of the change; units in none of them stay uncommitted."""
    snapshot, units = analyzer.snapshot, analyzer.whole.units
    left_out: dict[bytes, None] = {}
    if not snapshot.staged:
        left_out = dict.fromkeys(snapshot.untracked)
        # A path in HEAD and the working tree, but not in the index, is no change: it was neither added nor left out.
        for path in chain(snapshot.removed, *(unit.paths for unit in units)):
            left_out.pop(path, None)
    plan = SplitPlan(
        base=snapshot.base,
        target=snapshot.target,
        staged=snapshot.staged,
        engine=engine,
        commits=(),
        left_out=tuple(left_out),
        issues=tuple(dict.fromkeys(issues)),
        gitignore=tuple(gitignore),
        hides_untracked=snapshot.hides_untracked,
    )
    return plan.with_commits(commits, units)


def add_guidance(analyzer: GitAnalyzer, options: EngineOptions) -> str:
    """Return the instructions for a model: those for every message, then those for this split."""
    lines = [make_guidance(analyzer.repository, analyzer.settings)]
    if options.count:
        lines.append(f"Make {format_count(options.count, 'commit')}.")
    lines.append(options.instructions)
    return "\n".join(filter(None, lines))


class _Attempt:
    """One attempt of a model at one change.

    `usage`, what the model has `planned` so far, and `saved`, the path of a file with that, are there even if it fails.
    """

    def __init__(self, analyzer: GitAnalyzer, options: EngineOptions) -> None:
        self.usage: dict[str, int] = {}
        self.saved: str | None = None
        self.planned: ModelPlan | None = None
        self._engine = MODEL
        self._analyzer = analyzer
        self._options = options

    def run(self, terminal: Terminal | None, log: Log) -> PlanResult:
        # What a model needs is heavy, and most changes are split without one.
        from smartcommit.llm.client import LLMClient
        from smartcommit.split.model.splitter import classify_changes, coarsen_to_context
        from smartcommit.split.model.tools import ModelRequest

        analyzer = self._analyzer
        client = LLMClient(read_config(analyzer.settings))
        analyzer.use(coarsen_to_context(analyzer.change, client.config), analyzer.withheld)
        self._engine = client.config.model
        deadline = Deadline(time_limit(analyzer.settings))
        with wait_for_model(client.config.model, terminal, deadline) as show:

            def say(line: str) -> None:
                show(line)
                log(line)

            try:
                request = ModelRequest(deadline, add_guidance(analyzer, self._options), self._save, say)
                planned = classify_changes(analyzer, client, request)
            finally:
                self.usage = asdict(client.usage)
        self._drop_saved()
        return PlanResult(self._plan(planned), analyzer.whole, usage=self.usage)

    def complete(self, planned: ModelPlan) -> PlanResult:
        """Return the plan with the commits that the model `planned`, and the embedded splitter's for the rest."""
        from smartcommit.split.model.splitter import order_commits

        analyzer, options = self._analyzer, self._options
        emitted = list(planned.commits)
        if options.count is not None:
            options = replace(options, count=max(1, options.count - len(emitted)))
        groups = _divide_rest(analyzer, options, emitted)
        commits = [*emitted, *_describe_groups(analyzer, groups)]
        planned.commits = order_commits(commits, analyzer.change, analyzer.rules)
        made = PlanResult(self._plan(planned), analyzer.whole, emitted=len(emitted))
        self._drop_saved()
        return made

    def _plan(self, planned: ModelPlan) -> SplitPlan:
        commits = []
        for commit in planned.commits:
            for units in self._analyzer.drop_left_out([commit.units]):
                commits.append(PlannedCommit(commit.message, tuple(units)))
        return make_plan(
            self._analyzer, commits, engine=self._engine, issues=planned.issues, gitignore=planned.gitignore
        )

    def _save(self, planned: ModelPlan) -> None:
        """Save the commits so far, to be applied if the model is interrupted; all other units stay uncommitted."""
        self.planned = planned
        git_dir = self._analyzer.repository.git_dir
        if state_files.save(git_dir, PARTIAL_PLAN, print_plan(self._plan(planned)).encode()):
            self.saved = state_files.path(git_dir, PARTIAL_PLAN)

    def _drop_saved(self) -> None:
        if self.saved is not None:
            state_files.drop(self._analyzer.repository.git_dir, PARTIAL_PLAN)
            self.saved = None


def read_config(settings: Settings) -> ApiConfig:
    """Return how to reach the configured model, with room for long answers; raise ConfigError if there is none."""
    config = api_config(settings)
    return replace(config, output=max(config.output, min(_TOKENS_ANSWERED, config.context // 4)))


def time_limit(settings: Settings) -> int:
    """Return the seconds that all requests of a split may take."""
    return settings.number("split-deadline") or (TIME_LIMIT_STASHED if stash_is_held() else TIME_LIMIT)


def describe_all(analyzer: GitAnalyzer, groups: Sequence[Sequence[Unit]]) -> list[str]:
    """Return a message for the commit of each of `groups`, as `describe` does; each sees those before it."""
    taken: Counter[str] = Counter()
    return [describe(analyzer, units, taken) for units in groups]


def describe(analyzer: GitAnalyzer, units: Sequence[Unit], taken: Counter[str] | None = None) -> str:
    """Return the embedded drafter's message for the commit of `units`, which ends in one newline.

    Its summary is none of those `taken`, which it is added to. It passes the project's own rules, unless they ask for
    what only the user knows.
    """
    diffs = group_by_file(units)
    drafted = drafter.draft(ChangeFacts(diffs), analyzer.history, analyzer.settings, corrections=analyzer.corrections)
    message = _conform(drafted.text, analyzer.rules)
    if taken is None:
        return message
    first = _find_summary(message)
    taken[first] += 1
    if taken[first] == 1:
        return message
    limit = find_summary_limit(analyzer.settings)
    _, _, body = drafted.text.partition("\n")
    for header in _list_other_headers(drafted, diffs, taken[first]):
        other = _conform(f"{header}\n{body}", analyzer.rules)
        summary = _find_summary(other)
        if len(header.summary) <= limit and not taken[summary]:
            taken[summary] += 1
            return other
    return message


def _conform(text: str, rules: Rules) -> str:
    """Return `text` as the project's rules want it, as far as that is possible."""
    if not rules.has_style() or is_accepted(text, rules):
        return text
    message = parse(text.removesuffix("\n")).message
    return conform(message, rules, passes=lambda text: is_accepted(text, rules)) or text


def _find_summary(message: str) -> str:
    """Return the summary of a message, in lower case."""
    line = message.partition("\n")[0]
    header = parse_loose_header(line)
    return (line if header is None else header.summary).lower()


def _list_other_headers(draft: Draft, diffs: Sequence[FileDiff], number: int) -> Iterator[Header]:
    """Yield other headers for a commit: those of other candidates, then the same with where it is, or a number."""
    header = draft.header
    if header is None:
        return
    for candidate in draft.candidates:
        yield Header(header.type, candidate, scope=header.scope, breaking=header.breaking)
    for place in (*_list_places(diffs), f"({number})"):
        yield Header(header.type, f"{header.summary} {place}", scope=header.scope, breaking=header.breaking)


def _list_places(diffs: Sequence[FileDiff]) -> Iterator[str]:
    """Yield where a commit changes something: in which definitions, files and folders."""
    for diff in diffs:
        changes = symbol_changes(diff)
        for symbol in (*changes.touched, *changes.added):
            yield f"in {make_printable(symbol.name)}"
    for diff in diffs:
        yield f"in {safe_name(diff.change.path)}"
    for diff in diffs:
        yield f"in {safe_path(diff.change.path)}"
