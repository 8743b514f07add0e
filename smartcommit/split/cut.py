"""Cuts a hunk in two at a line.

A unit that is cut is replaced by its halves: `path::n` by `path::n.1` and `path::n.2`, which can be cut again. A half
has the fingerprint of the whole, and the range of its own lines, so a plan file needs nothing else to be applied.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from smartcommit.change.syntax import parses
from smartcommit.errors import SplitError
from smartcommit.git.diff import FileDiff, Hunk, Range
from smartcommit.git.hunks import ChangeUnits, Text, Unit, UnitKey, list_units
from smartcommit.split.plan import list_ids


@dataclass(frozen=True, slots=True)
class Part:
    """Numbers of removed and added lines of a hunk that go to one group, and the group's number."""

    removed: int
    added: int
    owner: int


def cut_unit(change: ChangeUnits, unit_id: str, *, removed: int, added: int) -> tuple[ChangeUnits, list[Unit]]:
    """Return `change` with the unit cut as by `cut_into`, after these lines of its hunk, and both halves."""
    change, owners = cut_into(change, unit_id, [Part(removed, added, 0), Part(0, 0, 1)])
    return change, [unit for unit in change.units if unit.id in owners]


def cut_into(change: ChangeUnits, unit_id: str, parts: Sequence[Part]) -> tuple[ChangeUnits, dict[str, int]]:
    """Return `change` with the unit cut into `parts`, and by their ids which group each belongs to.

    The last part has the lines that are left. With the parts of any group alone, and with all but these, the file must
    parse if it does before and after the change. Without a parser, a cut is only allowed next to a blank line, or where
    the lines are not indented deeper than those above.

    Raise SplitError with the reason if it cannot be cut so.
    """
    unit = rest = _find_unit(change, unit_id)
    owners = {}
    is_between = True
    for part in parts[:-1]:
        (hunk,) = rest.hunks
        change, first, rest = split_unit(change, rest.id, removed=part.removed, added=part.added)
        is_between &= _is_border(hunk.removed, part.removed) and _is_border(hunk.added, part.added)
        owners[first.id] = part.owner
    owners[rest.id] = parts[-1].owner
    path = unit.change.path
    text = change.texts[path]
    ends = {parses(path, text.base), parses(path, text.target)}
    if None in ends and not is_between:
        raise _refusal(unit, "the cut would separate lines from the line they are indented under")
    if ends == {True}:
        ids = list_ids(_list_parts(change.units, path))
        for owner in set(owners.values()):
            chosen = {place for place, name in enumerate(ids) if owners.get(name) == owner}
            for composed in (chosen, set(range(len(ids))) - chosen):
                if parses(path, text.compose(composed)) is False:
                    raise _refusal(unit, "the file would not parse with only one half")
    return change, owners


def split_unit(change: ChangeUnits, unit_id: str, *, removed: int, added: int) -> tuple[ChangeUnits, Unit, Unit]:
    """Return `change` with the unit cut in two, whatever the syntax, and both halves, which must change something."""
    unit = _find_unit(change, unit_id)
    path = unit.change.path
    if path not in change.texts or len(unit.hunks) != 1:
        raise SplitError(f"cannot cut '{unit_id}': not a hunk of modified text", hint="choose a hunk of modified text")
    hunk, text = unit.hunks[0], change.texts[path]
    old_end, new_end = hunk.old_start + hunk.old_count, hunk.new_start + hunk.new_count
    if _lacks_newline(text.base, old_end) or _lacks_newline(text.target, new_end):
        raise _refusal(unit, "the file ends there without a newline")
    if not (0 <= removed <= hunk.old_count and 0 <= added <= hunk.new_count):
        raise _refusal(unit, f"it removes {hunk.old_count} and adds {hunk.new_count} lines")
    first = select_lines(hunk, range(removed), range(added))
    second = select_lines(hunk, range(removed, hunk.old_count), range(added, hunk.new_count))
    if first.removed == first.added or second.removed == second.added:
        raise _refusal(unit, "one half would change nothing")
    halves = (
        replace(unit, id=f"{unit_id}.1", kind="text", hunks=(first,)),
        replace(unit, id=f"{unit_id}.2", kind="text", hunks=(second,)),
    )
    units, diffs = list(change.units), list(change.diffs)
    place = units.index(unit)
    units[place : place + 1] = halves
    hunks: list[Hunk] = []
    for part in _list_parts(units, path):
        hunks += part.hunks
    for place, diff in enumerate(diffs):
        if diff.change.path == path:
            diffs[place] = FileDiff(diff.change, hunks)
    return ChangeUnits(diffs, units, {**change.texts, path: Text(text.base, text.target, hunks)}), *halves


