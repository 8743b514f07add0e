"""The review in two panes, with textual.

Only this module needs the extra `tui`. textual is maintained and typed, runs without a terminal in tests, and can be
suspended for an editor; curses has nothing like that, and prompt_toolkit has no ready-made widgets for two panes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, Input, OptionList, Static

from smartcommit.errors import SmartcommitError, SplitError
from smartcommit.git.hunks import Unit
from smartcommit.git.repo import Repository
from smartcommit.signals import SIGNALS, restore_signals
from smartcommit.split.review import render
from smartcommit.split.review.editor import reword
from smartcommit.split.review.session import NEW, UNCOMMITTED, WAYS, Session
from smartcommit.split.review.text import (
    CONFIRM_QUIT,
    ReplanRequested,
    ReviewCallbacks,
    commit_lines,
    parse_number,
    parse_numbers,
)
from smartcommit.terminal import Terminal, printable

# The number of the notes, which are shown as a commit is.
_NOTES = -2
Result = TypeVar("Result")
_STYLES = {
    render.SUBJECT: "bold", render.TEXT: "", render.HUNK: "bold cyan", render.REMOVED: "red", render.ADDED: "green",
    render.NOTE: "dim",
}  # fmt: skip


class ReviewApp(App[bool]):
    """One review; its result is whether to create the commits that the session has at the end.

    `instructions` is set if the user wants another split that follows them.
    """

    CSS = """
    #commits { width: 40%; max-width: 60; height: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    #shown { width: 1fr; height: 1fr; }
    .-narrow #panes { layout: vertical; }
    .-narrow #commits { width: 1fr; max-width: 100%; height: 40%; min-height: 4; }
    ModalScreen { align: center middle; }
    ModalScreen > * { width: 80%; height: auto; max-height: 100%; border: round; padding: 0 1; }
    Sure Horizontal { height: auto; }
    Sure Button { min-width: 0; margin-right: 2; }
    """
    # The number of columns that two panes side by side need.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012 (textual's own form)
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [  # noqa: RUF012 (textual's own form)
        Binding("y", "agree", "commit", tooltip="create these commits"),
        Binding("q,n,ctrl+c", "leave", "quit", tooltip="quit without committing"),
        Binding("e", "subject", "subject", tooltip="edit the subject"),
        Binding("E", "message", "message", tooltip="edit the message in your editor"),
        Binding("m", "merge", "merge", tooltip="merge another commit into this one"),
        Binding("d", "delete", "delete", tooltip="drop the commit; its changes stay uncommitted"),
        Binding("g", "move", "move", tooltip="move the hunk under the cursor on the right to another commit"),
        Binding("x", "split", "split", tooltip="split the commit"),
        Binding("s", "cut", "cut", tooltip="cut the hunk under the cursor on the right in two"),
        Binding("u", "undo", "undo", tooltip="undo the last step"),
        Binding("K", "reorder(-1)", show=False, tooltip="move the commit up"),
        Binding("J", "reorder(1)", show=False, tooltip="move the commit down"),
        Binding("c", "critique", show=False, tooltip="ask the model to review the commits"),
        Binding("r", "reclassify", show=False, tooltip="split again, following TEXT"),
        Binding("tab", "app.focus_next", show=False, tooltip="switch panes"),
        Binding("j", "cursor('down')", show=False, tooltip="down"),
        Binding("k", "cursor('up')", show=False, tooltip="up"),
        Binding("question_mark", "keys", "keys", key_display="?", tooltip="show this help"),
    ]

    def __init__(self, session: Session, terminal: Terminal, repository: Repository, offers: ReviewCallbacks) -> None:
        super().__init__()
        self._session = session
        self._terminal = terminal
        self._repository = repository
        self._offers = offers
        self._numbers: list[int] = []
        self.instructions: str | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(id="panes"):
            yield OptionList(id="commits")
            yield OptionList(id="shown")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        self._refill(0)
        for text in (self._offers.said, "\n".join(render.show_warnings(self._session.plan.warnings))):
            if text:
                self.notify(printable(text, keep="\n"), severity="warning", markup=False)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the commit that is selected on the left."""
        if event.option_list.id == "commits":
            shown = self._pane("shown")
            shown.set_options(map(_style, self._lines(self._numbers[event.option_index])))
            shown.highlighted = 0

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

    def action_subject(self) -> None:
        number = self._number
        if self._do(partial(self._session.commit, number)):
            subject = self._session.commit(number).subject
            act = partial(self._session.set_subject, number)
            self._ask(f"subject of commit {number}", subject, act, edit=True)

    def action_message(self) -> None:
        """Suspend the panes for the editor."""
        edit = partial(reword, self._session, self._number, self._repository, self._terminal.descriptor)
        self._do(partial(self._run_suspended, edit))

    def action_merge(self) -> None:
        """Ask which commit to merge; the default is the next."""
        number = self._number
        self._ask(
            f"merge which commit into commit {number}?",
            str(number + 1),
            lambda text: self._session.merge(number, parse_number(text)),
        )

    def action_delete(self) -> None:
        self._do(partial(self._session.delete, self._number))

    def action_move(self) -> None:
        name, units = self._selected_hunk()
        if units:
            self._ask(
                f"move hunk {name} to which commit? a number, 'new', or {UNCOMMITTED} to skip it",
                "new",
                lambda text: self._session.move(units, NEW if text == "new" else parse_number(text)),
            )

    def action_cut(self) -> None:
        name, units = self._selected_hunk()

        def cut(text: str) -> None:
            removed, added = parse_numbers(text, 2)
            self._session.cut(units[0], removed=removed, added=added)

        if units:
            self._ask(f"cut hunk {name} after how many removed and added lines?", "0 1", cut)

    def _selected_hunk(self) -> tuple[str, Sequence[Unit]]:
        """Return the name and the unit of the hunk under the cursor on the right; notify the user if there is none."""
        number, position = self._number, self._position
        units: Sequence[Unit] = ()
        if position:
            units = self._session.units_of(number)[position - 1 : position]
        if not units:
            error = SplitError("no hunk selected", hint="select one in the other pane, with Tab and the arrow keys")
            self._show_error(error)
        return f"{number}.{position}", units

    def action_split(self) -> None:
        number = self._number
        self._ask(f"split commit {number} by {', '.join(WAYS)}?", WAYS[0], partial(self._session.split, number))

    def action_reorder(self, by: int) -> None:
        number = self._number
        if self._do(partial(self._session.reorder, number, number + by)):
            self._pane("commits").highlighted = number + by - 1

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

    def action_keys(self) -> None:
        """Show every key that does something."""
        lines = []
        for binding in self.BINDINGS:
            if isinstance(binding, Binding) and self.check_action(binding.action, ()):
                lines.append(f"{binding.key_display or binding.key:11} {binding.tooltip}")
        self.push_screen(Reading("\n".join(lines)))

    async def action_cursor(self, direction: str) -> None:
        if isinstance(self.focused, OptionList):
            await self.run_action(f"cursor_{direction}", self.focused)

    @property
    def _number(self) -> int:
        """The number of the selected commit."""
        return self._numbers[self._pane("commits").highlighted or 0]

    @property
    def _position(self) -> int:
        """The number of the hunk under the cursor on the right, from 1; 0 before the first."""
        cursor = self._pane("shown").highlighted
        if cursor is None:
            return 0
        return sum(kind == render.HUNK for kind, _ in self._lines(self._number)[: cursor + 1])

    def _pane(self, name: str) -> OptionList:
        return self.query_one(f"#{name}", OptionList)

    def _lines(self, number: int) -> list[render.Line]:
        if number != _NOTES:
            return list(commit_lines(self._session, number))
        plan = self._session.plan
        notes = (
            *render.show_warnings(plan.warnings), *render.show_issues(plan.issues), *render.show_left_out(plan)
        )  # fmt: skip
        return [(render.TEXT, line) for line in notes]

    def _refill(self, place: int) -> None:
        """List the commits as they are now, with the cursor at `place` or the last one before it."""
        plan = self._session.plan
        titles = [f"{number}. {printable(commit.subject)}" for number, commit in enumerate(plan.commits, start=1)]
        self._numbers = list(range(1, len(titles) + 1))
        if plan.skipped:
            titles.append(f"skipped: {len(plan.skipped)}")
            self._numbers.append(UNCOMMITTED)
        if plan.issues or plan.left_out or plan.warnings:
            titles.append("notes")
            self._numbers.append(_NOTES)
        commits = self._pane("commits")
        commits.set_options(map(Content, titles))
        commits.highlighted = min(place, len(titles) - 1)

    def _ask(self, question: str, answer: str, act: Callable[[str], object], *, edit: bool = False) -> None:
        def answered(text: str | None) -> None:
            if text is not None:
                self._do(lambda: act(text.strip()))

        self.push_screen(Question(question, answer, edit=edit), answered)

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

    def _do(self, act: Callable[[], object]) -> bool:
        """Call `act`; if it fails, notify the user and return False."""
        try:
            act()
        except SmartcommitError as error:
            self._show_error(error)
            return False
        self._refill(self._pane("commits").highlighted or 0)
        return True

    def _show_error(self, error: SmartcommitError) -> None:
        text = "\n".join(filter(None, (str(error), error.hint)))
        self.notify(printable(text, keep="\n"), severity="error", markup=False)


