"""Definitions that a change touches; those that it adds, removes or renames are said by drafts of `edits.jsonl`."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from smartcommit.change.symbols import symbol_changes
from smartcommit.git.diff import Hunk
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows

EXTENSIONS = [
    "py", "js", "go", "rs", "java", "c", "rb", "php", "sh", "swift", "toml", "md", "sql", "tf", "mk", "lua", "ex",
]  # fmt: skip


@rows(
    ("path", "line", "context", "touched"),
    [
        ("a.py", "    a = 2", "def run(a):", ["run"]),
        # What begins in the first column stands beside a definition.
        ("a.py", "print(1)", "def run():", []),
        ("a.py", "\n\ndef _stop():\n    return 1", "def run():", []),
        ("a.go", "var x = 1", "func run() {", []),
        ("a.md", "text", "# run", ["run"]),
        ("setup.toml", "[lint]", "indent = 2", []),
        ("setup.toml", "    'b',", "names = [", ["names"]),
    ],
)
def test_the_definition_around_lines_is_touched(path: str, line: str, context: str, touched: list[str]) -> None:
    found = symbol_changes(make_diff(path, make_hunk(line.split("\n"), context=context)))
    assert [symbol.name for symbol in found.touched] == touched


@given(
    st.sampled_from(EXTENSIONS),
    st.lists(st.binary(max_size=80).map(lambda line: line.replace(b"\n", b"")), max_size=5),
)
def test_any_bytes_are_read(extension: str, lines: list[bytes]) -> None:
    found = symbol_changes(make_diff(f"a.{extension}", Hunk(1, 0, 1, len(lines), b"", [], lines)))
    assert all(symbol.name for symbol in found.added)
