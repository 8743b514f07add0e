"""Puts the units of a range into groups: one for each kept commit, and those that the splitter makes of the rest.

What is cut anew joins a kept commit whose lines it edits. Kept commits stay in their order, and are never merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import NamedTuple

from smartcommit.git.diff import FileDiff
from smartcommit.git.hunks import ChangeUnits, Unit, group_by_path, keep_whole
from smartcommit.rewrite.origins import BASE
from smartcommit.rewrite.owners import LOOSE, Ownership, Step, find_loose, list_hunks, list_steps
from smartcommit.split.analyzer import ChangeReader
from smartcommit.split.embedded.splitter import divide
from smartcommit.split.ordering import Checker, order_among
from smartcommit.split.plan import list_ids

# How often lines are moved because a file does not parse; each time all commits are checked again.
_MOVES = 100


class _BrokenFile(NamedTuple):
    """A file that does not parse after the group at one position, and the next group that changes it."""

    group: int
    next_group: int
    path: bytes


@dataclass(slots=True)
class Group:
    """Units of one new commit; `owner` is the old commit that it continues, or LOOSE."""

    units: list[Unit]
    owner: int

    def select(self, path: bytes) -> list[Unit]:
        return [unit for unit in self.units if unit.change.path == path]


def regroup(reader: ChangeReader, change: ChangeUnits, ownership: Ownership) -> tuple[ChangeUnits, list[Group]]:
    """Return the groups of the units of `change`, as `Ownership.divide` has cut it, in the order of the new commits.

    The splitter divides what has no owner, so the units may be other ones than before: return the change that has them.
    """
    kept_groups = {owner: Group([], owner) for owner in sorted({LOOSE, *ownership.owners})}
    for unit in change.units:
        kept_groups[ownership.find_owner(unit)].units.append(unit)
    loose_units = kept_groups.pop(LOOSE).units
    loose: list[Group] = []
    if loose_units:
        change, loose = _divide_loose(reader, change, loose_units)
        loose = _join_edits(kept_groups, loose, _find_edited(change, ownership))
    woven = ownership.weave(change)
    groups = _arrange([*kept_groups.values(), *loose], ownership)
    return woven, _mend_broken(groups, Checker(woven), ownership)


def _divide_loose(reader: ChangeReader, change: ChangeUnits, units: Sequence[Unit]) -> tuple[ChangeUnits, list[Group]]:
    """Return the groups that the splitter makes of `units`, which have no owner, and `change` with the units of these.

    Of a file that has owners too, all loose hunks stay in one group.
    """
    loose = group_by_path(units)
    diffs = []
    for path, hunks in loose.items():
        file = change.files[path]
        diffs.append(file.diff if file.text is None else FileDiff(file.diff.change, list_hunks(hunks)))
    division = divide(keep_whole(diffs), reader.contents)
    without_owners = division.change.files.keys() - change.texts.keys()
    loose_groups = []
    for parts in division.groups:
        group = Group([], LOOSE)
        for unit in parts:
            if unit.change.path in without_owners:
                group.units.append(unit)
            else:
                # They go where the first part of the file does.
                group.units += loose.pop(unit.change.path, [])
        if group.units:
            loose_groups.append(group)
    return change.join(division.change.select(without_owners)), loose_groups


def _join_edits(kept: Mapping[int, Group], loose: Sequence[Group], edited: Mapping[str, set[int]]) -> list[Group]:
    """Put loose units that edit the lines of a kept commit into its group; return the loose groups that are left.

    `edited` has the owners whose lines a unit edits, by its id. A group goes as a whole if most of its lines edit those
    of one commit, and none those of another.
    """
    loose_left = []
    for group in loose:
        edits = [unit for unit in group.units if unit.id in edited]
        owners = set().union(*(edited[unit.id] for unit in edits))
        if len(owners) == 1 and _count_lines(edits) * 2 >= _count_lines(group.units):
            kept[owners.pop()].units += group.units
            continue
        rest = []
        for unit in group.units:
            targets = edited.get(unit.id, set())
            if len(targets) == 1:
                kept[next(iter(targets))].units.append(unit)
            else:
                rest.append(unit)
        if rest:
            loose_left.append(Group(rest, LOOSE))
    return loose_left


def _find_edited(change: ChangeUnits, ownership: Ownership) -> dict[str, set[int]]:
    """Return the kept commits whose lines each unit without owner edits, by its id.

    A unit edits lines if it removes them, or adds others between lines of one commit.
    """
    edited: dict[str, set[int]] = {}
    for path, file in change.files.items():
        if file.text is None:
            continue
        units = [unit for unit in file.units if unit.hunks]
        owned = [ownership.find_owner(unit) for unit in units]
        steps = list_steps(ownership.list_runs(path), units)
        for place, step in enumerate(steps):
            owners: set[int] = set()
            editor = None
            if step.is_transient and step.died is not None and ownership.owners[step.died] == LOOSE:
                owners, editor = {ownership.owners[step.born]}, find_loose(steps, place, owned)
            elif step.adder is not None and owned[step.adder] == LOOSE:
                owners, editor = _list_around(steps, place, ownership.owners, owned), step.adder
            if editor is not None and len(owners) == 1 and LOOSE not in owners:
                edited.setdefault(units[editor].id, set()).update(owners)
    return edited


def _list_around(steps: Sequence[Step], place: int, owners: Sequence[int], owned: Sequence[int]) -> set[int]:
    """Return the owners of the nearest lines of HEAD on both sides that have one; LOOSE for lines of the base."""
    owners_around = set()
    for direction in (1, -1):
        other = place + direction
        while 0 <= other < len(steps):
            step = steps[other]
            if step.died is None and not (step.adder is not None and owned[step.adder] == LOOSE):
                owners_around.add(LOOSE if step.born == BASE else owners[step.born])
                break
            other += direction
    return owners_around


def _arrange(groups: Sequence[Group], ownership: Ownership) -> list[Group]:
    """Return the groups in the order of the commits: loose ones after what they need, otherwise where they were.

    Those that have no units are left out.
    """
    loose = [group for group in groups if group.units and group.owner == LOOSE]
    kept_groups = [group for group in groups if group.units and group.owner != LOOSE]
    kept_groups.sort(key=lambda group: group.owner)
    spans = []
    for group in [*kept_groups, *loose]:
        commits = Counter([group.owner])
        if group.owner == LOOSE:
            commits = ownership.count_commits(group.units)
        spans.append((min(commits, default=0), max(commits, default=0)))
    order = order_among([group.units for group in kept_groups], [group.units for group in loose], spans)
    ordered = [*kept_groups, *loose]
    return [ordered[item] for item in order]


def _mend_broken(groups: list[Group], checker: Checker, ownership: Ownership) -> list[Group]:
    """Return `groups` with lines moved so that no group leaves a file broken, as far as that is possible.

    Two loose groups become one, and loose lines go into the kept commit that is broken without them. Otherwise lines go
    into the next group that changes the file: first those that the kept commit did not have itself.
    """
    tried: set[_BrokenFile] = set()
    for _ in range(_MOVES):
        broken = _find_broken(groups, checker, tried)
        if broken is None:
            break
        giver, taker = groups[broken.group], groups[broken.next_group]
        if giver.owner != LOOSE and taker.owner == LOOSE:
            giver, taker = taker, giver
        moved = giver.units
        if giver.owner != taker.owner:
            # If all lines are its own, the old commit was broken, too.
            moved = [unit for unit in giver.select(broken.path) if set(ownership.list_commits(unit)) != {giver.owner}]
        if not moved:
            tried.add(broken)
            continue
        ids = set(list_ids(moved))
        taker.units += moved
        giver.units = [unit for unit in giver.units if unit.id not in ids]
        groups = _arrange(groups, ownership)
        tried.clear()
    return groups


def _find_broken(groups: Sequence[Group], checker: Checker, tried: Container[_BrokenFile]) -> _BrokenFile | None:
    """Return the first broken file that was not `tried`, and that a later group changes."""
    for number, paths in enumerate(checker.find_broken([group.units for group in groups])):
        for path in paths:
            later = [place for place in range(number + 1, len(groups)) if groups[place].select(path)]
            if later and _BrokenFile(number, later[0], path) not in tried:
                return _BrokenFile(number, later[0], path)
    return None


def mark_file_ends(groups: Sequence[Group]) -> list[list[Unit]]:
    """Return the units of each group, where only the first group of a new file adds it.

    For the others the file is there already. Likewise only the last group of a deleted file deletes it.
    """
    last: dict[bytes, int] = {}
    for number, group in enumerate(groups):
        last.update(dict.fromkeys(group_by_path(group.units), number))
    seen: set[bytes] = set()
    all_units = []
    for number, group in enumerate(groups):
        units = []
        for unit in group.units:
            path, change = unit.change.path, copy(unit.change)
            if change.status == "A" and path in seen:
                change.status, change.old_mode = "M", change.new_mode
            elif change.status == "D" and last[path] > number:
                change.status, change.new_mode = "M", change.old_mode
            units.append(replace(unit, change=change))
        seen.update(group_by_path(units))
        all_units.append(units)
    return all_units


def _count_lines(units: Iterable[Unit]) -> int:
    return sum(hunk.old_count + hunk.new_count for hunk in list_hunks(units))
