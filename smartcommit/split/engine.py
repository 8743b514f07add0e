"""Makes a plan with a model or the embedded splitter, and describes its commits; keeps what a model left unfinished."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from itertools import chain

from smartcommit import state_files
from smartcommit.change.facts import ChangeFacts
from smartcommit.change.symbols import find_symbol_changes
from smartcommit.change.wording import format_count, make_printable, safe_name, safe_path
from smartcommit.config import Settings, find_summary_limit
from smartcommit.draft.conform import conform
from smartcommit.draft.embedded import drafter, intent
from smartcommit.draft.embedded.view import Purpose
from smartcommit.draft.request import make_guidance
from smartcommit.draft.result import Draft
from smartcommit.draft.tickets import SOME_TICKET
from smartcommit.errors import explain
from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.message.checks import is_accepted
from smartcommit.message.header import Header, parse_loose_header
from smartcommit.message.parse import parse
from smartcommit.message.rules import Rules, fill_message
from smartcommit.processes.runner import stash_is_held
from smartcommit.secrets.scan import SuspectFile
from smartcommit.split.analyzer import ChangeReader, GitAnalyzer
from smartcommit.split.embedded.partition import Division, partition_files
from smartcommit.split.embedded.splitter import divide
from smartcommit.split.ignoring import select_useful
from smartcommit.split.ordering import Checker
from smartcommit.split.plan import Issue, PlannedCommit, SplitPlan, clean_message, list_ids, list_units
from smartcommit.split.plan_file import print_plan
from smartcommit.split.source import EMBEDDED, MODEL, EngineOptions
from smartcommit.terminal import Terminal
from smartcommit.waiting import Deadline, wait_for_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.llm.api import ApiConfig
    from smartcommit.split.model.emit import CommitCollector

# How a plan says that the user made it.
GIVEN = "given"
# Seconds for all requests of a split together; the second is for a hook for which pre-commit stashed unstaged changes.
TIME_LIMIT = 300
TIME_LIMIT_STASHED = 60
# Tokens of one answer: a commit can list many hunks.
_TOKENS_ANSWERED = 4096

# The file of a plan that a model has not finished.
PARTIAL_PLAN = "partial-plan.json"

Log = Callable[[str], None]


def make(
    reader: ChangeReader,
    options: EngineOptions,
    *,
    terminal: Terminal | None,
    report: Log,
    log: Log = lambda line: None,
    suspects: Sequence[SuspectFile] = (),
) -> SplitPlan | None:
    """Return the plan for a change, without what `suspects` leave out, or None if there is nothing to commit.

    With the engine AUTO the embedded splitter does what a model has left undone whatever goes wrong with it, even if it
    is a bug. `log` is called with a line for each call of a model, and `report` with where an unfinished plan is that
    is not used, also after Ctrl-C.

    With the engine MODEL raise what stopped it: LLMError, AgentError (for a bug, too), or Cancelled.
    """
    asked = options.asks_model(reader.settings)
    whole = reader.files
    if asked or options.strategy == "hunk":
        whole = reader.hunks
    change = reader.select(whole, suspects)
    if not change.units:
        return None
    asking = terminal is not None
    if not asked:
        return make_embedded(reader, change, options, asking=asking)
    attempt = _Attempt(reader, change, options)
    with ExitStack() as on_failure:
        on_failure.callback(attempt.save, report)
        try:
            plan = attempt.run(terminal, log)
        except Exception as error:  # a split goes on without the model whatever it causes
            failure = state_files.explain_bug(error, reader.repository.git_dir)
            if options.engine == MODEL:
                raise failure from None
            reason = explain(failure)
            if not attempt.commits:
                plan = make_embedded(reader, reader.select(reader.files, suspects), options, asking=asking)
                told = f"split without a model: {reason}"
            else:
                commits = format_count(len(attempt.commits), "commit")
                plan = attempt.complete()
                told = f"the model planned {commits}, and the rest was split without it: {reason}"
            plan = replace(plan, failure=told)
        on_failure.pop_all()
    if attempt.commits:
        state_files.drop(reader.repository.git_dir, PARTIAL_PLAN)
    return replace(plan, usage=attempt.usage)


def make_single(reader: ChangeReader, message: str, suspects: Sequence[SuspectFile] = ()) -> SplitPlan | None:
    """Return the plan for one commit with the user's `message`, or None; what `suspects` leave out stays."""
    change = reader.select(reader.files, suspects)
    if not change.units:
        return None
    return make_plan(reader, change, [PlannedCommit(clean_message(message), tuple(change.units))], engine=GIVEN)


