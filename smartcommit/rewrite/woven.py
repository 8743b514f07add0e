"""The content of files between the commits of a range, with the lines that a later commit of it removes again.

The units of a range are the hunks between its ends, in which such lines do not show. A `WovenText` has them too: lines
that one commit brought and another one removed are there between the units of these two.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from smartcommit.git.diff import Hunk
from smartcommit.git.hunks import ChangeUnits, Text, Unit
from smartcommit.git.objects import read_blobs
from smartcommit.git.repo import Repository
from smartcommit.rewrite.origins import BASE, LineHistory, Run, number_runs

# The owner of what is cut anew.
LOOSE = -1


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines in a row that came with the unit at the position `born` (None: from before) and go with that at `died`."""

    content: bytes
    born: int | None
    died: int | None

    def is_in(self, chosen: Collection[int]) -> bool:
        """Whether a version with the units `chosen` has the lines."""
        return (self.born is None or self.born in chosen) and self.died not in chosen


class WovenText(Text):
    """A text made of `pieces`, of which a version has those that its hunks say."""

    __slots__ = ("pieces",)

    def __init__(self, text: Text, hunks: Sequence[Hunk], pieces: Sequence[Piece]) -> None:
        super().__init__(text.base, text.target, hunks)
        self.pieces = pieces

    def compose(self, chosen: Collection[int], beside: Text | None = None) -> bytes:
        """Return the content with the hunks at the positions `chosen`; nothing can be beside them."""
        assert beside is None
        content = bytearray()
        for piece in self.pieces:
            if piece.content and piece.is_in(chosen):
                if content and not content.endswith(b"\n"):  # it was the last line, and is not now
                    content += b"\n"
                content += piece.content
        return bytes(content)

    def is_woven_well(self) -> bool:
        """Whether the pieces lead from the base to the target, and every hunk takes part in that."""
        everything = range(len(self.replacements))
        moved: set[int | None] = set()
        for piece in self.pieces:
            moved |= {piece.born, piece.died}
        ends = self.compose(()) == self.base and self.compose(everything) == self.target
        return ends and moved.issuperset(everything)


@dataclass(frozen=True, slots=True)
class Step(Run):
    """A run with the positions of the units that add and remove its lines, None where no unit does."""

    adder: int | None = None
    remover: int | None = None


def group_by_path(units: Iterable[Unit]) -> dict[bytes, list[Unit]]:
    """Return the units of each file."""
    found: dict[bytes, list[Unit]] = {}
    for unit in units:
        found.setdefault(unit.change.path, []).append(unit)
    return found


def list_hunks(units: Iterable[Unit]) -> list[Hunk]:
    """Return the hunks of `units`, in their order."""
    hunks: list[Hunk] = []
    for unit in units:
        hunks += unit.hunks
    return hunks


def list_steps(history: LineHistory, units: Sequence[Unit]) -> list[Step]:
    """Return all lines of a file in their order; none of the steps has lines of several of its `units`."""
    adders: dict[int, int] = {}
    removers: dict[int, int] = {}
    for position, unit in enumerate(units):
        for hunk in unit.hunks:
            removers.update(dict.fromkeys(range(hunk.old_start, hunk.old_start + hunk.old_count), position))
            adders.update(dict.fromkeys(range(hunk.new_start, hunk.new_start + hunk.new_count), position))
    steps = []
    for run, old, new in number_runs(history.runs):
        if run.stays or run.is_transient:
            steps.append(Step(run.born, run.died, run.count))
        elif run.born == BASE:
            for remover, lines in groupby(range(old, old + run.count), removers.get):
                steps.append(Step(BASE, run.died, len(list(lines)), remover=remover))
        else:
            for adder, lines in groupby(range(new, new + run.count), adders.get):
                steps.append(Step(run.born, None, len(list(lines)), adder=adder))
    return steps


def find_replacing(steps: Sequence[Step], place: int) -> Iterator[int]:
    """Yield the positions of the units whose lines are next to the step at `place`, with no line between that stays."""
    for direction in (1, -1):
        other = place + direction
        while 0 <= other < len(steps) and not steps[other].stays:
            for position in (steps[other].adder, steps[other].remover):
                if position is not None:
                    yield position
            other += direction


