"""What becomes of each file from commit to commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from smartcommit.git.compose import Text, Version
from smartcommit.git.fast_import import ABSENT, Edit
from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.git.packs import BlobPack


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
