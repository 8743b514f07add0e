"""Which lines replace each other, and where two lines differ."""

from __future__ import annotations

from smartcommit.change.pairing import find_differences, pair_lines
from smartcommit.change.text import TOKEN
from tests.support.table import rows


def test_the_pairs_are_those_that_are_most_alike_together() -> None:
    # The first old line is most like the last new one, but then the second one would have none.
    old = list(map(TOKEN.findall, ["set a to b for c", "set a to c", "}"]))
    new = list(map(TOKEN.findall, ["let go", "set a to b", "set a for c", "}"]))
    assert pair_lines(old, new) == [(0, 1), (1, 2), (2, 3)]
    assert pair_lines(new, old) == [(1, 0), (2, 1), (3, 2)]
    assert pair_lines([["a"], ["b"]], [["b"]]) == [(1, 0)]
    assert pair_lines([["a"]], [["b"]]) == [(0, 0)]


@rows(
    ("old", "new", "expected"),
    [
        ("f ( a )", "f ( a )", []),
        ("f ( a )", "f ( a , b )", [(3, 3, 3, 5)]),
        ("f ( a , b )", "g ( a , c )", [(0, 1, 0, 1), (4, 5, 4, 5)]),
        ("a", "b", [(0, 1, 0, 1)]),
        ("", "a", [(0, 0, 0, 1)]),
    ],
)
def test_tokens_differ_in_places(old: str, new: str, expected: list[tuple[int, int, int, int]]) -> None:
    assert find_differences(old.split(), new.split()) == expected
