"""Cutting a hunk in two at a line.

A unit that was cut gives way to its halves: `path::n` to `path::n.1` and `path::n.2`, which can be cut again. The
fingerprint of a half tells how it was cut, so a written plan needs nothing else to be carried out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from smartcommit.errors import SplitError
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.git.hunks import ChangeUnits, Text, Unit
from smartcommit.split.syntax import parses

_HALF = re.compile(r"(.+)/(\d{1,9})\+(\d{1,9})\.[12]", re.DOTALL)


def cut_unit(pieces: ChangeUnits, unit_id: str, *, removed: int, added: int) -> ChangeUnits:
    """`pieces` with the unit cut in two: so many `removed` and `added` lines of its hunk are the first half.

    With either half alone, and with all but either half, the file must parse if it does before and after the change.
    Where no parser tells, a cut is taken only beside a blank line or where the lines are not indented deeper than the
    first half's.

    Raises: SplitError with the reason when it cannot be cut there.
    """
    halved = split_unit(pieces, unit_id, removed=removed, added=added)
    unit = _unit(pieces, unit_id)
    text = halved.texts[unit.change.path]
    path, ends = unit.change.path, (text.base, text.target)
    if any(parses(path, end) is None for end in ends):
        if not all(_is_border(lines, count) for lines, count in _sides(unit.hunks[0], removed, added)):
            raise _refusal(unit, "lines are cut off from what they are indented below")
    elif all(parses(path, end) for end in ends):
        first = next(place for place, part in enumerate(_parts(halved, path)) if part.id == f"{unit_id}.1")
        everything = set(range(len(_parts(halved, path))))
        for chosen in ({first}, {first + 1}, everything - {first}, everything - {first + 1}):
            if parses(path, text.compose(chosen)) is False:
                raise _refusal(unit, "the file would not parse with one half only")
    return halved


def split_unit(pieces: ChangeUnits, unit_id: str, *, removed: int, added: int) -> ChangeUnits:
    """As `cut`, wherever both halves change something; what the lines mean does not matter."""
    unit = _unit(pieces, unit_id)
    path = unit.change.path
    if path not in pieces.texts or len(unit.hunks) != 1:
        raise SplitError(f"'{unit_id}' is no hunk of text that can be cut", hint="only modified text can")
    if _ends_without_newline(unit, pieces.texts[path]):
        raise _refusal(unit, "the file ends there without a newline")
    hunks = _halves(unit, removed, added)
    halves = [
        replace(
            unit,
            id=f"{unit_id}.{number}",
            kind="text",
            hunks=(hunk,),
            fingerprint=f"{unit.fingerprint}/{removed}+{added}.{number}",
        )
        for number, hunk in enumerate(hunks, start=1)
    ]
    units = [part for other in pieces.units for part in (halves if other is unit else [other])]
    parts = [hunk for part in units if part.change.path == path for hunk in part.hunks]
    diffs = [FileDiff(diff.change, parts) if diff.change.path == path else diff for diff in pieces.diffs]
    return ChangeUnits(diffs, units, {**pieces.texts, path: pieces.texts[path].cut_into(parts)})


def reapply_cuts(pieces: ChangeUnits, fingerprints: Iterable[str]) -> ChangeUnits:
    """`pieces` with every cut that one of `fingerprints` tells of; those that cannot be made are left out."""
    for fingerprint in fingerprints:
        for whole, removed, added in reversed(list(_cuts(fingerprint))):
            found = next((unit for unit in pieces.units if unit.fingerprint == whole), None)
            if found is not None:
                pieces = cut_unit(pieces, found.id, removed=removed, added=added)
    return pieces


def _cuts(fingerprint: str) -> Iterator[tuple[str, int, int]]:
    """The cuts that led to a half, the last one first: whose hunk it was, and the lines of its first half."""
    while (found := _HALF.fullmatch(fingerprint)) is not None:
        fingerprint = found[1]
        yield fingerprint, int(found[2]), int(found[3])


def _unit(pieces: ChangeUnits, unit_id: str) -> Unit:
    found = next((unit for unit in pieces.units if unit.id == unit_id), None)
    if found is None:
        raise SplitError(f"'{unit_id}' is not part of the change")
    return found


def _parts(pieces: ChangeUnits, path: bytes) -> list[Unit]:
    return [unit for unit in pieces.units if unit.change.path == path and unit.hunks]


def _refusal(unit: Unit, reason: str) -> SplitError:
    return SplitError(f"'{unit.id}' cannot be cut there: {reason}", hint="cut it at another line, or keep it whole")


def _sides(hunk: Hunk, removed: int, added: int) -> list[tuple[list[bytes], int]]:
    return [(hunk.removed, removed), (hunk.added, added)]


def _halves(unit: Unit, removed: int, added: int) -> tuple[Hunk, Hunk]:
    hunk = unit.hunks[0]
    if not (0 <= removed <= hunk.old_count and 0 <= added <= hunk.new_count):
        raise _refusal(unit, f"it removes {hunk.old_count} and adds {hunk.new_count} lines")
    halves = (
        _part(hunk, range(removed), range(added)),
        _part(hunk, range(removed, hunk.old_count), range(added, hunk.new_count)),
    )
    if any(half.removed == half.added for half in halves):
        raise _refusal(unit, "one half would change nothing")
    return halves


def _part(hunk: Hunk, old: range, new: range) -> Hunk:
    """These lines of a hunk, counted from 0."""
    return Hunk(
        old_start=_start(hunk.old_start, hunk.old_count, old),
        old_count=len(old),
        new_start=_start(hunk.new_start, hunk.new_count, new),
        new_count=len(new),
        context=hunk.context,
        removed=hunk.removed[old.start : old.stop],
        added=hunk.added[new.start : new.stop],
    )


def _start(start: int, count: int, part: range) -> int:
    """git's number for a part of a range: of its first line, or of the line before it where it has none."""
    before = (start - 1 if count else start) + part.start
    return before + 1 if part else before


def _ends_without_newline(unit: Unit, text: Text) -> bool:
    """Whether the hunk holds a last line without a newline, on either side: it must stay the last."""
    hunk = unit.hunks[0]
    return any(
        not end.endswith(b"\n") and start + count - 1 > end.count(b"\n")
        for end, start, count in zip(
            (text.base, text.target), (hunk.old_start, hunk.new_start), (hunk.old_count, hunk.new_count), strict=True
        )
    )


def _is_border(lines: list[bytes], count: int) -> bool:
    """Whether the first `count` lines can be told from the others by their look."""
    first, second = lines[:count], lines[count:]
    if not first or not second or not first[-1].strip() or not second[0].strip():
        return True
    return _indent(second[0]) <= min(_indent(line) for line in first if line.strip())


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))
