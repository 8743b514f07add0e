"""The content of files between the commits of a range, with the lines that a later commit of it removes again.

The units of a range are the hunks between its ends, in which such lines do not show. A `WovenText` has them too: lines
that one commit brought and another one removed are there between the units of these two.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from smartcommit.git.diff import Hunk
from smartcommit.git.hunks import ChangeUnits, Replacement, Text, Unit, Version
from smartcommit.git.objects import read_blobs
from smartcommit.git.repo import Repository
from smartcommit.rewrite.origins import BASE, LineHistory

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
        parts = [piece.content for piece in self.pieces if piece.content and piece.is_in(chosen)]
        for place, part in enumerate(parts[:-1]):
            if not part.endswith(b"\n"):  # it was the last line, and is not now
                parts[place] = part + b"\n"
        return b"".join(parts)

    def start(self) -> Version:
        """Return the content of the base, to which hunks can be added."""
        return _WovenVersion(self)

    def is_woven_well(self) -> bool:
        """Whether the pieces lead from the base to the target, and every hunk takes part in that."""
        everything = range(len(self.replacements))
        moved: set[int | None] = set()
        for piece in self.pieces:
            moved |= {piece.born, piece.died}
        ends = self.compose(()) == self.base and self.compose(everything) == self.target
        return ends and moved.issuperset(everything)


class _WovenVersion(Version):
    """A version of a woven text."""

    __slots__ = ("_woven",)

    def __init__(self, text: WovenText) -> None:
        super().__init__(text)
        self._woven = text

    def add(self, position: int) -> None:
        self.added.append(position)
        self.content = bytearray(self._woven.compose(self.added))

    def replacements_since(self, count: int) -> Iterator[Replacement]:
        before = self._woven.compose(set(self.added[:count]))
        same = 0
        for one, other in zip(io.BytesIO(before), io.BytesIO(self.content), strict=False):
            if one != other:
                break
            same += len(one)
        yield Replacement(same, len(before), bytes(self.content[same:]))


@dataclass(frozen=True, slots=True)
class Step:
    """Lines in a row that came and went together: by which commits, and by the units at which positions.

    `born` is BASE for lines that are there before the range, and `died` None for those that HEAD has. A position is
    None where no unit adds or removes the lines.
    """

    born: int
    died: int | None
    count: int
    adder: int | None = None
    remover: int | None = None

    @property
    def is_transient(self) -> bool:
        """Whether the lines are neither before the range nor in HEAD."""
        return self.born != BASE and self.died is not None

    @property
    def stays(self) -> bool:
        """Whether the lines are both before the range and in HEAD."""
        return self.born == BASE and self.died is None


def list_steps(history: LineHistory, units: Sequence[Unit]) -> list[Step]:
    """Return all lines of a file in their order; none of the steps has lines of several of its `units`."""
    adders: dict[int, int] = {}
    removers: dict[int, int] = {}
    for position, unit in enumerate(units):
        for hunk in unit.hunks:
            removers.update(dict.fromkeys(range(hunk.old_start, hunk.old_start + hunk.old_count), position))
            adders.update(dict.fromkeys(range(hunk.new_start, hunk.new_start + hunk.new_count), position))
    steps = []
    old = new = 1
    for run in history.runs:
        step = Step(run.born, run.died, run.count)
        if step.stays or step.is_transient:
            steps.append(step)
        elif run.born == BASE:
            for remover, lines in groupby(range(old, old + run.count), removers.get):
                steps.append(replace(step, count=len(list(lines)), remover=remover))
        else:
            for adder, lines in groupby(range(new, new + run.count), adders.get):
                steps.append(replace(step, count=len(list(lines)), adder=adder))
        old += run.count * (run.born == BASE)
        new += run.count * (run.died is None)
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
        self, change: ChangeUnits, histories: Mapping[bytes, LineHistory], owned: Mapping[str, int]
    ) -> ChangeUnits:
        """Return `change` with woven texts where that is possible; one process at most.

        `histories` are those of the files with units of several owners, and `owned` has the owner of each unit by its
        id.
        """
        by_path: dict[bytes, list[Unit]] = {}
        for unit in change.units:
            if unit.change.path in histories and unit.hunks:
                by_path.setdefault(unit.change.path, []).append(unit)
        self._read({path: histories[path] for path in by_path})
        texts = dict(change.texts)
        for path, units in by_path.items():
            woven = self._weave(texts[path], units, histories[path], [owned[unit.id] for unit in units])
            if woven is not None:
                texts[path] = woven
        return ChangeUnits(change.diffs, change.units, texts)

    def _read(self, histories: Mapping[bytes, LineHistory]) -> None:
        """Read the versions in which there are lines that do not last."""
        wanted: dict[str, None] = {}
        for history in histories.values():
            for commit in _list_versions(history):
                oid = history.changes[commit].new_id
                if oid not in self._contents:
                    wanted[oid] = None
        self._contents.update(zip(wanted, read_blobs(self._repository, list(wanted)), strict=True))

    def _weave(self, text: Text, units: Sequence[Unit], history: LineHistory, owned: Sequence[int]) -> Text | None:
        """Return the text with the lines that do not last, None if the hunks do not fit the lines of `history`."""
        steps = list_steps(history, units)
        versions = {commit: self._contents[history.changes[commit].new_id] for commit in _list_versions(history)}
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
        hunks: list[Hunk] = []
        for unit in units:
            hunks += unit.hunks
        woven = WovenText(text, hunks, pieces)
        return woven if woven.is_woven_well() else None

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


def _list_versions(history: LineHistory) -> list[int]:
    """Return the commits that brought lines which are at neither end of the range."""
    found: dict[int, None] = {}
    for run in history.runs:
        if run.born != BASE and run.died is not None:
            found[run.born] = None
    return list(found)


class _Lines:
    """The lines of a file's versions, taken step by step from the first one on."""

    def __init__(self, text: Text, versions: Mapping[int, bytes]) -> None:
        self._base = _Reader(text.base)
        self._target = _Reader(text.target)
        self._versions = {commit: _Reader(content) for commit, content in versions.items()}

    def take(self, step: Step) -> bytes:
        """Return the content of the next step."""
        for commit, version in self._versions.items():
            if commit != step.born and step.born <= commit and (step.died is None or step.died > commit):
                version.skip(step.count)
        taken = b""
        if step.is_transient or step.born in self._versions:
            taken = self._versions[step.born].read(step.count)
        if step.born == BASE:
            taken = self._base.read(step.count)
        if step.died is None:
            taken = self._target.read(step.count)
        return taken


class _Reader:
    """Lines of a content, one after the other."""

    def __init__(self, content: bytes) -> None:
        self._lines = io.BytesIO(content).readlines()
        self._place = 0

    def skip(self, count: int) -> None:
        self._place += count

    def read(self, count: int) -> bytes:
        lines = self._lines[self._place : self._place + count]
        self.skip(count)
        return b"".join(lines)