def show_prompt(reader: ChangeReader, options: EngineOptions, suspects: Sequence[SuspectFile] = ()) -> str | None:
    """Return exactly what a model would be sent first, as JSON, or None if there is nothing to commit; nothing is sent.

    Raise ConfigError if no model is configured, and AgentError if the change is too large for it.
    """
    # What a model needs is heavy, and most changes are split without one.
    from smartcommit.split.model.splitter import coarsen_to_context, preview

    config = read_config(reader.settings)
    change = reader.select(reader.hunks, suspects)
    if not change.units:
        return None
    analyzer = GitAnalyzer(reader, coarsen_to_context(change, config))
    return preview(analyzer, config, add_guidance(reader, options))


def make_embedded(reader: ChangeReader, change: ChangeUnits, options: EngineOptions, *, asking: bool) -> SplitPlan:
    """Return the plan of the embedded splitter; another number of commits is only an alternative if `asking`."""
    division = divide(change, reader.contents, options.strategy, count=options.count, asking=asking)
    plan = _plan_division(reader, division)
    if division.alternative is None:
        return plan
    alternative = _plan_division(reader, division.alternative)
    # Groups are merged if a file would not parse between them, which may have made the two plans the same.
    if len(alternative.commits) == len(plan.commits):
        return plan
    return replace(plan, alternative=alternative)


def _plan_division(reader: ChangeReader, division: Division) -> SplitPlan:
    groups = Checker(division.change).merge_broken(division.groups)
    commits = _describe_groups(reader, groups)
    plan = make_plan(reader, division.change, commits, engine=EMBEDDED)
    if division.confidence is not None:
        plan = replace(plan, confidence=round(division.confidence, 2))
    return plan


def _describe_groups(reader: ChangeReader, groups: Sequence[Sequence[Unit]]) -> list[PlannedCommit]:
    """Return the commits of `groups`; what the author said before is about one of them, or about none."""
    taken: Counter[str] = Counter()
    meant: int | None = 0
    defined: list[set[str]] = [set() for _ in groups]
    changes = [ChangeFacts(reader.read_diffs(group)) for group in groups]
    if len(groups) > 1:
        meant = intent.choose_part(reader.purpose, changes)
        for names, change in zip(defined, changes, strict=True):
            for file in change.files:
                names.update(symbol.name for symbol in file.symbols.added)
    everywhere = set[str]().union(*defined)
    commits = []
    for number, (units, change) in enumerate(zip(groups, changes, strict=True)):
        purpose = reader.purpose
        if number != meant:
            own = defined[number]
            purpose = Purpose(is_partial=True, elsewhere=everywhere - own if own else everywhere)
        commits.append(_describe_change(reader, units, change, taken, purpose=purpose))
    return commits


