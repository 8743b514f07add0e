"""Takes pieces out of the commits they are in, as far as their files parse, and makes commits of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter, itemgetter

from smartcommit.errors import SplitError
from smartcommit.git.hunks import ChangeUnits, Unit, can_be_cut, cut_files
from smartcommit.git.repo import Repository
from smartcommit.split.cut import Part, cut_into, keep_files_whole
from smartcommit.split.embedded.within.cut_hunks import count_pairs
from smartcommit.split.embedded.within.pieces import File, Piece, list_all
from smartcommit.split.embedded.within.rules import Pieces
from smartcommit.split.ordering import order_groups

# Hunks of a file, and of a change, that are examined: there are more only where a tool or a search made the change.
_HUNKS_OF_FILE, _HUNKS = 60, 400
# Pairs of removed and added lines of a change that are compared, which takes a second.
_PAIRS_COMPARED = 200_000
# Pieces of a change that are examined.
_PIECES = 1500
# Bytes that are parsed to see where hunks can be cut, which takes some seconds, and how often a file is for each cut.
_BYTES_PARSED, _TIMES_PARSED = 16 << 20, 6

Group = list[Unit]


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
    files = [File(diff, hunks.texts.get(diff.change.path)) for diff in hunks.diffs]
    if len(list_all(files)) > _PIECES:
        return change, []
    return hunks, files


def take_out(
    groups: Sequence[Group], hunks: ChangeUnits, files: Sequence[File], chosen: Sequence[Pieces]
) -> tuple[ChangeUnits, list[Group]]:
    """Return the change and its `groups` in their order, after each of the `chosen` sets of pieces became one of them.

    `hunks` and `files` are as `read_files` returns them. Files stay whole where they can. Pieces that cannot be
    separated from the rest of their hunk stay in the group that has it.
    """
    owners = _find_owners(groups, hunks)
    takers: dict[Piece, int] = {}
    for number, pieces in enumerate(chosen, start=len(groups)):
        takers.update(dict.fromkeys(pieces, number))
    parts: dict[str, list[Part]] = {}
    for file in files:
        for number, pieces_of_hunk in groupby(file.pieces, attrgetter("number")):
            unit_id = f"{os.fsdecode(file.path)}::{number + 1}"
            if unit_id in owners:
                parts[unit_id] = _list_parts(pieces_of_hunk, takers, owners[unit_id])
    change = keep_files_whole(hunks, _list_undivided(hunks, owners, parts))
    change = _cut_hunks(change, owners, parts)
    found: dict[int, Group] = {}
    for unit in change.units:
        found.setdefault(owners[unit.id], []).append(unit)
    return change, order_groups(list(found.values()))


def _find_owners(groups: Sequence[Group], hunks: ChangeUnits) -> dict[str, int]:
    """Return the number of the group of each unit of `hunks`, by its id."""
    by_id, by_path = {}, {}
    for number, units in enumerate(groups):
        for unit in units:
            by_id[unit.id] = number
            if unit.kind == "file":
                by_path[unit.change.path] = number
    return {unit.id: by_path.get(unit.change.path, by_id.get(unit.id, 0)) for unit in hunks.units}


def _list_parts(pieces: Iterable[Piece], takers: Mapping[Piece, int], owner: int) -> list[Part]:
    """Return the parts of a hunk whose other pieces belong to the group `owner`."""
    parts = []
    for taker, run in groupby(pieces, lambda piece: takers.get(piece, owner)):
        lines = [(len(piece.removed), len(piece.added)) for piece in run]
        parts.append(Part(sum(map(itemgetter(0), lines)), sum(map(itemgetter(1), lines)), taker))
    return parts


def _list_undivided(hunks: ChangeUnits, owners: Mapping[str, int], parts: Mapping[str, Sequence[Part]]) -> list[bytes]:
    """Return the paths of the files that go to one group altogether."""
    having: dict[bytes, set[int]] = {}
    for unit in hunks.units:
        groups = having.setdefault(unit.change.path, set())
        groups.update(part.owner for part in parts.get(unit.id, ()))
        if unit.id not in parts:
            groups.add(owners[unit.id])
    return [path for path, groups in having.items() if len(groups) == 1]


def _cut_hunks(change: ChangeUnits, owners: dict[str, int], parts: Mapping[str, Sequence[Part]]) -> ChangeUnits:
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
