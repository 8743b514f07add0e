"""A commit as lines for a person: what stands for a change that has no lines, and what is cut off."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from smartcommit.split.review.render import COMMIT_LINES, HUNK_LINES, HunkContext, diff_lines
from tests.support.repository import Repo
from tests.support.reviewing import pieces_of


def shown(repo: Repo) -> list[str]:
    pieces = pieces_of(repo)
    return [line.printed for line in diff_lines(1, pieces.units, HunkContext(pieces))]


def link(repo: Repo) -> None:
    (repo.path / "base.txt").unlink()
    os.symlink("else", repo.path / "base.txt")


CASES: dict[str, tuple[Callable[[Repo], object], list[str]]] = {
    "binary": (lambda repo: repo.write("a.bin", b"\0\1"), ["[1.1] a.bin::1", "new", "binary"]),
    "renamed": (
        lambda repo: repo.git("mv", "base.txt", "new.txt"),
        ["[1.1] new.txt::1 (+0 -0)", "renamed from base.txt"],
    ),
    "deleted": (
        lambda repo: (repo.path / "base.txt").unlink(),
        ["[1.1] base.txt::1 (+0 -1)", "deleted", "-base"],
    ),
    "mode": (
        lambda repo: repo.write("base.txt", "base\n", executable=True),
        ["[1.1] base.txt::1 (+0 -0)", "mode 100644 -> 100755"],
    ),
    "mode and lines": (
        lambda repo: repo.write("base.txt", "other\n", executable=True),
        ["[1.1] base.txt::1", "@@ -1 +1 @@", "-base", "+other", "[1.2] base.txt::2", "mode 100644 -> 100755"],
    ),
    "linked": (
        link,
        ["[1.1] base.txt::1 (+1 -1)", "of another type", "mode 100644 -> 120000", "@@ -1 +0,0 @@", "-base",
         "@@ -0,0 +1 @@", "+else"],
    ),
    "another encoding": (
        lambda repo: repo.write("a.txt", b"caf\xe9\t\x1b[2J\r\n"),
        ["[1.1] a.txt::1 (+1 -0)", "new", "+caf\\xe9\t\\x1b[2J\\x0d"],
    ),
    "a hostile name": (
        lambda repo: repo.write("a\x1b\nb", "x\n"), ["[1.1] a\\x1b\\x0ab::1 (+1 -0)", "new", "+x"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_kind_of_change_is_told_in_safe_text(based: Repo, name: str) -> None:
    build, expected = CASES[name]
    build(based)
    assert shown(based) == expected


def test_a_commit_is_shown_up_to_a_limit_and_the_rest_counted(based: Repo) -> None:
    for number in range(50):
        based.write(f"{number:02}.txt", "x\n" * (HUNK_LINES + 10))
    lines = shown(based)
    assert len(lines) == COMMIT_LINES + 1
    assert lines[HUNK_LINES + 2] == "10 more lines"
    assert lines[-1] == "17 more hunks"
