"""Candidates: sets of pieces that may be a commit of their own, about the likeliest of which the user is asked.

What is measured of a candidate is weighed by the network `candidates` in `weights.json`, fitted by
`training/within.py`: how likely the change is divided better with a commit of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from statistics import fmean

from smartcommit.change import filetypes
from smartcommit.split.embedded.similarity import Features, activate, load_weights
from smartcommit.split.embedded.within.finders import FINDERS, Pieces, join_names, list_whole_hunks
from smartcommit.split.embedded.within.pieces import File, Piece, list_all

# The probability from which the user is asked about a candidate.
_ASKED = 0.4
# Pieces of a change that has candidates: measuring them takes quadratic time.
_PIECES_MEASURED = 300
# Lines between pieces that count as far apart.
_FAR = 400


@dataclass(frozen=True, slots=True)
class Candidate:
    """Pieces that may be a commit of their own; `kind` is what they are, in words for the user."""

    kind: str
    pieces: frozenset[Piece]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The change that candidates are in: its files, the number of its commits so far, and how sure that number is."""

    files: Sequence[File]
    commits: int
    confidence: float


def find_candidates(files: Sequence[File], *, apart_from: Sequence[Pieces] = ()) -> list[Candidate]:
    """Return the candidates of a change; none has all of its pieces or is one of `apart_from`, and no two are equal."""
    total = len(list_all(files))
    found: dict[frozenset[Piece], Candidate] = {}
    if total > _PIECES_MEASURED:
        return []
    for finder in FINDERS:
        if finder.certain:
            continue
        for pieces in map(frozenset, finder.find(files)):
            if 0 < len(pieces) < total and pieces not in apart_from:
                found.setdefault(pieces, Candidate(finder.kind, pieces))
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
    """Return the features of a candidate by their names."""
    pieces, size = candidate.pieces, len(candidate.pieces)
    touched = list(dict.fromkeys(map(attrgetter("file"), pieces)))
    beside = [piece for piece in list_all(touched) if piece not in pieces]
    lines, total = _sum(pieces, "lines"), _sum(list_all(around.files), "lines")
    gaps = list(map(partial(_find_gap, others=beside), pieces))
    names, others = join_names(pieces, "changed"), join_names(beside, "changed")
    kinds = Counter(piece.file.kind for piece in pieces)
    places = Counter(filter(None, map(attrgetter("enclosing"), beside)))
    features = {f"kind {finder.kind}": float(candidate.kind == finder.kind) for finder in FINDERS if not finder.certain}
    return features | {
        "lines": math.log1p(lines),
        "share": lines / max(1, total),
        "pieces": math.log1p(size),
        "files": math.log1p(len(touched)),
        "gap": math.log1p(min(gaps)),
        "mean gap": fmean(map(math.log1p, gaps)),
        "same function": sum(map(places.__contains__, map(attrgetter("enclosing"), pieces))) / size,
        "whole hunks": len(list_whole_hunks(set(pieces))) / size,
        "shared names": len(names & others) / max(1, min(len(names), len(others))),
        "no names": float(not names),
        "defines": float(any(map(attrgetter("defined"), pieces))),
        "alone": float(not beside),
        "layout": _sum(pieces, "is_layout") / size,
        "comment": _sum(pieces, "is_comment") / size,
        "adds": _sum(pieces, "only_adds") / size,
        "rest layout": _sum(beside, "is_layout") / max(1, len(beside)),
        "rest defines": _sum(beside, "is_definition") / max(1, len(beside)),
        "rest": math.log1p(len(beside)),
        "total": math.log1p(total),
        "changed files": math.log1p(len(around.files)),
        "commits": math.log(around.commits),
        "confidence": around.confidence,
        "source": kinds[filetypes.SOURCE] / size,
        "tests": kinds[filetypes.TESTS] / size,
        "documentation": kinds[filetypes.DOCUMENTATION] / size,
    }


def _sum(pieces: Iterable[Piece], field: str) -> int:
    return sum(map(attrgetter(field), pieces))


def _find_gap(piece: Piece, others: Iterable[Piece]) -> int:
    """Return the number of lines between a piece and the nearest of `others` in its file."""
    nearest = _FAR
    for other in others:
        if other.file is piece.file and not other.is_blank:
            nearest = min(nearest, max(0, piece.measure_gap(other)))
    return nearest
