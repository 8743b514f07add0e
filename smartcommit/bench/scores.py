"""How near a draft or a split is to what people recorded."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from smartcommit.bench.history import Line
from smartcommit.message.header import Header


@dataclass(frozen=True, slots=True)
class DraftScore:
    """Scores of several drafts, each but `seconds` from 0 to 1.

    `type`, `scope` and `valid` are shares of drafts: with the recorded type, with the recorded scope or rightly without
    one, and accepted by `commit-msg`. `edit_distance` is the mean share of the characters of the header that would have
    to be changed to make it the recorded one. `seconds` is the median of one draft, None for a baseline.
    """

    name: str
    type: float
    scope: float
    edit_distance: float
    valid: float
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class SplitScore:
    """Scores of several splits, each but `seconds` from 0 to 1.

    `balanced` is the mean, over the recorded commits, of the share of their lines that are in the commit matched to
    them, and `exact` the share of changes that are split as they were recorded. `seconds` is the median of one split,
    None for a baseline.
    """

    name: str
    balanced: float
    exact: float
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ScoredDraft:
    """A drafted header, None if there was none, beside the recorded one."""

    recorded: Header
    drafted: Header | None
    valid: bool
    seconds: float | None = None


def score_drafts(name: str, drafts: Sequence[ScoredDraft]) -> DraftScore:
    """Return the scores of one or more drafts."""
    types, scopes, distances, seconds = [], [], [], []
    for draft in drafts:
        recorded, drafted = draft.recorded, draft.drafted
        types.append(drafted is not None and drafted.type == recorded.type)
        scopes.append(drafted is not None and drafted.scope == recorded.scope)
        distances.append(edit_distance(str(drafted or ""), str(recorded)))
        if draft.seconds is not None:
            seconds.append(draft.seconds)
    return DraftScore(
        name,
        type=mean(types),
        scope=mean(scopes),
        edit_distance=mean(distances),
        valid=mean(draft.valid for draft in drafts),
        seconds=median(seconds) if seconds else None,
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


def score_split(lines: Mapping[Line, int], groups: Mapping[Line, Hashable]) -> tuple[float, bool]:
    """Return the balanced accuracy of a split, and whether it is exact.

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
    return balanced, balanced == 1 and len(shared) == len(sizes)


def score_splits(name: str, splits: Sequence[tuple[float, bool]], seconds: Sequence[float] = ()) -> SplitScore:
    """Return the scores of one or more splits, each as from `score_split`."""
    return SplitScore(
        name,
        balanced=mean(balanced for balanced, _ in splits),
        exact=mean(exact for _, exact in splits),
        seconds=median(seconds) if seconds else None,
    )


# What a person would get without any judgement.
SPLIT_BASELINES: dict[str, Callable[[Line], Hashable]] = {
    "one commit": lambda line: None,
    "a commit per file": lambda line: line[0],
    "a commit per directory": lambda line: os.path.dirname(line[0]),
}
