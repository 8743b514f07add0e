"""The lines of a hunk with their numbers, between unchanged lines of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from smartcommit.git.diff import Hunk
from smartcommit.git.hunks import ChangeUnits, Text, Unit, read_texts
from smartcommit.git.repo import Repository

UNCHANGED, REMOVED, ADDED = "unchanged", "removed", "added"
# Unchanged lines that are shown before and after a hunk, as by git.
CONTEXT = 3


class Row(NamedTuple):
    """A line of one of these kinds, without its newline, with its number before and after the change, if it is there.

    `content` is the file's, so it must be escaped.
    """

    kind: str
    content: bytes
    old: int | None
    new: int | None


class HunkRows:
    """The rows of `hunk`, with the unchanged lines `before` and `after` it."""

    def __init__(self, hunk: Hunk, before: Sequence[bytes] = (), after: Sequence[bytes] = ()) -> None:
        self._hunk = hunk
        self._before = before
        self._after = after
        self._old = _first(hunk.old_start, hunk.old_count) - len(before)
        self._new = _first(hunk.new_start, hunk.new_count) - len(before)

    def __iter__(self) -> Iterator[Row]:
        old, new = count(self._old), count(self._new)
        for line in self._before:
            yield Row(UNCHANGED, line, next(old), next(new))
        for line in self._hunk.removed:
            yield Row(REMOVED, line, next(old), None)
        for line in self._hunk.added:
            yield Row(ADDED, line, None, next(new))
        for line in self._after:
            yield Row(UNCHANGED, line, next(old), next(new))

    @property
    def position(self) -> str:
        """Where the rows are, as git prints it between `@@`."""
        around = len(self._before) + len(self._after)
        old = _range(self._old, len(self._hunk.removed) + around)
        return f"-{old} +{_range(self._new, len(self._hunk.added) + around)}"

    @property
    def section(self) -> bytes:
        """The line that opens the enclosing function, unless it is one of the rows."""
        opening = self._hunk.context
        for line in self._before:
            if line.startswith(opening):
                return b""
        return opening


class HunkContext:
    """Finds the unchanged lines around the hunks of `change`, which end where another hunk begins.

    `moved` has the texts of renamed and copied files, which are not divided, by their new paths.
    """

    def __init__(self, change: ChangeUnits, moved: Mapping[bytes, Text] | None = None) -> None:
        self._texts = {**(moved or {}), **change.texts}
        self._hunks: dict[bytes, list[Hunk]] = {}
        for diff in change.diffs:
            if diff.change.path in self._texts:
                self._hunks[diff.change.path] = diff.hunks
        self._files: dict[bytes, _FileContext] = {}

    def rows_of(self, unit: Unit) -> list[HunkRows]:
        """Return the rows of each hunk of `unit`; those of a file that is new or gone have no context."""
        path = unit.change.path
        if path not in self._hunks:
            return list(map(HunkRows, unit.hunks))
        if path not in self._files:
            self._files[path] = _FileContext(self._texts[path], self._hunks[path])
        return list(map(self._files[path].surround, unit.hunks))


def read_moved_texts(repository: Repository, change: ChangeUnits) -> dict[bytes, Text]:
    """Read the texts of renamed and copied files, by their new paths; at most one process.

    Raise GitError if git fails.
    """
    moved = []
    for diff in change.diffs:
        if diff.change.status in "RC" and diff.hunks and diff.complete and not diff.change.binary:
            moved.append(diff)
    if not moved:
        return {}
    return read_texts(repository, moved)


class _FileContext:
    """The unchanged lines of one file."""

    def __init__(self, text: Text, hunks: Sequence[Hunk]) -> None:
        self._lines = text.base.removesuffix(b"\n").split(b"\n") if text.base else []
        # For each hunk, where the one before it ends, and where the next one begins.
        self._gaps: dict[tuple[int, ...], tuple[int, int]] = {}
        bounds = [(0, 0), *map(_bounds, hunks), (len(self._lines), 0)]
        for hunk, (_, end), (begin, _) in zip(hunks, bounds, bounds[2:], strict=False):
            self._gaps[_key(hunk)] = end, begin

    def surround(self, hunk: Hunk) -> HunkRows:
        """Return the rows of `hunk` with up to CONTEXT lines on each side."""
        first, last = _bounds(hunk)
        lowest, highest = self._gaps.get(_key(hunk), (first, last))
        before = self._lines[max(lowest, first - CONTEXT) : first]
        return HunkRows(hunk, before, self._lines[last : min(highest, last + CONTEXT)])


def _bounds(hunk: Hunk) -> tuple[int, int]:
    """Return the places in the old file where the lines of `hunk` begin and end."""
    first = _first(hunk.old_start, hunk.old_count) - 1
    return first, first + hunk.old_count


def _key(hunk: Hunk) -> tuple[int, ...]:
    return hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count


def _first(start: int, count: int) -> int:
    """Return the number of the first of `count` lines; without lines, `start` is the number of the line before."""
    return start if count else start + 1


def _range(first: int, count: int) -> str:
    if count == 1:
        return str(first)
    return f"{first if count else first - 1},{count}"
