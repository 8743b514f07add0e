"""The lines of a hunk between unchanged ones: they are those that git prints, as far as the next hunk."""

from __future__ import annotations

import random

import pytest

from smartcommit.git.repo import Repository
from smartcommit.split.cut import cut_unit
from smartcommit.split.review.hunk_rows import CONTEXT, HunkContext, HunkRows, Row, read_moved_texts
from tests.support.repository import Repo
from tests.support.reviewing import pieces_of

SIGNS = {"unchanged": " ", "removed": "-", "added": "+"}


def print_rows(rows: HunkRows) -> list[str]:
    return [f"@@ {rows.position} @@", *(f"{SIGNS[row.kind]}{row.content.decode()}" for row in rows)]


def edit(lines: list[str], seed: int) -> list[str]:
    """Remove, add and replace lines in places that are too far apart for git to join them."""
    numbers = random.Random(seed)
    edited = list(lines)
    for place in range(len(lines) - numbers.randrange(3), -1, -numbers.randrange(10, 14)):
        added = [f"new {place} {number}" for number in range(numbers.randrange(3))]
        removed = numbers.randrange(0 if added else 1, 3)
        edited[place : place + removed] = added
    return edited


@pytest.mark.parametrize("seed", range(6))
def test_they_are_those_of_git(based: Repo, seed: int) -> None:
    lines = [f"line {number}" for number in range(60)]
    based.commit("chore: a", {"a.txt": "\n".join(lines) + "\n"})
    based.write("a.txt", "\n".join(edit(lines, seed)) + "\n")
    pieces = pieces_of(based)
    context = HunkContext(pieces)
    ours: list[str] = []
    for unit in pieces.units:
        for rows in context.rows_of(unit):
            ours += print_rows(rows)
    printed = based.git("diff", "--cached", f"-U{CONTEXT}", "--inter-hunk-context=0").splitlines()
    assert ours == [line.partition("@@ line")[0] + "@@" * ("@@ line" in line) for line in printed[4:]]
    assert len(pieces.units) > 3


def test_those_of_a_renamed_file_are_those_of_git_too(based: Repo) -> None:
    lines = [f"line {number}" for number in range(60)]
    based.commit("chore: a", {"a.txt": "\n".join(lines) + "\n", "b.txt": "gone\n", "c.bin": "\0" * 50})
    based.write("d.txt", "\n".join(edit(lines, 1)) + "\n")
    based.write("e.bin", "\0" * 51)
    for name in ("a.txt", "b.txt", "c.bin"):
        (based.path / name).unlink()
    pieces = pieces_of(based)
    context = HunkContext(pieces, read_moved_texts(Repository.find(str(based.path)), pieces))
    (unit,) = (unit for unit in pieces.units if unit.change.path == b"d.txt")
    ours: list[str] = []
    for rows in context.rows_of(unit):
        ours += print_rows(rows)
    printed = based.git("diff", "--cached", "-M", f"-U{CONTEXT}", "--inter-hunk-context=0", "--", "a.txt", "d.txt")
    assert ours == [line.partition("@@ line")[0] + "@@" * ("@@ line" in line) for line in printed.splitlines()[7:]]
    assert len(unit.hunks) > 1


def test_they_end_at_the_next_hunk_and_tell_both_numbers_of_a_line(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": "1\n2\n3\n4\n5\n"})
    based.write("a.txt", "0\n1\n2\nthree\n4\n")
    pieces = pieces_of(based)
    context = HunkContext(pieces)
    (first,), (second,), (third,) = map(context.rows_of, pieces.units)
    assert list(first) == [Row("added", b"0", None, 1), Row("unchanged", b"1", 1, 2), Row("unchanged", b"2", 2, 3)]
    assert list(second) == [
        Row("unchanged", b"1", 1, 2), Row("unchanged", b"2", 2, 3), Row("removed", b"3", 3, None),
        Row("added", b"three", None, 4), Row("unchanged", b"4", 4, 5),
    ]  # fmt: skip
    assert list(third) == [Row("unchanged", b"4", 4, 5), Row("removed", b"5", 5, None)]


def test_the_line_that_opens_a_function_is_told_unless_it_is_shown(based: Repo) -> None:
    body = "".join(f"    {number}\n" for number in range(9))
    based.commit("chore: a", {"a.py": f"def f():\n{body}"})
    based.write("a.py", f"def f():\n{body}".replace("    1\n", "    x\n").replace("    7\n", "    y\n"))
    pieces = pieces_of(based)
    (near,), (far,) = map(HunkContext(pieces).rows_of, pieces.units)
    assert (near.section, far.section) == (b"", b"def f():")


def test_the_halves_of_a_hunk_are_no_context_of_each_other(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": "1\n2\n3\n"})
    based.write("a.txt", "1\nx\n\ny\n2\n3\n9\n")
    pieces = pieces_of(based)
    cut = cut_unit(pieces, pieces.units[0].id, removed=0, added=2)
    (one,), (other,) = map(HunkContext(cut).rows_of, cut.units[:2])
    assert [row.content for row in one] == [b"1", b"x", b""]
    assert [row.content for row in other] == [b"y", b"2", b"3"]
    assert [row.new for row in other] == [4, 5, 6]
