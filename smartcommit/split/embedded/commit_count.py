"""Joins parts by average linkage, and chooses the number of commits: where the dendrogram of a change is cut."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import NamedTuple

from smartcommit.split.embedded.similarity import apply_logistic, load_weights

# Groups that are left although one of them is small: whether the change stays whole was decided before.
_LEAST_GROUPS = 2
# How similar the things at two positions are, the smaller one first, from 0 to 1.
Fit = Callable[[int, int], float]


@dataclass(frozen=True, slots=True)
class Level:
    """A number of groups, `count`, and the next best one, `other`: one more or one fewer; None if there is no other.

    `margin` is how far the fit of the join between them is from the threshold that decided, and `confidence` is the
    probability that `count` is the better number.
    """

    count: int
    other: int | None = None
    margin: float = 1.0
    confidence: float = 1.0


def choose_level(tree: Dendrogram) -> Level:
    """Return the level to use: one group if the last two fit well, else as many as fit too badly to be joined."""
    if not tree.joins:
        return Level(tree.size)
    whole, cut = _make_thresholds(tree.size)
    count = 1
    if tree.joins[-1].fit < whole:
        count = max(2, tree.count_above(cut))
    limits = {2: whole}
    margins = []
    if count > 1:
        margins.append((limits.get(count, cut) - tree.fit_at(count), count - 1))
    if count < tree.size:
        margins.append((tree.fit_at(count + 1) - limits.get(count + 1, cut), count + 1))
    margin, other = min(margins)
    regression = load_weights()["confidence"]
    score = regression["weights"]["margin"] * margin + regression["weights"]["size"] * math.log(tree.size)
    return Level(count, other, margin, apply_logistic(regression["bias"] + score))


def join_small(groups: Sequence[list[int]], sizes: Sequence[float], fit: Fit) -> list[list[int]]:
    """Return `groups` of positions, after those of a few lines were joined to the one that they fit best.

    A lone small file is seldom a commit of its own, so a lower fit suffices. Two groups stay two. `sizes` has the lines
    at each position.
    """
    levels = load_weights()["levels"]
    least = _make_thresholds(len(sizes))[1] - levels["small"]

    def is_small(group: Sequence[int]) -> bool:
        return sum(sizes[item] for item in group) <= levels["small_lines"]

    return _join_chosen(groups, is_small, fit, least=least, kept=_LEAST_GROUPS, weigh=_find_mean)


def _find_mean(fits: Sequence[float]) -> float:
    return math.fsum(fits) / len(fits)


def join_followers(
    groups: Sequence[list[int]],
    followers: set[int],
    fit: Fit,
    least: float = 0.0,
    *,
    weigh: Callable[[Sequence[float]], float] = _find_mean,
) -> list[list[int]]:
    """Return `groups` of positions, after those of `followers` alone were joined to the one that they fit best.

    A group that fits none at `least` so well stays.
    """
    return _join_chosen(groups, followers.issuperset, fit, least=least, kept=1, weigh=weigh)


def join_certain(groups: Sequence[list[int]], fit: Fit) -> list[list[int]]:
    """Return `groups` after each lone position was joined to one that has what it belongs with for certain.

    The mean fit, by which groups are made, hides that.
    """
    return _join_chosen(groups, lambda group: len(group) == 1, fit, least=1.0, kept=1, weigh=max)


def _join_chosen(
    groups: Sequence[list[int]],
    is_chosen: Callable[[Sequence[int]], bool],
    fit: Fit,
    *,
    least: float,
    kept: int,
    weigh: Callable[[Sequence[float]], float],
) -> list[list[int]]:
    """Return `groups` after each chosen one was joined to the one that it fits best, at `least` so well.

    The best fit comes first; when only so many groups are `kept`, no more are joined. `weigh` makes one fit of those
    of the members.
    """
    found = [list(group) for group in groups]
    while len(found) > kept:
        fits = {}
        for one, other in permutations(range(len(found)), 2):
            if is_chosen(found[one]):
                likely = [fit(min(pair), max(pair)) for pair in product(found[one], found[other])]
                fits[one, other] = weigh(likely)
        best = max(fits, key=fits.__getitem__, default=None)
        if best is None or fits[best] < least:
            break
        one, other = best
        found[other] += found[one]
        del found[one]
    return sorted(sorted(item) for item in found)


def _make_thresholds(size: int) -> tuple[float, float]:
    """Return the fit at which a change of `size` parts stays whole, and the fit at which two of its groups are joined.

    The first falls with the size: large commits have parts that hardly fit. The last grows: more pairs fit by chance.
    """
    levels = load_weights()["levels"]
    growth = math.log(max(size, 3) / 3)
    cut = levels["cut"] + levels["cut_growth"] * growth
    return levels["whole"] + levels["whole_growth"] * growth, min(levels["cut_at_most"], cut)


class Join(NamedTuple):
    """The group whose first position is `other` is added to that of `one`; `fit` is how similar their members are."""

    fit: float
    one: int
    other: int


class Dendrogram:
    """The positions 0 to `size` - 1, and the joins that lead from single positions to one group, in their order."""

    def __init__(self, size: int, joins: Sequence[Join]) -> None:
        self.size = size
        self.joins = joins

    def groups(self, count: int) -> list[list[int]]:
        """Return `count` groups of positions, or the nearest possible number.

        Positions are in ascending order, and the groups are ordered by their first.
        """
        groups = {position: [position] for position in range(self.size)}
        for join in self.joins[: max(0, self.size - max(1, count))]:
            groups[join.one] += groups.pop(join.other)
        return sorted(sorted(group) for group in groups.values())

    def fit_at(self, count: int) -> float:
        return self.joins[self.size - count].fit

    def count_above(self, threshold: float) -> int:
        """Return the number of groups that are left if joining stops before the first fit below `threshold`."""
        for done, join in enumerate(self.joins):
            if join.fit < threshold:
                return self.size - done
        return min(self.size, 1)


def average_link(size: int, fit: Fit) -> Dendrogram:
    """Return the dendrogram of the positions 0 to `size` - 1; `fit` is called once for each pair."""
    sizes = dict.fromkeys(range(size), 1)
    # The mean fit of the members of two groups, which are known by their first positions, the smaller one first.
    fits = {pair: fit(*pair) for pair in combinations(range(size), 2)}
    joins = []
    while fits:
        one, other = max(fits, key=fits.__getitem__)
        joins.append(Join(fits.pop((one, other)), one, other))
        theirs = sizes.pop(other)
        ours = sizes[one]
        for third in sizes:
            if third != one:
                pair = min(one, third), max(one, third)
                gone = fits.pop((min(other, third), max(other, third)))
                fits[pair] = (fits[pair] * ours + gone * theirs) / (ours + theirs)
        sizes[one] += theirs
    return Dendrogram(size, joins)
