"""Candidates: sets of pieces that may be a commit of their own, each of one kind of change over all files.

What is measured of a candidate is weighed by the network `candidates` in `weights.json`, fitted by
`training/within.py`: how likely the change is divided better with a commit of it. No kind is certain enough to be
committed unasked.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from smartcommit.change import filetypes
from smartcommit.split.embedded.similarity import Features, activate, load_weights
from smartcommit.split.embedded.within.pieces import File, Piece, TokenEdit, list_all
from smartcommit.split.embedded.within.rules import (
    CODE,
    Pieces,
    find_all_layout,
    find_renames,
    list_pieces,
    list_whole_hunks,
)

# The probability from which the user is asked about a candidate.
_ASKED = 0.4
# Pieces of a change that has candidates.
_PIECES_MEASURED = 300
# Lines between pieces that count as far apart.
_FAR = 400
# Pieces in which the same replacement is made.
_LEAST_REPEATED, _EDITS_REPEATED = 2, 3
# Functions of a file, and hunks of a change, each of which is a candidate, and tokens of a small edit.
_MOST_FUNCTIONS, _MOST_HUNKS, _TOKENS_OF_SMALL = 8, 8, 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """Pieces that may be a commit of their own; `kind` is what they are, in words for the user."""

    kind: str
    pieces: frozenset[Piece]


def find_candidates(files: Sequence[File], *, apart_from: Sequence[Pieces] = ()) -> list[Candidate]:
    """Return the candidates of a change; none has all of its pieces or is one of `apart_from`, and no two are equal.

    Measuring them takes quadratic time, so a large change has none.
    """
    total = len(list_all(files))
    if total > _PIECES_MEASURED:
        return []
    found: dict[frozenset[Piece], Candidate] = {}
    for kind, find in _FINDERS.items():
        for pieces in find(files):
            if 0 < len(pieces) < total and pieces not in apart_from:
                found.setdefault(frozenset(pieces), Candidate(kind, frozenset(pieces)))
    return list(found.values())


def _find_free_layout(files: Sequence[File]) -> list[Pieces]:
    """Return the layout that does not follow from code beside it."""
    found = {piece for piece in list_pieces(files, CODE) if piece.is_layout and not _follows(piece)}
    return [found] if any(not piece.is_blank for piece in found) else []


def _find_reindented(files: Sequence[File]) -> list[Pieces]:
    """Return the indentation under blocks that changed."""
    found = {piece for piece in list_pieces(files, CODE) if piece.is_reindented and _follows(piece)}
    return [found] if found else []


def _follows(piece: Piece) -> bool:
    """Whether a piece of layout is beside code that changes: blank lines of it, or indentation under its block."""
    if not piece.is_blank and not piece.is_reindented:
        return False
    return any(not other.is_layout for other in piece.list_run())


def _find_modifiers(files: Sequence[File]) -> list[Pieces]:
    return [{piece for piece in list_pieces(files, CODE) if piece.is_modifier}]


def _find_repeated(files: Sequence[File]) -> list[Pieces]:
    """Return the pieces of code that make the same replacements and nothing else."""
    by_edits: dict[frozenset[TokenEdit], Pieces] = {}
    for piece in list_pieces(files, CODE):
        if 0 < len(piece.edits) <= _EDITS_REPEATED and not piece.is_comment:
            by_edits.setdefault(piece.edits, set()).add(piece)
    return [pieces for pieces in by_edits.values() if len(pieces) >= _LEAST_REPEATED]


def _find_signatures(files: Sequence[File]) -> list[Pieces]:
    return [{piece for piece in list_pieces(files, (filetypes.SOURCE,)) if piece.is_signature}]


def _find_cosmetics(files: Sequence[File]) -> list[Pieces]:
    """Return layout that follows from nothing, modifiers and renames together."""
    found: Pieces = set()
    for pieces in (*_find_free_layout(files), *_find_modifiers(files), *find_renames(files)):
        found |= pieces
    return [found]


def _find_definitions(files: Sequence[File]) -> list[Pieces]:
    """Return the new definitions of each file in which other code changes."""
    found = []
    for file in files:
        if file.is_divisible and file.kind == filetypes.SOURCE:
            found.append({piece for piece in file.pieces if piece.is_definition})
    return found


def _find_functions(files: Sequence[File]) -> list[Pieces]:
    """Return what changes in each function, or above all of them, of files in which a few of them change."""
    found: list[Pieces] = []
    for file in files:
        functions: dict[str, Pieces] = {}
        for piece in file.pieces:
            functions.setdefault(piece.enclosing, set()).add(piece)
        if file.is_divisible and file.kind in CODE and len(functions) <= _MOST_FUNCTIONS:
            found += functions.values()
    return found


def _find_hunks(files: Sequence[File]) -> list[Pieces]:
    """Return each hunk of a change with a few of them."""
    hunks: dict[tuple[bytes, int], Pieces] = {}
    for piece in list_pieces(files):
        hunks.setdefault((piece.file.path, piece.number), set()).add(piece)
    return list(hunks.values()) if len(hunks) <= _MOST_HUNKS else []


def _find_additions(files: Sequence[File]) -> list[Pieces]:
    """Return what only adds lines to code."""
    return [{piece for piece in list_pieces(files, (filetypes.SOURCE,)) if piece.only_adds}]


def _find_small_edits(files: Sequence[File]) -> list[Pieces]:
    """Return what replaces a token or two of a line."""
    found = set()
    for piece in list_pieces(files, (filetypes.SOURCE,)):
        if piece.edits and max(len(piece.old), len(piece.new)) == 1:
            size = sum(len(gone) + len(come) for gone, come in piece.edits)
            if size <= _TOKENS_OF_SMALL:
                found.add(piece)
    return [found]


_FINDERS: Mapping[str, Callable[[Sequence[File]], Iterable[Pieces]]] = {
    "layout": find_all_layout,
    "indentation": _find_reindented,
    "modifiers": _find_modifiers,
    "cosmetic changes": _find_cosmetics,
    "signatures": _find_signatures,
    "a repeated edit": _find_repeated,
    "new definitions": _find_definitions,
    "a function": _find_functions,
    "a hunk": _find_hunks,
    "additions": _find_additions,
    "small edits": _find_small_edits,
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The change that candidates are in: its files, the number of its commits so far, and how sure that number is."""

    files: Sequence[File]
    commits: int
    confidence: float


