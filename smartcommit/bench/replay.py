"""Makes the drafts and splits of a history again, and scores how near they are to what people recorded."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from statistics import mean, median
from typing import Any, Generic, TypeVar

from smartcommit.bench.history import FoldedChange, Line, RecordedCommit, list_lines, read_header
from smartcommit.change.history import History
from smartcommit.config import Settings, make_rules
from smartcommit.draft import engine as drafting
from smartcommit.draft.conform import is_accepted
from smartcommit.errors import SmartcommitError
from smartcommit.git.diff import list_changes
from smartcommit.git.hunks import Unit
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot
from smartcommit.git.transaction.journal import new_split_run
from smartcommit.message.header import Header
from smartcommit.split import engine as splitting
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.plan import SplitPlan
from smartcommit.waiting import Deadline

NAME = "smartcommit"
COMMON = "most common type and scope"


@dataclass(frozen=True, slots=True)
class DraftScore:
    """The score of a draft, or the average of several: each but `seconds` from 0 to 1.

    `type` and `scope` are 1 if they are those that were recorded, and `valid` if `commit-msg` accepts the draft.
    `edit_distance` is the share of the characters of the header that would have to be changed to make it the recorded
    one. `seconds` is how long it took, None for a baseline.
    """

    name: str
    type: float
    scope: float
    edit_distance: float
    valid: float
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class SplitScore:
    """The score of a split, or the average of several: each but `seconds` from 0 to 1.

    `balanced` is the mean, over the recorded commits, of the share of their lines that are in the commit matched to
    them, and `exact` is 1 if the change is split as it was recorded. `seconds` is as for a draft.
    """

    name: str
    balanced: float
    exact: float
    seconds: float | None = None


Score = TypeVar("Score", DraftScore, SplitScore)


@dataclass(frozen=True, slots=True)
class Results(Generic[Score]):
    """The scores of drafts or splits and of baselines; `fallbacks` has the model's failures."""

    count: int
    scores: tuple[Score, ...]
    fallbacks: tuple[str, ...]


# What a person would get without any judgement.
SPLIT_BASELINES: dict[str, Callable[[Line], Hashable]] = {
    "one commit": lambda line: None,
    "a commit per file": lambda line: line[0],
    "a commit per directory": lambda line: os.path.dirname(line[0]),
}


def replay_drafts(repository: Repository, commits: Iterable[RecordedCommit], settings: Settings) -> Results[DraftScore]:
    """Draft the message of each commit that changes something, as if it had just been staged on its parent.

    Raise GitError if git fails, ConfigError if a rule cannot be applied, SmartcommitError if nothing was changed.
    """
    rules = make_rules(settings)
    drafts, common, fallbacks = [], [], []
    for commit in commits:
        began = time.perf_counter()
        deadline = Deadline(drafting.time_limit(settings))
        made = drafting.draft(repository, commit.parent, commit.oid, settings, deadline=deadline)
        seconds = time.perf_counter() - began
        if made is None:
            continue
        if made.reason is not None:
            fallbacks.append(made.reason)
        text = made.text
        drafted = read_header(text.partition("\n")[0])
        score = score_draft(NAME, commit.header, drafted, valid=is_accepted(text, rules))
        drafts.append(replace(score, seconds=seconds))
        habit = _find_common_header(repository, commit)
        common.append(score_draft(COMMON, commit.header, habit, valid=is_accepted(f"{habit}\n", rules)))
    if not drafts:
        raise SmartcommitError("these commits change nothing", hint="give a larger number with --last")
    return Results(len(drafts), (average(drafts), average(common)), tuple(fallbacks))


def _find_common_header(repository: Repository, commit: RecordedCommit) -> Header:
    """Return the most common type and scope before `commit`, and a summary that names its first file."""
    types, scopes = Counter[str](), Counter[str | None]()
    for earlier in History.load(repository, commit.parent).commits:
        if earlier.type is not None:
            types[earlier.type] += 1
            scopes[earlier.scope] += 1
    (kind, _), *_ = types.most_common(1) or [("feat", 0)]
    (scope, _), *_ = scopes.most_common(1) or [(None, 0)]
    changes = list_changes(repository, commit.parent, commit.oid, renames=False, counts=False)
    summary = "update"
    if changes:
        summary += f" {os.path.basename(os.fsdecode(changes[0].path))}"
    return Header(kind, summary, scope=scope)


@dataclass(frozen=True, slots=True)
class SplitResults:
    """The scores of the splits of all changes, and of those in which several commits changed the same file."""

    all: Results[SplitScore]
    divided: Results[SplitScore]


