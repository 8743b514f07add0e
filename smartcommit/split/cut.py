"""Cuts a hunk into parts.

A unit that is cut is replaced by its parts: `path::n` by `path::n.1`, `path::n.2` and so on, which can be cut again. A
part has the fingerprint of the whole, and the range of its own lines, so a plan file needs nothing else to be applied.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from smartcommit.change.syntax import parses
from smartcommit.change.text import count_indent
from smartcommit.errors import SplitError
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.git.hunks import ChangeUnits, FileUnits, Text, Unit, UnitKey, keep_whole
from smartcommit.split.plan import list_ids


class Part(NamedTuple):
    """So many removed and added lines of a hunk, in their order, which belong to the group with the number `owner`."""

    removed: int
    added: int
    owner: int


def cut_unit(change: ChangeUnits, unit_id: str, *, removed: int, added: int) -> tuple[ChangeUnits, list[Unit]]:
    """Return `change` with the unit cut as by `cut_into`, after these lines of its hunk, and both halves."""
    change, owners = cut_into(change, unit_id, [Part(removed, added, 0), Part(0, 0, 1)])
    return change, [unit for unit in change.units if unit.id in owners]


def cut_into(change: ChangeUnits, unit_id: str, parts: Sequence[Part]) -> tuple[ChangeUnits, dict[str, int]]:
    """Return `change` with the unit cut into `parts`, and by their ids which group each belongs to.

    The last part has the lines that are left, whatever its numbers. With the parts of any group alone, and with all but
    these, the file must parse if it does before and after the change. Without a parser for it, a cut must be next to a
    blank line, or above lines that are not indented deeper than those before.

    Raise SplitError with the reason if it cannot be cut so.
    """
    change, units = divide_unit(change, unit_id, [(part.removed, part.added) for part in parts[:-1]])
    owners = {unit.id: part.owner for unit, part in zip(units, parts, strict=True)}
    path = units[0].change.path
    file = change.files[path]
    text = file.text
    assert text is not None
    # Whether the file parses before and after the change; None if there is no parser for it.
    parsing = {parses(path, text.base), parses(path, text.target)}
    if None in parsing and not _are_between_blocks([unit.hunks[0] for unit in units]):
        raise _make_refusal(unit_id, "the cut would separate lines from the line they are indented under")
    if parsing == {True}:
        ids = list_ids(unit for unit in file.units if unit.hunks)
        for owner in set(owners.values()):
            chosen = {place for place, name in enumerate(ids) if owners.get(name) == owner}
            others = set(range(len(ids))) - chosen
            if parses(path, text.compose(chosen)) is False or parses(path, text.compose(others)) is False:
                raise _make_refusal(unit_id, "the file would not parse with only one half")
    return change, owners


def divide_unit(
    change: ChangeUnits, unit_id: str, sizes: Sequence[tuple[int, int]], names: Mapping[UnitKey, str] | None = None
) -> tuple[ChangeUnits, list[Unit]]:
    """Return `change` with the unit cut into parts of so many removed and added lines, and these parts.

    A last part has the lines that are left. Each part must change something; the syntax does not matter. `names` has
    ids for some of the parts.
    """
    unit = next((unit for unit in change.units if unit.id == unit_id), None)
    if unit is None:
        raise SplitError(f"'{unit_id}' is not part of the change")
    path = unit.change.path
    file, text = change.files[path], change.files[path].text
    if text is None or len(unit.hunks) != 1:
        raise SplitError(f"cannot cut '{unit_id}': not a hunk of modified text", hint="choose a hunk of modified text")
    (hunk,) = unit.hunks
    if _lacks_newline(text.base, hunk.old_lines) or _lacks_newline(text.target, hunk.new_lines):
        raise _make_refusal(unit_id, "the file ends there without a newline")
    left = hunk.old_count - sum(size[0] for size in sizes), hunk.new_count - sum(size[1] for size in sizes)
    if any(min(size) < 0 for size in (*sizes, left)):
        raise _make_refusal(unit_id, f"it removes {hunk.old_count} and adds {hunk.new_count} lines")
    parts = []
    old = new = 0
    for number, (removed, added) in enumerate((*sizes, left), start=1):
        part = hunk.select(range(old, old + removed), range(new, new + added))
        if part.removed == part.added:
            raise _make_refusal(unit_id, "one half would change nothing")
        part_unit = replace(unit, id=f"{unit_id}.{number}", kind="text", hunks=(part,))
        parts.append(replace(part_unit, id=(names or {}).get(part_unit.key, part_unit.id)))
        old, new = old + removed, new + added
    units = list(file.units)
    place = units.index(unit)
    units[place : place + 1] = parts
    hunks: list[Hunk] = []
    for each in units:
        hunks += each.hunks
    divided = FileUnits(FileDiff(unit.change, hunks), units, Text(text.base, text.target, hunks))
    return change.join(ChangeUnits({path: divided})), parts


def keep_files_whole(change: ChangeUnits, paths: Container[bytes] | None = None) -> ChangeUnits:
    """Return the same change with each file as a single unit, or only those at `paths`, in which no hunk was cut."""
    if paths is not None:
        return change.join(keep_files_whole(change.select(paths)))
    return keep_whole(change.diffs)


def reapply_cuts(change: ChangeUnits, planned: Sequence[Unit]) -> ChangeUnits:
    """Return `change`, which is in hunks, cut so that it has those `planned` units that are parts of hunks.

    The syntax was looked at when they were made, for all parts of a commit together. Raise SplitError if the parts of a
    hunk are not all of it.
    """
    names = {unit.key: unit.id for unit in planned}
    wanted: dict[str, list[Hunk]] = {}
    for unit in planned:
        wanted.setdefault(unit.fingerprint, []).extend(unit.hunks)
    for whole in change.units:
        if len(whole.hunks) != 1:
            continue
        (hunk,), sizes = whole.hunks, []
        left = hunk.old_count, hunk.new_count
        parts = wanted.get(whole.fingerprint, [])
        parts.sort(key=lambda part: (part.old_lines.start, part.new_lines.start))
        for part in parts:
            if (part.old_count, part.new_count) == left:
                break
            sizes.append((part.old_count, part.new_count))
            left = left[0] - part.old_count, left[1] - part.new_count
        if sizes:
            change, _ = divide_unit(change, whole.id, sizes, names)
    return change


def _make_refusal(unit_id: str, reason: str) -> SplitError:
    return SplitError(f"cannot cut '{unit_id}' there: {reason}", hint="cut it at another line, or keep it whole")


def _lacks_newline(content: bytes, lines: range) -> bool:
    """Whether the last of `lines` is that of the content and has no newline: then it must stay the last."""
    return not content.endswith(b"\n") and lines.stop > content.count(b"\n")


def _are_between_blocks(hunks: Sequence[Hunk]) -> bool:
    """Whether each part of a hunk ends where no line below it is indented under one of its own."""
    removed_below: list[bytes] = []
    added_below: list[bytes] = []
    for hunk in reversed(hunks):
        if not (_is_border(hunk.removed, removed_below) and _is_border(hunk.added, added_below)):
            return False
        removed_below, added_below = hunk.removed + removed_below, hunk.added + added_below
    return True


def _is_border(above: list[bytes], below: list[bytes]) -> bool:
    """Whether the lines `below` are not indented under those `above`, or a blank line is between them."""
    if not above or not below or not above[-1].strip() or not below[0].strip():
        return True
    return count_indent(below[0]) <= min(count_indent(line) for line in above if line.strip())
