"""The pane with the message and the hunks of one commit."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence, Set
from textwrap import wrap
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.strip import Strip

from smartcommit.git.hunks import Unit
from smartcommit.split.plan import list_ids
from smartcommit.split.review import render
from smartcommit.split.review.hunk_rows import ADDED, REMOVED, HunkContext
from smartcommit.split.review.render import Line
from smartcommit.split.review.row_list import MARKED, RowList, shorten_path

# Minimum columns of this pane in which a line shows its numbers before and after the change.
TWO_NUMBERS = 40
# Columns at which lines of a message are wrapped, even if the pane has fewer.
MESSAGE_WIDTH = 20
# Columns that the lines scroll sideways at a time, and columns of a tab.
SIDEWAYS = 8
TAB = 4
# Signs at the start and end of a line that continues to the left or right.
CONTINUED_LEFT, CONTINUED_RIGHT = "‹", "›"
# Lines that are shown of one hunk.
HUNK_LINES = 20_000


class HunkView(RowList):
    """The message of a commit, and its hunks with line numbers between unchanged lines."""

    COMPONENT_CLASSES = {  # noqa: RUF012 (textual's own form)
        "hunks--subject", "hunks--hunk", "hunks--note", "hunks--position", "hunks--marked",
        "hunks--added", "hunks--removed",
    }  # fmt: skip
    DEFAULT_CSS = """
    HunkView {
        & > .hunks--subject { text-style: bold; }
        & > .hunks--hunk { color: $text-primary; text-style: bold; }
        & > .hunks--note, & > .hunks--position { color: $text-muted; }
        & > .hunks--marked { color: $text-warning; text-style: bold; }
        & > .hunks--added { background: $success 18%; }
        & > .hunks--removed { background: $error 18%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "sideways(-1)", show=False, tooltip="show the beginning of long lines"),
        Binding("right", "sideways(1)", show=False, tooltip="show the end of long lines"),
    ]

    def __init__(self, marked: Set[str]) -> None:
        """`marked` has the ids of the hunks to show as marked."""
        super().__init__("shown")
        self.units: Sequence[Unit] = ()
        self._marked = marked
        self._message: Sequence[Line] = ()
        # The lines of each hunk; the first is its heading.
        self._hunks: list[list[Line]] = []
        self._folded: set[str] = set()
        self._lines: list[Line] = []
        self._starts: list[int] = []
        self._digits = 1
        self._column = 0

    def show_commit(self, number: int, message: Sequence[Line], units: Sequence[Unit], context: HunkContext) -> None:
        """Show the lines of the message of commit `number`, and its `units`."""
        self.units = units
        self._message = message
        self._hunks = []
        self._column = 0
        highest = 1
        for position, unit in enumerate(units, start=1):
            lines = list(render.unit_lines(unit, f"{number}.{position}", context, limit=HUNK_LINES))
            for line in lines:
                highest = max(highest, line.old or 0, line.new or 0)
            self._hunks.append([*lines, Line(render.TEXT, "")])
        self._digits = len(str(highest))
        self._lay_out(0)
        self.reveal_from(0)

    @property
    def position(self) -> int:
        """The number of the hunk at the cursor, from 1; 0 before the first."""
        return bisect_right(self._starts, self.cursor)

    @property
    def _start(self) -> int:
        """The row at which the hunk at the cursor begins; 0 before the first."""
        return self._starts[self.position - 1] if self.position else 0

    def point_at(self, position: int) -> None:
        """Move the cursor to the heading of the hunk at `position`, or the last one, and show what follows."""
        if self._starts:
            row = self._starts[min(max(position, 1), len(self._starts)) - 1]
            self.point(row)
            if row + self.size.height // 2 > self.scroll_offset.y + self.size.height:
                self.reveal_from(max(0, row - 1))

    def count_changes(self) -> tuple[int, int]:
        """Return how many removed and added lines the hunk at the cursor has before it."""
        kinds = Counter(line.kind for line in self._lines[self._start : self.cursor])
        return kinds[REMOVED], kinds[ADDED]

    def fold(self) -> None:
        """Hide the lines of the hunk at the cursor, or show them."""
        if self.position:
            self._fold(self._folded ^ {self.units[self.position - 1].id})

    def fold_all(self) -> None:
        """Hide the lines of all hunks, or if there are none to hide show them."""
        names = set(list_ids(self.units))
        if names <= self._folded:
            self._fold(self._folded - names)
        else:
            self._fold(self._folded | names)

    def action_sideways(self, by: int) -> None:
        self._column = max(0, min(self._column + by * SIDEWAYS, render.LINE_WIDTH))
        self.refresh()

    def grab(self, row: int) -> tuple[Unit, ...]:
        position = bisect_right(self._starts, row)
        return tuple(self.units[max(0, position - 1) : position])

    def draw(self, row: int, width: int) -> list[Segment]:
        line = self._lines[row]
        if line.kind == render.HUNK:
            return self._draw_heading(self.units[bisect_right(self._starts, row) - 1], line, width)
        if line.kind in render.SIGNS:
            return self._draw_line(line, width)
        style = Style()
        if line.kind != render.TEXT:
            style = self.style_of(f"hunks--{line.kind}")
        return [Segment(f" {line.text.expandtabs(TAB)}", style)]

    def on_resize(self) -> None:
        """Wrap the message again, with the cursor at the same hunk or line of it."""
        position = self.position
        below = self.cursor - self._start
        self._lay_out(below)
        if position:
            self.cursor = self._starts[position - 1] + below
        self._reveal()

    def _draw_heading(self, unit: Unit, line: Line, width: int) -> list[Segment]:
        name = "hunks--hunk"
        mark = " "
        if unit.id in self._marked:
            name = "hunks--marked"
            mark = MARKED
        arrow = "▾"
        if unit.id in self._folded:
            arrow = "▸"
        counts = self.draw_counts([unit])
        start = f"{mark}{arrow} {line.text.partition(' ')[0]} "
        room = width - len(start) - Segment.get_line_length(counts) - 1
        path = shorten_path(render.safe(unit.id).expandtabs(1), room)
        space = " " * max(0, room - cell_len(path))
        return [Segment(f"{start}{path}{space} ", self.style_of(name)), *counts]

    def _draw_line(self, line: Line, width: int) -> list[Segment]:
        style = Style()
        if line.kind in (ADDED, REMOVED):
            style = Style(bgcolor=self.get_component_rich_style(f"hunks--{line.kind}").bgcolor)
        dim = style + self.style_of("hunks--note")
        numbers = self._show_numbers(line, width)
        text = Strip([Segment(line.text.expandtabs(TAB), style)])
        left = CONTINUED_LEFT if self._column and text.cell_length else " "
        room = max(0, width - cell_len(numbers) - 2)
        if room and text.cell_length > self._column + room:
            shown = [*text.crop(self._column, self._column + room - 1), Segment(CONTINUED_RIGHT, dim)]
        else:
            shown = list(text.crop_extend(self._column, self._column + room, style))
        sign = Segment(render.SIGNS[line.kind], style + Style(bold=True))
        return [Segment(numbers, dim), sign, Segment(left, dim), *shown]

    def _show_numbers(self, line: Line, width: int) -> str:
        numbers = [line.old, line.new]
        if width < TWO_NUMBERS:
            numbers = [line.old if line.kind == REMOVED else line.new]
        shown = [f"{number or '':>{self._digits}}" for number in numbers]
        return f" {' '.join(shown)} "

    def _fold(self, folded: set[str]) -> None:
        position = self.position
        self._folded = folded
        self._lay_out(0)
        if position:
            self.point(self._starts[position - 1])

    def _lay_out(self, cursor: int) -> None:
        """List the rows for the width of this pane, without those that are folded."""
        self._lines = []
        for line in self._message:
            for part in wrap(line.text.expandtabs(TAB), max(MESSAGE_WIDTH, self.size.width - 2)) or [""]:
                self._lines.append(Line(line.kind, part))
        self._starts = []
        for unit, lines in zip(self.units, self._hunks, strict=True):
            self._starts.append(len(self._lines))
            if unit.id in self._folded:
                self._lines += lines[:1]
            else:
                self._lines += lines
        self.fill(len(self._lines), cursor)
