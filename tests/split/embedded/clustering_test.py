"""Average linking: by hand on small cases, and against its definition on random ones."""

from __future__ import annotations

import itertools
import math
import statistics

from hypothesis import given
from hypothesis import strategies as st

from smartcommit.split.embedded.commit_count import average_link

PRIMES = [
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
    113, 127, 131, 137, 139, 149, 151,
]  # fmt: skip
Fits = dict[tuple[int, int], float]


def by_definition(size: int, fits: Fits, *, threshold: float, count: int | None) -> list[list[int]]:
    """The same by looking at every pair of groups each time."""
    groups = [[n] for n in range(size)]

    def mean(pair: tuple[list[int], list[int]]) -> float:
        return statistics.fmean(fits[min(a, b), max(a, b)] for a in pair[0] for b in pair[1])

    while len(groups) > (count or 1):
        best = max(itertools.combinations(groups, 2), key=mean)
        if count is None and mean(best) < threshold:
            break
        groups.remove(best[1])
        best[0].extend(best[1])
    return sorted(sorted(group) for group in groups)


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, Fits]:
    size = draw(st.integers(1, 9))
    pairs = list(itertools.combinations(range(size), 2))
    # Square roots of primes: no two sums of them are equal, so that nothing depends on how ties are broken.
    values = draw(st.permutations([math.sqrt(prime) / 13 for prime in PRIMES[: len(pairs)]]))
    return size, dict(zip(pairs, values, strict=True))


@given(tables(), st.integers(1, 9))
def test_a_number_of_groups_gives_those_of_the_definition(table: tuple[int, Fits], count: int) -> None:
    size, fits = table
    found = average_link(size, lambda a, b: fits[a, b])
    assert found.groups(count) == by_definition(size, fits, threshold=0, count=count)


@given(tables(), st.floats(0, 1))
def test_joining_stops_at_a_threshold_as_by_the_definition(table: tuple[int, Fits], threshold: float) -> None:
    size, fits = table
    found = average_link(size, lambda a, b: fits[a, b])
    groups = found.groups(found.count_above(threshold))
    assert groups == by_definition(size, fits, threshold=threshold, count=None)


def test_nothing_and_one_are_groups_already() -> None:
    assert average_link(0, lambda a, b: 1.0).groups(1) == []
    assert average_link(1, lambda a, b: 1.0).groups(3) == [[0]]
