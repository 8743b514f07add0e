"""What happened to the lines of a file: where they differ, and which only came or went."""

from __future__ import annotations

from smartcommit.change.pairing import PairedLines, find_edit, pair_file, pair_lines
from smartcommit.change.text import TOKEN
from smartcommit.git.diff import FileChange, FileDiff, Hunk


def read(before: str, after: str) -> PairedLines:
    hunk = Hunk(1, 1, 1, 1, b"", before.encode().splitlines(), after.encode().splitlines())
    return pair_file(FileDiff(FileChange("M", b"a.py", None, "100644", "100644", "a" * 40, "b" * 40), [hunk]))


def test_a_replaced_line_tells_what_stands_around_the_place() -> None:
    (replaced,) = read("x = load(a, b)", "x = load(a, c, b)").replaced
    assert replaced.tokens.before == ["x", "=", "load", "(", "a", ","]
    assert (replaced.tokens.gone, replaced.tokens.come) == ([], ["c", ","])
    assert replaced.tokens.after == ["b", ")"]


def test_an_edit_is_what_differs_in_one_place() -> None:
    edit = find_edit("limit = 5  # lines", "limit = 60 # lines", TOKEN)
    assert (edit.gone, edit.come, edit.kept) == (["5"], ["60"], 4)


def test_the_pairs_are_those_that_are_most_alike_together() -> None:
    # The first old line is most like the last new one, but then the second one would have none.
    old = list(map(TOKEN.findall, ["set a to b for c", "set a to c", "}"]))
    new = list(map(TOKEN.findall, ["let go", "set a to b", "set a for c", "}"]))
    assert pair_lines(old, new) == [(0, 1), (1, 2), (2, 3)]
    assert pair_lines(new, old) == [(1, 0), (2, 1), (3, 2)]
    assert pair_lines([["a"], ["b"]], [["b"]]) == [(1, 0)]
    assert pair_lines([["a"]], [["b"]]) == [(0, 0)]


def test_a_call_on_several_lines_is_one_edit() -> None:
    (replaced,) = read("load(a, b)", "load(\n    a,\n    b,\n    c,\n)").replaced
    assert (replaced.tokens.come, replaced.lines) == ([",", "c"], 4)


def test_lines_between_replaced_ones_make_blocks() -> None:
    edits = read("a = load(1)\nstop()\nb = load(2)", "# why\na = load(3)\nif c:\n    go(5)\n\nb = load(4)")
    assert [replaced.line for replaced in edits.replaced] == ["a = load(3)", "b = load(4)"]
    assert [block.lines for block in edits.came] == [[(0, "if c:"), (4, "go(5)")]]
    assert [block.lines for block in edits.went] == [[(0, "stop()")]]


def test_a_large_hunk_is_not_compared() -> None:
    before = "\n".join(f"a = load({number})" for number in range(40))
    edits = read(before, before.replace("load", "read"))
    assert not edits.replaced
    assert not edits.came
