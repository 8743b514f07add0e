"""Average-linkage clustering: joins the two groups whose members are most similar, until one group is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

# How similar the things at two positions are, the smaller one first, from 0 to 1.
Fit = Callable[[int, int], float]


@dataclass(frozen=True, slots=True)
class Join:
    """Two groups become one: `other` is added to the earlier `one`, each named by its first position.

    `fit` is the mean similarity of their members.
    """

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
        return sorted(map(sorted, groups.values()))

    def fit_at(self, count: int) -> float:
        """Return the fit of the two groups whose join makes one group fewer of `count`."""
        return self.joins[self.size - count].fit

    def count_above(self, threshold: float) -> int:
        """Return the number of groups that are left if joining stops before the first fit below `threshold`."""
        for done, join in enumerate(self.joins):
            if join.fit < threshold:
                return self.size - done
        return min(self.size, 1)


def average_link(size: int, fit: Fit) -> Dendrogram:
    """Return the dendrogram of the positions 0 to `size` - 1; `fit` is called once for each pair."""
    link = _Link(size, fit)
    joins = []
    while len(link.groups) > 1:
        value, one, other = link.best()
        joins.append(Join(value, one, other))
        link.join(one, other)
    return Dendrogram(size, joins)


class _Link:
    """The groups by their first positions; `_fits[a][b]`, with a < b, is the mean fit of the members of two."""

    def __init__(self, size: int, fit: Fit) -> None:
        self.groups: dict[int, list[int]] = {}
        self._fits: dict[int, dict[int, float]] = {}
        self._nearest: dict[int, tuple[float, int]] = {}
        for one in range(size):
            self.groups[one] = [one]
            self._fits[one] = {other: fit(one, other) for other in range(one + 1, size)}
            self._nearest[one] = _nearest(self._fits[one])

    def best(self) -> tuple[float, int, int]:
        """Return the fit of the two groups that fit best, and their positions; the first if several fit as well."""
        one = min(self.groups, key=lambda group: (-self._nearest[group][0], group))
        return (self._nearest[one][0], one, self._nearest[one][1])

    def join(self, one: int, other: int) -> None:
        """Add the later group `other` to `one`."""
        ours, theirs = len(self.groups[one]), len(self.groups[other])
        self.groups[one] += self.groups.pop(other)
        gone = self._fits.pop(other)
        del self._nearest[other], self._fits[one][other]
        for third in self.groups:
            if third == one:
                continue
            row, key = self._fits[min(one, third)], max(one, third)
            old = self._fits[third].pop(other) if third < other else gone[third]
            row[key] = (row[key] * ours + old * theirs) / (ours + theirs)
            if third < one or self._nearest[third][1] == other:
                self._nearest[third] = _nearest(self._fits[third])
        self._nearest[one] = _nearest(self._fits[one])


def _nearest(row: dict[int, float]) -> tuple[float, int]:
    """Return the best fit of a group with a later one, and which that is; the first if several fit as well."""
    other = min(row, key=lambda position: (-row[position], position), default=-1)
    return row.get(other, -1.0), other
