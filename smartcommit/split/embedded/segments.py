"""Divides a file whose hunks belong to different commits."""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations, product

from smartcommit.change import filetypes
from smartcommit.change.text import find_names, is_import, read_hunk
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.git.hunks import ChangeUnits, Unit, can_be_cut, group_by_file
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.embedded.commit_count import average_link, choose_level
from smartcommit.split.embedded.similarity import (
    UNKNOWN,
    Comparison,
    Features,
    Habits,
    Part,
    count_names,
    load_weights,
    predict,
    read_part,
)

# Hunks of a file, and pairs of hunks and parts of a change, that are compared; with more of them files stay whole.
_HUNKS_DIVIDED = 40
_PAIRS_COMPARED = 20_000
# Hunks of a change each of which may become a commit if the user says how many commits there are.
_HUNKS_SEPARATED = 80
# Lines of a hunk in which replaced names are looked for.
_LINES_REPLACED = 40


@dataclass(frozen=True, slots=True)
class Segments:
    """The hunks of one file, by their positions, in `groups` that may go to different commits.

    `fits` has the mean similarity of the hunks of two groups, the smaller position first.
    """

    groups: list[list[int]]
    fits: dict[tuple[int, int], float]

    def find(self, unit: Unit) -> int:
        """Return the position of the group that has `unit`; what is not a hunk goes with the first one."""
        hunk = int(unit.id.rpartition("::")[2]) - 1
        for position, hunks in enumerate(self.groups):
            if hunk in hunks:
                return position
        return 0

    def fit(self, one: Unit, other: Unit) -> float:
        """Return the mean similarity of the different groups that have `one` and `other`."""
        first, second = sorted((self.find(one), self.find(other)))
        return self.fits[first, second]


def find_segments(change: ChangeUnits, habits: Habits = UNKNOWN) -> dict[bytes, Segments]:
    """Return the segments of the files whose hunks do not all belong together, by path; none if the change stays whole.

    The units of `change` are whole files. Comparison takes quadratic time, so a large change has no segments.
    """
    bundles = find_inseparable(change.units)
    if len(bundles) ** 2 > _PAIRS_COMPARED:
        return {}
    diffs = list(map(group_by_file, bundles))
    places, comparisons = [], 0
    for place, bundle in enumerate(diffs):
        if can_be_divided(bundle):
            places.append(place)
            comparisons += (len(bundle[0].hunks) + len(diffs)) ** 2
    if not places or comparisons > _PAIRS_COMPARED:
        return {}
    parts = list(map(read_part, diffs))
    level = choose_level(average_link(len(parts), Comparison(parts, habits).probability))
    if level.count == 1 < len(parts):
        return {}
    threshold = load_weights()["levels"]["hunks" if len(parts) > 1 else "hunks_alone"]
    segments = {}
    for place in places:
        diff = diffs[place][0]
        found = _divide(diff, [*parts[:place], *parts[place + 1 :]], threshold)
        if len(found.groups) > 1:
            segments[diff.change.path] = found
    return segments


def compare_each_hunk(change: ChangeUnits) -> dict[bytes, Segments]:
    """Return segments of one hunk each, for all files that can be divided; none if the change is too large for that.

    The units of `change` are whole files.
    """
    diffs = list(map(group_by_file, find_inseparable(change.units)))
    if sum(len(diff.hunks) for diff in chain.from_iterable(diffs)) > _HUNKS_SEPARATED:
        return {}
    parts = list(map(read_part, diffs))
    segments = {}
    for place, bundle in enumerate(diffs):
        if can_be_divided(bundle):
            comparison = HunkComparison(bundle[0], [*parts[:place], *parts[place + 1 :]])
            hunks = range(len(bundle[0].hunks))
            fits = {pair: comparison.probability(*pair) for pair in combinations(hunks, 2)}
            segments[bundle[0].change.path] = Segments([[hunk] for hunk in hunks], fits)
    return segments


def can_be_divided(bundle: Sequence[FileDiff]) -> bool:
    """Whether the bundle is one file with hunks that git can commit separately, and not too many to compare."""
    return len(bundle) == 1 and can_be_cut(bundle[0]) and 2 <= len(bundle[0].hunks) <= _HUNKS_DIVIDED


