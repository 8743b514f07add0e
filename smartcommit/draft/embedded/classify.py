"""Rates the types that a change can have, by what it changes and by the habits of the project."""

from __future__ import annotations

import math
import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, cached_property

from smartcommit.change import filetypes
from smartcommit.change.facts import DERIVED, ChangeFacts, FileFacts, find_kinds, find_natures, list_paths
from smartcommit.change.history import History
from smartcommit.change.text import read_lines
from smartcommit.change.tokens import DIRECTIVE
from smartcommit.draft.embedded.measure import has_source, measure, measure_source
from smartcommit.json_text import loads
from smartcommit.message.rules import DEFAULT_TYPES, TYPES_OF_KIND, find_type_of_kind, select_type
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Other names that projects give to types.
_ALIASES = {
    "tests": "test", "doc": "docs", "lint": "style", "feature": "feat", "bugfix": "fix", "performance": "perf",
    "dep": "deps",
}  # fmt: skip
KIND_OF_TYPE = {names[0]: kind for kind, names in TYPES_OF_KIND.items()}
# What a change is that is of one kind of files, by which the decision matrix has its type.
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
# The share of each class in projects with conventional headers, and that of each type of the class "other".
_CLASS_SHARES = {
    "feat": 0.24, "fix": 0.36, "refactor": 0.07, "perf": 0.02, "test": 0.04, "docs": 0.09, "chore": 0.1, "ci": 0.03,
    "build": 0.02, "style": 0.005, "deps": 0.005, "revert": 0.002,
}  # fmt: skip
_OTHER_SHARE = 0.003
# With fewer past commits than this, the decision matrix chooses the type, unless source changed.
_LEAST_COMMITS = 5
# How likely another type must be by habits and weights to be that of a change of documentation or tests alone.
_AGAINST_FACTS = 0.7
# How many times as likely as `ci` another type must be to be that of a change of CI alone.
_AGAINST_CI = 2.0
# The share of the lines of a change from which on it is formatting: in the others a formatter did what cannot be
# recognized.
_SHARE_OF_FORMATTING = 0.9
# Prior strengths, in commits.
_PRIOR_OF_TYPES = 4.0  # of projects in general
_PRIOR_OF_KINDS = 3.0  # of this project
_PRIOR_OF_PATHS = 1.0  # of its changes to such files
_LEAST_SHARE = 1e-4  # of a type that was never given
# What the chances of two classes are worth in one of several commits: a part is smaller than the change that it is of,
# and looks like a fix for that.
_WORTH_IN_PARTS = {"fix": 0.8, "feat": 1.3}


def list_types(change: ChangeFacts, history: History) -> tuple[str, ...]:
    """Return the usual types, and others of the project that most past changes of such files had.

    Such a type may be that of one work, as `ksp` was, which says nothing of any other.
    """
    votes = history.count_type_votes(list_paths(change.core), upkeep=change.upkeep)
    own = []
    for name in history.types:
        if find_class(name) != "other" or 2 * votes.get(name, 0.0) > sum(votes.values()):
            own.append(name)
    return tuple(dict.fromkeys((*DEFAULT_TYPES, *own)))


def rate_types(
    change: ChangeFacts, history: History, types: Sequence[str], *, is_partial: bool = False
) -> dict[str, float]:
    """Return how likely each of some of `types` is, the one to draft first; only one, with 1.0, if the facts are clear.

    The first is the likeliest, but for a change of CI alone it is `ci` unless another type is twice as likely. Clear
    cases are decided by the decision matrix, and the others by fitted weights and the project's habits.
    """
    plain = find_plain_type(change, history, types)
    has_habits = sum(history.count_types().values()) >= _LEAST_COMMITS
    # Some projects have another type for these.
    is_weighed = has_habits and _find_plain_kind(change) in ("documentation", "tests")
    if plain and not is_weighed:
        return {plain: 1.0}
    if not has_habits:
        name = _find_type_without_habits(change, types)
        if name is not None:
            return {name: 1.0}
        types = [name for name in types if find_class(name) in _SOURCE_CLASSES] or types
    chances = _weigh_types(change, history, types)
    if is_partial:
        chances = _weigh_part(chances)
    likeliest = next(iter(chances))
    if plain:
        is_unsure = chances[likeliest] < _AGAINST_FACTS
        is_of_source = _has_only_tests(change) and find_class(likeliest) in _SOURCE_CLASSES
        if is_unsure or is_of_source:
            return {plain: 1.0}
    if change.kinds == {filetypes.CI}:
        ci = find_type_of_kind("ci", types)
        if _AGAINST_CI * chances.get(ci, 0.0) >= chances[likeliest]:
            return {ci: chances[ci], **chances}
    return chances


