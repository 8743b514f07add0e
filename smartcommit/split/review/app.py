"""The review in panes, as an application of textual."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from textwrap import wrap
from typing import TypeVar

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Input

from smartcommit.change.wording import format_count
from smartcommit.errors import SmartcommitError, SplitError
from smartcommit.git.hunks import Unit
from smartcommit.git.repo import Repository
from smartcommit.split.review import render
from smartcommit.split.review.dialogs import CommitChoice, Question, Reading, Sure, TitleInput
from smartcommit.split.review.editor import reword
from smartcommit.split.review.hunk_view import MESSAGE_WIDTH
from smartcommit.split.review.key_bar import KeyBar
from smartcommit.split.review.keys import APP_KEYS, list_bar_keys, list_keys
from smartcommit.split.review.panes import Panes
from smartcommit.split.review.row_list import RowList
from smartcommit.split.review.session import WAYS, Session
from smartcommit.split.review.text import CONFIRM_QUIT, ReviewCallbacks, parse_numbers, parse_ranges
from smartcommit.split.review.themes import DARK, LIGHT, has_light_background
from smartcommit.terminal import Terminal, printable

Result = TypeVar("Result")
# Columns that a title is edited in, if there are so many.
TITLE_WIDTH = 76
# Columns of what lies over the panes, if there are so many, and those of its borders, margins and scroll bar.
DIALOG_WIDTH = 90
BORDERS = 7


class ReviewApp(App[bool]):
    """One review; its result is whether to create the commits that the session has at the end.

    `instructions` is set if the user wants another split that follows them.
    """

    CSS = """
    Screen { layers: default above; }
    #commits { width: 38%; max-width: 88; height: 1fr; border-right: vkey $foreground 20%; }
    #shown { width: 1fr; height: 1fr; }
    .-narrow Panes { layout: vertical; }
    .-narrow #commits {
        width: 1fr; max-width: 100%; height: 40%; min-height: 4; border-right: none;
        border-bottom: hkey $foreground 20%;
    }
    ModalScreen { align: center middle; }
    ModalScreen > * { width: 80%; max-width: 90; height: auto; max-height: 100%; border: round $primary; padding: 0 1; }
    ModalScreen OptionList { height: auto; max-height: 60vh; margin: 1 0; }
    ModalScreen .hint { color: $text-muted; }
    .-narrow ModalScreen > *, ModalScreen.-narrow > * { width: 100%; }
    Sure Horizontal { height: auto; }
    Sure Button { min-width: 0; margin-right: 2; }
    """
    # The number of columns that two panes side by side need.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (70, "-wide")]  # noqa: RUF012 (textual's own form)
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = APP_KEYS

    def __init__(self, session: Session, terminal: Terminal, repository: Repository, offers: ReviewCallbacks) -> None:
        super().__init__()
        self._session = session
        self._terminal = terminal
        self._repository = repository
        self._offers = offers
        self._panes = Panes(session)
        self.instructions: str | None = None
        self.register_theme(LIGHT)
        if "TEXTUAL_THEME" not in os.environ and has_light_background(os.environ.get("COLORFGBG", "")):
            self.theme = LIGHT.name

    def compose(self) -> ComposeResult:
        yield self._panes
        yield KeyBar(list_bar_keys())

    def on_mount(self) -> None:
        self._panes.refill(1)
        for text in (self._offers.said, "\n".join(render.show_warnings(self._session.plan.warnings))):
            if text:
                self.notify(printable(text, keep="\n"), severity="warning", markup=False)

    def on_row_list_dragged(self, event: RowList.Dragged) -> None:
        """Show where dragged hunks would go, or move them there."""
        number = self._panes.commits.number_at(event.place)
        self._panes.commits.show_target(None if event.dropped else event.place)
        if event.dropped and number is not None:
            self._move(self._panes.with_marked(event.units), number)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take a title that was edited in place."""
        box = event.input
        if isinstance(box, TitleInput) and self._do(
            partial(self._session.set_subject, box.number, event.value.strip())
        ):
            self._panes.commits.focus()

    def on_title_input_left(self) -> None:
        self._close_title()

    def on_resize(self, event: events.Resize) -> None:
        """A title is edited in the place where it was."""
        self._close_title()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable what the caller does not offer."""
        offered = {"critique": self._offers.critique is not None, "reclassify": self._offers.reclassify}
        return offered.get(action, True)

    def action_agree(self) -> None:
        """Exit to create the commits, if every message passes."""
        if self._do(self._session.check):
            self.exit(True)

    def action_leave(self) -> None:
        """Exit without commits; ask first if the user has edited them."""
        if self._session.edited and not isinstance(self.screen, Sure):
            self.push_screen(Sure(CONFIRM_QUIT), lambda sure: self.exit(False) if sure else None)
        else:
            self.exit(False)

    async def action_quit(self) -> None:
        """As `action_leave`, for textual's own key."""
        self.action_leave()

    def action_title(self) -> None:
        """Edit the title of the commit where it is listed."""
        commits, number = self._panes.commits, self._panes.number
        if self.screen.query(TitleInput) or not self._do(partial(self._session.commit, number)):
            return
        commits.point(commits.entries.index(next(entry for entry in commits.entries if entry.number == number)))
        box = TitleInput(number, printable(self._session.commit(number).subject))
        place = commits.row_region(commits.cursor)
        indent = len(f"  {number}. ")
        box.styles.offset = place.x + indent, place.y
        box.styles.width = max(1, min(self.size.width - place.x - indent, max(TITLE_WIDTH, place.width - indent)))
        self.screen.mount(box)
        box.focus()

    def action_message(self) -> None:
        """Suspend the panes for the editor."""
        edit = partial(reword, self._session, self._panes.number, self._repository, self._terminal.descriptor)
        self._do(partial(self._run_suspended, edit))

    def action_merge(self) -> None:
        """Merge the marked commits, or ask which ones; the default is the next."""
        number, marked = self._panes.number, self._panes.list_marked_commits()
        if marked:
            place = number - sum(other < number for other in marked)
            if self._do(partial(self._session.merge, number, *marked), place):
                self._panes.unmark_all()
            return

        def merge(text: str) -> None:
            self._session.merge(number, *parse_ranges(text, len(self._session.commits)))

        self._ask(f"merge which commits, such as 2 or 3-5, into commit {number}?", str(number + 1), merge)

    def action_delete(self) -> None:
        self._do(partial(self._session.delete, self._panes.number))

    def action_move(self) -> None:
        """Ask where the selected hunks go."""
        self._do(self._ask_where)

    def action_move_by(self, by: int) -> None:
        """Move the selected hunks to the commit before or after theirs."""
        # Commits are numbered from 1, and what is skipped is not one.
        number = self._panes.number + by
        if number <= 0:
            number = len(self._session.commits) + 1
        units: list[Unit] = []
        if self._do(lambda: units.extend(self._panes.selected_hunks()[1])):
            self._move(units, number)

    def action_mark(self) -> None:
        self._panes.mark()

    def action_unmark(self) -> None:
        self._panes.unmark_all()

    def action_hunk(self, by: int) -> None:
        self._panes.go_to_hunk(by)

    def action_fold(self) -> None:
        self._panes.fold()

    def action_fold_all(self) -> None:
        self._panes.fold_all()

    def action_cut(self) -> None:
        """Ask where to cut the selected hunk; the default is at the cursor."""
        self._do(self._ask_cut)

    def action_split(self) -> None:
        number = self._panes.number
        self._ask(f"split commit {number} by {', '.join(WAYS)}?", WAYS[0], partial(self._session.split, number))

    def action_reorder(self, by: int) -> None:
        number = self._panes.number
        self._do(partial(self._session.reorder, number, number + by), number + by)

    def action_undo(self) -> None:
        self._do(self._session.undo)

    def action_critique(self) -> None:
        """Suspend the panes for the caller, which may show progress on the terminal, and show its answer."""
        critique = self._offers.critique
        assert critique is not None
        ask = partial(critique, self._session.commits)

        def show() -> None:
            self.push_screen(Reading(printable(self._run_suspended(ask), keep="\n\t")))

        self._do(show)

    def action_reclassify(self) -> None:
        """Ask for instructions, and exit for another split."""

        def leave(instructions: str) -> None:
            if not instructions:
                raise SplitError("say what to do differently")
            self.instructions = instructions
            self.exit(False)

        self._ask("what should be done differently?", "", leave)

    def action_theme(self) -> None:
        self.theme = LIGHT.name if self.current_theme.dark else DARK

    def action_keys(self) -> None:
        """Show every key that does something."""
        lines = []
        width = self.size.width
        if self.screen.has_class("-wide"):
            width = min(width * 8 // 10, DIALOG_WIDTH)
        for key, action, text in list_keys():
            if self.check_action(action, ()):
                lines += wrap(f"{key:10} {text}", max(width - BORDERS, MESSAGE_WIDTH), subsequent_indent=" " * 11)
        self.push_screen(Reading("\n".join(lines)))

    def _ask_where(self) -> None:
        name, units = self._panes.selected_hunks()
        titles = []
        for number, commit in enumerate(self._session.plan.commits, start=1):
            titles.append(f"{number}. {printable(commit.subject)}")

        def move(number: int | None) -> None:
            if number is not None:
                self._move(units, number)

        self.push_screen(CommitChoice(f"move {name} to which commit?", titles), move)

    def _ask_cut(self) -> None:
        name, units = self._panes.selected_hunk()
        removed, added = self._panes.view.count_changes()

        def cut(text: str) -> None:
            removed, added = parse_numbers(text, 2)
            self._session.cut(units[0], removed=removed, added=added)

        answer = f"{removed} {added}" if removed + added else "0 1"
        self._ask(f"cut {name} after how many removed and added lines?", answer, cut)

    def _move(self, units: Sequence[Unit], number: int) -> None:
        moved: list[Unit] = []
        if self._do(lambda: moved.extend(self._session.move(units, number))):
            self._panes.unmark_all()
            if len(moved) > len(units):
                self.notify(f"moved {format_count(len(moved), 'hunk')} that belong together", markup=False)

    def _close_title(self) -> None:
        boxes = self.screen_stack[0].query(TitleInput)
        if boxes:
            if boxes.first().has_focus:
                self._panes.commits.focus()
            boxes.remove()

    def _ask(self, question: str, answer: str, act: Callable[[str], object]) -> None:
        def answered(text: str | None) -> None:
            if text is not None:
                self._do(lambda: act(text.strip()))

        self.push_screen(Question(question, answer), answered)

    def _run_suspended(self, act: Callable[[], Result]) -> Result:
        """Return the result of `act`, which has the terminal to itself."""
        failure: SmartcommitError | None = None
        with self.suspend():
            # textual does not resume after an error, so none leaves this block.
            try:
                result = act()
            except SmartcommitError as error:
                failure = error
        if failure is not None:
            raise failure
        return result

    def _do(self, act: Callable[[], object], number: int | None = None) -> bool:
        """Call `act` and show commit `number` or the one that was shown; if it fails, notify the user."""
        before = self._session.commits
        try:
            act()
        except SmartcommitError as error:
            self._show_error(error)
            return False
        if self._session.commits is not before:
            self._panes.refresh_edited(number)
        return True

    def _show_error(self, error: SmartcommitError) -> None:
        text = "\n".join(filter(None, (str(error), error.hint)))
        self.notify(printable(text, keep="\n"), severity="error", markup=False)
