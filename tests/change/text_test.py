"""What is read of the lines of a change: texts, names, definitions, and which lines replace each other.

The definitions that it adds, removes or renames are said by the drafts of `tests/draft/embedded/edits.jsonl`.
"""

from hypothesis import given
from hypothesis import strategies as st

from smartcommit.change.facts import ChangeFacts, SideNames
from smartcommit.change.pairing import find_differences, pair_lines
from smartcommit.change.symbols import find_symbol_changes
from smartcommit.change.text import (
    LINE_BYTES,
    LINES_READ,
    TOKEN,
    find_words,
    is_import,
    read_hunk,
    read_lines,
    split_identifier,
)
from smartcommit.git.diff import Hunk
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows


def test_a_hunk_is_read_once() -> None:
    changed = make_hunk(["  total = 1"])
    assert read_hunk(changed) is read_hunk(changed)
    assert read_hunk(changed) is not read_hunk(make_hunk(["  total = 1"]))
    assert changed == make_hunk(["  total = 1"])


def test_what_was_read_of_a_few_lines_is_continued() -> None:
    added = read_hunk(make_hunk(["first()", "second()", "first()"])).added
    assert added.names(1) == ["first"]
    assert added.read(2) == ["first()", "second()"]
    assert added.names() == ["first", "second", "first"]


def test_lines_are_bounded_in_number_and_length() -> None:
    text = read_hunk(make_hunk(["x" * 5000, *["y"] * LINES_READ]))
    assert len(text.added.read()) == LINES_READ
    assert text.added.read(1) == ["x" * LINE_BYTES]


def test_a_sample_goes_over_several_hunks() -> None:
    hunks = [make_hunk(["a", "b"]), make_hunk([], ["gone"]), make_hunk(["c", "d"])]
    assert read_lines(hunks, "added", 3) == ["a", "b", "c"]


def test_only_lines_that_replace_each_other_are_pairs() -> None:
    assert read_hunk(make_hunk([" a = 2"], ["a = 1"])).pairs(1) == [("a = 1", "a = 2")]
    assert read_hunk(make_hunk(["b", "c"], ["a"])).pairs(9) is None
    assert read_hunk(make_hunk(["b", "c"], ["a", "b"])).pairs(1) is None


@rows(
    ("name", "words"),
    ("parseHTTPServer", ("parse", "http", "server")),
    ("MAX_LINE-WIDTH", ("max", "line", "width")),
    ("utf8", ("utf8",)),
    ("__init__", ("init",)),
)
def test_a_name_is_split_into_its_words(name: str, words: tuple[str, ...]) -> None:
    assert split_identifier(name) == words


def test_words_are_those_of_texts_and_names_in_their_order() -> None:
    assert list(find_words(["readLine(2) # Reads a", "line"])) == ["read", "line", "reads"]


@rows("line", "import os", "from a import b", '#include "a.h"', "use a::b;", "x = require('y')")
def test_an_import_is_known_in_several_languages(line: str) -> None:
    assert is_import(line)
    assert not is_import(f"say({line[:3]})")


def test_names_of_one_side_are_known_whole() -> None:
    hunk = make_hunk(["def read_host():"], ["def parse_user_id():"])
    files = ChangeFacts([make_diff("a.py", hunk)]).files
    removed = SideNames(files, "removed")
    assert removed.have("parse_user_id")
    assert not removed.have("user_id")
    assert not removed.have("read_host")
    assert SideNames(files, "added").have("read_host")


def test_the_name_of_a_deleted_file_is_gone() -> None:
    files = ChangeFacts([make_diff("lib/old_store.py", status="D")]).files
    assert SideNames(files, "removed").have("old_store")
    assert not SideNames(files, "added").have("old_store")


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
    ("f ( a )", "f ( a )", []),
    ("f ( a )", "f ( a , b )", [(3, 3, 3, 5)]),
    ("f ( a , b )", "g ( a , c )", [(0, 1, 0, 1), (4, 5, 4, 5)]),
    ("a", "b", [(0, 1, 0, 1)]),
    ("", "a", [(0, 0, 0, 1)]),
)
def test_tokens_differ_in_places(old: str, new: str, expected: list[tuple[int, int, int, int]]) -> None:
    assert find_differences(old.split(), new.split()) == expected


EXTENSIONS = [
    "py", "js", "go", "rs", "java", "c", "rb", "php", "sh", "swift", "toml", "md", "sql", "tf", "mk", "lua", "ex",
]  # fmt: skip


@rows(
    ("path", "line", "context", "touched"),
    ("a.py", "    a = 2", "def run(a):", ["run"]),
    # What begins in the first column stands beside a definition.
    ("a.py", "print(1)", "def run():", []),
    ("a.py", "\n\ndef _stop():\n    return 1", "def run():", []),
    ("a.go", "var x = 1", "func run() {", []),
    ("a.md", "text", "# run", ["run"]),
    ("a.c", "    a = 2;", "static int run(int a) {", ["run"]),
    ("a.m", "    a = 2;", "static int run(int a) {", []),
    ("setup.toml", "[lint]", "indent = 2", []),
    ("setup.toml", "    'b',", "names = [", ["names"]),
)
def test_the_definition_around_lines_is_touched(path: str, line: str, context: str, touched: list[str]) -> None:
    found = find_symbol_changes(make_diff(path, make_hunk(line.split("\n"), context=context)))
    assert [symbol.name for symbol in found.touched] == touched


@given(
    st.sampled_from(EXTENSIONS), st.lists(st.binary(max_size=80).map(lambda line: line.replace(b"\n", b"")), max_size=5)
)
def test_any_bytes_are_read(extension: str, lines: list[bytes]) -> None:
    found = find_symbol_changes(make_diff(f"a.{extension}", Hunk(1, 0, 1, len(lines), b"", [], lines)))
    assert all(symbol.name for symbol in found.added)