def find_plain_type(change: ChangeFacts, history: History, types: Sequence[str]) -> str | None:
    """Return the type by the decision matrix if the facts are so clear that no weighing is needed, else None."""
    is_upkeep = change.upkeep and find_natures(change.files) != {"comments"}
    if is_upkeep or change.only_submodules:
        votes = _translate_types(history.count_type_votes(change.paths, upkeep=True), types)
        if votes:
            return max(sorted(votes), key=votes.__getitem__)
        return find_type_of_kind("ci" if change.kinds == {filetypes.CI} else "dependencies", types)
    kind = _find_plain_kind(change)
    if kind is None:
        return None
    # Of several types with one meaning (`test`, `tests`) the project's own.
    name, counts = find_type_of_kind(kind, types), history.count_types()
    meaning = find_class(name)
    if meaning == "other":
        return name
    same = [other for other in types if find_class(other) == meaning]
    return max([name, *same], key=lambda other: counts.get(other, 0.0))


def _find_type_without_habits(change: ChangeFacts, types: Sequence[str]) -> str | None:
    """Return the type by the decision matrix, or None if source changed in a way that does not tell it."""
    if not has_source(change):
        kinds = find_kinds(change.core)
        named = [find_type_of_kind(_KIND_OF_FILES[kind], types) for kind in kinds - DERIVED or kinds]
        return select_type(named, types)
    # By definition: adding only names, or only files, adds functionality, and only habits make source a chore.
    measures = measure_source(change)
    if measures["only new names"] or measures["only new files"] or measures["mostly new names"]:
        return find_type_of_kind("feature", types)
    return None


def _weigh_types(change: ChangeFacts, history: History, types: Sequence[str]) -> dict[str, float]:
    """Return how likely each of `types` is by weights and habits, the likeliest first."""
    scores = _score_types(change, history, types)
    if change.kinds == {filetypes.CI} or change.kinds <= {filetypes.MANIFEST, filetypes.LOCK}:
        # No fix, feature or test, unless somebody says so.
        upkeep = [name for name in types if find_class(name) in _UPKEEP_CLASSES] or types
        scores = {name: scores[name] for name in upkeep}
    highest = max(scores.values())
    return _share_out({name: math.exp(score - highest) for name, score in scores.items()})


def _share_out(odds: Mapping[str, float]) -> dict[str, float]:
    """Return the shares of `odds` in all of them, the largest first."""
    total = sum(odds.values())
    return {name: odds[name] / total for name in sorted(odds, key=odds.__getitem__, reverse=True)}


def _weigh_part(chances: Mapping[str, float]) -> dict[str, float]:
    """Return the `chances` of types for a commit that is one of several of a change, the likeliest first."""
    return _share_out({name: chance * _WORTH_IN_PARTS.get(find_class(name), 1.0) for name, chance in chances.items()})


def _score_types(change: ChangeFacts, history: History, types: Sequence[str]) -> dict[str, float]:
    """Return the logarithms of the odds of `types`."""
    weights = load_weights()
    by_class = [0.0] * len(CLASSES)
    for name, value in measure(change).items():
        row = weights.find_row(name)
        for place, hundredths in zip(row[::2], row[1::2], strict=True):
            by_class[place] += value * hundredths / 100
    habits = weigh_habits(change, history, types)
    scores = {}
    for name in types:
        place = CLASSES.index(find_class(name))
        scores[name] = by_class[place]
        for weight, logarithms in zip(weights.type_habits[place], habits, strict=True):
            scores[name] += weight * logarithms[name]
    return scores


