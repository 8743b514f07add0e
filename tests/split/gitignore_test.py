"""Suggestions for `.gitignore`: which are any, and that only what is missing is appended."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartcommit.errors import SplitError
from smartcommit.split import unwanted
from smartcommit.split.unwanted import add_patterns, list_missing, select_patterns
from tests.support.table import rows


@rows("line", ["*.bak", "/build/", "a b", "docs/**/tmp", "[Tt]humbs.db", "$RECYCLE.BIN/", "~$*", "*~"])
def test_a_pattern_is_a_suggestion(line: str) -> None:
    assert select_patterns([f" {line} ", line]) == [line]


@rows(
    "line",
    [
        "",
        "  ",
        "*",
        "**",
        "/",
        ".",
        "!keep",
        "# words",
        "a\nb",
        "\x1b[31m",
        "a\u202eb",
        "x" * 121,
        "$(rm -rf /)",
        "`id`",
        "rm -rf /",
        "a; b",
        "a | b",
        "a > b",
    ],
)
def test_what_hides_everything_or_shows_nothing_is_none(line: str) -> None:
    assert select_patterns([line]) == []


def test_a_model_suggests_only_so_many() -> None:
    assert len(select_patterns(f"{number}.bak" for number in range(100))) == 20


APPENDED = [
    (None, "# suggested by smartcommit\n*.bak\n"),
    ("", "# suggested by smartcommit\n*.bak\n"),
    ("*.pyc\n", "*.pyc\n# suggested by smartcommit\n*.bak\n"),
    ("*.pyc", "*.pyc\n# suggested by smartcommit\n*.bak\n"),
    ("# suggested by smartcommit\n*.o\n", "# suggested by smartcommit\n*.o\n*.bak\n"),
    ("*.bak\n", "*.bak\n"),
]


@pytest.mark.parametrize(("before", "after"), APPENDED)
def test_what_is_missing_is_appended(tmp_path: Path, before: str | None, after: str) -> None:
    file = tmp_path / ".gitignore"
    if before is not None:
        file.write_text(before)
    new = list_missing(str(tmp_path), ["*.bak"])
    assert add_patterns(str(tmp_path), ["*.bak"]) == new
    assert file.read_text() == after if new or before is not None else not file.exists()
    assert add_patterns(str(tmp_path), ["*.bak"]) == []


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / ".gitignore").symlink_to("elsewhere")
    with pytest.raises(SplitError, match="is a symlink"):
        add_patterns(str(tmp_path), ["*.bak"])
    assert (tmp_path / "elsewhere").read_text() == ""


def test_a_file_that_cannot_be_read_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".gitignore").write_text("*.pyc\n")

    def fail(path: str) -> bytes:
        raise PermissionError(path)

    monkeypatch.setattr(unwanted, "read_file", fail)
    with pytest.raises(PermissionError):
        add_patterns(str(tmp_path), ["*.bak"])
    assert (tmp_path / ".gitignore").read_text() == "*.pyc\n"
