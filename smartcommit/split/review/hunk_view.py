"""The pane with the message and the hunks of one commit."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from textwrap import wrap
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.strip import Strip

from smartcommit.git.hunks import Unit
from smartcommit.split.review import render
from smartcommit.split.review.commit_list import count_lines, shorten, shorten_path
from smartcommit.split.review.hunk_rows import ADDED, REMOVED, UNCHANGED, HunkContext, HunkRows, Row
from smartcommit.split.review.row_list import RowList
from smartcommit.split.review.syntax_colors import KINDS, Span, color_lines

# Columns of this pane from which on a line has both of its numbers.
TWO_NUMBERS = 40
# Columns that a line of a message is given, even if there are less.
MESSAGE_WIDTH = 20
# Columns by which the lines are moved sideways, and those of a tab.
SIDEWAYS = 8
TAB = 4
# What begins and ends a line of which there is more to the left or right.
CONTINUED_LEFT, CONTINUED_RIGHT = "‹", "›"
# Rows of the longest hunk with colors, and hunks of which the colors are kept.
COLORED = 600
KEPT = 64


class _Block:
    """The rows of one unit: its heading, notes, the rows of its hunks, and an empty row."""

    def __init__(self, unit: Unit, name: str, context: HunkContext) -> None:
        self.unit = unit
        self.name = name
        self.folded = False
        self.hunks = context.rows_of(unit)
        self.notes = list(render.list_notes(unit))
        self._parts: list[tuple[int, HunkRows | str]] = []
        begin = 1
        for note in self.notes:
            self._parts.append((begin, note))
            begin += 1
        for rows in self.hunks:
            if len(self.hunks) > 1:
                self._parts.append((begin, f"@@ {rows.position} @@"))
                begin += 1
            self._parts.append((begin, rows))
            begin += len(rows)
        self._parts.append((begin, ""))
        self._count = begin + 1

    def __len__(self) -> int:
        return 1 if self.folded else self._count

    def find(self, place: int) -> tuple[HunkRows, int] | str:
        """Return what is at `place` below the heading: a text, or the rows of a hunk and a place in them."""
        begin, part = self._parts[bisect_right(self._parts, place, key=lambda each: each[0]) - 1]
        return part if isinstance(part, str) else (part, place - begin)

    def widest_number(self) -> int:
        last = [rows[len(rows) - 1] for rows in self.hunks if len(rows)]
        return max((max(row.old or 0, row.new or 0) for row in last), default=0)


class HunkView(RowList):
    """The message of a commit, and its hunks with line numbers between unchanged lines."""

    COMPONENT_CLASSES = {  # noqa: RUF012 (textual's own form)
        "hunks--heading", "hunks--subject", "hunks--added", "hunks--removed", "hunks--marked",
        *(f"hunks--{kind}" for kind in KINDS),
    }  # fmt: skip
    DEFAULT_CSS = """
    HunkView {
        & > .hunks--subject { text-style: bold; }
        & > .hunks--heading { color: $text-primary; text-style: bold; }
        & > .hunks--marked { color: $text-warning; text-style: bold; }
        & > .hunks--added { background: $success 18%; }
        & > .hunks--removed { background: $error 18%; }
        & > .hunks--comment { color: $text-muted; text-style: italic; }
        & > .hunks--keyword { color: $text-accent; }
        & > .hunks--string { color: $text-success; }
        & > .hunks--number { color: $text-warning; }
        & > .hunks--name { color: $text-primary; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "sideways(-1)", show=False, tooltip="show the beginning of long lines"),
        Binding("right", "sideways(1)", show=False, tooltip="show the end of long lines"),
    ]

    def __init__(self, marked: Set[str] = frozenset()) -> None:
        """`marked` has the ids of the hunks to show as marked."""
        super().__init__("shown")
        self._marked = marked
        self._lines: list[render.Line] = []
        self._message: list[render.Line] = []
        self._blocks: list[_Block] = []
        self._starts: list[int] = []
        self._folded: set[str] = set()
        self._digits = 1
        self._column = 0
        self._colors: dict[int, tuple[HunkRows, list[list[Span]]]] = {}

    def show_lines(self, lines: Sequence[render.Line]) -> None:
        """Show `lines` and no hunks."""
        self._lines = list(lines)
        self._blocks = []
        self._place(0)
        self.reveal_from(0)

    def show_commit(
        self, number: int, lines: Sequence[render.Line], units: Sequence[Unit], context: HunkContext
    ) -> None:
        """Show the message `lines` of commit `number`, or none, and its `units`."""
        self._lines = list(lines)
        self._blocks = []
        self._column = 0
        widest = 1
        for position, unit in enumerate(units, start=1):
            block = _Block(unit, f"{number}.{position}", context)
            block.folded = unit.id in self._folded
            widest = max(widest, block.widest_number())
            self._blocks.append(block)
        self._digits = len(str(widest))
        self._place(0)
        self.reveal_from(0)

    @property
    def position(self) -> int:
        """The number of the hunk at the cursor, from 1; 0 before the first."""
        return bisect_right(self._starts, self.cursor)

    @property
    def names(self) -> list[str]:
        """The names of the hunks."""
        return [block.name for block in self._blocks]

    def point_at(self, position: int) -> None:
        """Move the cursor to the heading of the hunk at `position`, or the last one, and show what follows."""
        if self._starts:
            row = self._starts[min(max(position, 1), len(self._starts)) - 1]
            self.point(row)
            if row + self.size.height // 2 > self.scroll_offset.y + self.size.height:
                self.reveal_from(max(0, row - 1))

    def count_changes(self) -> tuple[int, int]:
        """Return how many removed and added lines the hunk at the cursor has before it."""
        if self.position:
            block = self._blocks[self.position - 1]
            if self.cursor > self._starts[self.position - 1]:
                found = block.find(self.cursor - self._starts[self.position - 1])
                if not isinstance(found, str):
                    return found[0].count_changes(found[1])
        return 0, 0

    def fold(self) -> None:
        """Hide the lines of the hunk at the cursor, or show them."""
        if self.position:
            self._fold([self._blocks[self.position - 1]])

    def fold_all(self) -> None:
        """Hide the lines of all hunks, or if there are none to hide show them."""
        shown = [block for block in self._blocks if not block.folded]
        self._fold(shown or self._blocks)

    def action_sideways(self, by: int) -> None:
        self._column = max(0, min(self._column + by * SIDEWAYS, render.LINE_WIDTH))
        self.refresh()

    def grab(self, row: int) -> tuple[Unit, ...]:
        position = bisect_right(self._starts, row)
        return (self._blocks[position - 1].unit,) if position else ()

    def draw(self, row: int, width: int) -> list[Segment]:
        position = bisect_right(self._starts, row)
        if not position:
            return self._draw_text(*self._message[row])
        block, place = self._blocks[position - 1], row - self._starts[position - 1]
        if place == 0:
            return self._draw_heading(block, width)
        found = block.find(place)
        if isinstance(found, str):
            return self._draw_text(render.NOTE, f"  {found}")
        rows, number = found
        return self._draw_row(block.unit.change.path, rows, number, width)

    def _draw_text(self, kind: str, text: str) -> list[Segment]:
        styles = {render.SUBJECT: "hunks--subject", render.NOTE: "rows--dim"}
        style = Style()
        if kind in styles:
            style = self.style_of(styles[kind])
        return [Segment(f" {text.expandtabs(TAB)}", style)]

    def _draw_heading(self, block: _Block, width: int) -> list[Segment]:
        unit = block.unit
        marked = unit.id in self._marked
        start = f"{'●' if marked else ' '}{'▸' if block.folded else '▾'} [{block.name}] "
        added, deleted = count_lines([unit])
        counts = [f" +{added}", f" -{deleted} "]
        if not (added or deleted) or unit.change.binary:
            counts = ["", ""]
        room = width - len(start) - len("".join(counts))
        name = shorten_path(render.safe(unit.id).expandtabs(1), room)
        section = ""
        if len(block.hunks) == 1:
            section = render.show_content(block.hunks[0].section).expandtabs(TAB).strip()
        section = shorten(f"  {section}", room - cell_len(name)) if section else ""
        space = " " * max(0, room - cell_len(name) - cell_len(section))
        style = self.style_of("hunks--marked" if marked else "hunks--heading")
        return [
            Segment(start + name, style),
            Segment(section + space, self.style_of("rows--dim")),
            Segment(counts[0], self.style_of("rows--added")),
            Segment(counts[1], self.style_of("rows--removed")),
        ]

    def _draw_row(self, path: bytes, rows: HunkRows, number: int, width: int) -> list[Segment]:
        row = rows[number]
        style = Style()
        if row.kind != UNCHANGED:
            style = self.get_component_rich_style(f"hunks--{row.kind}")
            style = Style(bgcolor=style.bgcolor)
        dim = style + self.style_of("rows--dim")
        numbers = self._show_numbers(row, width)
        text = _shown(row)
        spans: list[Segment] = []
        place = 0
        for begin, end, kind in self._colors_of(path, rows)[number]:
            spans.append(Segment(text[place:begin], style))
            spans.append(Segment(text[begin:end], style + self.style_of(f"hunks--{kind}")))
            place = end
        spans.append(Segment(text[place:], style))
        line = Strip(spans)
        left = CONTINUED_LEFT if self._column and line.cell_length else " "
        room = max(0, width - cell_len(numbers) - 2)
        if room and line.cell_length > self._column + room:
            content = [*line.crop(self._column, self._column + room - 1), Segment(CONTINUED_RIGHT, dim)]
        else:
            content = list(line.crop_extend(self._column, self._column + room, style))
        sign = Segment(render.SIGNS[row.kind], style + Style(bold=True))
        return [Segment(numbers, dim), sign, Segment(left, dim), *content]

    def _show_numbers(self, row: Row, width: int) -> str:
        numbers = [row.old, row.new]
        if width < TWO_NUMBERS:
            numbers = [row.old if row.kind == REMOVED else row.new]
        shown = [f"{number or '':>{self._digits}}" for number in numbers]
        return f" {' '.join(shown)} "

    def _colors_of(self, path: bytes, rows: HunkRows) -> list[list[Span]]:
        kept = self._colors.get(id(rows))
        if kept is None:
            if len(self._colors) >= KEPT:
                self._colors.clear()
            # The rows are kept as well, so that no others get the same id.
            kept = self._colors[id(rows)] = rows, color_rows(path, rows)
        return kept[1]

    def _fold(self, blocks: Sequence[_Block]) -> None:
        position = self.position
        for block in blocks:
            self._folded ^= {block.unit.id}
            block.folded = not block.folded
        self._place(0)
        if position:
            self.point(self._starts[position - 1])

    def on_resize(self) -> None:
        """Wrap the message again, with the cursor at the same hunk or line of it."""
        position = self.position
        below = self.cursor
        if position:
            below -= self._starts[position - 1]
        self._place(below)
        if position:
            self.cursor = self._starts[position - 1] + below
        self._reveal()

    def _place(self, cursor: int) -> None:
        self._message = []
        for kind, text in self._lines:
            for part in wrap(text.expandtabs(TAB), max(MESSAGE_WIDTH, self.size.width - 2)) or [""]:
                self._message.append((kind, part))
        self._starts = []
        count = len(self._message)
        for block in self._blocks:
            self._starts.append(count)
            count += len(block)
        self.fill(count, cursor)


def color_rows(path: bytes, rows: HunkRows) -> list[list[Span]]:
    """Return the spans of each of `rows`; removed lines are read with the unchanged ones, and added lines as well."""
    spans: list[list[Span]] = [[] for _ in range(len(rows))]
    if len(rows) > COLORED:
        return spans
    for skipped in (ADDED, REMOVED):
        places = [place for place, row in enumerate(rows) if row.kind != skipped]
        texts = [_shown(rows[place]) for place in places]
        for place, found in zip(places, color_lines(path, texts), strict=True):
            spans[place] = found
    return spans


def _shown(row: Row) -> str:
    return render.show_content(row.content).expandtabs(TAB)
