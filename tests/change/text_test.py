"""The reading of a hunk: kept with it, bounded, and cut in one way."""

from __future__ import annotations

from smartcommit.change.text import (
    LINE_BYTES,
    LINES_READ,
    find_words,
    is_import,
    read_hunk,
    read_lines,
    split_identifier,
)
from smartcommit.git.diff import Hunk
from tests.support.table import rows


def hunk(*, removed: list[bytes] | None = None, added: list[bytes] | None = None) -> Hunk:
    old, new = removed or [], added or []
    return Hunk(1, len(old), 1, len(new), b"def run():", old, new)


def test_a_hunk_is_read_once() -> None:
    changed = hunk(added=[b"  total = 1"])
    assert read_hunk(changed) is read_hunk(changed)
    assert read_hunk(changed) is not read_hunk(hunk(added=[b"  total = 1"]))
    assert changed == hunk(added=[b"  total = 1"])


def test_what_was_read_of_a_few_lines_is_continued() -> None:
    added = read_hunk(hunk(added=[b"first()", b"second()", b"first()"])).added
    assert added.names(1) == ["first"]
    assert added.read(2) == ["first()", "second()"]
    assert added.names() == ["first", "second", "first"]


def test_lines_are_bounded_in_number_and_length() -> None:
    text = read_hunk(hunk(added=[b"x" * 5000, *[b"y"] * LINES_READ]))
    assert len(text.added.read()) == LINES_READ
    assert text.added.read(1) == ["x" * LINE_BYTES]


def test_a_sample_goes_over_several_hunks() -> None:
    hunks = [hunk(added=[b"a", b"b"]), hunk(removed=[b"gone"]), hunk(added=[b"c", b"d"])]
    assert read_lines(hunks, "added", 3) == ["a", "b", "c"]


def test_only_lines_that_replace_each_other_are_pairs() -> None:
    assert read_hunk(hunk(removed=[b"a = 1"], added=[b" a = 2"])).pairs(1) == [("a = 1", "a = 2")]
    assert read_hunk(hunk(removed=[b"a"], added=[b"b", b"c"])).pairs(9) is None
    assert read_hunk(hunk(removed=[b"a", b"b"], added=[b"b", b"c"])).pairs(1) is None


@rows(
    ("name", "words"),
    [
        ("parseHTTPServer", ("parse", "http", "server")),
        ("MAX_LINE-WIDTH", ("max", "line", "width")),
        ("utf8", ("utf8",)),
        ("__init__", ("init",)),
    ],
)
def test_a_name_is_split_into_its_words(name: str, words: tuple[str, ...]) -> None:
    assert split_identifier(name) == words


def test_words_are_those_of_texts_and_names_in_their_order() -> None:
    assert list(find_words(["readLine(2) # Reads a", "line"])) == ["read", "line", "reads"]


@rows("line", ["import os", "from a import b", '#include "a.h"', "use a::b;", "x = require('y')"])
def test_an_import_is_known_in_several_languages(line: str) -> None:
    assert is_import(line)
    assert not is_import(f"say({line[:3]})")
