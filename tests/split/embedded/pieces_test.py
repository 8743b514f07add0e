"""Pieces: where a hunk is cut, and what a piece is."""

from smartcommit.git.diff import Hunk
from smartcommit.git.hunks import Text, keep_whole
from smartcommit.split.embedded.pieces import File, Piece, cut_hunk
from smartcommit.split.embedded.splitter import list_files
from tests.support.changes import make_diff
from tests.support.table import rows


def hunk_of(removed: str, added: str, *, old_start: int = 1, new_start: int = 1) -> Hunk:
    old, new = removed.encode().splitlines(), added.encode().splitlines()
    return Hunk(old_start, len(old), new_start, len(new), b"", old, new)


def file_of(path: str, base: str, target: str, *hunks: Hunk) -> File:
    return File(make_diff(path, *hunks), Text(base.encode(), target.encode(), hunks))


def piece_of(path: str, removed: str, added: str) -> Piece:
    """The first piece of a file whose lines are all replaced."""
    return file_of(path, f"{removed}\n", f"{added}\n", hunk_of(removed, added)).pieces[0]


def texts(hunk: Hunk) -> list[tuple[list[bytes], list[bytes]]]:
    """The removed and added lines of each piece."""
    return [(part.removed, part.added) for part in cut_hunk(hunk)]


def test_lines_that_replace_each_other_are_a_piece_and_so_is_what_came_between() -> None:
    hunk = hunk_of("alpha(one, 1)\nbeta(two, 2)", "alpha(one, 3)\nquite_new()\nbeta(two, 4)")
    assert texts(hunk) == [
        ([b"alpha(one, 1)"], [b"alpha(one, 3)"]),
        ([], [b"quite_new()"]),
        ([b"beta(two, 2)"], [b"beta(two, 4)"]),
    ]


def test_lines_that_have_little_in_common_replace_nothing() -> None:
    assert texts(hunk_of("return total", "raise ValueError(name)")) == [
        ([b"return total"], [b"raise ValueError(name)"])
    ]


def test_a_new_paragraph_is_a_piece_unless_it_is_indented_deeper() -> None:
    added = "def one():\n    a\n\n    b\n\ndef two():\n    c"
    assert [new for _, new in texts(hunk_of("", added))] == [
        [b"def one():", b"    a", b"", b"    b", b""],
        [b"def two():", b"    c"],
    ]


def test_pieces_have_all_lines_of_their_hunk_once_and_in_order() -> None:
    hunk = hunk_of("a b c\nx\ny y\nlast one", "x\na b d\n\nlast two\ny y")
    removed = [line for old, _ in texts(hunk) for line in old]
    added = [line for _, new in texts(hunk) for line in new]
    assert (removed, added) == (hunk.removed, hunk.added)


def test_a_hunk_too_large_to_be_compared_is_one_piece() -> None:
    lines = "\n".join(f"value_{number} = {number}" for number in range(100))
    assert len(cut_hunk(hunk_of(lines, lines.replace("value", "total")))) == 1


@rows(
    ("path", "removed", "added", "trait"),
    ("a.c", "call(a,b);", "call( a, b );", "is_layout"),
    ("a.c", "// Reads teh file.", "// Reads the file.", "is_comment"),
)
def test_what_a_piece_is(path: str, removed: str, added: str, trait: str) -> None:
    assert getattr(piece_of(path, removed, added), trait)
    assert not getattr(piece_of(path, "total = count(1)", "total = count(2)"), trait)


def test_indentation_is_no_layout_where_it_has_a_meaning() -> None:
    assert not piece_of("a.py", "  x()", "      x()").is_layout
    assert piece_of("a.py", "f(a,b)", "f(a, b)").is_layout


def test_a_piece_is_in_the_innermost_definition_around_it() -> None:
    base = "class Store:\n    def load(self):\n        a = 1\n\n    def save(self):\n        b = 1\n\n\nc = 1\n"
    target = base.replace("= 1", "= 2")
    hunks = []
    for line, text in ((3, "        a = {}"), (6, "        b = {}"), (9, "c = {}")):
        hunks.append(hunk_of(text.format(1), text.format(2), old_start=line, new_start=line))
    file = file_of("store.py", base, target, *hunks)
    assert [piece.enclosing for piece in file.pieces] == ["load", "save", ""]


@rows(("count", "is_examined"), (2, True), (60, True), (61, False))
def test_a_file_is_examined_unless_a_tool_made_so_many_hunks(count: int, is_examined: bool) -> None:
    old = [f"line {number}\n" for number in range(2 * count)]
    hunks = [hunk_of(old[at], f"item {at}", old_start=at + 1, new_start=at + 1) for at in range(0, 2 * count, 2)]
    new = [f"item {at}\n" if at % 2 == 0 else line for at, line in enumerate(old)]
    diff = make_diff("a.txt", *hunks)
    diff.change.added = diff.change.deleted = count
    _, files = list_files(keep_whole([diff]), {b"a.txt": ("".join(old).encode(), "".join(new).encode())})
    assert [file.path for file in files] == ([b"a.txt"] if is_examined else [])
