"""Whose each unit of a range is: the hunks between its ends, cut where lines of several commits meet.

The owner of a unit is the number of an old commit that one of the new ones continues, or LOOSE if it is cut anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace

from smartcommit.git.diff import ABSENT, REGULAR, FileChange, FileDiff, Hunk
from smartcommit.git.hunks import ChangeUnits, Text, Unit, can_be_cut, list_units
from smartcommit.git.objects import read_blobs
from smartcommit.git.repo import Repository
from smartcommit.rewrite.origins import BASE, Origins, Run, count_lines, number_runs
from smartcommit.rewrite.woven import LOOSE, divide_runs, group_by_path, list_idle, weave


class Ownership:
    """The owners of the units of one range; `owners` has that of each commit in `origins`, in their order."""

    def __init__(self, repository: Repository, origins: Origins, owners: Sequence[int]) -> None:
        self.owners = owners
        self._repository = repository
        self._origins = origins
        # The lines of the files that have several owners, without what these have put back.
        self._runs: dict[bytes, list[Run]] = {}
        self._lines: dict[bytes, tuple[dict[int, int], dict[int, int]]] = {}
        # The owners of units without lines.
        self._idle: dict[str, int] = {}

    def list_runs(self, path: bytes) -> Sequence[Run]:
        """Return the lines of the file that changed at `path`."""
        return self._runs.get(path, self._origins.find(path).runs)

    def list_diffs(self, commit: int) -> Sequence[FileDiff]:
        return self._origins.diffs[commit]

    def divide(self, files: ChangeUnits) -> ChangeUnits:
        """Return the change, which has whole `files`, with those in hunks that have several owners; one process.

        Each hunk has one owner. An owner whose lines are all removed by others has one without lines, with which they
        come.
        """
        parted = self._part_renames(files.diffs)
        contents = self._read_contents([diff for diff in parted if self._is_shared(diff)])
        change = ChangeUnits([], [], {})
        for diff in parted:
            found = None
            if self._is_shared(diff):
                found = self._divide_file(diff, contents)
            change = change.join(found or ChangeUnits([diff], list_units([diff], {}), {}))
        return change

    def weave(self, change: ChangeUnits) -> ChangeUnits:
        """Return `change`, in units of `divide` or parts of these, with texts as they were between the commits."""
        texts = dict(change.texts)
        for path, units in group_by_path(unit for unit in change.units if unit.hunks).items():
            if path in texts and path in self._runs:
                owned = [self.find(unit) for unit in units]
                texts[path] = weave(texts[path], units, self._runs[path], owners=self.owners, owned=owned)
        return ChangeUnits(change.diffs, change.units, texts)

    def find(self, unit: Unit) -> int:
        """Return the owner of most of the lines of `unit`."""
        idle = self._idle.get(unit.id)
        if idle is not None:
            return idle
        lines: Counter[int] = Counter()
        for commit, count in self.list_commits(unit).items():
            lines[self.owners[commit]] += count
        return max(lines, key=lambda owner: (lines[owner], owner), default=LOOSE)

    def list_commits(self, unit: Unit) -> Counter[int]:
        """Return by how much each commit made `unit`, in lines, or in edits of a file whose lines are not known."""
        if unit.id in self._idle:
            return Counter([self._idle[unit.id]])
        counts: Counter[int] = Counter()
        if unit.kind == "mode":
            for number, change in self._origins.find(unit.change.path).changes.items():
                counts[number] += change.old_mode != change.new_mode
            return +counts
        counts = self._count_lines(unit.change, unit.hunks)
        for path in unit.paths:
            if not counts:
                counts.update(list(self._origins.find(path).changes))
        return counts

    def _count_lines(self, change: FileChange, hunks: Sequence[Hunk]) -> Counter[int]:
        """Return how many lines of `hunks` each commit added or removed; of a part of a rename, which has none, all."""
        counts: Counter[int] = Counter()
        if self._origins.find(change.path).is_text:
            removers, adders = self._number_lines(change.path)
            if not hunks and change.status in "AD":
                counts.update([*removers.values(), *adders.values()])
            for hunk in hunks:
                counts.update(_look_up(removers, hunk.old_start, hunk.old_count))
                counts.update(_look_up(adders, hunk.new_start, hunk.new_count))
        return counts

    def count_commits(self, units: Iterable[Unit]) -> Counter[int]:
        counts: Counter[int] = Counter()
        for unit in units:
            counts += self.list_commits(unit)
        return counts

    def _number_lines(self, path: bytes) -> tuple[dict[int, int], dict[int, int]]:
        """Return which commit removed a line of the base, and which added one of HEAD, by the numbers of the lines."""
        if path not in self._lines:
            removers: dict[int, int] = {}
            adders: dict[int, int] = {}
            for run, old, new in number_runs(self.list_runs(path)):
                if run.born == BASE and run.died is not None:
                    removers.update(dict.fromkeys(range(old, old + run.count), run.died))
                if run.born != BASE and run.died is None:
                    adders.update(dict.fromkeys(range(new, new + run.count), run.born))
            self._lines[path] = removers, adders
        return self._lines[path]

    def _find_owners(self, *paths: bytes) -> set[int]:
        owners: set[int] = set()
        for path in paths:
            owners.update(self.owners[change] for change in self._origins.find(path).changes)
        return owners

    def _is_shared(self, diff: FileDiff) -> bool:
        """Whether the lines of a file can be given to the owners of several commits that changed it."""
        change = diff.change
        is_text = diff.complete and self._origins.find(change.path).is_text
        if not is_text or len(self._find_owners(change.path)) < 2:
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

    def _read_contents(self, diffs: Iterable[FileDiff]) -> dict[str, bytes]:
        """Return the contents of files at both ends, and between them where lines do not last; one process."""
        oids: dict[str, None] = {}
        for diff in diffs:
            oids.update({diff.change.old_id: None, diff.change.new_id: None})
            oids.update(dict.fromkeys(self._origins.find(diff.change.path).list_versions().values()))
        oids.pop(self._repository.null_id, None)
        return dict(zip(oids, read_blobs(self._repository, list(oids)), strict=True))

    def _divide_file(self, diff: FileDiff, contents: Mapping[str, bytes]) -> ChangeUnits | None:
        """Return a file in the hunks of its owners, or None if its lines did not change."""
        path, change = diff.change.path, copy(diff.change)
        base, target = contents.get(change.old_id, b""), contents.get(change.new_id, b"")
        runs = self._origins.find(path).read_lines((base, target), contents)
        runs, hunks = divide_runs(runs, self.owners, diff.hunks)
        if not hunks or not Text(base, target, hunks).is_exact():
            return None
        self._runs[path] = runs
        change.deleted = sum(hunk.old_count for hunk in hunks)
        change.added = sum(hunk.new_count for hunk in hunks)
        idle = list_idle(runs, self.owners)
        end = Hunk(count_lines(base), 0, count_lines(target), 0, b"", [], [])
        plain = FileDiff(copy(change), [*hunks, *[end] * len(idle)])
        if not can_be_cut(plain):  # the file is added or deleted
            plain.change.status, plain.change.old_mode, plain.change.new_mode = "M", REGULAR[0], REGULAR[0]
        units = []
        for unit in list_units([plain], {path}):
            kind = "text" if unit.hunks else unit.kind
            units.append(replace(unit, kind=kind, change=change))
        for unit, owner in zip(units[len(hunks) :], idle, strict=False):
            self._idle[unit.id] = owner
        return ChangeUnits([FileDiff(change, hunks)], units, {path: Text(base, target, plain.hunks)})


def _look_up(commits: Mapping[int, int], start: int, count: int) -> Iterator[int]:
    """Yield the commits of these lines, but nothing for one that none changed, although the hunk has it."""
    for line in range(start, start + count):
        if line in commits:
            yield commits[line]
