"""What is compared of two parts of a change."""

from __future__ import annotations

import pytest

from smartcommit.git.diff import FileChange, FileDiff, Hunk
from smartcommit.split.similarity import Comparison, Features, Part, read_part


def part(path: str, removed: str, added: str) -> Part:
    """A file in which the lines of `removed` become those of `added`."""
    old, new = removed.encode().splitlines(), added.encode().splitlines()
    change = FileChange("M", path.encode(), None, "100644", "100644", "a" * 40, "b" * 40)
    return read_part([FileDiff(change, [Hunk(1, len(old), 1, len(new), b"", old, new)])])


def compare(one: Part, other: Part) -> Features:
    return Comparison([one, other]).features(0, 1)


def test_a_file_is_mentioned_by_its_name_in_any_case() -> None:
    parser = part("src/parser.py", "x = 1", "x = 2")
    assert compare(parser, part("docs/usage.md", "old", "see Parser"))["mention"] == 1
    assert compare(part("docs/usage.md", "old", "see Parser"), parser)["mention"] == 1
    assert compare(parser, part("docs/usage.md", "old", "see parsers"))["mention"] == 0
    assert compare(part("src/cli.py", "x = 1", "x = 2"), part("docs/usage.md", "old", "see cli"))["mention"] == 0


@pytest.mark.parametrize(
    ("added", "is_layout"),
    [("call(a,\n     b)", True), ("call( a, b )", True), ("call(a, c)", False), ("call(a, b)\ncall()", False)],
)
def test_a_layout_changes_white_space_alone(added: str, is_layout: bool) -> None:
    changed = part("one.c", "call(a, b)", added)
    assert changed.is_layout is is_layout
    reindented = part("two.c", "  x;", "\tx;")
    assert compare(changed, reindented)["layout"] is is_layout


def test_a_file_that_is_only_added_to_is_no_layout() -> None:
    assert not part("one.c", "", "\n\n").is_layout


def test_a_test_and_a_source_are_a_pair_in_either_order() -> None:
    source, test = part("src/load.py", "a", "b"), part("tests/load_test.py", "a", "b")
    assert compare(source, test)["test_source"]
    assert compare(test, source)["test_source"]
    assert not compare(source, source)["test_source"]
