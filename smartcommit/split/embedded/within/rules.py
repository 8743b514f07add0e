"""Rules for pieces that are a commit of their own beyond doubt: formatting, a corrected word, a function with its test.

Each rule returns sets of pieces that leave the commits they are in. The rules are narrow, since authors often format,
rename or comment along with a change: of real single commits they divide hardly one in a hundred.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain, combinations

from smartcommit.change import filetypes
from smartcommit.split.constraints import union_find
from smartcommit.split.embedded.within.pieces import File, Piece, TokenEdit, list_all

CODE = (filetypes.SOURCE, filetypes.TESTS)
# Unchanged lines around a corrected word, within which nothing else changes.
_LINES_APART = 3
# How alike a misspelled word and its correction are (the ratio of SequenceMatcher), and how many of them a line has.
_SPELLED_ALIKE, _WORDS_CORRECTED = 0.6, 2
# Pieces in which only modifiers change, and those in which a name is replaced.
_LEAST_MODIFIERS, _LEAST_RENAMED = 2, 2
# Packages with new versions, and files of the change: of more, people bump all at once.
_MOST_BUMPS, _FILES_WITH_BUMPS = 3, 3
# Lines of a new definition.
_LEAST_DEFINITION = 3
# The share of the changed names of two functions that they may have in common.
_SHARED = 0.34
# Pieces that are compared in pairs, and parts and files of a change whose parts have nothing to do with each other.
_PIECES_LINKED, _MOST_PARTS, _FILES_WITH_PARTS = 60, 5, 2
# Lines between two pieces that are close, and how often a name that ties pieces together occurs in the old file.
_LINES_LINKED, _OCCURRENCES = 3, 6
# Characters of the name of a function: shorter ones occur by chance. In a joined text even longer ones do.
_SHORTEST_NAME, _SHORTEST_JOINED = 4, 6

_WORD = re.compile(r"[A-Za-z]{3,}\Z")
_TEST_AFFIX = re.compile(r"^test|test$")

Pieces = set[Piece]


def find_certain(files: Sequence[File]) -> list[Pieces]:
    """Return the sets of pieces that the rules find; no piece is in two of them."""
    found: list[Pieces] = []
    taken: Pieces = set()
    for rule in _RULES:
        for pieces in rule(files):
            rest = pieces - taken
            if rest:
                found.append(rest)
                taken |= rest
    return found


def list_pieces(files: Iterable[File], kinds: Sequence[str] | None = None) -> Iterator[Piece]:
    """Yield the pieces of the files that can be divided, and are of one of these kinds."""
    for file in files:
        if file.is_divisible and (kinds is None or file.kind in kinds):
            yield from file.pieces


def list_whole_hunks(pieces: Pieces) -> Pieces:
    """Return those of `pieces` whose hunks are in the set altogether."""
    found: Pieces = set()
    for piece in pieces:
        if pieces.issuperset(piece.list_hunk()):
            found.add(piece)
    return found


def find_layout(files: Sequence[File]) -> list[Pieces]:
    """Return the hunks in which only white space and line breaks differ, but not those of blank lines alone."""
    layout = list_whole_hunks({piece for piece in list_pieces(files, CODE) if piece.is_layout})
    return [layout] if any(not piece.is_blank for piece in layout) else []


def find_all_layout(files: Sequence[File]) -> list[Pieces]:
    """Return the lines in which only white space and line breaks differ, but not if they are all blank."""
    found = {piece for piece in list_pieces(files, CODE) if piece.is_layout}
    return [found] if any(not piece.is_blank for piece in found) else []


def find_corrected_words(files: Sequence[File]) -> list[Pieces]:
    """Return the comments and lines of documentation in which a word is spelled right now, if code changes elsewhere.

    A word that the code changes too was renamed.
    """
    found = set(filter(_is_correction, list_pieces(files)))
    words: set[str] = set()
    for piece in found:
        for gone, come in piece.edits:
            words.update((*gone, *come))
    has_code = False
    for piece in list_all(files):
        if piece.file.kind in CODE and piece not in found and not piece.is_comment and not piece.is_layout:
            has_code = True
            if not words.isdisjoint(piece.changed):
                return []
    return [found] if has_code and found else []


def _is_correction(piece: Piece) -> bool:
    if not piece.is_comment and piece.file.kind != filetypes.DOCUMENTATION:
        return False
    if not 0 < len(piece.edits) <= _WORDS_CORRECTED or not all(map(_is_respelled, piece.edits)):
        return False
    return all(other.is_comment or other.is_layout for other in piece.list_near(_LINES_APART - 1))


def _is_respelled(edit: TokenEdit) -> bool:
    gone, come = edit
    if len(gone) != 1 or len(come) != 1 or not _WORD.match(gone[0]) or not _WORD.match(come[0]):
        return False
    old, new = gone[0].lower(), come[0].lower()
    return old != new and SequenceMatcher(None, old, new).ratio() >= _SPELLED_ALIKE


def find_modifiers(files: Sequence[File]) -> list[Pieces]:
    """Return the lines in which only modifiers or annotations come or go."""
    found = {piece for piece in list_pieces(files, CODE) if piece.is_modifier}
    return [found] if len(found) >= _LEAST_MODIFIERS else []


def find_renames(files: Sequence[File]) -> list[Pieces]:
    """Return the lines in which the same names are replaced by others, and nothing else, if none is left elsewhere."""
    by_names: dict[frozenset[TokenEdit], Pieces] = {}
    for piece in list_pieces(files, CODE):
        if piece.renamed and not piece.is_comment:
            by_names.setdefault(piece.edits, set()).add(piece)
    found = []
    for pieces in by_names.values():
        names = set(chain.from_iterable(piece.renamed for piece in pieces))
        others = [piece for piece in list_all(files) if piece not in pieces]
        if len(pieces) >= _LEAST_RENAMED and names.isdisjoint(_join(others, "changed")):
            found.append(pieces)
    return found


def find_bumps(files: Sequence[File]) -> list[Pieces]:
    """Return the lines of each package if a small change has new versions of a few packages."""
    by_package: dict[str, Pieces] = {}
    for file in files:
        if file.kind == filetypes.LOCK:
            return []
        for piece in file.pieces:
            if piece.versioned and file.is_divisible and file.kind not in (*CODE, filetypes.DOCUMENTATION):
                by_package.setdefault(piece.versioned, set()).add(piece)
    is_small = len(files) <= _FILES_WITH_BUMPS
    return list(by_package.values()) if is_small and 2 <= len(by_package) <= _MOST_BUMPS else []


def find_tested_functions(files: Sequence[File]) -> list[Pieces]:
    """Return functions with the tests of each, if none has anything to do with another one.

    They are two or more in the change; the first of them stays with the rest.
    """
    functions = _list_functions(files)
    groups = {names: set(pieces) for names, pieces in functions.items()}
    tested = set()
    for piece in list_pieces(files, (filetypes.TESTS,)):
        if piece.is_blank or piece.is_layout:
            continue
        named = [names for names in functions if _tests(piece, names)]
        if len(named) > 1:
            return []
        for names in named:
            groups[names].add(piece)
            tested.add(names)
    if len(tested) < 2 or not _are_independent(functions):
        return []
    return [groups[names] for names in groups if names in tested][1:]


def _list_functions(files: Sequence[File]) -> dict[frozenset[str], Pieces]:
    """Return the pieces of source by the definitions that they change or add."""
    found: dict[frozenset[str], Pieces] = {}
    for piece in list_pieces(files, (filetypes.SOURCE,)):
        if piece.is_blank or piece.is_layout or piece.is_import or piece.is_comment:
            continue
        names = piece.defined if piece.is_definition else frozenset({piece.enclosing})
        names = frozenset(name for name in names if len(name) >= _SHORTEST_NAME)
        if names:
            found.setdefault(names, set()).add(piece)
    return found


def _tests(piece: Piece, names: frozenset[str]) -> bool:
    """Whether a piece of a test names a definition with one of `names`, or is in a test that is named for it."""
    if not names.isdisjoint(piece.names):
        return True
    tests = {_TEST_AFFIX.sub("", _flatten(name)) for name in (*piece.defined, piece.enclosing)}
    joined = _flatten(" ".join((*piece.old, *piece.new, piece.enclosing)))
    flat = set(map(_flatten, names))
    return not flat.isdisjoint(tests) or any(len(name) >= _SHORTEST_JOINED and name in joined for name in flat)


def _flatten(text: str) -> str:
    return re.sub(r"[_\W]", "", text.lower())


def _are_independent(functions: dict[frozenset[str], Pieces]) -> bool:
    """Whether no function uses another, and no two share new names, replaced tokens or many changed names."""
    for (names, pieces), (other_names, others) in combinations(functions.items(), 2):
        if not names.isdisjoint(_join(others, "names")) or not other_names.isdisjoint(_join(pieces, "names")):
            return False
        changed, also = _join(pieces, "changed"), _join(others, "changed")
        if len(changed & also) > _SHARED * max(1, min(len(changed), len(also))):
            return False
        if not _join(pieces, "edits").isdisjoint(_join(others, "edits")):
            return False
        for name in _join(pieces, "come") & _join(others, "come"):
            if all(piece.file.name_counts[name] <= 1 for piece in pieces | others):
                return False
    return True


def _join(pieces: Iterable[Piece], field: str) -> set[str]:
    joined: set[str] = set()
    for piece in pieces:
        joined |= getattr(piece, field)
    return joined


def find_unused_definitions(files: Sequence[File]) -> list[Pieces]:
    """Return a new definition, with its tests, that nothing else uses, where other code of its file changes."""
    for piece in list_pieces(files, (filetypes.SOURCE,)):
        names = {name for name in piece.defined if len(name) >= _SHORTEST_NAME}
        if not piece.is_definition or piece.lines < _LEAST_DEFINITION or not names:
            continue
        users = set()
        for other in list_all(files):
            if other is not piece and not names.isdisjoint(other.names):
                users.add(other)
        if all(user.file.kind == filetypes.TESTS for user in users) and _is_apart(piece):
            return [{piece, *filter(_is_divisible, users)}]
    return []


def _is_divisible(piece: Piece) -> bool:
    return piece.file.is_divisible


def _is_apart(piece: Piece) -> bool:
    """Whether the code that changes in the same file is old and has nothing to do with a new definition."""
    changes_code = False
    for other in piece.file.pieces:
        if other is piece or other.is_blank or other.is_comment or other.is_import or other.is_layout:
            continue
        if other.is_definition or not other.changed.isdisjoint(piece.changed):
            return False
        if not other.defined.isdisjoint(piece.names):
            return False
        changes_code = changes_code or bool(other.old)
    return changes_code


def find_separate_parts(files: Sequence[File]) -> list[Pieces]:
    """Return the parts of a small change that have nothing in common, but not the largest.

    It changes one file; or two, such as a source and its tests, and each part has a share of both.
    """
    parts = find_parts(files)
    if len(files) > _FILES_WITH_PARTS or sum(map(len, parts)) < sum(map(_count_telling, files)):
        return []
    for part in parts:
        others = set().union(*parts) - part
        has_all_files = len({piece.file for piece in part}) == len(files)
        if not has_all_files or not _join(part, "changed").isdisjoint(_join(others, "changed")):
            return []
    parts.sort(key=lambda part: sum(piece.lines for piece in part))
    return parts[:-1]


def _count_telling(file: File) -> int:
    return sum(not piece.is_blank for piece in file.pieces)


def find_parts(files: Sequence[File]) -> list[Pieces]:
    """Return the parts of a change that share no telling name, function or replacement, and can be committed alone."""
    pieces = [piece for piece in list_all(files) if not piece.is_blank]
    if len(pieces) > _PIECES_LINKED:
        return []
    pairs = []
    for (place, one), (other_place, other) in combinations(enumerate(pieces), 2):
        if _are_linked(one, other):
            pairs.append((place, other_place))
    parts = union_find(pieces, pairs)
    if not 2 <= len(parts) <= _MOST_PARTS:
        return []
    return [set(part) for part in parts if all(map(_is_divisible, part))]


def _are_linked(one: Piece, other: Piece) -> bool:
    """Whether two pieces have something to do with each other."""
    if one.file is other.file:
        is_prose = one.file.kind == filetypes.DOCUMENTATION
        gap = max(one.first_line, other.first_line) - min(one.end_line, other.end_line)
        if one.enclosing == other.enclosing and (one.enclosing or is_prose):
            return True
        # In a list of settings or packages, lines beside each other may have nothing to do with each other.
        if gap <= (_LINES_LINKED if is_prose or one.file.kind in CODE else 0):
            return True
    if one.edits & other.edits or not one.defined.isdisjoint(other.names) or not other.defined.isdisjoint(one.names):
        return True
    if one.enclosing in other.names or other.enclosing in one.names:
        return True
    shared = (one.come | one.gone) & (other.come | other.gone)
    return any(max(one.file.name_counts[name], other.file.name_counts[name]) <= _OCCURRENCES for name in shared)


_RULES: Sequence[Callable[[Sequence[File]], list[Pieces]]] = (
    find_layout, find_corrected_words, find_modifiers, find_renames, find_tested_functions, find_unused_definitions,
    find_bumps, find_separate_parts,
)  # fmt: skip
