"""The two panes side by side: which commit is shown, what is selected, and what is marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from smartcommit.change.wording import format_count
from smartcommit.errors import SplitError
from smartcommit.git.hunks import Unit
from smartcommit.split.plan import list_ids
from smartcommit.split.review import render
from smartcommit.split.review.commit_list import NOTES, CommitList
from smartcommit.split.review.hunk_view import HunkView
from smartcommit.split.review.render import TEXT, Line
from smartcommit.split.review.row_list import RowList
from smartcommit.split.review.session import UNCOMMITTED, Session


class Panes(Horizontal):
    """The commits of `session` on the left, and on the right the message and the hunks of the selected one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,]", "hunk(1)", show=False, tooltip="to the next hunk"),
        Binding("p,[", "hunk(-1)", show=False, tooltip="to the previous hunk"),
        Binding("f", "fold", show=False, tooltip="fold or unfold the commit or the hunk"),
        Binding("F", "fold_all", show=False, tooltip="fold or unfold all commits or hunks"),
        Binding("space", "mark", show=False, tooltip="mark the hunk, file or commit, to move or merge several"),
        Binding("escape", "unmark", show=False, tooltip="unmark everything"),
        Binding("tab", "app.focus_next", show=False, tooltip="switch panes"),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._shown: int | None = None
        self._marked: set[str] = set()
        self.commits = CommitList(session, self._marked)
        self.view = HunkView(self._marked)

    def compose(self) -> ComposeResult:
        yield self.commits
        yield self.view

    def on_mount(self) -> None:
        self.refill(1)

    def on_row_list_pointed(self, event: RowList.Pointed) -> None:
        """Show the commit that is selected on the left."""
        if event.rows is self.commits:
            self._show_entry()

    @property
    def number(self) -> int:
        """The number of the selected commit."""
        return self.commits.entry.number

    def refill(self, number: int, path: bytes | None = None) -> None:
        """List the commits as they are now, with the cursor at commit `number`, or its file at `path`."""
        self.commits.refill(number, path)
        self._shown = None
        self._show_entry()

    def refresh_edited(self, number: int | None = None) -> None:
        """Show the commits after an edit, with the cursor at commit `number` or where it was."""
        entry, position = self.commits.entry, self.view.position
        if number is None:
            number = entry.number
        self.refill(number, entry.path)
        if position and entry.path is None:
            self.view.point_at(position)

    def action_hunk(self, by: int) -> None:
        """Go to the next or previous hunk, which may be another commit's."""
        self.view.focus()
        position = self.view.position + by
        if 1 <= position <= len(self.view.units):
            self.view.point_at(position)
            return
        numbers = [entry.number for entry in self.commits.entries if entry.path is None and entry.units]
        here = numbers.index(self.number) if self.number in numbers else -1
        if 0 <= here + by < len(numbers):
            self.refill(numbers[here + by])
            if by > 0:
                self.view.point_at(1)
            else:
                self.view.point_at(len(self.view.units))

    def action_fold(self) -> None:
        self._focused().fold()

    def action_fold_all(self) -> None:
        self._focused().fold_all()

    def action_mark(self) -> None:
        """Mark the hunks of the commit or file at the cursor on the left, or the hunk at the cursor on the right.

        If all of them are marked, unmark them.
        """
        units: Sequence[Unit] = self.commits.entry.units
        if not self.commits.has_focus:
            units = self._units_at_cursor()
        names = set(list_ids(units))
        if names <= self._marked:
            self._marked -= names
        else:
            self._marked |= names
        self._refresh_marks()

    def action_unmark(self) -> None:
        self._marked.clear()
        self._refresh_marks()

    def list_marked_commits(self) -> list[int]:
        """Return the numbers of the commits, other than the selected one, of which every hunk is marked."""
        numbers = []
        for number, commit in enumerate(self._session.plan.commits, start=1):
            if number != self.number and self._marked.issuperset(list_ids(commit.units)):
                numbers.append(number)
        return numbers

    def with_marked(self, units: Sequence[Unit]) -> Sequence[Unit]:
        """Return the marked hunks if `units` are among them or none, else `units`."""
        marked = [unit for unit in self._session.units if unit.id in self._marked]
        if self._marked.issuperset(list_ids(units)):
            return marked
        return units

    def selected_hunk(self) -> tuple[str, Sequence[Unit]]:
        """Return a name and the hunk at the cursor on the right; raise SplitError if there is none."""
        units = self._units_at_cursor()
        if not units:
            hint = "select one in the other pane, with n, or Tab and the arrow keys"
            raise SplitError("no hunk selected", hint=hint)
        return f"hunk {self.number}.{self.view.position}", units

    def selected_hunks(self) -> tuple[str, Sequence[Unit]]:
        """Return a name and the hunks to move: those that are marked, those of the file on the left, or one hunk.

        Raise SplitError if there is none.
        """
        marked = self.with_marked(())
        if marked:
            return format_count(len(marked), "marked hunk"), marked
        entry = self.commits.entry
        if self.commits.has_focus and entry.path is not None:
            return f"{format_count(len(entry.units), 'hunk')} of {entry.title}", entry.units
        return self.selected_hunk()

    def _focused(self) -> CommitList | HunkView:
        if self.commits.has_focus:
            return self.commits
        return self.view

    def _units_at_cursor(self) -> Sequence[Unit]:
        position = self.view.position
        return self.view.units[max(0, position - 1) : position]

    def _refresh_marks(self) -> None:
        self.commits.refresh()
        self.view.refresh()

    def _show_entry(self) -> None:
        """Show what is selected on the left."""
        entry = self.commits.entry
        if entry.number != self._shown:
            self._shown = entry.number
            message: list[Line] = []
            units: Sequence[Unit] = ()
            if entry.number == NOTES:
                message = [Line(TEXT, line) for line in render.show_notes(self._session.plan)]
            else:
                units = self._session.units_of(entry.number)
            if entry.number > UNCOMMITTED:
                message = render.message_lines(self._session.commit(entry.number).message)
            self.view.show_commit(entry.number, message, units, self._session.context)
        if entry.path is not None:
            self.view.point_at(self.view.units.index(entry.units[0]) + 1)
