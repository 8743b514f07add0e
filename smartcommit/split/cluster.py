"""Average-link clustering: the two groups that fit best on average are joined, as long as any two fit well enough."""

from __future__ import annotations

from collections.abc import Callable


def average_link(
    size: int, fit: Callable[[int, int], float], *, threshold: float, count: int | None = None
) -> list[list[int]]:
    """The positions 0 to `size` - 1 in groups, each in ascending order, the groups by their first.

    `fit` says how well two positions fit, from 0 to 1. Groups are joined while their members fit at least `threshold`
    on average, or until there are `count` groups. Time grows with the square of `size` for `fit`, and with little more
    for joining.
    """
    link = _Link(size, fit)
    while len(link.groups) > (count or 1):
        value, one, other = link.best()
        if count is None and value < threshold:
            break
        link.join(one, other)
    return [sorted(members) for _, members in sorted(link.groups.items())]


class _Link:
    """The groups, each under its first position; `_fits[a][b]`, with a < b, is the mean fit of their members."""

    def __init__(self, size: int, fit: Callable[[int, int], float]) -> None:
        self.groups = {position: [position] for position in range(size)}
        self._fits = {one: {other: fit(one, other) for other in range(one + 1, size)} for one in range(size)}
        self._nearest = {one: _nearest(row) for one, row in self._fits.items()}

    def best(self) -> tuple[float, int, int]:
        """The two groups that fit best, and how well; the first of equals."""
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
            row, key = (self._fits[third], one) if third < one else (self._fits[one], third)
            old = self._fits[third].pop(other) if third < other else gone[third]
            row[key] = (row[key] * ours + old * theirs) / (ours + theirs)
            if third < one or self._nearest[third][1] == other:
                self._nearest[third] = _nearest(self._fits[third])
        self._nearest[one] = _nearest(self._fits[one])


def _nearest(row: dict[int, float]) -> tuple[float, int]:
    """The best fit among a group's later ones, and whose it is; the first of equals."""
    other = min(row, key=lambda position: (-row[position], position), default=-1)
    return (row[other], other) if row else (-1.0, -1)