def find_asked(candidates: Iterable[Candidate], around: Surroundings) -> Candidate | None:
    """Return the likeliest candidate if it is likely enough for the user to be asked about it."""
    likeliest, least = None, _ASKED
    for candidate in candidates:
        probability = activate(measure(candidate, around), load_weights()["candidates"])
        if probability >= least:
            likeliest, least = candidate, probability
    return likeliest


def measure(candidate: Candidate, around: Surroundings) -> Features:
    """Return the features of a candidate by their names."""
    pieces = candidate.pieces
    touched = list(dict.fromkeys(piece.file for piece in pieces))
    beside = [piece for piece in list_all(touched) if piece not in pieces]
    size = len(pieces)
    lines = sum(piece.lines for piece in pieces)
    total = sum(piece.lines for piece in list_all(around.files))
    gaps = [_find_gap(piece, beside) for piece in pieces]
    names, others = _changed_names(pieces), _changed_names(beside)
    kinds = Counter(piece.file.kind for piece in pieces)
    enclosing = {(piece.file.path, piece.enclosing) for piece in beside if piece.enclosing}
    features = {f"kind {kind}": float(candidate.kind == kind) for kind in _FINDERS}
    features |= {
        "lines": math.log1p(lines),
        "share": lines / max(1, total),
        "pieces": math.log1p(size),
        "files": math.log1p(len(touched)),
        "gap": math.log1p(min(gaps)),
        "mean gap": fmean(map(math.log1p, gaps)),
        "same function": sum((piece.file.path, piece.enclosing) in enclosing for piece in pieces) / size,
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
    return features


def _find_gap(piece: Piece, others: Iterable[Piece]) -> int:
    """Return the number of lines between a piece and the nearest of `others` in its file."""
    nearest = _FAR
    for other in others:
        if other.file is piece.file and not other.is_blank:
            gap = max(0, other.first_line - piece.end_line, piece.first_line - other.end_line)
            nearest = min(nearest, gap)
    return nearest


def _changed_names(pieces: Iterable[Piece]) -> set[str]:
    names: set[str] = set()
    for piece in pieces:
        names |= piece.changed
    return names
