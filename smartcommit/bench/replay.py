"""Makes the drafts and splits of a history again, and scores them beside baselines."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from smartcommit.bench.history import FoldedChange, Line, RecordedCommit, list_lines, read_header
from smartcommit.bench.scores import (
    SPLIT_BASELINES,
    DraftScore,
    ScoredDraft,
    SplitScore,
    score_drafts,
    score_split,
    score_splits,
)
from smartcommit.change.history import History
from smartcommit.config import Settings, make_rules
from smartcommit.draft import engine as drafting
from smartcommit.draft.conform import is_accepted
from smartcommit.errors import SmartcommitError
from smartcommit.git.diff import list_changes
from smartcommit.git.hunks import Unit
from smartcommit.git.journal import new_split_run
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot
from smartcommit.message.header import Header
from smartcommit.split import engine as splitting
from smartcommit.split.plan import SplitPlan
from smartcommit.waiting import Deadline

NAME = "smartcommit"
COMMON = "most common type and scope"


@dataclass(frozen=True, slots=True)
class DraftResults:
    """The scores of drafts and of a baseline; `fallbacks` says, for each draft that the model failed to make, why."""

    count: int
    scores: tuple[DraftScore, ...]
    fallbacks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SplitResults:
    """The scores of splits and of baselines; `fallbacks` says, for each split that the model failed to make, why."""

    count: int
    scores: tuple[SplitScore, ...]
    fallbacks: tuple[str, ...]


def replay_drafts(repository: Repository, commits: Iterable[RecordedCommit], settings: Settings) -> DraftResults:
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
        if not made.changed:
            continue
        if made.reason is not None:
            fallbacks.append(made.reason)
        text = made.text or ""
        drafted = read_header(text.partition("\n")[0])
        drafts.append(ScoredDraft(commit.header, drafted, is_accepted(text, rules), seconds))
        habit = _find_common_header(repository, commit)
        common.append(ScoredDraft(commit.header, habit, is_accepted(f"{habit}\n", rules)))
    if not drafts:
        raise SmartcommitError("these commits change nothing", hint="give a larger number with --last")
    return DraftResults(len(drafts), (score_drafts(NAME, drafts), score_drafts(COMMON, common)), tuple(fallbacks))


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
    names = [os.path.basename(os.fsdecode(change.path)) for change in changes[:1]]
    return Header(kind, " ".join(["update", *names]), scope=scope)


def replay_splits(repository: Repository, changes: Iterable[FoldedChange], settings: Settings) -> SplitResults:
    """Split each of the changes; nothing is committed. There are no scores if there are no changes.

    Raise GitError if git fails.
    """
    scores, seconds, fallbacks = [], [], []
    baselines: dict[str, list[tuple[float, bool]]] = {name: [] for name in SPLIT_BASELINES}
    for change in changes:
        began = time.perf_counter()
        made = _split(repository, change, settings)
        seconds.append(time.perf_counter() - began)
        if made.reason is not None:
            fallbacks.append(made.reason)
        scores.append(score_split(change.lines, _group_lines(made.plan, change.lines)))
        for name, group in SPLIT_BASELINES.items():
            baselines[name].append(score_split(change.lines, {line: group(line) for line in change.lines}))
    if not scores:
        return SplitResults(0, (), ())
    rows = [score_splits(NAME, scores, seconds)]
    for name, found in baselines.items():
        rows.append(score_splits(name, found))
    return SplitResults(len(scores), tuple(rows), tuple(fallbacks))


def _split(repository: Repository, change: FoldedChange, settings: Settings) -> splitting.PlanResult:
    with new_split_run(repository) as run:
        snapshot = Snapshot(
            repository=repository,
            run=run,
            index=run.before,
            staged=True,
            base=change.base,
            branch=None,
            target=change.target,
            staged_tree=change.target,
            untracked=(),
            removed=frozenset(),
            hides_untracked=False,
            config=(),
        )
        made = splitting.make(snapshot, settings, splitting.EngineOptions(), terminal=None, report=_ignore)
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


def _list_lines(unit: Unit, by_path: dict[bytes, list[Line]]) -> Iterable[Line]:
    if unit.kind != "file":
        return list_lines(unit.change.path, unit.hunks)
    lines: list[Line] = []
    for path in unit.paths:
        lines += by_path.get(path, ())
    return lines
