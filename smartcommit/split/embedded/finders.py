"""Finds pieces that are a commit of their own, by what they are.

What is certain is narrow, since authors often format or comment along with a change: of real single commits it divides
hardly one in a hundred.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations

from smartcommit.change import filetypes
from smartcommit.split.constraints import group_linked
from smartcommit.split.embedded.pieces import File, Piece, TokenEdit, list_all

_CODE = (filetypes.SOURCE, filetypes.TESTS)
# Pieces that are compared in pairs, and parts and files of a change whose parts have nothing to do with each other.
_PIECES_LINKED = 60
_MOST_PARTS = 5
_FILES_WITH_PARTS = 2
# Lines between two pieces that are close, and how often a name that ties pieces together occurs in the old file.
_LINES_LINKED = 3
_OCCURRENCES = 6
# Pieces in which the same replacement is made, and how many of these a piece has.
_LEAST_REPEATED = 2
_EDITS_REPEATED = 3
# Files of a change in which a rename is certain.
_FILES_WITH_RENAMES = 6

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_TEST_AFFIX = re.compile(r"^test_?|_?test$")

Pieces = set[Piece]


def find_certain(files: Sequence[File]) -> list[Pieces]:
    """Return the sets of pieces that are certain; no piece is in two of them."""
    found: list[Pieces] = []
    taken: Pieces = set()
    for find in (_find_layout, _find_renames, _find_separate_parts):
        for pieces in find(files):
            rest = pieces - taken
            if rest:
                found.append(rest)
                taken |= rest
    return found


def _list_pieces(files: Iterable[File], kinds: Sequence[str] = _CODE) -> Iterator[Piece]:
    """Yield the pieces of the files that can be divided, and are of one of these kinds."""
    for file in files:
        if file.is_divisible and file.kind in kinds:
            yield from file.pieces


def _list_whole_hunks(pieces: Pieces) -> Pieces:
    """Return those of `pieces` whose hunks are in the set altogether."""
    return {piece for piece in pieces if pieces.issuperset(piece.siblings)}


def _find_layout(files: Sequence[File]) -> list[Pieces]:
    """Return the hunks in which only white space and line breaks differ, but not if they are all blank."""
    found = _list_whole_hunks({piece for piece in _list_pieces(files) if piece.is_layout})
    return [found] if not all(item.is_blank for item in found) else []


def _find_renames(files: Sequence[File]) -> list[Pieces]:
    """Return the lines of a small change in which names are replaced by new ones, if they change nowhere else."""
    found = []
    for pieces in _find_repeated(files):
        (edits,) = {piece.edits for piece in pieces}
        names = set(chain.from_iterable(chain.from_iterable(edits)))
        others = (item for item in list_all(files) if item not in pieces)
        if all(_is_rename(edit, pieces) for edit in edits) and names.isdisjoint(_join_changed(others)):
            found.append(pieces)
    return found if len(files) <= _FILES_WITH_RENAMES else []


def _is_rename(edit: TokenEdit, pieces: Pieces) -> bool:
    """Whether one name replaces another in `pieces`, and their files hardly had that name before."""
    gone, come = edit
    if len(gone) != 1 or len(come) != 1 or not _NAME.match(gone[0]) or not _NAME.match(come[0]):
        return False
    return max(piece.file.name_counts[come[0]] for piece in pieces) <= _OCCURRENCES


def _find_separate_parts(files: Sequence[File]) -> list[Pieces]:
    """Return the parts of a small change that share no telling name, function or replacement, but not the largest.

    It changes one file; or two, such as a source and its tests, and each part has a share of both.
    """
    pieces = [item for item in list_all(files) if not item.is_blank]
    are_divisible = all(file.is_divisible for file in files)
    if len(files) > _FILES_WITH_PARTS or len(pieces) > _PIECES_LINKED or not are_divisible:
        return []
    pairs = []
    for (place, one), (other_place, other) in combinations(enumerate(pieces), 2):
        if _are_linked(one, other):
            pairs.append((place, other_place))
    parts = group_linked(pieces, pairs)
    names: Counter[str] = Counter()
    for part in parts:
        telling = (piece for piece in part if len(files) == 1 or piece.file.kind != filetypes.TESTS)
        names.update(_join_changed(telling))
        if len({item.file for item in part}) < len(files):
            return []
    if len(parts) > _MOST_PARTS or names.total() > len(names):
        return []
    parts.sort(key=_count_lines)
    return [set(part) for part in parts[:-1]]


def _count_lines(pieces: Iterable[Piece]) -> int:
    return sum(piece.lines for piece in pieces)


def _are_linked(one: Piece, other: Piece) -> bool:
    """Whether two pieces have something to do with each other."""
    if one.file is other.file and _are_close(one, other):
        return True
    tested = _TEST_AFFIX.sub("", one.enclosing.lower())
    if tested and tested == _TEST_AFFIX.sub("", other.enclosing.lower()):
        return True
    for user, used in ((one, other), (other, one)):
        if used.enclosing in user.names or not used.defined.isdisjoint(user.names):
            return True
    # Tests say the same words of whatever they test, such as `assert`.
    most = _OCCURRENCES
    if one.file.kind == other.file.kind == filetypes.TESTS:
        most = 0
    for name in one.replaced & other.replaced:
        if max(one.file.name_counts[name], other.file.name_counts[name]) <= most:
            return True
    return not one.edits.isdisjoint(other.edits)


def _are_close(one: Piece, other: Piece) -> bool:
    is_prose = one.file.kind == filetypes.DOCUMENTATION
    if one.enclosing == other.enclosing and (one.enclosing or is_prose):
        return True
    # In a list of settings or packages, lines beside each other may have nothing to do with each other.
    lines = 0
    if is_prose or one.file.kind in _CODE:
        lines = _LINES_LINKED
    return one.measure_gap(other) <= lines


def _join_changed(pieces: Iterable[Piece]) -> set[str]:
    """Return the names in the changed lines of all pieces."""
    return set(chain.from_iterable(piece.changed for piece in pieces))


def _find_repeated(files: Sequence[File]) -> Iterator[Pieces]:
    """Yield the pieces of code that make the same replacements and nothing else, as a rename does."""
    by_edits: dict[frozenset[TokenEdit], Pieces] = {}
    for piece in _list_pieces(files):
        if 0 < len(piece.edits) <= _EDITS_REPEATED and not piece.is_comment:
            by_edits.setdefault(piece.edits, set()).add(piece)
    yield from [pieces for pieces in by_edits.values() if len(pieces) >= _LEAST_REPEATED]
