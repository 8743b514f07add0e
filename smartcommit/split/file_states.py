"""Each file's content after each commit of a plan, and whether it parses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from smartcommit.change.syntax import States, parses
from smartcommit.git.diff import ABSENT
from smartcommit.git.fast_import import BlobPack, Edit
from smartcommit.git.hunks import ChangeUnits, Text, Unit
from smartcommit.split.constraints import union_find
from smartcommit.split.ordering import order_groups

# Bytes that are parsed for one change, which takes some seconds; files beyond that count as not checked.
BUDGET = 8 << 20

Groups = Sequence[Sequence[Unit]]


class Checker:
    """Checks whether the files of `change` parse in any state, each state once."""

    def __init__(self, change: ChangeUnits) -> None:
        self._change = change
        self._left = BUDGET
        self._known: dict[tuple[bytes, int], bool | None] = {}
        self._sound: dict[bytes, bool] = {}

    def check(self, groups: Groups) -> list[States]:
        """Return for each of `groups`, committed in this order, the files that it leaves partly changed.

        A file that does not parse both before and after the change is not checked.
        """
        steps = Steps(self._change)
        return [self._between(steps.take(units)) for units in groups]

    def merge_broken(self, groups: Groups) -> list[list[Unit]]:
        """Return `groups` in their order, merging those between which a file would not parse."""
        places = {unit.id: place for place, unit in enumerate(self._change.units)}
        found = list(map(list, groups))
        while pairs := self._find_broken(found):
            merged = []
            for linked in union_find(found, pairs):
                merged.append(sorted(chain.from_iterable(linked), key=lambda unit: places[unit.id]))
            found = order_groups(merged)
        return found

    def _between(self, files: Iterable[FileState]) -> States:
        return {file.change.path: self._parses_now(file) for file in files if not file.is_complete}

    def _parses_now(self, file: FileState) -> bool | None:
        path = file.change.path
        if not self._is_sound(path):
            return None
        state = (path, file.taken)
        if state not in self._known:
            if self._left < 0:  # composing the content is not free
                return None
            self._known[state] = self._parses(path, file.content)
        return self._known[state]

    def _is_sound(self, path: bytes) -> bool:
        if path not in self._sound:
            text = self._change.texts[path]
            # What a file that is added or deleted has at one end, nothing, need not parse.
            ends = filter(None, (text.base, text.target))
            self._sound[path] = all(self._parses(path, content) for content in ends)
        return self._sound[path]

    def _parses(self, path: bytes, content: bytes) -> bool | None:
        """Return what `syntax.parses` does, or None once the budget is used up."""
        self._left -= len(content)
        return parses(path, content) if self._left >= 0 else None

    def _find_broken(self, groups: Groups) -> list[tuple[int, int]]:
        """Return pairs of groups: one that leaves a file broken, and the next one that changes this file."""
        pairs = []
        waiting: dict[bytes, int] = {}
        for number, (units, states) in enumerate(zip(groups, self.check(groups), strict=True)):
            for unit in units:
                if unit.change.path in waiting:
                    pairs.append((waiting.pop(unit.change.path), number))
            for path, sound in states.items():
                if sound is False:
                    waiting[path] = number
        return pairs


class FileState:
    """One file with those of its units that were taken so far; `taken` has a bit for each, in the order of `parts`.

    `text` is None if the file has a single unit.
    """

    __slots__ = ("_all", "_hunks", "_text", "change", "mode", "taken")

    def __init__(self, parts: Sequence[Unit], text: Text | None) -> None:
        self.change = parts[0].change
        self.mode = self.change.old_mode
        self.taken = 0
        self._all = (1 << len(parts)) - 1
        self._hunks: list[int] = []
        self._text = text

    @property
    def is_complete(self) -> bool:
        """Whether all of its units were taken."""
        return self.taken == self._all

    def take(self, unit: Unit, position: int) -> None:
        """Take `unit`, which is at `position` among the parts."""
        self.taken |= 1 << position
        if unit.kind == "text":
            self._hunks.append(position)
        if unit.kind != "text" or self.change.old_mode == ABSENT or self.is_complete:
            self.mode = self.change.new_mode

    @property
    def content(self) -> bytes:
        """The content of an incomplete file with the hunks taken so far."""
        assert self._text is not None
        return self._text.compose(self._hunks)

    def keeps(self, other: Text) -> bool:
        """Whether `content_beside` includes every hunk of `other`."""
        assert self._text is not None
        return self._text.keeps(self._hunks, other)

    def content_beside(self, other: Text) -> bytes:
        """Return the content with the hunks taken so far, and the hunks of `other` that touch none of them."""
        assert self._text is not None
        return self._text.compose(self._hunks, other)


class Steps:
    """The files from commit to commit: a file's content depends on its hunks committed so far."""

    def __init__(self, change: ChangeUnits) -> None:
        parts: dict[bytes, list[Unit]] = {}
        self._positions: dict[str, int] = {}
        for unit in change.units:
            others = parts.setdefault(unit.change.path, [])
            self._positions[unit.id] = len(others)
            others.append(unit)
        self._files = {path: FileState(units, change.texts.get(path)) for path, units in parts.items()}

    @property
    def files(self) -> Mapping[bytes, FileState]:
        """The state of each file, by its path."""
        return self._files

    def take(self, units: Iterable[Unit]) -> list[FileState]:
        """Take `units`, and return the files that they are in."""
        touched: dict[bytes, FileState] = {}
        for unit in units:
            file = touched[unit.change.path] = self._files[unit.change.path]
            file.take(unit, self._positions[unit.id])
        return list(touched.values())

    def edits(self, units: Iterable[Unit], blobs: BlobPack) -> Iterator[Edit]:
        """Yield the edits that add `units` to what was taken before; new contents go to `blobs`."""
        for file in self.take(units):
            change = file.change
            if change.old_path is not None:
                yield Edit(change.old_path, ABSENT, change.old_id)
            yield _edit(file, blobs)

    def entry(self, path: bytes, blobs: BlobPack, beside: Text | None = None) -> Edit | None:
        """Return `path` with the units taken so far, or None if there are none; new contents go to `blobs`.

        `beside` has other changes to the same base, which are made where they touch no hunk taken so far.
        """
        file = self._files[path]
        if not file.taken:
            return None
        if beside is None or file.is_complete:
            return _edit(file, blobs)
        return Edit(path, file.mode, blobs.add(file.content_beside(beside)))


def _edit(file: FileState, blobs: BlobPack) -> Edit:
    path = file.change.path
    if file.is_complete:
        return Edit(path, file.mode, file.change.new_id)
    return Edit(path, file.mode, blobs.add(file.content))
