"""Divides files among commits: by their hunks, and by pieces of these as far as the files parse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter

from smartcommit.errors import SplitError
from smartcommit.git.hunks import ChangeUnits, Unit, can_be_cut, cut_files
from smartcommit.git.repo import Repository
from smartcommit.split.cut import Part, cut_into, keep_files_whole
from smartcommit.split.embedded.within.finders import Pieces
from smartcommit.split.embedded.within.pieces import File, Piece, count_pairs, list_all
from smartcommit.split.ordering import order_groups

# Hunks of a file, and of a change, that are examined: there are more only where a tool or a search made the change.
_HUNKS_OF_FILE, _HUNKS = 60, 400
# Pairs of removed and added lines of a change that are compared, which takes a second.
_PAIRS_COMPARED = 200_000
# Pieces of a change that are examined.
_PIECES = 1500
# Bytes that are parsed to see where hunks can be cut, which takes some seconds, and how often a file is for each cut.
_BYTES_PARSED, _TIMES_PARSED = 16 << 20, 6

# The number of the group of each unit, by its id.
Owners = dict[str, int]


def read_files(repository: Repository, change: ChangeUnits) -> tuple[ChangeUnits, list[File]]:
    """Return `change` with all files as hunks that can be, and its files with their pieces; one process.

    There are no files if none can be divided, or if the change is too large to be examined.
    """
    paths = set()
    count = pairs = 0
    for diff in change.diffs:
        count += len(diff.hunks)
        if can_be_cut(diff) and len(diff.hunks) <= _HUNKS_OF_FILE:
            paths.add(diff.change.path)
            pairs += sum(map(count_pairs, diff.hunks))
    if not paths or count > _HUNKS or pairs > _PAIRS_COMPARED:
        return change, []
    hunks = cut_files(repository, change, paths)
    files = []
    for diff in hunks.diffs:
        files.append(File(diff, hunks.texts.get(diff.change.path)))
    if len(list_all(files)) > _PIECES:
        return change, []
    return hunks, files


def divide_files(
    hunks: ChangeUnits, owners: Owners, files: Sequence[File] = (), taken: Sequence[Pieces] = ()
) -> tuple[ChangeUnits, list[list[Unit]]]:
    """Return the change and its groups in their order, which have the units of `hunks` as `owners` says.

    Each of the sets of pieces of `files` in `taken` is a group of its own, less the pieces that cannot be separated
    from the rest of their hunk. Files stay whole where they can.
    """
    takers: dict[Piece, int] = {}
    for number, pieces in enumerate(taken, start=max(owners.values(), default=0) + 1):
        takers.update(dict.fromkeys(pieces, number))
    pieces_of = {file.path: iter(file.hunks) for file in files}
    owners, parts = dict(owners), {}
    having: dict[bytes, set[int]] = {}
    for unit in hunks.units:
        lot = [Part(0, 0, owners[unit.id])]
        if unit.hunks and unit.change.path in hunks.texts and files:
            lot = parts[unit.id] = _list_parts(next(pieces_of[unit.change.path]), takers, owners[unit.id])
        having.setdefault(unit.change.path, set()).update(map(attrgetter("owner"), lot))
    whole = {path for path, groups in having.items() if len(groups) == 1}
    change = _cut_hunks(keep_files_whole(hunks, whole), owners, parts)
    found: dict[int, list[Unit]] = {}
    for unit in change.units:
        found.setdefault(owners[unit.id], []).append(unit)
    return change, order_groups(list(found.values()))


def _list_parts(pieces: Iterable[Piece], takers: Mapping[Piece, int], owner: int) -> list[Part]:
    """Return the parts of a hunk whose other pieces belong to the group `owner`."""
    parts = []
    for taker, run in groupby(pieces, lambda piece: takers.get(piece, owner)):
        removed = added = 0
        for piece in run:
            removed += len(piece.removed)
            added += len(piece.added)
        parts.append(Part(removed, added, taker))
    return parts


def _cut_hunks(change: ChangeUnits, owners: Owners, parts: Mapping[str, Sequence[Part]]) -> ChangeUnits:
    """Return `change` with its hunks cut into their parts, whose groups are put into `owners`."""
    left = _BYTES_PARSED
    for unit in change.units:
        lot = parts.get(unit.id, ())
        if len(lot) == 1:
            owners[unit.id] = lot[0].owner
        elif lot:
            left -= _TIMES_PARSED * (len(lot) - 1) * len(change.texts[unit.change.path].target)
            if left >= 0:
                with suppress(SplitError):
                    change, found = cut_into(change, unit.id, lot)
                    owners.update(found)
    return change
