"""What is measured of a change before it is weighed."""

from __future__ import annotations

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded.measure import measure
from smartcommit.git.diff import FileChange, FileDiff, Hunk


def diff(path: str, removed: list[bytes], added: list[bytes]) -> FileDiff:
    change = FileChange("M", path.encode(), None, "100644", "100644", "a" * 40, "b" * 40)
    return FileDiff(change, [Hunk(1, len(removed), 1, len(added), b"", removed, added)])


def test_words_of_tests_and_documentation_beside_the_source_count() -> None:
    files = [
        diff("src/cart.py", [b"a = 1"], [b"a = 2"]),
        diff("tests/cart_test.py", [], [b"def test_refuses_nothing():", b"    pass"]),
        diff("news/12.bugfix.md", [], [b"Correct the total."]),
    ]
    measures = measure(ChangeFacts(files))
    assert {"test refuses", "prose correct", "beside bugfix"} <= set(measures)


def test_a_change_of_any_size_has_a_bounded_number_of_measures() -> None:
    lines = [
        b"word%s = other%s" % (bytes([97 + n % 26]) * (2 + n % 17), bytes([97 + n % 23]) * 3) for n in range(20_000)
    ]
    assert len(measure(ChangeFacts([diff("a.py", [], lines)]))) < 1000