def make_plan(
    reader: ChangeReader,
    change: ChangeUnits,
    commits: Sequence[PlannedCommit],
    *,
    engine: str,
    issues: Sequence[Issue] = (),
    gitignore: Sequence[str] = (),
) -> SplitPlan:
    """Return the plan that makes `commits` of `change`; its other units stay uncommitted, and so do all other files."""
    snapshot, files = reader.snapshot, reader.files
    whole = change.join(files.select(files.files.keys() - change.files.keys()))
    left_out: dict[bytes, None] = {}
    if not snapshot.staged:
        left_out = dict.fromkeys(snapshot.untracked)
        # A path in HEAD and the working tree, but not in the index, is no change: it was neither added nor left out.
        for path in chain(snapshot.removed, *(unit.paths for unit in whole.units)):
            left_out.pop(path, None)
    plan = SplitPlan(
        snapshot.base, snapshot.target, snapshot.staged, engine, (),
        left_out=tuple(left_out), issues=tuple(dict.fromkeys(issues)), gitignore=tuple(gitignore),
        hides_untracked=snapshot.hides_untracked, change=whole,
    )  # fmt: skip
    return plan.with_commits(commits)


def add_guidance(reader: ChangeReader, options: EngineOptions) -> str:
    """Return the instructions for a model: those for every message, then those for this split."""
    lines = [make_guidance(reader.repository, reader.settings)]
    if options.count:
        lines.append(f"Make {format_count(options.count, 'commit')}.")
    lines.append(options.instructions)
    return "\n".join(line for line in lines if line)


class _Attempt:
    """One attempt of a model at one change; `usage`, and the `commits` so far, are there even if it fails."""

    def __init__(self, reader: ChangeReader, change: ChangeUnits, options: EngineOptions) -> None:
        self.usage: dict[str, int] = {}
        self._reader = reader
        self._change = change
        self._options = options
        self._engine = MODEL
        self._collector: CommitCollector | None = None

    @property
    def commits(self) -> list[PlannedCommit]:
        return self._collector.commits if self._collector is not None else []

    def run(self, terminal: Terminal | None, log: Log) -> SplitPlan:
        # What a model needs is heavy, and most changes are split without one.
        from smartcommit.llm.client import LLMClient
        from smartcommit.split.model.emit import CommitCollector
        from smartcommit.split.model.splitter import ModelRequest, classify_changes, coarsen_to_context

        settings, instructions = self._reader.settings, add_guidance(self._reader, self._options)
        client = LLMClient(read_config(settings))
        self._engine = client.config.model
        analyzer = GitAnalyzer(self._reader, coarsen_to_context(self._change, client.config))
        self._collector = CommitCollector(analyzer, instructions)
        deadline = Deadline(find_split_limit(settings))
        with wait_for_model(client.config.model, terminal, deadline) as show:

            def say(line: str) -> None:
                show(line)
                log(line)

            try:
                classify_changes(self._collector, client, ModelRequest(deadline, instructions, say))
            finally:
                self.usage = asdict(client.usage)
        return self._plan()

    def complete(self) -> SplitPlan:
        """Return the plan with the model's commits so far, and the embedded splitter's for the rest."""
        from smartcommit.split.model.splitter import order_commits

        assert self._collector is not None
        change, count = self._collector.analyzer.change, self._options.count
        if count is not None:
            count = max(1, count - len(self.commits))
        planned = set(list_ids(list_units(self.commits)))
        units_left = [unit for unit in change.units if unit.id not in planned]
        groups = partition_files(units_left, strategy=self._options.strategy, count=count) if units_left else []
        commits = [*self.commits, *_describe_groups(self._reader, groups)]
        self._collector.commits = order_commits(commits, change, self._reader.rules)
        return self._plan()

    def _plan(self) -> SplitPlan:
        planned = self._collector
        assert planned is not None
        return make_plan(
            self._reader, planned.analyzer.change, planned.commits, engine=self._engine, issues=planned.issues,
            gitignore=select_useful(self._reader.snapshot, planned.gitignore),
        )  # fmt: skip

    def save(self, report: Log) -> None:
        """Save the commits so far, and `report` how to apply them; all other units stay uncommitted."""
        git_dir = self._reader.repository.git_dir
        if self.commits and state_files.save(git_dir, PARTIAL_PLAN, print_plan(self._plan()).encode()):
            path = state_files.find_path(git_dir, PARTIAL_PLAN)
            report(f"saved what the model had planned so far; run 'git smart-commit --plan {path}' to apply it")


