"""Rates the types that a change can have, by what it changes and by the habits of the project."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from smartcommit.change import filetypes
from smartcommit.change.facts import (
    DERIVED,
    ChangeFacts,
    FileFacts,
    find_kinds,
    find_natures,
    list_paths,
)
from smartcommit.change.history import History
from smartcommit.change.languages import find_language
from smartcommit.change.pairing import is_respelled
from smartcommit.change.text import read_hunk, read_lines
from smartcommit.change.tokens import DIRECTIVE, find_prose
from smartcommit.draft.embedded.measure import has_source, measure, measure_source
from smartcommit.json_text import loads
from smartcommit.message.rules import TYPES_OF_KIND, find_type_of_kind, select_type
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KIND_OF_TYPE = {names[0]: kind for kind, names in reversed(TYPES_OF_KIND.items())} | {
    "tests": "tests", "lint": "formatting", "chore": "configuration", "bugfix": "fix", "feature": "feature",
    "doc": "documentation",
}  # fmt: skip
_KIND_OF_FILES = {
    filetypes.TESTS: "tests", filetypes.DOCUMENTATION: "documentation", filetypes.CI: "ci", filetypes.BUILD: "build",
    filetypes.MANIFEST: "build", filetypes.LOCK: "dependencies", filetypes.CONFIGURATION: "configuration",
    filetypes.GENERATED: "configuration", filetypes.ASSET: "configuration",
}  # fmt: skip
# Types that share weights; any other is in the class "other".
CLASSES = (
    "feat", "fix", "refactor", "perf", "test", "docs", "chore", "ci", "build", "style", "deps", "revert", "other",
)  # fmt: skip
_SOURCE_CLASSES = {"feat", "fix", "refactor", "perf"}
_UPKEEP_CLASSES = {"chore", "ci", "build", "deps", "revert"}
_SAME_TYPE = {
    "tests": "test", "doc": "docs", "lint": "style", "feature": "feat", "bugfix": "fix", "performance": "perf",
    "dep": "deps",
}  # fmt: skip
# The share of each class in projects with conventional headers, and that of each type of the class "other".
_CLASS_SHARES = {
    "feat": 0.24, "fix": 0.36, "refactor": 0.07, "perf": 0.02, "test": 0.04, "docs": 0.09, "chore": 0.1, "ci": 0.03,
    "build": 0.02, "style": 0.005, "deps": 0.005, "revert": 0.002,
}  # fmt: skip
_OTHER_SHARE = 0.003
# With fewer past commits than this, the decision matrix chooses the type, unless source changed.
_LEAST_COMMITS = 5
# How likely another type must be by habits and weights for a change of documentation or tests alone.
_AGAINST_FACTS = 0.7
# How many times as likely another type must be for a change of CI alone.
_ODDS_OF_CI = 2.0
# The share of the lines of a change from which on it is formatting.
_SHARE_OF_FORMATTING = 0.9
_LINES_CORRECTED = 20  # that a hunk of corrections replaces at most
# Prior strengths, in commits.
_PRIOR_OF_TYPES = 4.0  # of projects in general
_PRIOR_OF_KINDS = 3.0  # of this project
_PRIOR_OF_PATHS = 1.0  # of its changes to such files


def rate_types(change: ChangeFacts, history: History, types: Sequence[str]) -> dict[str, float]:
    """Return how likely each of `types` is, the likeliest first; only one, with 1.0, if the facts are clear.

    They are by the decision matrix; else fitted weights and the project's habits say it.
    """
    plain = plain_type(change, history, types)
    if plain and not (_has_habits(history) and _plain_kind(change) in ("documentation", "tests")):
        return {plain: 1.0}
    if not _has_habits(history):
        if not has_source(change):
            kinds = find_kinds(change.core)
            named = [find_type_of_kind(_KIND_OF_FILES[kind], types) for kind in kinds - DERIVED or kinds]
            return {select_type(named, types): 1.0}
        # By definition: adding only names, or only files, adds functionality, and only habits make source a chore.
        measures = measure_source(change)
        if measures["only new names"] or measures["only new files"] or measures["mostly new names"]:
            return {find_type_of_kind("feature", types): 1.0}
        types = [name for name in types if class_of(name) in _SOURCE_CLASSES] or types
    scores = _score_types(change, history, types)
    if change.kinds == {filetypes.CI} or change.kinds <= {filetypes.MANIFEST, filetypes.LOCK}:
        # No fix, feature or test, unless somebody says so.
        upkeep = [name for name in types if class_of(name) in _UPKEEP_CLASSES] or types
        scores = {name: scores[name] for name in upkeep}
    highest = max(scores.values())
    chances = {}
    for name in sorted(scores, key=scores.__getitem__, reverse=True):
        chances[name] = math.exp(scores[name] - highest)
    total = sum(chances.values())
    chances = {name: odds / total for name, odds in chances.items()}
    likeliest = next(iter(chances))
    if plain and (
        chances[likeliest] < _AGAINST_FACTS or (_only_tests(change) and class_of(likeliest) in _SOURCE_CLASSES)
    ):
        return {plain: 1.0}
    name = find_type_of_kind("ci", types)
    # The settings of a bot are no CI.
    is_bot = any(b"renovate" in path or b"dependabot" in path for path in change.paths)
    if change.kinds == {filetypes.CI} and not is_bot and _ODDS_OF_CI * chances.get(name, 0.0) >= chances[likeliest]:
        chances = {name: chances[name], **chances}
    return chances


def plain_type(change: ChangeFacts, history: History, types: Sequence[str]) -> str | None:
    """Return the type by the decision matrix if the facts are so clear that no weighing is needed, else None."""
    is_upkeep = change.upkeep and find_natures(change.files) != {"comments"}
    if is_upkeep or change.only_submodules:
        kind = "dependencies"
        if change.kinds == {filetypes.CI}:
            kind = "ci"
        votes = _translate_types(history.count_type_votes(change.paths, upkeep=True), types)
        return max(sorted(votes), key=votes.__getitem__, default="") or find_type_of_kind(kind, types)
    plain = _plain_kind(change)
    if plain is None:
        return None
    # Of several types with one meaning (`test`, `tests`) the project's own.
    name, counts = find_type_of_kind(plain, types), history.count_types()
    same = [name]
    for other in types:
        if class_of(other) == class_of(name) != "other":
            same.append(other)
    return max(same, key=lambda other: counts.get(other, 0.0))


def _has_habits(history: History) -> bool:
    return sum(history.count_types().values()) >= _LEAST_COMMITS


def _score_types(change: ChangeFacts, history: History, types: Sequence[str]) -> dict[str, float]:
    """Return the logarithms of the odds of `types`."""
    weights = load_weights()
    by_class = [0.0] * len(CLASSES)
    for name, value in measure(change).items():
        row = [int(number) for number in weights.type_weights.get(name, "").split()]
        for place, hundredths in zip(row[::2], row[1::2], strict=True):
            by_class[place] += value * hundredths / 100
    habits = habit_logarithms(change, history, types)
    scores = {}
    for name in types:
        place = CLASSES.index(class_of(name))
        scores[name] = by_class[place]
        for weight, logarithms in zip(weights.type_habits[place], habits, strict=True):
            scores[name] += weight * logarithms[name]
    return scores


class Weights(Record):
    """The fitted weights of drafts, as `training/drafts.py` writes them.

    `type_weights` has a row for each measure: numbers, separated by blanks, which alternate places in CLASSES and
    weights in hundredths. They stay text, since a change has few of the measures. `type_habits` has for each of CLASSES
    the weights of the three results of `habit_logarithms`.
    """

    type_habits: Sequence[Sequence[float]]
    type_weights: Mapping[str, str]


@cache
def load_weights() -> Weights:
    with open(os.path.join(os.path.dirname(__file__), "weights.json"), encoding="utf-8") as file:
        weights: Any = loads(file.read())
    return Weights(**weights)


def habit_logarithms(change: ChangeFacts, history: History, types: Sequence[str]) -> list[dict[str, float]]:
    """Return for each type logarithms of how often the project gave it: at all, to such files, and to these paths.

    Each is smoothed by the one before it, and the first by what projects do in general, so that a few commits say
    little.
    """
    shares = {name: _CLASS_SHARES.get(class_of(name), _OTHER_SHARE) for name in types}
    whole = sum(shares.values())
    for name in types:
        shares[name] /= whole
    results = []
    for past, unknown in (
        (history.count_types(), _PRIOR_OF_TYPES),
        (history.count_types(change.kinds), _PRIOR_OF_KINDS),
        (history.count_type_votes(list_paths(change.core)), _PRIOR_OF_PATHS),
    ):
        counts = _translate_types(past, types)
        total = sum(counts.values()) + unknown
        logarithms = {}
        for name in types:
            shares[name] = (counts.get(name, 0.0) + unknown * shares[name]) / total
            logarithms[name] = math.log(max(shares[name], 1e-4))
        results.append(logarithms)
    return results


def class_of(name: str) -> str:
    name = _SAME_TYPE.get(name, name)
    return name if name in CLASSES else "other"


def _plain_kind(change: ChangeFacts) -> str | None:
    """Return the kind of a change that needs no weighing, or None."""
    natures = find_natures(change.files)
    source = change.of_kind(filetypes.SOURCE)
    if {file.status for file in source} in ({"D"}, {"R"}) or (source and natures <= {"moved", "copied"}):
        return "refactoring"
    formatted = lines = 0
    for file in change.files:
        size = file.lines_added + file.lines_removed
        lines += size
        if file.nature in filetypes.FORMATTING and not filetypes.is_expected_output(file.path):
            formatted += size
    # In the other lines a formatter did what cannot be recognized.
    if 0 < formatted >= _SHARE_OF_FORMATTING * lines:
        return "documentation" if change.kinds == {filetypes.DOCUMENTATION} else "formatting"
    if natures <= {"mode", "link", "type"}:
        return "configuration"
    if _only_tests(change):
        return "tests"
    prose = {filetypes.SOURCE, filetypes.TESTS, filetypes.DOCUMENTATION}
    if change.kinds <= prose and all(_is_prose(file) for file in change.files):
        return "documentation"
    return None


def _only_tests(change: ChangeFacts) -> bool:
    return find_kinds(change.core) == {filetypes.TESTS}


def _is_prose(file: FileFacts) -> bool:
    """Whether a file is prose, or only the spelling of its prose changed: in code, one letter can make another name."""
    lines = read_lines(file.diff.hunks, "added") or read_lines(file.diff.hunks, "removed")
    if file.kind == filetypes.DOCUMENTATION or file.nature == "comments":
        return not all(DIRECTIVE.match(line) for line in lines)
    for hunk in file.diff.hunks:
        pairs = read_hunk(hunk).pairs(_LINES_CORRECTED)
        if pairs is None or not all(is_respelled(before, after) for before, after in pairs):
            return False
        if not all(find_prose(hunk, find_language(file.path))[1]):
            return False
    return file.diff.complete and bool(file.diff.hunks)


def _translate_types(shares: Mapping[str, float], types: Sequence[str]) -> dict[str, float]:
    """Return the counts of past types as counts of `types`; one that is not among them counts as that of its kind."""
    counted: dict[str, float] = defaultdict(float)
    for name, share in shares.items():
        kind = _KIND_OF_TYPE.get(name)
        if name in types:
            counted[name] += share
        elif kind:
            counted[find_type_of_kind(kind, types)] += share
    return dict(counted)