def replay_splits(repository: Repository, changes: Iterable[FoldedChange], settings: Settings) -> SplitResults:
    """Split each of the changes; nothing is committed. There are no scores if there are no changes.

    Raise GitError if git fails.
    """
    scores: list[dict[str, SplitScore]] = []
    divided: list[dict[str, SplitScore]] = []
    fallbacks = []
    for change in changes:
        began = time.perf_counter()
        made = _split(repository, change, settings)
        seconds = time.perf_counter() - began
        if made.reason is not None:
            fallbacks.append(made.reason)
        score = score_split(NAME, change.lines, _group_lines(made.plan, change.lines))
        found = {NAME: replace(score, seconds=seconds)}
        for name, group in SPLIT_BASELINES.items():
            groups = dict(zip(change.lines, map(group, change.lines), strict=True))
            found[name] = score_split(name, change.lines, groups)
        scores.append(found)
        if change.divides_file:
            divided.append(found)
    return SplitResults(_average_splits(scores, fallbacks), _average_splits(divided, ()))


def _average_splits(scores: Sequence[Mapping[str, SplitScore]], fallbacks: Sequence[str]) -> Results[SplitScore]:
    """Return the averages of the scores of each name."""
    averages = []
    for name in scores[0] if scores else ():
        averages.append(average([found[name] for found in scores]))
    return Results(len(scores), tuple(averages), tuple(fallbacks))


def _split(repository: Repository, change: FoldedChange, settings: Settings) -> splitting.PlanResult:
    with new_split_run(repository) as run:
        snapshot = Snapshot(
            repository=repository,
            run=run,
            index=run.before,
            staged=True,
            head=change.base,
            base=change.base,
            branch=None,
            target=change.target,
            staged_tree=change.target,
            untracked=(),
            removed=frozenset(),
            hides_untracked=False,
            config=(),
        )
        analyzer = GitAnalyzer(snapshot, settings)
        made = splitting.make(analyzer, splitting.EngineOptions(), terminal=None, report=_ignore)
    assert made is not None, "a folded change has lines"
    return made


def _ignore(line: str) -> None:
    """Do not print where an unfinished plan is: it is removed with the temporary git directory."""


def _group_lines(plan: SplitPlan, lines: Iterable[Line]) -> dict[Line, int]:
    """Return the number of the planned commit of each line that is in one."""
    by_path: dict[bytes, list[Line]] = {}
    for line in lines:
        by_path.setdefault(line[0], []).append(line)
    groups = {}
    for number, commit in enumerate(plan.commits):
        for unit in commit.units:
            for line in _list_lines(unit, by_path):
                groups[line] = number
    return groups


def _list_lines(unit: Unit, by_path: dict[bytes, list[Line]]) -> Iterator[Line]:
    if unit.kind != "file":
        yield from list_lines(unit.change.path, unit.hunks)
        return
    for path in unit.paths:
        yield from by_path.get(path, ())


def score_draft(name: str, recorded: Header, drafted: Header | None, *, valid: bool) -> DraftScore:
    """Return the score of a draft, whose header is None if it has none."""
    return DraftScore(
        name,
        type=drafted is not None and drafted.type == recorded.type,
        scope=drafted is not None and drafted.scope == recorded.scope,
        edit_distance=edit_distance(str(drafted or ""), str(recorded)),
        valid=valid,
    )


def edit_distance(first: str, second: str) -> float:
    """Return the Levenshtein distance of two texts, divided by the length of the longer one."""
    row = list(range(len(second) + 1))
    for number, character in enumerate(first, start=1):
        diagonal, row[0] = row[0], number
        for position, other in enumerate(second, start=1):
            replaced = diagonal + (character != other)
            diagonal = row[position]
            row[position] = min(replaced, diagonal + 1, row[position - 1] + 1)
    return row[-1] / max(len(first), len(second), 1)


def score_split(name: str, lines: Mapping[Line, int], groups: Mapping[Line, Hashable]) -> SplitScore:
    """Return the score of a split.

    `lines` has the recorded commit of each changed line, and `groups` the commit that it was split into; a line that is
    left out has none. Groups are matched to commits one to one, so that the accuracy is largest. Source: the evaluation
    of Flexeme (Partachi et al., FSE 2020).
    """
    sizes = Counter(lines.values())
    shared: dict[Hashable, Counter[int]] = {}
    for line, commit in lines.items():
        if line in groups:
            shared.setdefault(groups[line], Counter())[commit] += 1
    # The best sum for each set of commits that are matched already.
    best = {frozenset[int](): 0.0}
    for counts in shared.values():
        for matched, total in list(best.items()):
            for commit in counts.keys() - matched:
                wider = matched | {commit}
                best[wider] = max(best.get(wider, 0.0), total + counts[commit] / sizes[commit])
    balanced = max(best.values()) / len(sizes)
    return SplitScore(name, balanced, exact=balanced == 1 and len(shared) == len(sizes))


def average(scores: Sequence[Score]) -> Score:
    """Return the means of one or more scores of one name, and the median of their seconds."""
    averages: dict[str, Any] = {}
    for field in fields(scores[0])[1:]:
        values = [getattr(score, field.name) for score in scores]
        if None not in values:
            averages[field.name] = median(values) if field.name == "seconds" else mean(values)
    return replace(scores[0], **averages)
