"""The pane with the commits and their files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset

from smartcommit.change.wording import format_count
from smartcommit.git.hunks import Unit
from smartcommit.split.plan import list_ids
from smartcommit.split.review.edits import NEW, UNCOMMITTED
from smartcommit.split.review.row_list import RowList
from smartcommit.split.review.session import Session
from smartcommit.terminal import printable

# The number of the notes, which are shown as a commit is.
NOTES = -2
# Files from which on the commits are folded at first.
MANY_FILES = 40
# Columns for a folded commit from which on it says how many files it has.
FILES_WIDTH = 36
# What is shown before a commit or file of which all hunks are marked, or some.
MARKED, PARTLY_MARKED = "●", "◐"


@dataclass(frozen=True, slots=True)
class Entry:
    """A row: commit `number`, UNCOMMITTED, NOTES or NEW, or with a `path` one of its files; `units` are its hunks."""

    number: int
    title: str
    units: tuple[Unit, ...] = ()
    path: bytes | None = None


class CommitList(RowList):
    """The commits, each with its files and what they add and remove."""

    COMPONENT_CLASSES = {"commits--title", "commits--target", "commits--marked"}  # noqa: RUF012 (textual's own form)
    DEFAULT_CSS = """
    CommitList {
        & > .commits--title { text-style: bold; }
        & > .commits--marked { color: $text-warning; text-style: bold; }
        & > .commits--target { background: $warning; color: $background; text-style: bold; }
    }
    """

    def __init__(self, marked: Set[str] = frozenset()) -> None:
        """`marked` has the ids of the hunks to show as marked."""
        super().__init__("commits")
        self._marked = marked
        self.entries: list[Entry] = []
        self._parts: Counter[bytes] = Counter()
        # The hunks of folded commits: so a commit stays folded whatever is moved between folded ones.
        self._folded: set[str] | None = None
        self._session: Session | None = None
        self._target: int | None = None

    @property
    def entry(self) -> Entry:
        """The entry at the cursor."""
        return self.entries[self.cursor]

    def list_commits(self, session: Session, number: int, path: bytes | None = None) -> None:
        """List the commits as they are now, with the cursor at commit `number`, or its file at `path`."""
        self._session = session
        self._parts = Counter(unit.change.path for unit in session.units)
        if self._folded is None:
            self._folded = set()
            if len(self._parts) > MANY_FILES:
                self.fold_all()
        self.entries = list(self._list_entries(session))
        self.fill(len(self.entries), self._find(number, path))

    def fold(self) -> None:
        """Hide the files of the commit at the cursor, or show them."""
        number = self.entry.number
        if self._session is not None and self._folded is not None and self._is_foldable(number):
            units = self._session.units_of(number)
            if self._is_folded(units):
                self._folded -= set(list_ids(units))
            else:
                self._folded |= set(list_ids(units))
            self.list_commits(self._session, number)

    def fold_all(self) -> None:
        """Hide the files of all commits, or if there are none to hide show them."""
        session = self._session
        if session is None or self._folded is None:
            return
        names: set[str] = set()
        for commit in session.plan.commits:
            names.update(list_ids(commit.units))
        self._folded = set() if names <= self._folded else names
        if self.entries:
            self.list_commits(session, self.entry.number)

    def show_target(self, place: Offset | None) -> None:
        """Show where hunks that are dragged to `place` would go; None if they are not dragged any more."""
        target = None
        if place is not None:
            target = self._target_at(place)
        if target != self._target:
            self._target = target
            if self._session is not None:
                self.entries = list(self._list_entries(self._session))
                self.fill(len(self.entries), self.cursor)

    def number_at(self, place: Offset) -> int | None:
        """Return the commit to which what is dropped at `place` goes, or NEW; None if that is not here."""
        target = self._target_at(place)
        return None if target is None or target == NOTES else target

    def draw(self, row: int, width: int) -> list[Segment]:
        entry = self.entries[row]
        counts = list(self._show_counts(entry.units))
        taken = sum(cell_len(segment.text) for segment in counts)
        style = Style()
        if entry.path is None:
            style = self.style_of("commits--title")
        if self._mark_of(entry.units) == MARKED:
            style = self.style_of("commits--marked")
        if self._target is not None and self._target == entry.number and entry.path is None:
            style = self.get_component_rich_style("commits--target")
        title = self._show_title(entry, width - taken - 2)
        space = " " * max(1, width - taken - cell_len(title) - 1)
        return [Segment(title, style), Segment(space), *counts, Segment(" ")]

    def grab(self, row: int) -> tuple[Unit, ...]:
        entry = self.entries[row]
        return () if entry.path is None else entry.units

    def _target_at(self, place: Offset) -> int | None:
        row = self.row_at(place)
        if not self.content_region.contains_point(place):
            return None
        return self.entries[row].number if row < len(self.entries) else NEW

    def _list_entries(self, session: Session) -> Iterator[Entry]:
        plan = session.plan
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
        files: dict[bytes, list[Unit]] = {}
        for unit in units:
            files.setdefault(unit.change.path, []).append(unit)
        for path, parts in files.items():
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

    def _is_foldable(self, number: int) -> bool:
        return number not in (NOTES, NEW)

    def _is_folded(self, units: Sequence[Unit]) -> bool:
        if not units or not self._folded:
            return False
        return all(unit.id in self._folded for unit in units)

    def _show_title(self, entry: Entry, width: int) -> str:
        if entry.path is None:
            start = " "
            if entry.units:
                start = "▸" if self._is_folded(entry.units) else "▾"
            start += self._mark_of(entry.units)
            number = f"{entry.number}. " if entry.number > 0 else ""
            files = ""
            count = len({unit.change.path for unit in entry.units})
            if count > 1 and width >= FILES_WIDTH and self._is_folded(entry.units):
                files = f" ({format_count(count, 'file')})"
            return f"{start}{shorten(f'{number}{entry.title}', width - 2 - len(files))}{files}"
        parts = self._parts[entry.path]
        share = f" {len(entry.units)}/{parts}" if len(entry.units) < parts else ""
        start = f"  {self._mark_of(entry.units)} {entry.units[0].change.status} "
        return f"{start}{shorten_path(entry.title, width - len(start) - len(share))}{share}"

    def _mark_of(self, units: Sequence[Unit]) -> str:
        """Return the sign for whether all of `units` are marked, some, or none."""
        if not self._marked:
            return " "
        count = sum(unit.id in self._marked for unit in units)
        if count == 0:
            return " "
        return MARKED if count == len(units) else PARTLY_MARKED

    def _show_counts(self, units: Sequence[Unit]) -> Iterator[Segment]:
        added, deleted = count_lines(units)
        if added or deleted:
            yield Segment(f"+{added}", self.style_of("rows--added"))
            yield Segment(f" -{deleted}", self.style_of("rows--removed"))


def count_lines(units: Sequence[Unit]) -> tuple[int, int]:
    """Return how many lines `units` add and delete."""
    added = deleted = 0
    for unit in units:
        if unit.kind == "file":
            added += unit.change.added or 0
            deleted += unit.change.deleted or 0
        else:
            added += sum(hunk.new_count for hunk in unit.hunks)
            deleted += sum(hunk.old_count for hunk in unit.hunks)
    return added, deleted


def shorten(text: str, width: int) -> str:
    """Return `text` without its end if it is wider than `width`."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) >= width:
        text = text[:-1]
    return f"{text}…" if width > 0 else ""


def shorten_path(text: str, width: int) -> str:
    """Return `text` without its beginning if it is wider than `width`."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) >= width:
        text = text[1:]
    return f"…{text}" if width > 0 else ""
