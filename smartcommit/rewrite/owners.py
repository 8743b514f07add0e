"""Whose each unit of a range is: the hunks between its ends, cut where lines of several commits meet.

The owner of a unit is the number of an old commit that one of the new ones continues, or LOOSE if it is cut anew.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from smartcommit.errors import SplitError
from smartcommit.git.diff import ABSENT, REGULAR, FileChange, FileDiff, Hunk, Range
from smartcommit.git.hunks import ChangeUnits, Text, Unit, can_be_cut, list_units
from smartcommit.git.objects import read_blobs
from smartcommit.git.repo import Repository
from smartcommit.rewrite.origins import BASE, LineHistory, Origins, Run, count_lines, number_runs
from smartcommit.rewrite.woven import LOOSE, Weaver, WovenText, group_by_path, list_hunks
from smartcommit.split.cut import Part, split_unit


class Ownership:
    """The owners of the units of one range; `owners` has that of each commit in `origins`, in their order."""

    def __init__(self, repository: Repository, origins: Origins, owners: Sequence[int]) -> None:
        self.owners = owners
        self._repository = repository
        self._origins = origins
        # The histories of the files that have several owners, without what these have put back.
        self._histories: dict[bytes, LineHistory] = {}
        self._weaver = Weaver(repository, owners)
        self._lines: dict[bytes, tuple[dict[int, int], dict[int, int]]] = {}
        # The lines in each hunk of the files that have several owners, by the path and the place of the hunk.
        self._parts: dict[tuple[bytes, Range], list[Part]] = {}
        # The owners of units without lines.
        self._idle: dict[str, int] = {}

    def find_history(self, path: bytes) -> LineHistory:
        """Return the history of the file that changed at `path`."""
        return self._histories.get(path) or self._origins.find(path)

    def list_diffs(self, commit: int) -> Sequence[FileDiff]:
        """Return what the commit at this position changed."""
        return self._origins.diffs[commit]

    def divide(self, files: ChangeUnits) -> ChangeUnits:
        """Return the change, which has whole `files`, with those in hunks that have several owners; one process.

        Each hunk is cut where its owner changes. An owner whose lines are all removed by others has a unit without
        lines, with which they come.
        """
        diffs, texts = self._compare_ends(self._part_renames(files.diffs))
        units: list[Unit] = []
        for diff in diffs:
            if diff.change.path in texts:
                parts = self._list_parts(diff, texts[diff.change.path])
                texts[diff.change.path] = _with_hunks(texts[diff.change.path], parts)
                units += parts
            else:
                units += list_units([diff], {})
        change = ChangeUnits(diffs, units, texts)
        for unit in units:
            if unit.change.path in texts and unit.hunks:
                change = self._cut(change, unit)
        return self._drop_idle(change)

    def weave(self, change: ChangeUnits) -> ChangeUnits:
        """Return `change`, in units of `divide` or parts of these, with texts as they were between the commits."""
        histories = {}
        for path in change.texts:
            if len(self._find_owners(path)) > 1:
                histories[path] = self.find_history(path)
        return self._weaver.weave(change, histories, self.find)

    def find(self, unit: Unit) -> int:
        """Return the owner of most of the lines of `unit`."""
        idle = self._idle.get(unit.id)
        if idle is not None:
            return idle
        lines: Counter[int] = Counter()
        for commit, count in self.list_commits(unit).items():
            lines[self.owners[commit]] += count
        return max(lines, key=lambda owner: (lines[owner], owner), default=LOOSE)

    def _count(self, path: bytes, hunks: Iterable[Hunk]) -> Counter[int]:
        """Return how many lines of `hunks` each commit added or removed."""
        history = self.find_history(path)
        counts: Counter[Any] = Counter()
        if history.is_text:
            removers, adders = self._number_lines(path, history)
            for hunk in hunks:
                counts.update(_look_up(removers, hunk.old_start, hunk.old_count))
                counts.update(_look_up(adders, hunk.new_start, hunk.new_count))
        # Lines that no commit changed, although the hunk has them.
        counts.pop(None, None)
        return counts

    def list_commits(self, unit: Unit) -> Counter[int]:
        """Return by how much each commit made `unit`, in lines, or in edits of a file whose lines are not known."""
        if unit.id in self._idle:
            return Counter([self._idle[unit.id]])
        if unit.kind == "mode":
            changes = self.find_history(unit.change.path).changes.items()
            return Counter([number for number, change in changes if change.old_mode != change.new_mode])
        counts = self._count(unit.change.path, unit.hunks)
        for path in unit.paths:
            if not counts:
                counts.update(list(self.find_history(path).changes))
        return counts

    def count_commits(self, units: Iterable[Unit]) -> Counter[int]:
        """Return by how much each commit made these units."""
        counts: Counter[int] = Counter()
        for unit in units:
            counts += self.list_commits(unit)
        return counts

    def _number_lines(self, path: bytes, history: LineHistory) -> tuple[dict[int, int], dict[int, int]]:
        """Return which commit removed a line of the base, and which added one of HEAD, by the numbers of the lines."""
        if path not in self._lines:
            removers: dict[int, int] = {}
            adders: dict[int, int] = {}
            for run, old, new in number_runs(history.runs):
                if run.born == BASE and run.died is not None:
                    removers.update(dict.fromkeys(range(old, old + run.count), run.died))
                if run.born != BASE and run.died is None:
                    adders.update(dict.fromkeys(range(new, new + run.count), run.born))
            self._lines[path] = removers, adders
        return self._lines[path]

    def _find_owners(self, *paths: bytes) -> set[int]:
        """Return the owners of the commits that changed files at `paths`."""
        owners: set[int] = set()
        for path in paths:
            owners.update(self.owners[commit] for commit in self.find_history(path).changes)
        return owners

    def _is_shared(self, diff: FileDiff) -> bool:
        """Whether the lines of a file can be given to the owners of several commits that changed it."""
        change = diff.change
        if len(self._find_owners(change.path)) < 2 or not diff.complete or not self.find_history(change.path).is_text:
            return False
        return change.status in "AMD" and {change.old_mode, change.new_mode} <= {ABSENT, *REGULAR}

    def _part_renames(self, diffs: Iterable[FileDiff]) -> list[FileDiff]:
        """Return `diffs` with a deleted and an added file, without hunks, for each renamed one of several owners."""
        null = self._repository.null_id
        parted: list[FileDiff] = []
        for diff in diffs:
            change = diff.change
            if change.old_path is None or len(self._find_owners(change.old_path, change.path)) < 2:
                parted.append(diff)
                continue
            old = FileChange("D", change.old_path, None, change.old_mode, ABSENT, change.old_id, null)
            new = FileChange("A", change.path, None, ABSENT, change.new_mode, null, change.new_id)
            parted += [FileDiff(old, []), FileDiff(new, [])]
        return parted

    def _compare_ends(self, diffs: Sequence[FileDiff]) -> tuple[list[FileDiff], dict[bytes, Text]]:
        """Return `diffs` with the hunks of the commits in files that have several owners, and the texts of these.

        Files that a rename was parted into get hunks, too. One process.
        """
        wanted: dict[bytes, FileDiff] = {}
        oids: dict[str, None] = {}
        for diff in diffs:
            if self._is_shared(diff) or self._is_parted(diff):
                wanted[diff.change.path] = diff
                oids.update({diff.change.old_id: None, diff.change.new_id: None})
        oids.pop(self._repository.null_id, None)
        contents = dict(zip(oids, read_blobs(self._repository, list(oids)), strict=True))
        compared: list[FileDiff] = []
        texts = {}
        for diff in diffs:
            compared.append(diff)
            path = diff.change.path
            if path not in wanted:
                continue
            history = self.find_history(path)
            base, target = contents.get(diff.change.old_id, b""), contents.get(diff.change.new_id, b"")
            runs, found = _compare_runs(history.runs, (base, target), self.owners, diff.hunks)
            hunks = []
            for hunk, parts in found:
                hunks.append(hunk)
                self._parts[path, hunk.range] = parts
            text = Text(base, target, hunks)
            if not hunks or not text.is_exact():
                continue
            change = copy(diff.change)
            change.deleted = sum(map(attrgetter("old_count"), hunks))
            change.added = sum(map(attrgetter("new_count"), hunks))
            compared[-1] = FileDiff(change, hunks)
            if self._is_shared(diff):
                self._histories[path] = replace(history, runs=runs)
                texts[path] = text
        return compared, texts

    def _is_parted(self, diff: FileDiff) -> bool:
        """Whether the file is part of a rename, of which no hunks were read."""
        change = diff.change
        return change.status in "AD" and not diff.hunks and self.find_history(change.path).is_text

    def _list_parts(self, diff: FileDiff, text: Text) -> list[Unit]:
        """Return a unit for each hunk of a file, for its mode, and for each owner that has no line left."""
        plain = diff
        if not can_be_cut(diff):
            change = copy(diff.change)
            change.status, change.old_mode, change.new_mode = "M", REGULAR[0], REGULAR[0]
            plain = FileDiff(change, diff.hunks)
        units = []
        for unit in list_units([plain], {diff.change.path}):
            kind = "text" if unit.hunks else unit.kind
            units.append(replace(unit, kind=kind, change=diff.change))
        place = len(diff.hunks)
        for owner in self._list_idle(diff):
            idle = self._make_idle_unit(diff, text, owner, number=len(units) + 1)
            units.insert(place, idle)
            place += 1
        return units

    def _list_idle(self, diff: FileDiff) -> list[int]:
        """Return the owners whose lines in the file are all replaced by others, and that of a new path."""
        wanted = set()
        for run in self.find_history(diff.change.path).runs:
            if run.is_transient and run.died is not None:
                pair = {self.owners[run.born], self.owners[run.died]}
                if len(pair) == 2 and LOOSE not in pair:
                    wanted |= pair
        for commit in self._count(diff.change.path, diff.hunks):
            wanted.discard(self.owners[commit])
        return sorted(wanted)

    def _make_idle_unit(self, diff: FileDiff, text: Text, owner: int, *, number: int) -> Unit:
        """Return a unit of `owner` without lines, at the end of the file."""
        digest = hashlib.sha256(diff.change.path + self._origins.commits[owner].encode()).hexdigest()
        end = Hunk(count_lines(text.base), 0, count_lines(text.target), 0, b"", [], [])
        unit = Unit(f"{os.fsdecode(diff.change.path)}::{number}", "text", diff.change, (end,), f"{digest[:20]}-0")
        self._idle[unit.id] = owner
        return unit

    def _cut(self, change: ChangeUnits, unit: Unit) -> ChangeUnits:
        """Return `change` with `unit` cut where its owner changes, as far as that is possible."""
        unit_id = unit.id
        removed = added = 0
        for part in self._parts.get((unit.change.path, unit.hunks[0].range), [])[:-1]:
            removed += part.removed
            added += part.added
            with suppress(SplitError):
                change = split_unit(change, unit_id, removed=removed, added=added)
                unit_id = f"{unit_id}.2"
                removed = added = 0
        return change

    def _drop_idle(self, change: ChangeUnits) -> ChangeUnits:
        """Return `change` without units that have no lines in files that cannot be woven: they would change nothing."""
        woven, units = self.weave(change).texts, []
        for unit in change.units:
            if unit.id not in self._idle or isinstance(woven[unit.change.path], WovenText):
                units.append(unit)
        texts = dict(change.texts)
        for path, left in group_by_path(units).items():
            if path in texts:
                texts[path] = _with_hunks(texts[path], left)
        return ChangeUnits(change.diffs, units, texts)


def _look_up(commits: Mapping[int, int], start: int, count: int) -> Iterator[int | None]:
    """Return the commits of these lines, None for one that none changed."""
    return map(commits.get, range(start, start + count))


def _with_hunks(text: Text, units: Sequence[Unit]) -> Text:
    """Return the text with the hunks of `units`."""
    return Text(text.base, text.target, list_hunks(units))


@dataclass(slots=True)
class _Section:
    """Runs between lines that stay, and the lines that they remove and add: `old` and `new` are the first of these."""

    old: int
    new: int
    runs: list[Run] = field(default_factory=list)
    removed: list[bytes] = field(default_factory=list)
    added: list[bytes] = field(default_factory=list)

    def list_parts(self, owners: Sequence[int]) -> list[Part]:
        """Return the lines in a row that each owner removed or added."""
        parts: list[Part] = []
        for run in self.runs:
            if run.is_transient:
                continue
            if run.died is not None:
                part = Part(run.count, 0, owners[run.died])
            else:
                part = Part(0, run.count, owners[run.born])
            if parts and parts[-1].owner == part.owner:
                last = parts.pop()
                part = Part(last.removed + part.removed, last.added + part.added, part.owner)
            parts.append(part)
        return parts

    def is_restored(self, owners: Sequence[int]) -> bool:
        """Whether one owner has changed the lines and put them back."""
        touching = set()
        for run in self.runs:
            if run.born != BASE:
                touching.add(owners[run.born])
            if run.died is not None:
                touching.add(owners[run.died])
        return self.removed == self.added and len(touching) == 1


def _compare_runs(
    runs: Sequence[Run], ends: tuple[bytes, bytes], owners: Sequence[int], known: Sequence[Hunk]
) -> tuple[list[Run], list[tuple[Hunk, list[Part]]]]:
    """Return the lines of a file, and the hunks between its contents at both `ends`, each in the parts of its owners.

    git compares the two ends alone, and may pair lines that the commits do not. Lines that one owner has changed and
    put back count as never changed. Of git's hunks, the `known` ones, the nearest above says which function it is in.
    """
    kept: list[Run] = []
    hunks = []
    for section in _list_sections(runs, *ends):
        if section.is_restored(owners):
            if section.removed:
                kept.append(Run(BASE, None, len(section.removed)))
            continue
        kept += section.runs
        if section.removed or section.added:
            hunks.append((_make_hunk(section, known), section.list_parts(owners)))
    return kept, hunks


def _list_sections(runs: Sequence[Run], base: bytes, target: bytes) -> Iterator[_Section]:
    """Yield the runs in sections; one that stays is a section of its own, without lines."""
    before, after = io.BytesIO(base).readlines(), io.BytesIO(target).readlines()
    section = _Section(1, 1)
    for run, old, new in number_runs(runs):
        if run.stays:
            yield section
            yield _Section(old, new, [run])
            section = _Section(old + run.count, new + run.count)
            continue
        section.runs.append(run)
        if run.born == BASE:
            section.removed += before[old - 1 : old - 1 + run.count]
        if run.died is None:
            section.added += after[new - 1 : new - 1 + run.count]
    yield section


def _make_hunk(section: _Section, known: Sequence[Hunk]) -> Hunk:
    removed, added = _strip_ends(section.removed), _strip_ends(section.added)
    # git numbers an empty side by the line before it.
    old, new = section.old - (not removed), section.new - (not added)
    context = b""
    for hunk in known:
        if hunk.old_start <= section.old + len(removed):
            context = hunk.context
    return Hunk(old, len(removed), new, len(added), context, removed, added)


def _strip_ends(lines: Sequence[bytes]) -> list[bytes]:
    return [line.removesuffix(b"\n") for line in lines]