class Weights(Record):
    """The fitted weights of drafts, as `training/drafts.py` writes them.

    `type_habits` has for each of CLASSES the weights of the three results of `weigh_habits`. `type_weights` has the
    measures in order, with a semicolon between two: a name, a colon, and numbers which alternate places in CLASSES and
    weights in hundredths. They stay text, since a change has few of the measures.
    """

    type_habits: Sequence[Sequence[float]]
    type_weights: str

    @cached_property
    def _rows(self) -> list[str]:
        return self.type_weights.split(";")

    def find_row(self, name: str) -> list[int]:
        """Return the numbers of the measure `name`, none if it has no weight."""
        start = f"{name}: "
        place = bisect_left(self._rows, start)
        if place == len(self._rows) or not self._rows[place].startswith(start):
            return []
        return [int(number) for number in self._rows[place].removeprefix(start).split()]


@cache
def load_weights() -> Weights:
    with open(os.path.join(os.path.dirname(__file__), "weights.json"), encoding="utf-8") as file:
        weights: Any = loads(file.read())
    return Weights(**weights)


def weigh_habits(change: ChangeFacts, history: History, types: Sequence[str]) -> list[dict[str, float]]:
    """Return for each type logarithms of how often the project gave it: at all, to such files, and to these paths.

    Each is smoothed by the one before it, and the first by what projects do in general, so that a few commits say
    little.
    """
    shares = {name: _CLASS_SHARES.get(find_class(name), _OTHER_SHARE) for name in types}
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
            logarithms[name] = math.log(max(shares[name], _LEAST_SHARE))
        results.append(logarithms)
    return results


def find_class(name: str) -> str:
    """Return which of CLASSES the type `name` is in."""
    name = _ALIASES.get(name, name)
    return name if name in CLASSES else "other"


def rate_feature(chances: Mapping[str, float]) -> float:
    """Return how likely a feature is by the `chances` of types."""
    return sum([chance for name, chance in chances.items() if find_class(name) == "feat"])


def _find_plain_kind(change: ChangeFacts) -> str | None:
    """Return the kind of a change that needs no weighing, or None."""
    natures = find_natures(change.files)
    source = change.of_kind(filetypes.SOURCE)
    is_moved = bool(source) and natures <= {"moved", "copied"}
    if is_moved or {file.status for file in source} in ({"D"}, {"R"}):
        return "refactoring"
    formatted = lines = 0
    for file in change.files:
        size = file.lines_added + file.lines_removed
        lines += size
        if file.nature in filetypes.FORMATTING and not filetypes.is_expected_output(file.path):
            formatted += size
    if formatted and formatted >= _SHARE_OF_FORMATTING * lines:
        return "documentation" if change.kinds == {filetypes.DOCUMENTATION} else "formatting"
    if natures <= {"mode", "link", "type"}:
        return "configuration"
    if _has_only_tests(change):
        return "tests"
    prose = {filetypes.SOURCE, filetypes.TESTS, filetypes.DOCUMENTATION}
    if change.kinds <= prose and all(_is_prose(file) for file in change.files):
        return "documentation"
    return None


def _has_only_tests(change: ChangeFacts) -> bool:
    return find_kinds(change.core) == {filetypes.TESTS}


def _is_prose(file: FileFacts) -> bool:
    """Whether a file is prose, or only its comments changed, and what tools read in them is not all of it."""
    lines = read_lines(file.diff.hunks, "added") or read_lines(file.diff.hunks, "removed")
    is_prose = file.kind == filetypes.DOCUMENTATION or file.nature == "comments"
    return is_prose and not all(DIRECTIVE.match(line) for line in lines)


def _translate_types(past: Mapping[str, float], types: Sequence[str]) -> dict[str, float]:
    """Return the counts of past types as counts of `types`; one that is not among them counts as that of its kind."""
    counts: dict[str, float] = defaultdict(float)
    for name, count in past.items():
        kind = KIND_OF_TYPE.get(find_class(name))
        if name in types:
            counts[name] += count
        elif kind:
            counts[find_type_of_kind(kind, types)] += count
    return dict(counts)
