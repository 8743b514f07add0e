"""The colors of a hunk's lines: what they are, and when there are none."""

from __future__ import annotations

import pytest

from smartcommit.split.review import syntax_colors
from smartcommit.split.review.syntax_colors import LIMIT, color_lines

LINES = ["def f(x):", '    """One', '    more."""', "", "    return 3  # \\x1b[31m"]


def colored(path: bytes, lines: list[str]) -> list[list[tuple[str, str]]]:
    found = []
    for line, spans in zip(lines, color_lines(path, lines), strict=True):
        found.append([(line[begin:end], kind) for begin, end, kind in spans])
    return found


def test_lines_are_colored_together() -> None:
    assert colored(b"src/a.py", LINES) == [
        [("def", "keyword"), ("f", "name")],
        [('"""One', "string")],
        [('    more."""', "string")],
        [],
        [("return", "keyword"), ("3", "number"), ("# \\x1b[31m", "comment")],
    ]


@pytest.mark.parametrize("path", [b"src/a.unknown", b"a\xff\n", b"", b"py"])
def test_there_are_no_colors_for_a_file_of_an_unknown_language(path: bytes) -> None:
    assert colored(path, LINES) == [[]] * len(LINES)


def test_there_are_no_colors_for_a_long_text() -> None:
    assert colored(b"a.py", ["x = 1" * LIMIT]) == [[]]
    assert colored(b"a.py", []) == []


def test_there_are_no_colors_that_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax_colors, "SECONDS", -1)
    assert colored(b"a.py", LINES) == [[]] * len(LINES)