def _style(line: render.Line) -> Content:
    kind, text = line
    return Content.styled(text, _STYLES[kind]) if _STYLES[kind] else Content(text)


class TwoPaneReview:
    """The review in two panes, on a terminal."""

    def __init__(self, session: Session, terminal: Terminal, repository: Repository, offers: ReviewCallbacks) -> None:
        self._app = ReviewApp(session, terminal, repository, offers)
        self._session = session
        self._terminal = terminal
        self._ended_by: int | None = None

    def run(self) -> bool:
        """As `Review.run`; raise also SplitError if the panes fail, and SystemExit if a signal ends them."""
        replaced = (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH, *SIGNALS)
        with _standard_streams(self._terminal), restore_signals(replaced):
            agreed = asyncio.run(self._show())
        if self._ended_by is not None:
            raise SystemExit(128 + self._ended_by)
        if self._app.return_code:
            raise SplitError("the review failed", hint="run 'git config smartcommit.review text' and try again")
        if self._app.instructions is not None:
            raise ReplanRequested(self._app.instructions, self._session.plan)
        return bool(agreed)

    async def _show(self) -> bool | None:
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                # Only the app itself can restore the terminal.
                loop.add_signal_handler(number, self._end, number)
        return await self._app.run_async()

    def _end(self, number: int) -> None:
        try:
            termios.tcgetattr(self._terminal.descriptor)
        except termios.error:
            # The terminal is closed: there is nothing to restore, and textual would wait for it forever.
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self._ended_by = number
        self._app.exit()


