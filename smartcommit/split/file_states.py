"""Each file's content after each commit of a plan, and whether it parses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from smartcommit.git.diff import ABSENT
from smartcommit.git.fast_import import Edit
from smartcommit.git.hunks import ChangeUnits, Text, Unit, Version
from smartcommit.git.packs import BlobPack
from smartcommit.split.constraints import union_find
from smartcommit.split.ordering import ordered
from smartcommit.split.syntax import States, parses

# Bytes that are parsed for one change, some seconds' worth; what comes after counts as not checked.
BUDGET = 8 << 20

Groups = Sequence[Sequence[Unit]]


class Checker:
    """Tells of the files of `pieces` in any state whether they parse, each state once."""

    def __init__(self, pieces: ChangeUnits) -> None:
        self._pieces = pieces
        self._left = BUDGET
        self._known: dict[tuple[bytes, int], bool | None] = {}
        self._sound: dict[bytes, bool] = {}

    def states(self, groups: Groups) -> list[States]:
        """The files that each of `groups`, committed in this order, leaves neither as they were nor as they become.

        One that does not parse before and after the change is not checked: nothing can be expected of it between.
        """
        steps = Steps(self._pieces)
        return [self._between(steps.take(units)) for units in groups]

    def joined(self, groups: Groups) -> list[list[Unit]]:
        """`groups` in their order, those made one between which a file would not parse."""
        places = {unit.id: place for place, unit in enumerate(self._pieces.units)}
        found = [list(units) for units in groups]
        while pairs := self._broken(found):
            found = ordered(
                [
                    sorted((unit for group in joint for unit in found[group]), key=lambda unit: places[unit.id])
                    for joint in union_find(len(found), pairs)
                ]
            )
        return found

    def _between(self, files: Iterable[FileState]) -> States:
        return {file.change.path: self._parses_now(file) for file in files if not file.is_complete}

    def _parses_now(self, file: FileState) -> bool | None:
        path = file.change.path
        if not self._is_sound(path):
            return None
        state = (path, file.taken)
        if state not in self._known:
            if self._left < 0:  # before the content is made, which is not free
                return None
            self._known[state] = self._parses(path, bytes(file.version.content))
        return self._known[state]

    def _is_sound(self, path: bytes) -> bool:
        if path not in self._sound:
            text = self._pieces.texts[path]
            self._sound[path] = bool(self._parses(path, text.base) and self._parses(path, text.target))
        return self._sound[path]

    def _parses(self, path: bytes, content: bytes) -> bool | None:
        """As `smartcommit.split.syntax.parses`, within the budget."""
        self._left -= len(content)
        return parses(path, content) if self._left >= 0 else None

    def _broken(self, groups: Groups) -> list[tuple[int, int]]:
        """Pairs of groups: one that leaves a file broken, and the next one that touches this file."""
        pairs = []
        waiting: dict[bytes, int] = {}
        for number, (units, states) in enumerate(zip(groups, self.states(groups), strict=True)):
            for path in {unit.change.path for unit in units} & waiting.keys():
                pairs.append((waiting.pop(path), number))
            waiting |= {path: number for path, sound in states.items() if sound is False}
        return pairs


class FileState:
    """One file with those of its units that were taken so far; `taken` has a bit for each, in the order of `parts`.

    `text` is None for a file that has only one unit.
    """

    __slots__ = ("_all", "_hunks", "_text", "_version", "change", "mode", "taken")

    def __init__(self, parts: Sequence[Unit], text: Text | None) -> None:
        self.change = parts[0].change
        self.mode = self.change.old_mode
        self.taken = 0
        self._all = (1 << len(parts)) - 1
        self._hunks: list[int] = []
        self._text = text
        self._version: Version | None = None

    @property
    def is_complete(self) -> bool:
        """Whether all of its units were taken."""
        return self.taken == self._all

    def take(self, unit: Unit, position: int) -> None:
        """Take `unit`, which stands at `position` among the parts."""
        self.taken |= 1 << position
        if unit.kind == "text":
            self._hunks.append(position)
        else:
            self.mode = self.change.new_mode
        if self.is_complete:
            self._version = None

    @property
    def version(self) -> Version:
        """The content with the hunks that were taken, for a file that is not complete; the next one changes it."""
        assert self._text is not None
        version = self._version = self._version or Version(self._text)
        for position in self._hunks[len(version.added) :]:
            version.add(position)
        return version

    def content_beside(self, other: Text) -> bytes:
        """The content with the hunks that were taken, and those of `other` that touch none of them."""
        assert self._text is not None
        return self._text.compose(self._hunks, other)


class Steps:
    """What each commit changes, taken one after the other: a file's content depends on its hunks committed so far."""

    def __init__(self, pieces: ChangeUnits) -> None:
        parts: dict[bytes, list[Unit]] = {}
        self._positions: dict[str, int] = {}
        for unit in pieces.units:
            others = parts.setdefault(unit.change.path, [])
            self._positions[unit.id] = len(others)
            others.append(unit)
        self._files = {path: FileState(units, pieces.texts.get(path)) for path, units in parts.items()}

    @property
    def files(self) -> Mapping[bytes, FileState]:
        """The state of each file, by its path."""
        return self._files

    def take(self, units: Iterable[Unit]) -> list[FileState]:
        """Take `units` too, and return the files that they are in."""
        touched: dict[bytes, FileState] = {}
        for unit in units:
            file = touched[unit.change.path] = self._files[unit.change.path]
            file.take(unit, self._positions[unit.id])
        return list(touched.values())

    def edits(self, units: Iterable[Unit], blobs: BlobPack) -> Iterator[Edit]:
        """The edits that add `units` to what was taken before; new contents go to `blobs`."""
        for file in self.take(units):
            change = file.change
            if change.old_path is not None:
                yield Edit(change.old_path, ABSENT, change.old_id)
            yield _edit(file, blobs)

    def entry(self, path: bytes, blobs: BlobPack, beside: Text | None = None) -> Edit | None:
        """What `path` is with the units taken so far, None where none was; new contents go to `blobs`.

        `beside` are other changes to the same base, to be made where no hunk that was taken touches them.
        """
        file = self._files[path]
        if not file.taken:
            return None
        if beside is None or file.is_complete:
            return _edit(file, blobs)
        return Edit(path, file.mode, blobs.add(file.content_beside(beside)))


def _edit(file: FileState, blobs: BlobPack) -> Edit:
    """The present state of `file`, of which something was taken."""
    path = file.change.path
    if file.is_complete:
        return Edit(path, file.mode, file.change.new_id)
    return Edit(path, file.mode, blobs.add_version(path, file.version))
