"""Circles, against their definition: two need each other where each reaches the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from smartcommit.split.ordering import strongly_connected


def reached(needs: list[set[int]], start: int) -> set[int]:
    found: set[int] = set()
    waiting = [start]
    while waiting:
        new = needs[waiting.pop()] - found
        found |= new
        waiting += new
    return found | {start}


@given(st.integers(1, 7).flatmap(lambda n: st.lists(st.sets(st.integers(0, n - 1)), min_size=n, max_size=n)))
def test_circles_are_those_of_the_definition(needs: list[set[int]]) -> None:
    reach = [reached(needs, start) for start in range(len(needs))]
    expected = {tuple(b for b in sorted(reach[a]) if a in reach[b]) for a in range(len(needs))}
    assert strongly_connected(needs) == sorted(map(list, expected))


def test_a_long_chain_takes_no_recursion() -> None:
    size = 20_000
    assert strongly_connected([{number + 1} for number in range(size - 1)] + [set()]) == [
        [number] for number in range(size)
    ]
    assert strongly_connected([{(number + 1) % size} for number in range(size)]) == [list(range(size))]
