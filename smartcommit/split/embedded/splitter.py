"""The embedded splitter: divides a change among commits, over files and within them, and finds an alternative."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby

from smartcommit.errors import SplitError
from smartcommit.git.hunks import ChangeUnits, Contents, Unit, can_be_cut, cut_files
from smartcommit.split.cut import Part, cut_into, keep_files_whole
from smartcommit.split.embedded.finders import Pieces, find_certain
from smartcommit.split.embedded.partition import Division, Group, find_partition
from smartcommit.split.embedded.pieces import File, Piece, count_pairs, list_all
from smartcommit.split.ordering import order_groups
from smartcommit.split.plan import list_ids

# Hunks of a change each of which may become a commit if the user says how many commits there are.
_HUNKS_SEPARATED = 80
# Hunks of a file, and of a change, that are examined: there are more only where a tool or a search made the change.
_HUNKS_OF_FILE = 60
_HUNKS = 400
# Pairs of removed and added lines of a change that are compared, which takes a second.
_PAIRS_COMPARED = 200_000
# Pieces of a change that are examined.
_PIECES = 1500
# Bytes that are parsed to see where hunks can be cut, which takes some seconds, and how often a file is for each cut.
_BYTES_PARSED = 16 << 20
_TIMES_PARSED = 6

# The number of the group of each unit, by its id.
Owners = dict[str, int]


def divide(
    change: ChangeUnits, contents: Contents, strategy: str = "auto", *, count: int | None = None, asking: bool = False
) -> Division:
    """Divide `change`, whose units are whole files unless the strategy is `hunk`; `contents` are those of the files.

    `strategy` is one of STRATEGIES, and `count` the number of commits (None: as many as are found). With `asking`,
    another number that is nearly as likely is looked for.
    """
    if strategy == "auto":
        splitter = _Splitter(change, contents)
        return splitter.divide_freely(asking=asking) if count is None else splitter.divide_into(count, asking=asking)
    return find_partition(change, strategy=strategy, count=count, asking=asking)


class _Splitter:
    """Divides one change, first over files and then within them."""

    def __init__(self, change: ChangeUnits, contents: Contents) -> None:
        self._change = change
        self._hunks, self._files = list_files(change, contents)

    def divide_into(self, count: int, *, asking: bool) -> Division:
        """Return the division into `count` groups, or as many as there can be, in which each hunk may go anywhere.

        One that seems good anyway is taken if it has as many.
        """
        freely = self.divide_freely(asking=asking)
        for division in (freely, freely.alternative):
            if division is not None and len(division.groups) == count:
                return replace(division, confidence=None, alternative=None)
        change = self._hunks
        if sum(len(unit.hunks) for unit in change.units) > _HUNKS_SEPARATED:
            change = self._change
        found = find_partition(change, count=count)
        owners = {}
        for number, group in enumerate(found.groups):
            owners.update(dict.fromkeys(list_ids(group), number))
        return Division(*_divide_files(change, owners))

    def divide_freely(self, *, asking: bool) -> Division:
        """Return the division that seems best, with an alternative if there is one."""
        found = find_partition(self._change, asking=asking)
        certain = []
        # In a change that is divided already, most layout and renames go with other changes of their files.
        if len(found.groups) == 1:
            certain = find_certain(self._files)
        division = self._take_out(found.groups, certain)
        alternative = None
        if found.alternative is not None:
            alternative = self._take_out(found.alternative.groups, certain)
        return replace(division, confidence=found.confidence, alternative=alternative)

    def _take_out(self, groups: list[Group], taken: Sequence[Pieces]) -> Division:
        """Return the division of `groups`, of whole files, after the sets of pieces in `taken` left them."""
        if not any(taken):
            return Division(self._change, groups)
        number_of = {}
        for number, group in enumerate(groups):
            for unit in group:
                number_of[unit.change.path] = number
        owners = {}
        for unit in self._hunks.units:
            owners[unit.id] = number_of[unit.change.path]
        return Division(*_divide_files(self._hunks, owners, self._files, taken))


def list_files(change: ChangeUnits, contents: Contents) -> tuple[ChangeUnits, list[File]]:
    """Return `change` with all files as hunks that can be, and its files with their pieces.

    There are no files if none can be divided, or if the change is too large to be examined.
    """
    paths = set()
    count = pairs = 0
    for diff in change.diffs:
        count += len(diff.hunks)
        if can_be_cut(diff) and len(diff.hunks) <= _HUNKS_OF_FILE:
            paths.add(diff.change.path)
            pairs += sum(count_pairs(hunk) for hunk in diff.hunks)
    if not paths or count > _HUNKS or pairs > _PAIRS_COMPARED:
        return change, []
    hunks = cut_files(change, contents, paths)
    files = [File(file.diff, file.text) for file in hunks.files.values()]
    if len(list_all(files)) > _PIECES:
        return change, []
    return hunks, files


def _divide_files(
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
        if unit.hunks and hunks.files[unit.change.path].text is not None and files:
            lot = parts[unit.id] = _list_parts(next(pieces_of[unit.change.path]), takers, owners[unit.id])
        having.setdefault(unit.change.path, set()).update(item.owner for item in lot)
    whole = {path for path, groups in having.items() if len(groups) == 1}
    change = _cut_hunks(keep_files_whole(hunks, whole), owners, parts)
    found: dict[int, list[Unit]] = {}
    for unit in change.units:
        found.setdefault(owners[unit.id], []).append(unit)
    return change, order_groups(list(found.values()))


def _list_parts(pieces: Iterable[Piece], takers: Mapping[Piece, int], owner: int) -> list[Part]:
    parts = []
    for taker, run in groupby(pieces, lambda piece: takers.get(piece, owner)):
        removed = added = 0
        for piece in run:
            removed += piece.hunk.old_count
            added += piece.hunk.new_count
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
            text = change.files[unit.change.path].text
            assert text is not None
            left -= _TIMES_PARSED * (len(lot) - 1) * len(text.target)
            if left >= 0:
                with suppress(SplitError):
                    change, found = cut_into(change, unit.id, lot)
                    owners.update(found)
    return change