def read_config(settings: Settings) -> ApiConfig:
    """Return how to reach the configured model, with room for long answers; raise ConfigError if there is none."""
    from smartcommit.llm.provider import make_api_config

    config = make_api_config(settings)
    return replace(config, output=max(config.output, min(_TOKENS_ANSWERED, config.context // 4)))


def find_split_limit(settings: Settings) -> int:
    return settings.number("split-deadline") or (TIME_LIMIT_STASHED if stash_is_held() else TIME_LIMIT)


def describe(reader: ChangeReader, units: Sequence[Unit], taken: Counter[str] | None = None) -> PlannedCommit:
    """Return the commit of `units` with the embedded drafter's message.

    It passes the project's own rules, unless they ask for what only the user knows. Its summary is none of those
    `taken`, which it is added to.
    """
    change = ChangeFacts(reader.read_diffs(units))
    taken = Counter() if taken is None else taken
    return _describe_change(reader, units, change, taken, purpose=Purpose(is_partial=True))


def _describe_change(
    reader: ChangeReader, units: Sequence[Unit], change: ChangeFacts, taken: Counter[str], *, purpose: Purpose
) -> PlannedCommit:
    drafted = drafter.draft(change, reader.history, reader.settings, purpose=purpose)
    message = _conform(drafted.text, reader.rules)
    source = "" if drafted.weak else drafted.source
    commit = PlannedCommit(clean_message(message), tuple(units), source, open=drafted.open)
    first = _find_summary(message)
    taken[first] += 1
    if taken[first] == 1:
        return commit
    limit = find_summary_limit(reader.settings)
    _, _, body = drafted.text.partition("\n")
    for header in _list_other_headers(drafted, change, taken[first]):
        other = _conform(f"{header}\n{body}", reader.rules)
        summary = _find_summary(other)
        if len(header.summary) <= limit and not taken[summary]:
            taken[summary] += 1
            return replace(commit, message=clean_message(other), source="")
    return commit


def _conform(text: str, rules: Rules) -> str:
    def passes(text: str) -> bool:
        return is_accepted(fill_message(text, rules.header_form, SOME_TICKET), rules)

    if not rules.has_style() or passes(text):
        return text
    message = parse(text.removesuffix("\n")).message
    return conform(message, rules, passes=passes) or text


def _find_summary(message: str) -> str:
    line = message.partition("\n")[0]
    header = parse_loose_header(line)
    return (line if header is None else header.summary).lower()


def _list_other_headers(draft: Draft, change: ChangeFacts, number: int) -> Iterator[Header]:
    """Yield other headers for a commit: with the folder, with a place, of other candidates, or with a number.

    One that says where already is followed by other candidates first.
    """
    header = draft.header
    if header is None:
        return
    summaries, definitions, names, folders = [], [], [], []
    for file in change.files:
        name, folder = safe_name(file.path), posixpath.dirname(file.path)
        names.append(name)
        if folder and header.summary.endswith(f" {name}"):
            # The other commit has a file of the same name.
            summaries.append(f"{header.summary.removesuffix(name)}{safe_name(folder)}/{name}")
        else:
            folders.append(safe_path(folder))
        symbols = find_symbol_changes(file.diff)
        for symbol in (*symbols.touched, *symbols.added):
            if symbol.kind not in ("key", "section"):  # of data, the file is known by its name
                definitions.append(make_printable(symbol.name))
    placed = []
    for place in (*definitions, *names, *folders):
        if place and f" {place} " not in f" {header.summary} ":
            placed.append(f"{header.summary} in {place}")
    summaries += [*draft.candidates, *placed] if " in " in header.summary else [*placed, *draft.candidates]
    for summary in (*summaries, f"{header.summary} ({number})"):
        yield Header(header.type, summary, scope=header.scope, breaking=header.breaking)
