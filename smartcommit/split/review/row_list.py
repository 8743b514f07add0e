"""A list of rows with a cursor, which draws only the visible ones; the base class of both panes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from smartcommit.git.hunks import Unit
from smartcommit.split.review.render import count_lines

# What is shown before a commit or file of which all hunks are marked, or some.
MARKED, PARTLY_MARKED = "●", "◐"


class RowList(ScrollView, can_focus=True):
    """Rows of one line each. A subclass draws them, and may say which hunks a row can be dragged for."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"rows--cursor", "rows--blurred", "rows--added", "rows--removed"}  # noqa: RUF012
    DEFAULT_CSS = """
    RowList {
        background: $surface; color: $foreground; scrollbar-size-vertical: 1; overflow-x: hidden;
        & > .rows--cursor { background: $primary 35%; }
        & > .rows--blurred { background: $foreground 10%; }
        & > .rows--added { color: $text-success; }
        & > .rows--removed { color: $text-error; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", show=False, tooltip="one row up"),
        Binding("down,j", "step(1)", show=False, tooltip="one row down"),
        Binding("pageup", "page(-1)", show=False, tooltip="one page up"),
        Binding("pagedown", "page(1)", show=False, tooltip="one page down"),
        Binding("home", "first", show=False, tooltip="to the first row"),
        Binding("end", "last", show=False, tooltip="to the last row"),
    ]

    class Pointed(Message):
        """The user moved the cursor to another row."""

        def __init__(self, rows: RowList) -> None:
            super().__init__()
            self.rows = rows

    class Dragged(Message):
        """Hunks are dragged to a place on the screen, and dropped there if that is the end."""

        def __init__(self, units: tuple[Unit, ...], place: Offset, *, dropped: bool) -> None:
            super().__init__()
            self.units = units
            self.place = place
            self.dropped = dropped

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self.cursor = 0
        self._count = 0
        self._grabbed: tuple[Unit, ...] = ()
        self._dragging = False

    def draw(self, row: int, width: int) -> list[Segment]:
        """Return `row`, which is cut if it is wider than `width`."""
        raise NotImplementedError

    def grab(self, row: int) -> tuple[Unit, ...]:
        """Return the hunks that `row` can be dragged for."""
        raise NotImplementedError

    def fill(self, count: int, cursor: int) -> None:
        """Show `count` rows, with the cursor at one of them."""
        self._count = count
        self.virtual_size = Size(self.size.width, count)
        self.cursor = max(0, min(cursor, count - 1))
        self.refresh()
        self._reveal()

    def point(self, row: int) -> None:
        """Move the cursor to `row`, or the first or last one."""
        row = max(0, min(row, self._count - 1))
        if row != self.cursor:
            self.refresh_line(self.cursor)
            self.cursor = row
            self.refresh_line(row)
            self.post_message(self.Pointed(self))
        self._reveal()

    def reveal_from(self, row: int) -> None:
        """Scroll until `row` is the first one that is shown, or as far as that is possible."""
        # Without a scroll bar nothing scrolls unless forced, and it appears only when the rows are laid out.
        self.scroll_to(y=row, animate=False, immediate=True, force=True)

    def row_region(self, row: int) -> Region:
        """Return where `row` is on the screen."""
        inner = self.content_region
        return Region(inner.x, inner.y + row - self.scroll_offset.y, inner.width, 1)

    def row_at(self, place: Offset) -> int:
        """Return the row at a place on the screen; there may be no such row."""
        return place.y - self.content_region.y + self.scroll_offset.y

    def render_line(self, y: int) -> Strip:
        row = self.scroll_offset.y + y
        width = self.size.width
        if not 0 <= row < self._count:
            return Strip.blank(width, self.rich_style)
        style = self.rich_style
        # The scroll bar lies over the last column.
        segments = self.draw(row, self.scrollable_content_region.width)
        if row == self.cursor:
            name = "rows--blurred"
            if self.has_focus:
                name = "rows--cursor"
            style += Style(bgcolor=self.get_component_rich_style(name).bgcolor)
            segments = list(Segment.apply_style(segments, post_style=Style(bgcolor=style.bgcolor)))
        segments = list(Segment.apply_style(segments, self.rich_style))
        return Strip(segments).adjust_cell_length(width, style)

    def action_step(self, by: int) -> None:
        self.point(self.cursor + by)

    def action_page(self, by: int) -> None:
        self.point(self.cursor + by * max(1, self.size.height - 1))

    def action_first(self) -> None:
        self.point(0)

    def action_last(self) -> None:
        self.point(self._count - 1)

    def on_resize(self) -> None:
        self._reveal()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Move the cursor to the row, which may be dragged from now on."""
        row = self.row_at(event.screen_offset)
        if event.button == 1 and row < self._count:
            self.point(row)
            self._grabbed = self.grab(row)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if not self.row_region(self.cursor).contains_point(event.screen_offset):
            self._dragging = bool(self._grabbed)
        if self._dragging:
            self.post_message(self.Dragged(self._grabbed, event.screen_offset, dropped=False))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self.release_mouse()
        if self._dragging:
            self.post_message(self.Dragged(self._grabbed, event.screen_offset, dropped=True))
        self._grabbed = ()
        self._dragging = False

    def draw_counts(self, units: Sequence[Unit]) -> list[Segment]:
        """Return how many lines `units` add and remove, or nothing if they only change something else."""
        added, removed = count_lines(units)
        if not added and not removed:
            return []
        return [
            Segment(f"+{added}", self.style_of("rows--added")),
            Segment(f" -{removed} ", self.style_of("rows--removed")),
        ]

    def style_of(self, name: str) -> Style:
        """Return the style of a component without its background, which the row's kind and the cursor decide."""
        style = self.get_component_rich_style(name)
        return Style(color=style.color, bold=style.bold, italic=style.italic)

    def _reveal(self) -> None:
        height = self.size.height
        top = self.scroll_offset.y
        if self.cursor < top:
            self.reveal_from(self.cursor)
        elif height and self.cursor >= top + height:
            self.reveal_from(self.cursor - height + 1)


def shorten(text: str, width: int) -> str:
    """Return `text` without its end if it is wider than `width`."""
    shown = Text(text)
    shown.truncate(max(1, width), overflow="ellipsis")
    return shown.plain


def shorten_path(text: str, width: int) -> str:
    """Return `text` without its beginning if it is wider than `width`."""
    return shorten(text[::-1], width)[::-1]
