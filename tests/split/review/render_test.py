"""A commit as lines for a person, between those that git prints: what has no lines, and what is cut off."""

import os
import random
from collections.abc import Callable

import pytest

from smartcommit.git.hunks import ChangeUnits, keep_whole, read_contents
from smartcommit.git.repo import Repository
from smartcommit.secrets.scan import SuspectFile
from smartcommit.split.cut import cut_unit
from smartcommit.split.plan import PlannedCommit, SplitPlan
from smartcommit.split.review.render import (
    COMMIT_LINES,
    CONTEXT,
    FILES,
    HUNK_LINES,
    HunkContext,
    list_diff_lines,
    list_hunk_lines,
    show_left_out,
    show_plan,
    show_skipped,
    show_staged_only,
    show_warnings,
)
from tests.support.changes import make_diff
from tests.support.repository import Repo
from tests.support.reviewing import pieces_of


def shown(repo: Repo) -> list[str]:
    pieces = pieces_of(repo)
    return [line.printed for line in list_diff_lines(1, pieces.units, HunkContext(pieces))]


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


def test_of_many_files_the_first_are_named_and_the_rest_counted() -> None:
    paths = [b"%02d" % number for number in range(FILES + 2)]
    change = keep_whole([make_diff(path.decode()) for path in paths])
    commits, skipped = (PlannedCommit("chore: a\n", tuple(change.units)),), tuple(change.units)
    plan = SplitPlan(None, "", False, "test", commits, left_out=tuple(paths), skipped=skipped, change=change)
    assert list(show_warnings([SuspectFile(path, "is odd") for path in paths]))[FILES:] == [
        "warning: 2 more like these", "to commit these too, use 'git smart-commit --include-suspects'",
    ]  # fmt: skip
    assert list(show_left_out(plan))[FILES:] == ["not included: 2 more"]
    assert list(show_skipped(plan))[FILES:] == ["skipped: 2 more"]
    (replaced,) = show_staged_only(paths)
    assert replaced.endswith(f"{FILES - 1:02}, 2 more")
    assert f"      M {FILES - 1:02}\n      and 2 more files" in show_plan(plan)


LINES = [f"line {number}" for number in range(60)]


def hunks_shown(pieces: ChangeUnits, context: HunkContext | None = None) -> list[list[str]]:
    """What is shown of each hunk."""
    context = context or HunkContext(pieces)
    return [[line.printed for line in list_hunk_lines(unit, context)] for unit in pieces.units]


def printed_by_git(repo: Repo, *options: str) -> list[str]:
    """The lines of git's hunks, whose headers name no function."""
    printed = repo.git("diff", "--cached", "-M", f"-U{CONTEXT}", "--inter-hunk-context=0", *options)
    lines = printed[printed.index("\n@@") + 1 :].splitlines()
    return [line.partition("@@ line")[0] + "@@" * ("@@ line" in line) for line in lines]


def edit(lines: list[str], seed: int) -> str:
    """Remove, add and replace lines in places that are too far apart for git to join them."""
    numbers = random.Random(seed)
    edited = list(lines)
    for place in range(len(lines) - numbers.randrange(3), -1, -numbers.randrange(10, 14)):
        added = [f"new {place} {number}" for number in range(numbers.randrange(3))]
        removed = numbers.randrange(0 if added else 1, 3)
        edited[place : place + removed] = added
    return "\n".join(edited) + "\n"


def without_section(line: str) -> str:
    return line.partition(" line")[0] if line.startswith("@@") else line


def test_they_are_those_of_git_in_a_renamed_file_too(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": "\n".join(LINES) + "\n", "b.txt": "gone\n", "c.bin": "\0" * 50})
    for seed in range(6):
        based.git("reset", "--hard", "-q")
        based.write("a.txt", edit(LINES, seed))
        pieces = pieces_of(based)
        ours = [without_section(line) for lines in hunks_shown(pieces) for line in lines]
        assert ours == printed_by_git(based), seed
        assert len(pieces.units) > 3
    for name in ("a.txt", "b.txt", "c.bin"):
        (based.path / name).unlink()
    based.write("d.txt", edit(LINES, 1))
    based.write("e.bin", "\0" * 51)
    pieces = pieces_of(based)
    context = HunkContext(pieces, read_contents(Repository.find(str(based.path)), pieces.diffs))
    place = [unit.change.path for unit in pieces.units].index(b"d.txt")
    ours = list(map(without_section, hunks_shown(pieces, context)[place]))
    assert ours == printed_by_git(based, "--", "a.txt", "d.txt")


def test_they_end_at_the_next_hunk_and_tell_both_numbers_of_a_line(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": "1\n2\n3\n4\n5\n"})
    based.write("a.txt", "0\n1\n2\nthree\n4\n")
    pieces = pieces_of(based)
    first, second, third = ([*list_hunk_lines(unit, HunkContext(pieces))][1:] for unit in pieces.units)
    assert [line[1:] for line in first] == [("0", None, 1), ("1", 1, 2), ("2", 2, 3)]
    assert [line.printed for line in second] == [" 1", " 2", "-3", "+three", " 4"]
    assert [line[2:] for line in second] == [(1, 2), (2, 3), (3, None), (None, 4), (4, 5)]
    assert [line[1:] for line in third] == [("4", 4, 5), ("5", 5, None)]


def test_the_line_that_opens_a_function_is_told_unless_it_is_shown(based: Repo) -> None:
    body = "".join(f"    {number}\n" for number in range(9))
    based.commit("chore: a", {"a.py": f"def f():\n{body}"})
    based.write("a.py", f"def f():\n{body}".replace("    1\n", "    x\n").replace("    7\n", "    y\n"))
    near, far = hunks_shown(pieces_of(based))
    assert (near[0], far[0]) == ("@@ -1,6 +1,6 @@", "@@ -6,5 +6,5 @@ def f():")


def test_the_halves_of_a_hunk_are_no_context_of_each_other(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": "1\n2\n3\n"})
    based.write("a.txt", "1\nx\n\ny\n2\n3\n9\n")
    pieces = pieces_of(based)
    cut, _ = cut_unit(pieces, pieces.units[0].id, removed=0, added=2)
    one, other, _ = hunks_shown(cut)
    assert one[1:] == [" 1", "+x", "+"]
    assert other[0].endswith("+4,3 @@")
    assert other[1:] == ["+y", " 2", " 3"]