@contextmanager
def _standard_streams(terminal: Terminal) -> Iterator[None]:
    """Redirect the standard streams to the terminal: textual uses no other, and under a hook runner they are pipes."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    kept = list(map(os.dup, range(3)))
    try:
        for number in range(3):
            os.dup2(terminal.descriptor, number)
        yield
    finally:
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)


class Question(ModalScreen[str | None]):
    """Asks for a line of text, which is its result; None if the user goes back.

    What is typed replaces the first `answer`, unless that is there to `edit`.
    """

    BINDINGS = [("escape", "dismiss(None)", "back")]  # noqa: RUF012 (textual's own form)

    def __init__(self, question: str, answer: str, *, edit: bool = False) -> None:
        super().__init__()
        self._question = question
        self._answer = answer
        self._edit = edit

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(self._question))
            yield Input(self._answer, select_on_focus=not self._edit, compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)


class Sure(ModalScreen[bool]):
    """Asks whether the user is sure, which is the result."""

    BINDINGS = [("y,q,ctrl+c", "dismiss(True)", "yes"), ("n,escape", "dismiss(False)", "no")]  # noqa: RUF012

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """Show the question and the answers; the one that changes nothing comes first."""
        with Vertical():
            yield Static(Content(self._question))
            with Horizontal():
                yield Button("No (n)", id="no", compact=True)
                yield Button("Yes (y)", id="yes", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")


class Reading(ModalScreen[None]):
    """Shows a text until a key closes it."""

    BINDINGS = [("escape,enter,q,ctrl+c", "dismiss(None)", "back")]  # noqa: RUF012

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(Content(self._text))
