"""The pane with the commits and their files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset

from smartcommit.change.wording import format_count
from smartcommit.git.hunks import Unit
from smartcommit.split.plan import list_ids
from smartcommit.split.review.render import group_by_path
from smartcommit.split.review.row_list import MARKED, PARTLY_MARKED, RowList, shorten, shorten_path
from smartcommit.split.review.session import NEW, UNCOMMITTED, Session
from smartcommit.terminal import printable

# The number of the notes, which are shown as a commit is.
NOTES = -2
# Commits are folded at first if the change has more files than this.
MANY_FILES = 40
# Minimum columns in which a folded commit shows how many files it has.
FILES_WIDTH = 36


@dataclass(frozen=True, slots=True)
class Entry:
    """A row: commit `number`, UNCOMMITTED, NOTES or NEW, or with a `path` one of its files; `units` are its hunks."""

    number: int
    title: str
    units: tuple[Unit, ...] = ()
    path: bytes | None = None


class CommitList(RowList):
    """The commits of `session`, each with its files and what they add and remove."""

    COMPONENT_CLASSES = {"commits--title", "commits--target", "commits--marked"}  # noqa: RUF012 (textual's own form)
    DEFAULT_CSS = """
    CommitList {
        & > .commits--title { text-style: bold; }
        & > .commits--marked { color: $text-warning; text-style: bold; }
        & > .commits--target { background: $warning; color: $background; text-style: bold; }
    }
    """

    def __init__(self, session: Session, marked: Set[str]) -> None:
        """`marked` has the ids of the hunks to show as marked."""
        super().__init__("commits")
        self._session = session
        self._marked = marked
        self.entries: list[Entry] = []
        self._parts: dict[bytes, list[Unit]] = {}
        # The ids of the hunks in folded commits, so that a commit stays folded when hunks move between folded ones.
        self._folded: set[str] = set()
        self._target: int | None = None
        if len(group_by_path(session.units)) > MANY_FILES:
            self._folded.update(list_ids(session.units))

    @property
    def entry(self) -> Entry:
        """The entry at the cursor."""
        return self.entries[self.cursor]

    def refill(self, number: int, path: bytes | None = None) -> None:
        """List the commits as they are now, with the cursor at commit `number`, or its file at `path`."""
        self._parts = group_by_path(self._session.units)
        self.entries = list(self._list_entries())
        self.fill(len(self.entries), self._find(number, path))

    def fold(self) -> None:
        """Hide the files of the commit at the cursor, or show them."""
        number = self.entry.number
        if number in (NOTES, NEW):
            return
        units = self._session.units_of(number)
        if self._is_folded(units):
            self._folded.difference_update(list_ids(units))
        else:
            self._folded.update(list_ids(units))
        self.refill(number)

    def fold_all(self) -> None:
        """Hide the files of all commits, or if there are none to hide show them."""
        names = set(list_ids(self._session.units))
        if names <= self._folded:
            names.clear()
        self._folded = names
        self.refill(self.entry.number)

    def show_target(self, place: Offset | None) -> None:
        """Show where hunks that are dragged to `place` would go; None if they are not dragged any more."""
        target = None if place is None else self._target_at(place)
        if target != self._target:
            self._target = target
            self.entries = list(self._list_entries())
            self.fill(len(self.entries), self.cursor)

    def number_at(self, place: Offset) -> int | None:
        """Return the commit to which what is dropped at `place` goes, or NEW; None if that is not here."""
        target = self._target_at(place)
        return None if target == NOTES else target

    def draw(self, row: int, width: int) -> list[Segment]:
        entry = self.entries[row]
        style = Style()
        if entry.path is None:
            style = self.style_of("commits--title")
        mark = self._mark_of(entry.units)
        if mark == MARKED:
            style = self.style_of("commits--marked")
        if self._target is not None and self._target == entry.number and entry.path is None:
            style = self.get_component_rich_style("commits--target")
        counts = self.draw_counts(entry.units)
        room = width - Segment.get_line_length(counts) - 2
        show = self._show_commit if entry.path is None else self._show_file
        title = show(entry, mark, room)
        return [Segment(title, style), Segment(" " * max(1, room + 1 - cell_len(title))), *counts, Segment(" ")]

    def grab(self, row: int) -> tuple[Unit, ...]:
        entry = self.entries[row]
        if entry.path is None:
            return ()
        return entry.units

    def _target_at(self, place: Offset) -> int | None:
        row = self.row_at(place)
        if not self.content_region.contains_point(place):
            return None
        if row >= len(self.entries):
            return NEW
        return self.entries[row].number

    def _list_entries(self) -> Iterator[Entry]:
        plan = self._session.plan
        for number, commit in enumerate(plan.commits, start=1):
            yield Entry(number, printable(commit.subject), commit.units)
            yield from self._list_files(number, commit.units)
        if self._target is not None:
            yield Entry(NEW, "new commit")
        if plan.skipped or self._target is not None:
            yield Entry(UNCOMMITTED, f"skipped: {len(plan.skipped)}", plan.skipped)
            yield from self._list_files(UNCOMMITTED, plan.skipped)
        if plan.issues or plan.left_out or plan.warnings or plan.hides_untracked:
            yield Entry(NOTES, "notes")

    def _list_files(self, number: int, units: Sequence[Unit]) -> Iterator[Entry]:
        if self._is_folded(units):
            return
        for path, parts in group_by_path(units).items():
            yield Entry(number, printable(os.fsdecode(path)), tuple(parts), path)

    def _find(self, number: int, path: bytes | None) -> int:
        """Return the row of commit `number`, or of its file at `path`, or of the last commit before it."""
        found = 0
        for row, entry in enumerate(self.entries):
            if entry.number == number and entry.path == path:
                return row
            if entry.path is None and (entry.number == number or 0 < entry.number < number):
                found = row
        return found

    def _is_folded(self, units: Sequence[Unit]) -> bool:
        return bool(units and self._folded) and self._folded.issuperset(list_ids(units))

    def _show_commit(self, entry: Entry, mark: str, width: int) -> str:
        arrow = " "
        if entry.units:
            arrow = "▾"
        files = ""
        if self._is_folded(entry.units):
            arrow = "▸"
            count = len(group_by_path(entry.units))
            if count > 1 and width >= FILES_WIDTH:
                files = f" ({format_count(count, 'file')})"
        title = entry.title
        if entry.number > 0:
            title = f"{entry.number}. {title}"
        return f"{arrow}{mark}{shorten(title, width - 2 - len(files))}{files}"

    def _show_file(self, entry: Entry, mark: str, width: int) -> str:
        assert entry.path is not None
        parts = len(self._parts[entry.path])
        share = ""
        if len(entry.units) < parts:
            share = f" {len(entry.units)}/{parts}"
        start = f"  {mark} {entry.units[0].change.status} "
        return f"{start}{shorten_path(entry.title, width - len(start) - len(share))}{share}"

    def _mark_of(self, units: Sequence[Unit]) -> str:
        """Return the sign for whether all of `units` are marked, some, or none."""
        count = len(self._marked & set(list_ids(units)))
        if count == 0:
            return " "
        if count < len(units):
            return PARTLY_MARKED
        return MARKED
