"""Finds pieces that may be a commit of their own, by what they are; what is certain is taken out unasked.

What is certain is narrow, since authors often format or comment along with a change: of real single commits it divides
hardly one in a hundred. The others are weighed by the network `candidates` in `weights.json`, fitted by
`training/within.py`: how likely the change is divided better with a commit of them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, combinations
from typing import NamedTuple

from smartcommit.change import filetypes
from smartcommit.split.constraints import group_linked
from smartcommit.split.embedded.pieces import File, Piece, TokenEdit, list_all
from smartcommit.split.embedded.similarity import Features, activate, load_weights

# The probability from which the user is asked about a candidate.
_ASKED = 0.4
# Pieces of a change that has candidates: measuring them takes quadratic time.
_PIECES_MEASURED = 300
# Lines between pieces that count as far apart.
_FAR = 400
CODE = (filetypes.SOURCE, filetypes.TESTS)
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
# Functions of a file, each of which is found.
_MOST_FUNCTIONS = 8

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_TEST_AFFIX = re.compile(r"^test_?|_?test$")

Pieces = set[Piece]


class Finder(NamedTuple):
    """Finds sets of pieces that may be a commit of their own.

    `kind` is what they are, in words for the user, and `name` what a fitted weight is called.
    """

    kind: str
    name: str
    find: Callable[[Sequence[File]], Iterable[Pieces]]


class Candidate(NamedTuple):
    """Pieces that may be a commit of their own; `kind` is what they are, in words for the user."""

    kind: str
    pieces: frozenset[Piece]


class Surroundings(NamedTuple):
    """The change that candidates are in: its files, the number of its commits so far, and how sure that number is."""

    files: Sequence[File]
    commits: int
    confidence: float


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


def _list_pieces(files: Iterable[File], kinds: Sequence[str] = CODE) -> Iterator[Piece]:
    """Yield the pieces of the files that can be divided, and are of one of these kinds."""
    for file in files:
        if file.is_divisible and file.kind in kinds:
            yield from file.pieces


def list_whole_hunks(pieces: Pieces) -> Pieces:
    """Return those of `pieces` whose hunks are in the set altogether."""
    return {piece for piece in pieces if pieces.issuperset(piece.siblings)}


def _find_layout(files: Sequence[File]) -> list[Pieces]:
    """Return the hunks in which only white space and line breaks differ, but not if they are all blank."""
    found = list_whole_hunks({piece for piece in _list_pieces(files) if piece.is_layout})
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
    if is_prose or one.file.kind in CODE:
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


def _find_functions(files: Sequence[File]) -> Iterator[Pieces]:
    """Yield what changes in each function, or above all of them, of files in which a few of them change."""
    for file in files:
        functions: dict[str, Pieces] = {}
        for piece in _list_pieces([file]):
            functions.setdefault(piece.enclosing, set()).add(piece)
        if len(functions) <= _MOST_FUNCTIONS:
            yield from functions.values()


def _find_additions(files: Sequence[File]) -> list[Pieces]:
    return [{piece for piece in _list_pieces(files, (filetypes.SOURCE,)) if piece.only_adds}]


# The question knows each of these finders by a weight of its own.
FINDERS = (
    Finder("a repeated edit", "repeated", _find_repeated),
    Finder("a function", "function", _find_functions),
    Finder("additions", "additions", _find_additions),
)


def find_candidates(files: Sequence[File], *, apart_from: Sequence[Pieces] = ()) -> list[Candidate]:
    """Return the candidates of a change; none has all of its pieces or is one of `apart_from`, and no two are equal."""
    total = len(list_all(files))
    found: dict[frozenset[Piece], Candidate] = {}
    if total > _PIECES_MEASURED:
        return []
    for finder in FINDERS:
        for pieces in finder.find(files):
            if 0 < len(pieces) < total and pieces not in apart_from:
                found.setdefault(frozenset(pieces), Candidate(finder.kind, frozenset(pieces)))
    return list(found.values())


def find_asked(candidates: Iterable[Candidate], around: Surroundings) -> Candidate | None:
    """Return the likeliest candidate if it is likely enough for the user to be asked about it."""
    likeliest, least = None, _ASKED
    for candidate in candidates:
        probability = activate(measure(candidate, around), load_weights()["candidates"])
        if probability >= least:
            likeliest, least = candidate, probability
    return likeliest


def measure(candidate: Candidate, around: Surroundings) -> Features:
    pieces, size = candidate.pieces, len(candidate.pieces)
    touched = list(dict.fromkeys(piece.file for piece in pieces))
    beside = [piece for piece in list_all(touched) if piece not in pieces]
    lines, total = _count_lines(pieces), _count_lines(list_all(around.files))
    gaps = []
    for piece in pieces:
        near = [piece.measure_gap(other) for other in beside if other.file is piece.file and not other.is_blank]
        gaps.append(max(0, min([_FAR, *near])))
    names, others = _join_changed(pieces), _join_changed(beside)
    kinds = Counter(piece.file.kind for piece in pieces)
    places = {piece.enclosing for piece in beside if piece.enclosing}
    features = {f"finder {finder.name}": float(candidate.kind == finder.kind) for finder in FINDERS}
    return features | {
        "lines": math.log1p(lines),
        "share": lines / max(1, total),
        "pieces": math.log1p(size),
        "files": math.log1p(len(touched)),
        "gap": math.log1p(min(gaps)),
        "mean gap": math.fsum([math.log1p(gap) for gap in gaps]) / len(gaps),
        "same function": sum(piece.enclosing in places for piece in pieces) / size,
        "whole hunks": len(list_whole_hunks(set(pieces))) / size,
        "shared names": len(names & others) / max(1, min(len(names), len(others))),
        "no names": float(not names),
        "defines": float(any(piece.defined for piece in pieces)),
        "alone": float(not beside),
        "layout": sum(piece.is_layout for piece in pieces) / size,
        "comment": sum(piece.is_comment for piece in pieces) / size,
        "adds": sum(piece.only_adds for piece in pieces) / size,
        "rest layout": sum(piece.is_layout for piece in beside) / max(1, len(beside)),
        "rest defines": sum(piece.is_definition for piece in beside) / max(1, len(beside)),
        "rest": math.log1p(len(beside)),
        "total": math.log1p(total),
        "changed files": math.log1p(len(around.files)),
        "commits": math.log(around.commits),
        "confidence": around.confidence,
        "source": kinds[filetypes.SOURCE] / size,
        "tests": kinds[filetypes.TESTS] / size,
        "documentation": kinds[filetypes.DOCUMENTATION] / size,
    }
