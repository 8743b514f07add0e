"""Which lines replace each other."""

from __future__ import annotations

from smartcommit.change.pairing import pair_lines
from smartcommit.change.text import TOKEN


def test_the_pairs_are_those_that_are_most_alike_together() -> None:
    # The first old line is most like the last new one, but then the second one would have none.
    old = list(map(TOKEN.findall, ["set a to b for c", "set a to c", "}"]))
    new = list(map(TOKEN.findall, ["let go", "set a to b", "set a for c", "}"]))
    assert pair_lines(old, new) == [(0, 1), (1, 2), (2, 3)]
    assert pair_lines(new, old) == [(1, 0), (2, 1), (3, 2)]
    assert pair_lines([["a"], ["b"]], [["b"]]) == [(1, 0)]
    assert pair_lines([["a"]], [["b"]]) == [(0, 0)]
