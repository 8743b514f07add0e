"""A commit as lines for a person: what stands for a change that has no lines, and what is cut off."""

from __future__ import annotations

import os

import pytest

from smartcommit.split.review.hunk_rows import HunkContext
from smartcommit.split.review.render import COMMIT_LINES, HUNK_LINES, diff_lines
from tests.support.repository import Repo
from tests.support.reviewing import pieces_of


def shown(repo: Repo) -> list[str]:
    pieces = pieces_of(repo)
    return [line.printed for line in diff_lines(1, pieces.units, HunkContext(pieces))]


def binary(repo: Repo) -> None:
    repo.write("a.bin", b"\0\1")


def renamed(repo: Repo) -> None:
    repo.git("mv", "base.txt", "new.txt")


def deleted(repo: Repo) -> None:
    (repo.path / "base.txt").unlink()


def mode(repo: Repo) -> None:
    repo.write("base.txt", "base\n", executable=True)


def mode_and_lines(repo: Repo) -> None:
    repo.write("base.txt", "other\n", executable=True)


def linked(repo: Repo) -> None:
    (repo.path / "base.txt").unlink()
    os.symlink("else", repo.path / "base.txt")


def other_encoding(repo: Repo) -> None:
    repo.write("a.txt", b"caf\xe9\t\x1b[2J\r\n")


def hostile_name(repo: Repo) -> None:
    repo.write("a\x1b\nb", "x\n")


CASES = {
    binary: ["[1.1] a.bin::1", "new", "binary"],
    renamed: ["[1.1] new.txt::1 (+0 -0)", "renamed from base.txt"],
    deleted: ["[1.1] base.txt::1 (+0 -1)", "deleted", "-base"],
    mode: ["[1.1] base.txt::1 (+0 -0)", "mode 100644 -> 100755"],
    mode_and_lines: ["[1.1] base.txt::1", "@@ -1 +1 @@", "-base", "+other", "[1.2] base.txt::2",
        "mode 100644 -> 100755"],
    linked: ["[1.1] base.txt::1 (+1 -1)", "of another type", "mode 100644 -> 120000", "@@ -1 +0,0 @@", "-base",
        "@@ -0,0 +1 @@", "+else"],
    other_encoding: ["[1.1] a.txt::1 (+1 -0)", "new", "+caf\\xe9\t\\x1b[2J\\x0d"],
    hostile_name: ["[1.1] a\\x1b\\x0ab::1 (+1 -0)", "new", "+x"],
}  # fmt: skip


@pytest.mark.parametrize("build", CASES, ids=lambda build: build.__name__)
def test_every_kind_of_change_is_told_in_safe_text(based: Repo, build: object) -> None:
    build(based)  # type: ignore[operator]
    assert shown(based) == CASES[build]  # type: ignore[index]


def test_a_commit_is_shown_up_to_a_limit_and_the_rest_counted(based: Repo) -> None:
    for number in range(50):
        based.write(f"{number:02}.txt", "x\n" * (HUNK_LINES + 10))
    lines = shown(based)
    assert len(lines) == COMMIT_LINES + 1
    assert lines[HUNK_LINES + 2] == "10 more lines"
    assert lines[-1] == "17 more hunks"