def keep_files_whole(change: ChangeUnits, paths: Container[bytes] | None = None) -> ChangeUnits:
    """Return the same change with each file as a single unit, or only those at `paths`, in which no hunk was cut."""
    texts: dict[bytes, Text] = {}
    if paths is not None:
        texts = {path: text for path, text in change.texts.items() if path not in paths}
    divided: dict[bytes, list[Unit]] = {path: [] for path in texts}
    for unit in change.units:
        if unit.change.path in texts:
            divided[unit.change.path].append(unit)
    units: list[Unit] = []
    for diff in change.diffs:
        units += divided.get(diff.change.path) or list_units([diff], {})
    return ChangeUnits(change.diffs, units, texts)


def reapply_cuts(change: ChangeUnits, names: Mapping[UnitKey, str]) -> ChangeUnits:
    """Return `change`, which is in hunks, cut so that it has those units that are parts of hunks, with these ids.

    The syntax was looked at when they were made, for all parts of a commit together. Raise SplitError if the parts of a
    hunk are not all of it.
    """
    wanted: dict[str, list[Range]] = {}
    for fingerprint, ranges in names:
        wanted.setdefault(fingerprint, []).extend(ranges)
    known = set(list_ids(change.units))
    for waiting in wanted.values():
        waiting.sort(key=_find_start, reverse=True)
    for whole in change.units:
        left, rest = wanted.get(whole.fingerprint, []), whole
        while len(whole.hunks) == 1 and left:
            _, removed, _, added = left.pop()
            if (removed, added) == (rest.hunks[0].old_count, rest.hunks[0].new_count):
                break
            change, _, rest = split_unit(change, rest.id, removed=removed, added=added)
    renamed = list(change.units)
    for place, unit in enumerate(renamed):
        if unit.id not in known:
            renamed[place] = replace(unit, id=names.get(unit.key, unit.id))
    return replace(change, units=renamed)


def _find_start(lines: Range) -> tuple[int, int]:
    """Return how many lines are above a range before and after the change."""
    old_start, old_count, new_start, new_count = lines
    return old_start - min(old_count, 1), new_start - min(new_count, 1)


def _find_unit(change: ChangeUnits, unit_id: str) -> Unit:
    for unit in change.units:
        if unit.id == unit_id:
            return unit
    raise SplitError(f"'{unit_id}' is not part of the change")


def _list_parts(units: Sequence[Unit], path: bytes) -> list[Unit]:
    return [unit for unit in units if unit.change.path == path and unit.hunks]


def _refusal(unit: Unit, reason: str) -> SplitError:
    return SplitError(f"cannot cut '{unit.id}' there: {reason}", hint="cut it at another line, or keep it whole")


def select_lines(hunk: Hunk, old: range, new: range) -> Hunk:
    """Return these lines of a hunk, counted from 0."""
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
    """Return git's number for part of a range: its first line, or the line before it if it is empty."""
    before = (start - 1 if count else start) + part.start
    return before + 1 if part else before


def _lacks_newline(content: bytes, end: int) -> bool:
    """Whether the line before line `end` is the last one and has no newline: then it must stay the last."""
    return not content.endswith(b"\n") and end - 1 > content.count(b"\n")


def _is_border(lines: list[bytes], count: int) -> bool:
    first, second = lines[:count], lines[count:]
    if not first or not second or not first[-1].strip() or not second[0].strip():
        return True
    return _indent(second[0]) <= min(_indent(line) for line in first if line.strip())


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))