class Weaver:
    """Weaves the texts of files; `owners` has the owner of each commit of the range, in their order.

    Owners are numbers, in the order of the new commits; the negative LOOSE stands for commits that are cut anew.
    """

    def __init__(self, repository: Repository, owners: Sequence[int]) -> None:
        self._repository = repository
        self._owners = owners
        self._contents: dict[str, bytes] = {}

    def weave(
        self, change: ChangeUnits, histories: Mapping[bytes, LineHistory], find_owner: Callable[[Unit], int]
    ) -> ChangeUnits:
        """Return `change` with woven texts where that is possible; one process at most.

        `histories` are those of the files with units of several owners.
        """
        by_path = group_by_path(unit for unit in change.units if unit.change.path in histories and unit.hunks)
        self._read(histories[path] for path in by_path)
        texts = dict(change.texts)
        for path, units in by_path.items():
            woven = self._weave(texts[path], units, histories[path], list(map(find_owner, units)))
            if woven.is_woven_well():  # else the hunks do not fit the lines
                texts[path] = woven
        return ChangeUnits(change.diffs, change.units, texts)

    def _read(self, histories: Iterable[LineHistory]) -> None:
        """Read the versions in which there are lines that do not last."""
        wanted: dict[str, None] = {}
        for history in histories:
            wanted.update(dict.fromkeys(_list_versions(history).values()))
        for oid in self._contents:
            wanted.pop(oid, None)
        self._contents.update(zip(wanted, read_blobs(self._repository, list(wanted)), strict=True))

    def _weave(self, text: Text, units: Sequence[Unit], history: LineHistory, owned: Sequence[int]) -> WovenText:
        """Return the text with the lines that do not last."""
        steps = list_steps(history, units)
        versions = {commit: io.BytesIO(self._contents[oid]) for commit, oid in _list_versions(history).items()}
        lines = _Lines(text, versions)
        pieces = []
        # The last unit of each owner so far; before it, the first one.
        nearest: dict[int, int] = {}
        for place, owner in enumerate(owned):
            nearest.setdefault(owner, place)
        for place, step in enumerate(steps):
            content = lines.take(step)
            for position in (step.adder, step.remover):
                if position is not None:
                    nearest[owned[position]] = position
            born, died = step.adder, step.remover
            if step.is_transient:
                born, died = self._find_units(steps, place, nearest, owned)
                if born is None or died is None:
                    continue
            pieces.append(Piece(content, born, died))
        return WovenText(text, list_hunks(units), pieces)

    def _find_units(
        self, steps: Sequence[Step], place: int, nearest: Mapping[int, int], owned: Sequence[int]
    ) -> tuple[int | None, int | None]:
        """Return the positions of the units with which the lines of a step come and go that is at neither end."""
        step = steps[place]
        assert step.died is not None
        adder, remover = self._owners[step.born], self._owners[step.died]
        if adder == remover:
            return None, None
        # Of the units without owner only one that changes the same place has to do with the lines.
        beside = None
        for position in find_replacing(steps, place):
            if owned[position] == LOOSE and beside is None:
                beside = position
        near = {**nearest, LOOSE: beside}
        return near.get(adder), near.get(remover)


def _list_versions(history: LineHistory) -> dict[int, str]:
    """Return the commits that brought lines which are at neither end of the range, and the file's contents then."""
    found = {}
    for run in history.runs:
        if run.is_transient:
            found[run.born] = history.changes[run.born].new_id
    return found


class _Lines:
    """The lines of a file's versions, taken step by step from the first one on."""

    def __init__(self, text: Text, versions: Mapping[int, io.BytesIO]) -> None:
        self._base = io.BytesIO(text.base)
        self._target = io.BytesIO(text.target)
        self._versions = versions

    def take(self, step: Step) -> bytes:
        """Return the content of the next step."""
        taken = b""
        for commit, version in self._versions.items():
            if step.is_in(commit):
                content = _read_lines(version, step.count)
                if commit == step.born:
                    taken = content
        if step.born == BASE:
            taken = _read_lines(self._base, step.count)
        if step.died is None:
            taken = _read_lines(self._target, step.count)
        return taken


def _read_lines(content: io.BytesIO, count: int) -> bytes:
    return b"".join(islice(content, count))