def _divide(diff: FileDiff, others: Sequence[Part], threshold: float) -> Segments:
    """Return the hunks of `diff`, joined while they fit at least `threshold`; `others` are the rest of the change."""
    comparison = HunkComparison(diff, others)
    tree = average_link(len(diff.hunks), comparison.probability)
    groups = tree.groups(tree.count_above(threshold))
    fits = {}
    for (one, ours), (other, theirs) in combinations(enumerate(groups), 2):
        fits[one, other] = _mean_fit(comparison, ours, theirs)
    return Segments(groups, fits)


def _mean_fit(comparison: HunkComparison, ours: Sequence[int], theirs: Sequence[int]) -> float:
    """Return the mean similarity of each of `ours` with each of `theirs`."""
    total = 0.0
    for pair in product(ours, theirs):
        first, second = sorted(pair)
        total += comparison.probability(first, second)
    return total / (len(ours) * len(theirs))


def join_segments(bundles: Sequence[list[Unit]], segments: Mapping[bytes, Segments]) -> list[list[Unit]]:
    """Return `bundles` with the hunks of each segment joined."""
    joined: dict[Hashable, list[Unit]] = {}
    for place, bundle in enumerate(bundles):
        path = bundle[0].change.path
        key: Hashable = place
        if path in segments:
            key = (path, segments[path].find(bundle[0]))
        joined.setdefault(key, []).extend(bundle)
    return list(joined.values())


class HunkComparison:
    """Compares the hunks of one file in pairs.

    How differently two hunks fit the `others`, which are the rest of the change, counts most.
    """

    def __init__(self, diff: FileDiff, others: Sequence[Part]) -> None:
        self._hunks = diff.hunks
        self._kind = filetypes.classify_path(diff.change.path)
        self._parts = [read_part([FileDiff(diff.change, [hunk])]) for hunk in diff.hunks]
        self._comparison = Comparison(self._parts)
        self._imported = list(map(_imported_names, diff.hunks))
        self._replaced = list(map(_replaced_names, diff.hunks))
        self._ties = self._compare_with(others)

    def _compare_with(self, others: Sequence[Part]) -> list[list[float]]:
        """Return for each hunk the probability that it belongs together with each of `others`."""
        first, comparison = len(self._parts), Comparison([*self._parts, *others])
        ties = []
        for hunk in range(first):
            ties.append(list(map(partial(comparison.probability, hunk), range(first, first + len(others)))))
        return ties

    def features(self, one: int, other: int) -> Features:
        """Return the features of the hunks at two positions, the smaller one first, by their names."""
        shared = self._comparison.features(one, other)
        first, second = self._hunks[one], self._hunks[other]
        (gone, new), (gone_too, new_too) = self._replaced[one], self._replaced[other]
        ties = list(map(abs, map(operator.sub, self._ties[one], self._ties[other])))
        return {
            "words": shared["words"],
            "changed": shared["changed"],
            "same_added": shared["same_added"],
            "def_use": shared["def_use"],
            "gap": math.log1p(max(0, second.new_start - first.new_start - first.new_count)),
            "between": math.log(other - one),
            "import_use": self._uses_import(one, other) or self._uses_import(other, one),
            "replace": (gone, new) == (gone_too, new_too) and bool(gone | new),
            "replace_some": bool(gone & gone_too) and bool(new & new_too),
            "tests": self._kind == filetypes.TESTS,
            "source": self._kind == filetypes.SOURCE,
            "tie_max": max(ties, default=0.0),
            "tie_dist": sum(ties) / max(1, len(ties)),
        }

    def probability(self, one: int, other: int) -> float:
        """Return how likely the hunks at two positions, the smaller one first, belong to one commit, from 0 to 1."""
        return predict(self.features(one, other), load_weights()["hunks"])

    def _uses_import(self, one: int, other: int) -> bool:
        return not self._imported[one].isdisjoint(self._parts[other].names)


def _imported_names(hunk: Hunk) -> frozenset[str]:
    """Return the names on lines that import something."""
    text = read_hunk(hunk)
    names: set[str] = set()
    for line in filter(is_import, (*text.added.read(), *text.removed.read())):
        names.update(find_names(line))
    return frozenset(names)


def _replaced_names(hunk: Hunk) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a hunk removes, and those that it puts in their place."""
    text = read_hunk(hunk)
    before, after = count_names([text.removed], _LINES_REPLACED), count_names([text.added], _LINES_REPLACED)
    return frozenset(before - after), frozenset(after - before)
