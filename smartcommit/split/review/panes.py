"""The two panes, each a tree of textual: the commits with their files, and the hunks of the selected one."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.widgets import Static, Tree
from textual.widgets.tree import TreeNode

from smartcommit.change.wording import format_count
from smartcommit.errors import SplitError
from smartcommit.git.hunks import Unit, group_by_path
from smartcommit.message.characters import printable
from smartcommit.split.plan import list_ids, list_open
from smartcommit.split.review import render
from smartcommit.split.review.render import ADDED, CONTEXT, HUNK, NOTE, POSITION, REMOVED, SIGNS, SUBJECT, TEXT, Line
from smartcommit.split.review.session import UNCOMMITTED, Session

# The notes are listed as a commit is, with this number.
NOTES = -2
# At first all commits are folded if the change has more files than this.
MANY_FILES = 40
# Hunks are folded at first that are below so many lines of their commit.
MANY_LINES = 2000
# Lines that are shown of one hunk.
HUNK_LINES = 20_000
# Columns of a tab.
TAB = 4
# What is shown before a commit, file or hunk of which everything is marked, or only a part.
MARKED = "●"
PARTLY_MARKED = "◐"
STYLES = {SUBJECT: "bold", HUNK: "bold cyan", POSITION: "cyan", NOTE: "dim", ADDED: "green", REMOVED: "red"}
NO_TEXT = Text()


class Row(NamedTuple):
    """A row of a tree: the `line` to show, and the `units` that it stands for.

    On the left it is a commit, with its `number` or UNCOMMITTED or NOTES, or its file at `path`. On the right it is the
    hunk with this `number`, a line of that, or a note.
    """

    number: int
    line: Line
    units: tuple[Unit, ...] = ()
    path: bytes | None = None


class RowTree(Tree[Row], inherit_bindings=False):
    """A tree of branches, which can be marked and folded, and rows below them. A row is drawn when it is seen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "cursor_up", show=False, tooltip="one row up"),
        Binding("down,j", "cursor_down", show=False, tooltip="one row down"),
        Binding("pageup", "page_up", show=False, tooltip="one page up"),
        Binding("pagedown", "page_down", show=False, tooltip="one page down"),
        Binding("home", "scroll_home", show=False, tooltip="to the first row"),
        Binding("end", "scroll_end", show=False, tooltip="to the last row"),
        Binding("left", "scroll_left", show=False, tooltip="show the beginning of long lines"),
        Binding("right", "scroll_right", show=False, tooltip="show the end of long lines"),
        Binding("f", "fold", show=False, tooltip="fold or unfold the commit or the hunk"),
        Binding("F", "fold_all", show=False, tooltip="fold or unfold all commits or hunks"),
    ]

    _filling = False

    def __init__(self, session: Session, marked: set[str]) -> None:
        """`marked` has the ids of the hunks to show as marked."""
        super().__init__("", Row(0, Line(TEXT, "")))
        self.show_root = False
        self.show_guides = False
        self.guide_depth = 2
        # A click on a commit selects it.
        self.auto_expand = False
        self._session = session
        self._marked = marked
        self.units: Sequence[Unit] = session.units
        # The ids of the hunks of folded branches, so that a commit stays folded when hunks move between folded ones.
        self._folded: set[str] = set()

    def list_branches(self) -> Iterator[Row]:
        """Yield the rows of the branches."""
        raise NotImplementedError

    def list_below(self, branch: Row) -> Iterator[Row]:
        """Yield the rows below a branch."""
        raise NotImplementedError

    @property
    def row(self) -> Row:
        """The row at the cursor."""
        return get_row(self.get_node_at_line(self.cursor_line))

    @property
    def branch(self) -> TreeNode[Row]:
        """The branch at the cursor."""
        node = self.get_node_at_line(self.cursor_line)
        assert node is not None
        if node.parent is None or node.parent.is_root:
            return node
        return node.parent

    def refill(self, number: int, path: bytes | None = None) -> None:
        """List the rows as they are now, with the cursor as by `point_at`."""
        self._filling = True
        self.clear()
        for branch in self.list_branches():
            node = self.root.add("", branch, expand=not self._is_folded(branch.units))
            if node.is_expanded:
                self._add_below(node)
        self._filling = False
        self.unselect()
        self.point_at(number, path)

    def point_at(self, number: int, path: bytes | None = None) -> None:
        """Move the cursor to branch `number` or the last before it, or to the row of `path`, and show what follows."""
        with self.prevent(Tree.NodeHighlighted):
            # This lays the rows out, so that each node has its line.
            self.cursor_line = 0
            row = self.root.children[0]
            for node in self.root.children:
                if get_row(node).number == number or 0 < get_row(node).number < number:
                    row = node
            for node in row.children:
                if path is not None and get_row(node).path == path:
                    row = node
            self.cursor_line = row.line
        below = Region(0, row.line, 1, max(1, self.size.height // 2))
        self.scroll_to_region(below, animate=False, force=True, immediate=True, x_axis=False)

    def action_fold(self) -> None:
        branch = self.branch
        toggle(self._folded, get_row(branch).units)
        self.move_cursor(branch)
        if not branch.children:
            self._add_below(branch)
        branch.toggle()

    def action_fold_all(self) -> None:
        toggle(self._folded, self.units)
        self.refill(get_row(self.branch).number)

    def refresh(self, *regions: Region, **options: bool) -> RowTree:
        """Do nothing while rows are listed: the tree calls this for each, which would take most of the time."""
        if not self._filling:
            super().refresh(*regions, **options)
        return self

    def on_resize(self) -> None:
        self.call_after_refresh(self.scroll_to_line, self.cursor_line, animate=False)

    def process_label(self, label: str | Text) -> Text:
        """Return no text, which would be read as markup; `draw` has that of the row."""
        return NO_TEXT

    def render_label(self, node: TreeNode[Row], base_style: Style, style: Style) -> Text:
        row = get_row(node)
        text = Text()
        if row.units:
            marked = len(self._marked & set(list_ids(row.units)))
            sign = " "
            if marked:
                sign = MARKED if marked == len(row.units) else PARTLY_MARKED
            text.append(sign, "bold yellow")
        if row.units and row.path is None:
            text.append("▸ " if self._is_folded(row.units) else "▾ ")
        text += self.draw(row)
        text.stylize(style)
        return text

    def draw(self, row: Row) -> Text:
        return Text(row.line.text, STYLES.get(row.line.kind, ""))

    def _add_below(self, branch: TreeNode[Row]) -> None:
        for row in self.list_below(get_row(branch)):
            branch.add_leaf("", row)

    def _is_folded(self, units: Sequence[Unit]) -> bool:
        return bool(units) and self._folded.issuperset(list_ids(units))


class CommitTree(RowTree):
    """The commits, each with its files and what they add and remove."""

    def __init__(self, session: Session, marked: set[str]) -> None:
        super().__init__(session, marked)
        if len(group_by_path(session.units)) > MANY_FILES:
            self._folded.update(list_ids(session.units))

    def list_branches(self) -> Iterator[Row]:
        plan = self._session.plan
        self.units = self._session.units
        for number, commit in enumerate(plan.commits, start=1):
            title = Line(SUBJECT, f"{number}. {render.show_title(commit)}")
            yield Row(number, title, commit.units)
        if plan.skipped:
            title = Line(SUBJECT, f"skipped: {len(plan.skipped)}")
            yield Row(UNCOMMITTED, title, plan.skipped)
        if plan.issues or plan.left_out or plan.warnings or plan.hides_untracked:
            yield Row(NOTES, Line(SUBJECT, "   notes"))

    def list_below(self, branch: Row) -> Iterator[Row]:
        parts = group_by_path(self.units)
        for path, units in group_by_path(branch.units).items():
            text = f" {units[0].change.status} {printable(os.fsdecode(path))}"
            if len(units) < len(parts[path]):
                text += f" {len(units)}/{len(parts[path])}"
            yield Row(branch.number, Line(TEXT, text), tuple(units), path)

    def render_label(self, node: TreeNode[Row], base_style: Style, style: Style) -> Text:
        """Cut the text, a path at its beginning, and add the numbers of lines."""
        text = super().render_label(node, base_style, style)
        row = get_row(node)
        counts = draw_counts(row.units)
        room = self.scrollable_content_region.width - counts.cell_len
        if row.path is not None:
            room -= self.guide_depth
            if text.cell_len > room:
                path = Text(text.plain[:3:-1])
                path.truncate(max(1, room - 4), overflow="ellipsis")
                text = text[:4] + Text(path.plain[::-1], style)
        text.truncate(max(1, room), overflow="ellipsis", pad=True)
        return text + counts

    def get_label_width(self, node: TreeNode[Row]) -> int:
        """Return no width: the rows are cut, and do not scroll sideways."""
        return 0


class HunkTree(RowTree):
    """The hunks of a commit, with line numbers between unchanged lines; or the notes."""

    def __init__(self, session: Session, marked: set[str]) -> None:
        super().__init__(session, marked)
        self._number = UNCOMMITTED
        for units in (session.plan.skipped, *(commit.units for commit in session.commits)):
            lines = 0
            for unit in units:
                if lines > MANY_LINES:
                    self._folded.add(unit.id)
                lines += sum(render.count_lines([unit])) + 2 * CONTEXT

    def show(self, number: int) -> None:
        """Show the hunks of commit `number`, UNCOMMITTED or NOTES."""
        self._number = number
        self.units = ()
        if number != NOTES:
            self.units = self._session.units_of(number)
        self.refill(1)

    def list_branches(self) -> Iterator[Row]:
        for position, unit in enumerate(self.units, start=1):
            yield Row(position, Line(HUNK, unit.id), (unit,))
        if self._number == NOTES:
            for position, note in enumerate(render.show_notes(self._session.plan), start=1):
                yield Row(position, Line(TEXT, note))

    def list_below(self, branch: Row) -> Iterator[Row]:
        for unit in branch.units:
            lines = render.list_unit_lines(unit, "", self._session.context, limit=HUNK_LINES)
            for line in islice(lines, 1, None):
                yield Row(branch.number, line._replace(text=line.text.expandtabs(TAB)))

    def count_changes(self) -> tuple[int, int]:
        """Return how many removed and added lines the hunk at the cursor has before it."""
        kinds: Counter[str] = Counter()
        for node in self.branch.children:
            if node.line == self.cursor_line:
                return kinds[REMOVED], kinds[ADDED]
            kinds[get_row(node).line.kind] += 1
        return 0, 0

    def draw(self, row: Row) -> Text:
        text = super().draw(row)
        if row.line.kind == HUNK:
            text = Text(f"[{self._number}.{row.number}] {render.safe(row.line.text).expandtabs(1)}", text.style)
        if row.line.kind in SIGNS:
            numbers = f"{row.line.old or '':>4} {row.line.new or '':>4} "
            text = Text.assemble((numbers, "dim"), (f"{SIGNS[row.line.kind]} ", text.style), text)
        return text + draw_counts(row.units)

    def get_label_width(self, node: TreeNode[Row]) -> int:
        """Return about how many columns the row has, since drawing all of them would take too long."""
        return cell_len(get_row(node).line.text) + 12


class MessageView(VerticalScroll):
    """The message of a commit, which can be focused if it has to be scrolled."""

    def allow_focus(self) -> bool:
        return self.max_scroll_y > 0


class Panes(Horizontal):
    """The commits of `session` on the left, and on the right the message and the hunks of the selected one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,]", "hunk(1)", show=False, tooltip="to the next hunk"),
        Binding("p,[", "hunk(-1)", show=False, tooltip="to the previous hunk"),
        Binding("space", "mark", show=False, tooltip="mark the hunk, file or commit, to move or merge several"),
        Binding("escape", "unmark", show=False, tooltip="unmark everything"),
        Binding("tab", "app.focus_next", show=False, tooltip="switch panes"),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._shown: int | None = None
        self._marked: set[str] = set()
        self.commits = CommitTree(session, self._marked)
        self.hunks = HunkTree(session, self._marked)
        self.message = Static()

    def compose(self) -> ComposeResult:
        yield self.commits
        with Vertical():
            yield MessageView(self.message)
            yield self.hunks

    def on_mount(self) -> None:
        self.refill(next(iter(list_open(self._session.commits)), 1))

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[Row]) -> None:
        if event.control is self.commits:
            self._show_selected()

    @property
    def number(self) -> int:
        """The number of the selected commit."""
        return self.commits.row.number

    def refill(self, number: int, path: bytes | None = None) -> None:
        """List the commits as they are now, with the cursor at commit `number`, or its file at `path`."""
        self.commits.refill(number, path)
        self._listed = self._session.commits
        self._shown = None
        self._show_selected()

    def refresh_edited(self, number: int | None = None) -> None:
        """Show the commits after an edit, if there was one, with the cursor at commit `number` or where it was."""
        if self._session.commits is self._listed:
            return
        row, position = self.commits.row, self.hunks.row.number
        if number is None:
            number = row.number
        self.refill(number, row.path)
        if row.path is None:
            self.hunks.point_at(position)

    def action_hunk(self, by: int) -> None:
        """Go to the next or previous hunk, which may be another commit's; from the left to the one that is shown."""
        position = self.hunks.row.number
        if by < 0 or not self._is_left():
            position += by
        self.screen.set_focus(self.hunks)
        if 1 <= position <= len(self.hunks.units):
            self.hunks.point_at(position)
            return
        numbers = list(range(1, len(self._session.commits) + 1))
        if self._session.plan.skipped:
            numbers.append(UNCOMMITTED)
        here = numbers.index(self.number) if self.number in numbers else -1
        if 0 <= here + by < len(numbers):
            self.refill(numbers[here + by])
            if by < 0:
                self.hunks.point_at(len(self.hunks.units))

    def action_mark(self) -> None:
        """Mark what is at the cursor; if all of it is marked, unmark it."""
        row = self.commits.row
        if not self._is_left():
            row = get_row(self.hunks.branch)
        toggle(self._marked, row.units)
        self._redraw()

    def action_unmark(self) -> None:
        self._marked.clear()
        self._redraw()

    def list_marked_commits(self) -> list[int]:
        """Return the numbers of the commits, other than the selected one, of which every hunk is marked."""
        others = [number for number in range(1, len(self._session.commits) + 1) if number != self.number]
        return [number for number in others if self._marked.issuperset(list_ids(self._session.units_of(number)))]

    def selected_hunk(self) -> tuple[str, Sequence[Unit]]:
        """Return a name and the hunk at the cursor on the right; raise SplitError if there is none."""
        row = get_row(self.hunks.branch)
        if not row.units or self._is_left():
            raise SplitError("no hunk selected", hint="select one in the other pane, with n, or Tab and the arrow keys")
        return f"hunk {self.number}.{row.number}", row.units

    def selected_hunks(self) -> tuple[str, Sequence[Unit]]:
        """Return a name and the hunks to move: those that are marked, of the commit or file on the left, or one hunk.

        Raise SplitError if there is none.
        """
        marked = [unit for unit in self._session.units if unit.id in self._marked]
        if marked:
            return format_count(len(marked), "marked hunk"), marked
        row = self.commits.row
        if not self._is_left() or not row.units:
            return self.selected_hunk()
        where = f"commit {row.number}"
        if row.path is not None:
            where = printable(os.fsdecode(row.path))
        elif row.number == UNCOMMITTED:
            where = "what is skipped"
        return f"{format_count(len(row.units), 'hunk')} of {where}", row.units

    def _is_left(self) -> bool:
        """Whether the commits have the focus; `has_focus` changes only after the keys that are typed in one burst."""
        return self.screen.focused is self.commits

    def _redraw(self) -> None:
        self.commits.notify_style_update()
        self.hunks.notify_style_update()

    def _show_selected(self) -> None:
        row = self.commits.row
        if row.number != self._shown:
            self._shown = row.number
            lines = []
            if row.number > UNCOMMITTED:
                message, why = self._session.commit(row.number).message, self._session.reasons[row.number - 1]
                for line in render.list_message_lines(message, why):
                    lines.append(Content.styled(line.text.expandtabs(TAB), STYLES.get(line.kind, "")))
            text = Content("\n").join(lines)
            self.message.update(text)
            self.message.display = bool(text)
            self.hunks.show(row.number)
        if row.path is not None:
            self.hunks.point_at(self.hunks.units.index(row.units[0]) + 1)


def get_row(node: TreeNode[Row] | None) -> Row:
    assert node is not None
    assert node.data is not None
    return node.data


def toggle(names: set[str], units: Sequence[Unit]) -> None:
    """Add the ids of `units` to `names`, or remove them if all are there."""
    ids = set(list_ids(units))
    if ids <= names:
        names -= ids
    else:
        names |= ids


def draw_counts(units: Sequence[Unit]) -> Text:
    """Return how many lines `units` add and remove, or nothing if they only change something else."""
    added, removed = render.count_lines(units)
    if not added and not removed:
        return Text()
    return Text.assemble((f" +{added}", STYLES[ADDED]), (f" -{removed} ", STYLES[REMOVED]))
