"""Each file's content after each commit of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from smartcommit.git.diff import ABSENT
from smartcommit.git.fast_import import BlobPack, Edit
from smartcommit.git.hunks import ChangeUnits, Text, Unit


class FileState:
    """One file of a change, and which of its `parts` were `taken`: the bits of a number, the first part's the lowest.

    A file of one part needs no `text`.
    """

    __slots__ = ("_all", "_hunks", "_positions", "_text", "change", "mode", "taken")

    def __init__(self, parts: Sequence[Unit], text: Text | None) -> None:
        self.change = parts[0].change
        self.mode = self.change.old_mode
        self.taken = 0
        self._positions = {unit.id: position for position, unit in enumerate(parts)}
        self._all = (1 << len(parts)) - 1
        self._hunks: list[int] = []
        self._text = text

    @property
    def is_complete(self) -> bool:
        return self.taken == self._all

    def take(self, unit: Unit) -> None:
        position = self._positions[unit.id]
        self.taken |= 1 << position
        if unit.kind == "text":
            self._hunks.append(position)
        if unit.kind != "text" or self.change.old_mode == ABSENT or self.is_complete:
            self.mode = self.change.new_mode

    def compose(self, beside: Text | None = None) -> bytes:
        """Return the content with the hunks taken so far, and those hunks of `beside` that touch none of them."""
        assert self._text is not None
        return self._text.compose(self._hunks, beside)

    def edit(self, blobs: BlobPack, beside: Text | None = None) -> Edit:
        """Return the file as it is by now, beside other changes to the same base; a new content goes to `blobs`."""
        oid = self.change.new_id if self.is_complete else blobs.add(self.compose(beside))
        return Edit(self.change.path, self.mode, oid)

    def keeps(self, other: Text) -> bool:
        """Whether `compose` beside `other` includes every hunk of that."""
        assert self._text is not None
        return self._text.keeps(self._hunks, other)


class Steps:
    """The files of a change by their paths, which get its units from commit to commit."""

    def __init__(self, change: ChangeUnits) -> None:
        self.files = {path: FileState(file.units, file.text) for path, file in change.files.items()}

    def take(self, units: Iterable[Unit]) -> list[FileState]:
        """Give the files the `units` of the next commit, and return those that it changes."""
        touched: dict[bytes, FileState] = {}
        for unit in units:
            file = touched[unit.change.path] = self.files[unit.change.path]
            file.take(unit)
        return list(touched.values())

    def edits(self, units: Iterable[Unit], blobs: BlobPack) -> Iterator[Edit]:
        """Yield the edits that add `units` to what was taken before; new contents go to `blobs`."""
        for file in self.take(units):
            change = file.change
            if change.old_path is not None:
                yield Edit(change.old_path, ABSENT, change.old_id)
            yield file.edit(blobs)
