"""Cuts the change of a range into units that each have one owner: the old commit that a new one continues.

An owner is the position of an old commit, or LOOSE for lines that are cut anew. If commit 0 adds the lines `a` and `b`,
and commit 1 makes `b` a `c`, the ends of the range differ in one hunk, which adds `a` and `c`. It is cut into two, `a`
of commit 0 and `c` of commit 1. The `b` does not show between the ends; a `WovenText` has it too, so that the new
commit with the unit of 0 alone has `a` and `b`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import NamedTuple

from smartcommit.git.diff import ABSENT, REGULAR, FileChange, FileDiff, Hunk, make_hunk
from smartcommit.git.hunks import ChangeUnits, FileUnits, Text, Unit, divide_file
from smartcommit.git.objects import read_objects
from smartcommit.git.repo import Repository
from smartcommit.rewrite.origins import BASE, LineRun, Origins, count_lines, join_lines, number_runs

# The owner of what is cut anew.
LOOSE = -1


class _LineCommits(NamedTuple):
    """Which commits removed lines of the base, and added lines of HEAD, by the numbers of the lines."""

    removers: dict[int, int]
    adders: dict[int, int]


class Ownership:
    """The owners of the units of one range; `owners` has that of each commit in `origins`, in their order."""

    def __init__(self, repository: Repository, origins: Origins, owners: Sequence[int]) -> None:
        self.owners = owners
        self._repository = repository
        self._origins = origins
        # The lines of the files that have several owners, without what these have put back.
        self._runs: dict[bytes, list[LineRun]] = {}
        self._line_commits: dict[bytes, _LineCommits] = {}
        # The owners of units without lines, by the ids of these.
        self._idle: dict[str, int] = {}

    def list_runs(self, path: bytes) -> Sequence[LineRun]:
        return self._runs.get(path, self._origins.find(path).runs)

    def list_diffs(self, commit: int) -> Sequence[FileDiff]:
        return self._origins.diffs[commit]

    def divide(self, files: ChangeUnits) -> ChangeUnits:
        """Return the change of whole `files` with each file of several owners in hunks of one owner; one process.

        If all lines of an owner are removed by others, it gets a hunk without lines: where that is, the lines are.
        """
        parted = self._part_renames(files.diffs)
        shared = [diff.change for diff in parted if self._is_shared(diff)]
        oids = {change.old_id for change in shared}
        oids.update(change.new_id for change in shared)
        oids.discard(self._repository.null_id)
        contents = dict(zip(oids, read_objects(self._repository, list(oids)), strict=True))
        divided = {}
        for diff in parted:
            file = self._divide_file(diff, contents) if self._is_shared(diff) else None
            divided[diff.change.path] = file or divide_file(diff)
        return ChangeUnits(divided)

    def weave(self, change: ChangeUnits) -> ChangeUnits:
        """Return `change`, in units of `divide` or parts of these, with texts as they were between the commits."""
        files = dict(change.files)
        for path, file in change.files.items():
            if file.text is not None and path in self._runs:
                units = [unit for unit in file.units if unit.hunks]
                files[path] = file._replace(text=self._weave_text(file.text, units, self._runs[path]))
        return ChangeUnits(files)

    def _weave_text(self, text: Text, units: Sequence[Unit], runs: Iterable[LineRun]) -> WovenText:
        """Return the text with the lines of `runs` that do not last."""
        owned = [self.find_owner(unit) for unit in units]
        steps = list_steps(runs, units)
        woven = []
        # The last unit of each owner so far; before it, the first one.
        nearest: dict[int, int | None] = {}
        for position, owner in enumerate(owned):
            nearest.setdefault(owner, position)
        for place, step in enumerate(steps):
            for changer in (step.adder, step.remover):
                if changer is not None:
                    nearest[owned[changer]] = changer
            if step.died is None or not step.is_transient:
                woven.append(step)
                continue
            # Of the units without owner only one that changes the same place has to do with the lines.
            near = {**nearest, LOOSE: find_loose(steps, place, owned)}
            born, died = self.owners[step.born], self.owners[step.died]
            adder, remover = near.get(born), near.get(died)
            if born != died and adder is not None and remover is not None:
                woven.append(replace(step, adder=adder, remover=remover))
        return WovenText(text, list_hunks(units), woven)

    def find_owner(self, unit: Unit) -> int:
        """Return the owner of most of the lines of `unit`."""
        if unit.id in self._idle:
            return self._idle[unit.id]
        lines: Counter[int] = Counter()
        for commit, count in self.list_commits(unit).items():
            lines[self.owners[commit]] += count
        return max(lines, key=lambda owner: (lines[owner], owner), default=LOOSE)

    def list_commits(self, unit: Unit) -> Counter[int]:
        """Return how many lines of `unit` each commit made, or that it edited the file if its lines are not known."""
        if unit.id in self._idle:
            return Counter([self._idle[unit.id]])
        counts: Counter[int] = Counter()
        if unit.kind == "mode":
            for number, change in self._origins.find(unit.change.path).changes.items():
                counts[number] += change.old_mode != change.new_mode
            return +counts
        if self._origins.find(unit.change.path).is_text:
            lines = self._find_line_commits(unit.change.path)
            if not unit.hunks and unit.change.status in "AD":  # a part of a rename
                counts.update([*lines.removers.values(), *lines.adders.values()])
            for hunk in unit.hunks:
                # A hunk of git's may have lines that no commit changed.
                counts.update(lines.removers[line] for line in hunk.old_lines if line in lines.removers)
                counts.update(lines.adders[line] for line in hunk.new_lines if line in lines.adders)
        for path in unit.paths:
            if not counts:
                counts.update(list(self._origins.find(path).changes))
        return counts

    def count_commits(self, units: Iterable[Unit]) -> Counter[int]:
        counts: Counter[int] = Counter()
        for unit in units:
            counts += self.list_commits(unit)
        return counts

    def _find_line_commits(self, path: bytes) -> _LineCommits:
        if path not in self._line_commits:
            lines = self._line_commits[path] = _LineCommits({}, {})
            for run, old, new in number_runs(self.list_runs(path)):
                if run.born == BASE and run.died is not None:
                    lines.removers.update(dict.fromkeys(range(old, old + run.count), run.died))
                if run.born != BASE and run.died is None:
                    lines.adders.update(dict.fromkeys(range(new, new + run.count), run.born))
        return self._line_commits[path]

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
            else:
                old = FileChange("D", change.old_path, None, change.old_mode, ABSENT, change.old_id, null)
                new = FileChange("A", change.path, None, ABSENT, change.new_mode, null, change.new_id)
                parted += [FileDiff(old, []), FileDiff(new, [])]
        return parted

    def _divide_file(self, diff: FileDiff, contents: Mapping[str, bytes]) -> FileUnits | None:
        """Return a file in the hunks of its owners, or None if its lines did not change."""
        path = diff.change.path
        change = copy(diff.change)
        base, target = contents.get(change.old_id, b""), contents.get(change.new_id, b"")
        runs, hunks = divide_runs(self._origins.find(path).read_base(base), self.owners, diff.hunks)
        if not hunks or not Text(base, target, hunks).is_exact():
            return None
        self._runs[path] = runs
        change.deleted = sum(hunk.old_count for hunk in hunks)
        change.added = sum(hunk.new_count for hunk in hunks)
        # An owner without lines gets a hunk that changes nothing, below all others: a unit is known by its hunk.
        idle = list_idle(runs, self.owners)
        old_end, new_end = count_lines(base), count_lines(target)
        empty = make_hunk(range(old_end, old_end), range(new_end, new_end), [], [])
        divided = FileDiff(copy(change), [*hunks, *[empty] * len(idle)])
        if ABSENT in (change.old_mode, change.new_mode):
            # That the file comes or goes is no change of mode, which would be a unit of its own.
            divided.change.old_mode = divided.change.new_mode
        text, units = Text(base, target, divided.hunks), []
        for unit in divide_file(divided, text).units:
            # A single hunk would be the whole file.
            kind = "text" if unit.hunks else unit.kind
            units.append(replace(unit, kind=kind, change=change))
        for unit, owner in zip(units[len(hunks) :], idle, strict=False):
            self._idle[unit.id] = owner
        return FileUnits(FileDiff(change, hunks), units, text)


@dataclass(frozen=True, slots=True)
class Step(LineRun):
    """A run of lines, with the positions of the units that add them and remove them; None where no unit does."""

    adder: int | None = None
    remover: int | None = None


class WovenText(Text):
    """A text made of `steps`, of which a version has those that its hunks say."""

    __slots__ = ("steps",)

    def __init__(self, text: Text, hunks: Sequence[Hunk], steps: Sequence[Step]) -> None:
        super().__init__(text.base, text.target, hunks)
        self.steps = steps

    def compose(self, chosen: Collection[int], beside: Text | None = None) -> bytes:
        """Return the content with the hunks at the positions `chosen`."""
        assert beside is None, "the commits of a range have no staged changes beside them"
        steps = []
        for step in self.steps:
            if (step.adder is None or step.adder in chosen) and step.remover not in chosen:
                steps.append(step)
        return join_lines(steps)


def list_hunks(units: Iterable[Unit]) -> list[Hunk]:
    hunks: list[Hunk] = []
    for unit in units:
        hunks += unit.hunks
    return hunks


def list_steps(runs: Iterable[LineRun], units: Sequence[Unit]) -> list[Step]:
    """Return all lines of a file in their order; none of the steps has lines of several of its `units`."""
    adders: dict[int, int] = {}
    removers: dict[int, int] = {}
    for position, unit in enumerate(units):
        for hunk in unit.hunks:
            removers.update(dict.fromkeys(hunk.old_lines, position))
            adders.update(dict.fromkeys(hunk.new_lines, position))
    steps = []
    for run, old, new in number_runs(runs):
        if run.stays or run.is_transient:
            steps.append(Step(run.born, run.died, run.count, run.lines))
            continue
        changers = [removers.get(old + line) for line in range(run.count)]
        if run.died is None:
            changers = [adders.get(new + line) for line in range(run.count)]
        above = 0
        for changer, same in groupby(changers):
            lines = run.lines[above : above + len(list(same))]
            above += len(lines)
            adder, remover = (changer, None) if run.died is None else (None, changer)
            steps.append(Step(run.born, run.died, len(lines), lines, adder, remover))
    return steps


def find_loose(steps: Sequence[Step], place: int, owned: Sequence[int]) -> int | None:
    """Return the position of a unit without owner that changes lines next to the step at `place`.

    No line between them stays. `owned` has the owner of each unit.
    """
    for direction in (1, -1):
        other = place + direction
        while 0 <= other < len(steps) and not steps[other].stays:
            for position in (steps[other].adder, steps[other].remover):
                if position is not None and owned[position] == LOOSE:
                    return position
            other += direction
    return None


def list_idle(runs: Iterable[LineRun], owners: Sequence[int]) -> list[int]:
    """Return the owners that have no lasting line in a file, since others have replaced all that they did."""
    idle: set[int] = set()
    lasting: set[int] = set()
    for run in runs:
        changers = _list_changers([run], owners)
        if not run.is_transient:
            lasting |= changers
        elif len(changers) == 2 and LOOSE not in changers:
            idle |= changers
    return sorted(idle - lasting)


def divide_runs(
    runs: Iterable[LineRun], owners: Sequence[int], known: Sequence[Hunk]
) -> tuple[list[LineRun], list[Hunk]]:
    """Return the lines of a file, and the hunks between its ends, each of one owner.

    git compares the two ends alone, and may pair lines that the commits do not. Lines that one owner has changed and
    put back count as never changed. Of git's hunks, the `known` ones, the nearest above says which function it is in.
    """
    lasting: list[LineRun] = []
    hunks = []
    for _, numbered in groupby(number_runs(runs), key=lambda numbered: numbered[0].stays):
        section = list(numbered)
        changed = [run for run, _, _ in section]
        parts = _list_parts(changed, owners)
        if len(parts) == 1 and parts[0].changes_nothing and len(_list_changers(changed, owners)) == 1:
            lines = tuple(parts[0].removed)
            lasting.append(LineRun(BASE, None, len(lines), lines))
            continue
        lasting += changed
        _, old, new = section[0]
        for part in parts:
            hunks.append(part.make_hunk(old, new, known))
            old += len(part.removed)
            new += len(part.added)
    return lasting, hunks


def _list_changers(runs: Iterable[LineRun], owners: Sequence[int]) -> set[int]:
    changers = set()
    for run in runs:
        if run.born != BASE:
            changers.add(owners[run.born])
        if run.died is not None:
            changers.add(owners[run.died])
    return changers


@dataclass(slots=True)
class _Part:
    """Lines in a row that one owner removes and adds."""

    owner: int
    removed: list[bytes] = field(default_factory=list)
    added: list[bytes] = field(default_factory=list)

    @property
    def changes_nothing(self) -> bool:
        """Whether a commit of these lines alone would be empty."""
        return self.removed == self.added

    def make_hunk(self, old: int, new: int, known: Iterable[Hunk]) -> Hunk:
        context = b""
        for hunk in known:
            if hunk.old_lines.start <= old + len(self.removed):
                context = hunk.context
        removed = [line.removesuffix(b"\n") for line in self.removed]
        added = [line.removesuffix(b"\n") for line in self.added]
        old_lines, new_lines = range(old, old + len(removed)), range(new, new + len(added))
        return make_hunk(old_lines, new_lines, removed, added, context=context)


def _list_parts(runs: Iterable[LineRun], owners: Sequence[int]) -> list[_Part]:
    """Return what is removed and added between lines that stay, in parts that each change something."""
    parts: list[_Part] = []
    for run in runs:
        if run.stays or run.is_transient:
            continue
        (owner,) = _list_changers([run], owners)
        if not parts or not (parts[-1].owner == owner or parts[-1].changes_nothing):
            parts.append(_Part(owner))
        part = parts[-1]
        part.owner = owner
        if run.died is None:
            part.added += run.lines
        else:
            part.removed += run.lines
    if len(parts) > 1 and parts[-1].changes_nothing:
        last = parts.pop()
        parts[-1].removed += last.removed
        parts[-1].added += last.added
    return parts
