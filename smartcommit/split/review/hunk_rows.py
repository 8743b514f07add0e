"""The lines of a hunk with their numbers, between unchanged lines of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    """The rows of `hunk`, with the unchanged lines `before` and `after` it. Each is made when it is asked for."""

    def __init__(self, hunk: Hunk, before: Sequence[bytes] = (), after: Sequence[bytes] = ()) -> None:
        self.hunk = hunk
        self._before = before
        self._after = after
        self._old = _first(hunk.old_start, hunk.old_count) - len(before)
        self._new = _first(hunk.new_start, hunk.new_count) - len(before)

    def __len__(self) -> int:
        return len(self._before) + len(self.hunk.removed) + len(self.hunk.added) + len(self._after)

    def __getitem__(self, place: int) -> Row:
        begin = place
        removed, added = self.hunk.removed, self.hunk.added
        if place < len(self._before):
            return Row(UNCHANGED, self._before[place], self._old + begin, self._new + begin)
        place -= len(self._before)
        if place < len(removed):
            return Row(REMOVED, removed[place], self._old + begin, None)
        place -= len(removed)
        if place < len(added):
            return Row(ADDED, added[place], None, self._new + begin - len(removed))
        place -= len(added)
        return Row(UNCHANGED, self._after[place], self._old + begin - len(added), self._new + begin - len(removed))

    def __iter__(self) -> Iterator[Row]:
        for place in range(len(self)):
            yield self[place]

    @property
    def position(self) -> str:
        """Where the rows are, as git prints it between `@@`."""
        around = len(self._before) + len(self._after)
        old = _range(self._old, len(self.hunk.removed) + around)
        return f"-{old} +{_range(self._new, len(self.hunk.added) + around)}"

    @property
    def section(self) -> bytes:
        """The line that opens the enclosing function, unless it is one of the rows."""
        opening = self.hunk.context
        return b"" if any(line.startswith(opening) for line in self._before) else opening

    def count_changes(self, place: int) -> tuple[int, int]:
        """Return how many removed and added lines there are before the row at `place`."""
        changed = max(0, place - len(self._before))
        removed = min(changed, len(self.hunk.removed))
        return removed, min(changed - removed, len(self.hunk.added))


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
    return {path: text for path, text in read_texts(repository, moved).items() if text.is_exact()}


class _FileContext:
    """The unchanged lines of one file."""

    def __init__(self, text: Text, hunks: Sequence[Hunk]) -> None:
        self._lines = text.base.removesuffix(b"\n").split(b"\n") if text.base else []
        self._gaps: dict[tuple[int, ...], tuple[int, int]] = {}
        end = 0
        for hunk, following in zip(hunks, [*hunks[1:], None], strict=True):
            begin = len(self._lines)
            if following is not None:
                begin = _first(following.old_start, following.old_count) - 1
            self._gaps[_key(hunk)] = end, begin
            end = _first(hunk.old_start, hunk.old_count) - 1 + hunk.old_count

    def surround(self, hunk: Hunk) -> HunkRows:
        """Return the rows of `hunk` with up to CONTEXT lines on each side."""
        first = _first(hunk.old_start, hunk.old_count) - 1
        last = first + hunk.old_count
        lowest, highest = self._gaps.get(_key(hunk), (first, last))
        before = self._lines[max(lowest, first - CONTEXT) : first]
        return HunkRows(hunk, before, self._lines[last : min(highest, last + CONTEXT)])


def _key(hunk: Hunk) -> tuple[int, ...]:
    return hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count


def _first(start: int, count: int) -> int:
    """Return the number of the first of `count` lines; without lines, `start` is the number of the line before."""
    return start if count else start + 1


def _range(first: int, count: int) -> str:
    if count == 1:
        return str(first)
    return f"{first if count else first - 1},{count}"
