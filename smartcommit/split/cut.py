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
    change, units = divide_unit(change, unit_id, [(part.removed, part.added) for part in parts[:-1]])
    owners = {unit.id: part.owner for unit, part in zip(units, parts, strict=True)}
    path = units[0].change.path
    file = change.files[path]
    text = file.text
    assert text is not None
    ends = {parses(path, text.base), parses(path, text.target)}
    if None in ends and not _are_between_blocks([unit.hunks[0] for unit in units]):
        raise _make_refusal(unit_id, "the cut would separate lines from the line they are indented under")
    if ends == {True}:
        ids = list_ids(unit for unit in file.units if unit.hunks)
        for owner in set(owners.values()):
            chosen = {place for place, name in enumerate(ids) if owners.get(name) == owner}
            for composed in (chosen, set(range(len(ids))) - chosen):
                if parses(path, text.compose(composed)) is False:
                    raise _make_refusal(unit_id, "the file would not parse with only one half")
    return change, owners


def divide_unit(
    change: ChangeUnits, unit_id: str, sizes: Sequence[tuple[int, int]], names: Mapping[UnitKey, str] | None = None
) -> tuple[ChangeUnits, list[Unit]]:
    """Return `change` with the unit cut after so many removed and added lines each, whatever the syntax, and its parts.

    The last part has the lines that are left, and each changes something. `names` are ids for some of them.
    """
    unit = _find_unit(change, unit_id)
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
        found = replace(unit, id=f"{unit_id}.{number}", kind="text", hunks=(part,))
        parts.append(replace(found, id=(names or {}).get(found.key, found.id)))
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


def _find_unit(change: ChangeUnits, unit_id: str) -> Unit:
    for unit in change.units:
        if unit.id == unit_id:
            return unit
    raise SplitError(f"'{unit_id}' is not part of the change")


def _make_refusal(unit_id: str, reason: str) -> SplitError:
    return SplitError(f"cannot cut '{unit_id}' there: {reason}", hint="cut it at another line, or keep it whole")


def _lacks_newline(content: bytes, lines: range) -> bool:
    """Whether the last of `lines` is that of the content and has no newline: then it must stay the last."""
    return not content.endswith(b"\n") and lines.stop > content.count(b"\n")


def _are_between_blocks(hunks: Sequence[Hunk]) -> bool:
    """Whether each part of a hunk ends where no line below it is indented under one of its own."""
    removed: list[bytes] = []
    added: list[bytes] = []
    for hunk in reversed(hunks):
        if not (_is_border(hunk.removed, removed) and _is_border(hunk.added, added)):
            return False
        removed, added = hunk.removed + removed, hunk.added + added
    return True


def _is_border(above: list[bytes], below: list[bytes]) -> bool:
    if not above or not below or not above[-1].strip() or not below[0].strip():
        return True
    return count_indent(below[0]) <= min(count_indent(line) for line in above if line.strip())
