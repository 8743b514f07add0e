"""The review in two panes, with textual.

Only this module needs the extra `tui`. textual is maintained, typed, runs without a terminal in tests, and leaves the
screen to an editor; curses has no such help, and prompt_toolkit's full screens are built from its parts.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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
from smartcommit.split.review.editor import reword
from smartcommit.split.review.render import (
    ADDED,
    HUNK,
    NOTE,
    REMOVED,
    SUBJECT,
    TEXT,
    Line,
    diff_lines,
    message_lines,
    show_issues,
    show_left_out,
    show_warnings,
)
from smartcommit.split.review.session import NEW, UNCOMMITTED, WAYS, Session
from smartcommit.split.review.text import SURE, ReplanRequested, ReviewCallbacks, parse_number, parse_numbers
from smartcommit.terminal import Terminal, printable

# The number of what is no commit, but to be read.
_NOTES = -2
Result = TypeVar("Result")
# The signals whose handlers textual and asyncio replace for good.
_HANDLED = (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH, *SIGNALS)
_STYLES = {SUBJECT: "bold", TEXT: "", HUNK: "bold cyan", REMOVED: "red", ADDED: "green", NOTE: "dim"}


class ReviewApp(App[bool]):
    """One review; its result says whether the commits, as they are in the session then, are to be made.

    `wish` is set where the person wants another split instead.
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
    # Columns from which on there is room for two panes side by side.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012 (textual's own form)
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [  # noqa: RUF012 (textual's own form)
        Binding("y", "agree", "make them", tooltip="make these commits"),
        Binding("q,n,ctrl+c", "leave", "quit", tooltip="leave everything as it is"),
        Binding("e", "subject", "subject", tooltip="edit the first line of the message"),
        Binding("E", "message", "message", tooltip="edit the message in your editor"),
        Binding("m", "merge", "merge", tooltip="take in another commit"),
        Binding("d", "delete", "delete", tooltip="skip what the commit holds: it stays uncommitted"),
        Binding("g", "move", "move", tooltip="take the hunk under the cursor on the right to another commit"),
        Binding("x", "split", "split", tooltip="split the commit"),
        Binding("s", "cut", "cut", tooltip="cut the hunk under the cursor on the right in two"),
        Binding("u", "undo", "undo", tooltip="take the last step back"),
        Binding("K", "earlier", show=False, tooltip="make the commit an earlier one"),
        Binding("J", "later", show=False, tooltip="make the commit a later one"),
        Binding("c", "critique", show=False, tooltip="ask the model what is wrong with the commits"),
        Binding("r", "reclassify", show=False, tooltip="split anew, as you wish"),
        Binding("tab", "app.focus_next", show=False, tooltip="go to the other pane"),
        Binding("j", "down", show=False, tooltip="down"),
        Binding("k", "up", show=False, tooltip="up"),
        Binding("question_mark", "keys", "keys", key_display="?", tooltip="show this"),
    ]

    def __init__(self, session: Session, terminal: Terminal, repository: Repository, offers: ReviewCallbacks) -> None:
        super().__init__()
        self._session = session
        self._terminal = terminal
        self._repository = repository
        self._offers = offers
        self._numbers: list[int] = []
        self.wish: str | None = None

    def compose(self) -> ComposeResult:
        """The two panes, and the keys below."""
        with Horizontal(id="panes"):
            yield OptionList(id="commits")
            yield OptionList(id="shown")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Fill the panes."""
        self._refill(0)
        plan = self._session.plan
        for said in (self._offers.said, "\n".join(show_warnings(plan.warnings))):
            if said:
                self.notify(printable(said, keep="\n"), severity="warning", markup=False)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the commit that is chosen on the left."""
        if event.option_list.id == "commits":
            shown = self._pane("shown")
            shown.set_options(_painted(line) for line in self._lines(self._numbers[event.option_index]))
            shown.highlighted = 0

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave out what the caller does not offer."""
        if action == "critique":
            return self._offers.critique is not None
        return self._offers.reclassify if action == "reclassify" else True

    def action_agree(self) -> None:
        """End with the commits as they are, if every message passes."""
        if self._do(self._session.check):
            self.exit(True)

    def action_leave(self) -> None:
        """End without commits, once that is sure where the person has edited them."""
        if self._session.edited and not isinstance(self.screen, Sure):
            self.push_screen(Sure(SURE), lambda sure: self.exit(False) if sure else None)
        else:
            self.exit(False)

    async def action_quit(self) -> None:
        """As `action_leave`: textual has a key of its own for it."""
        self.action_leave()

    def action_subject(self) -> None:
        """Ask for another first line."""
        number = self._number
        if self._do(lambda: self._session.commit(number)):
            subject = self._session.commit(number).subject
            self._ask(
                f"the subject of commit {number}",
                subject,
                lambda text: self._session.set_subject(number, text),
                edit=True,
            )

    def action_message(self) -> None:
        """Leave the screen to the editor."""
        number = self._number
        self._do(
            lambda: self._aside(lambda: reword(self._session, number, self._repository, self._terminal.descriptor))
        )

    def action_merge(self) -> None:
        """Ask which commit to take in; first the next."""
        number = self._number
        self._ask(
            f"take which commit into commit {number}?",
            str(number + 1),
            lambda text: self._session.merge(number, parse_number(text)),
        )

    def action_delete(self) -> None:
        """Skip what the commit holds."""
        self._do(lambda: self._session.delete(self._number))

    def action_move(self) -> None:
        """Ask where to take the hunk that the cursor on the right is in."""
        name, units = self._chosen()
        if units:
            self._ask(
                f"take hunk {name} to which commit? a number, 'new', or {UNCOMMITTED} to skip it",
                "new",
                lambda text: self._session.move(units, NEW if text == "new" else parse_number(text)),
            )

    def action_cut(self) -> None:
        """Ask where to cut the hunk that the cursor on the right is in."""
        name, units = self._chosen()

        def cut(text: str) -> None:
            removed, added = parse_numbers(text, 2)
            self._session.cut(units[0], removed=removed, added=added)

        if units:
            self._ask(f"cut hunk {name} after how many of its removed, and of its added lines?", "0 1", cut)

    def _chosen(self) -> tuple[str, Sequence[Unit]]:
        """The hunk that the cursor on the right is in, and its name; the person is told where it is in none."""
        number, position = self._number, self._position
        units = self._session.units_of(number)[position - 1 : position] if position else ()
        if not units:
            self._tell(SplitError("no hunk is chosen", hint="go to one in the other pane, with Tab and the arrows"))
        return f"{number}.{position}", units

    def action_split(self) -> None:
        """Ask how to split the commit."""
        number = self._number
        self._ask(
            f"split commit {number} by {', '.join(WAYS)}?", WAYS[0], lambda text: self._session.split(number, text)
        )

    def action_earlier(self) -> None:
        """Make the commit an earlier one."""
        self._reorder(-1)

    def action_later(self) -> None:
        """Make the commit a later one."""
        self._reorder(1)

    def action_undo(self) -> None:
        """Take the last step back."""
        self._do(self._session.undo)

    def action_critique(self) -> None:
        """Leave the screen to the caller, who may show progress there, and show what is said."""
        critique = self._offers.critique
        assert critique is not None
        self._do(
            lambda: self.push_screen(
                Reading(printable(self._aside(lambda: critique(self._session.commits)), keep="\n\t"))
            )
        )

    def action_reclassify(self) -> None:
        """Ask what should be different, and end for another split."""

        def end(wish: str) -> None:
            if not wish:
                raise SplitError("say what should be different")
            self.wish = wish
            self.exit(False)

        self._ask("what should be different?", "", end)

    def action_keys(self) -> None:
        """Show every key that does something."""
        keys = [binding for binding in self.BINDINGS if isinstance(binding, Binding)]
        lines = [
            f"{binding.key_display or binding.key:11} {binding.tooltip}"
            for binding in keys
            if self.check_action(binding.action, ())
        ]
        self.push_screen(Reading("\n".join(lines)))

    def action_down(self) -> None:
        """Move the cursor down."""
        if isinstance(self.focused, OptionList):
            self.focused.action_cursor_down()

    def action_up(self) -> None:
        """Move the cursor up."""
        if isinstance(self.focused, OptionList):
            self.focused.action_cursor_up()

    @property
    def _number(self) -> int:
        """The number of the chosen commit."""
        return self._numbers[self._pane("commits").highlighted or 0]

    @property
    def _position(self) -> int:
        """Which hunk of the commit the cursor on the right is in, from 1; 0 above them."""
        cursor = self._pane("shown").highlighted
        return 0 if cursor is None else [kind for kind, _ in self._lines(self._number)][: cursor + 1].count(HUNK)

    def _pane(self, name: str) -> OptionList:
        return self.query_one(f"#{name}", OptionList)

    def _lines(self, number: int) -> list[Line]:
        if number == _NOTES:
            plan = self._session.plan
            warnings = show_warnings(plan.warnings)
            return [(TEXT, line) for line in (*warnings, *show_issues(plan.issues), *show_left_out(plan))]
        message = [] if number == UNCOMMITTED else [*message_lines(self._session.commit(number).message), (TEXT, "")]
        return [*message, *diff_lines(number, self._session.units_of(number))]

    def _refill(self, place: int) -> None:
        """List the commits as they are now, with the cursor at `place` or the last one above it."""
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
        commits.set_options(Content(title) for title in titles)
        commits.highlighted = min(place, len(titles) - 1)

    def _reorder(self, by: int) -> None:
        number = self._number
        if self._do(lambda: self._session.reorder(number, number + by)):
            self._pane("commits").highlighted = number + by - 1

    def _ask(self, question: str, answer: str, act: Callable[[str], object], *, edit: bool = False) -> None:
        def answered(text: str | None) -> None:
            if text is not None:
                self._do(lambda: act(text.strip()))

        self.push_screen(Question(question, answer, edit=edit), answered)

    def _aside(self, act: Callable[[], Result]) -> Result:
        """What `act` gives, with the screen left to it."""
        failure: SmartcommitError | None = None
        with self.suspend():
            # textual does not come back after an error, so none leaves this block.
            try:
                result = act()
            except SmartcommitError as error:
                failure = error
        if failure is not None:
            raise failure
        return result

    def _do(self, act: Callable[[], object]) -> bool:
        """Whether `act` could be done; why not is told."""
        try:
            act()
        except SmartcommitError as error:
            self._tell(error)
            return False
        self._refill(self._pane("commits").highlighted or 0)
        return True

    def _tell(self, error: SmartcommitError) -> None:
        hint = f"\n{error.hint}" if error.hint else ""
        self.notify(printable(f"{error}{hint}", keep="\n"), severity="error", markup=False)


def _painted(line: Line) -> Content:
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
        """As `Review.run`.

        Raises: SplitError too, when the panes break down; SystemExit when a signal ends them.
        """
        with _standard_streams(self._terminal), restore_signals(_HANDLED):
            agreed = asyncio.run(self._shown())
        if self._ended_by is not None:
            raise SystemExit(128 + self._ended_by)
        if self._app.return_code:
            raise SplitError("the review broke down", hint="run 'git config smartcommit.review text' and try again")
        if self._app.wish is not None:
            raise ReplanRequested(self._app.wish, self._session.plan)
        return bool(agreed)

    async def _shown(self) -> bool | None:
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                # Only the app itself can give the terminal back.
                loop.add_signal_handler(number, self._end, number)
        return await self._app.run_async()

    def _end(self, number: int) -> None:
        try:
            termios.tcgetattr(self._terminal.descriptor)
        except termios.error:
            # The terminal is closed: there is nothing to give back, and textual would wait for it without end.
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self._ended_by = number
        self._app.exit()


@contextmanager
def _standard_streams(terminal: Terminal) -> Iterator[None]:
    """Let the standard streams be the terminal: textual knows no other, and under a runner of hooks they are not."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    kept = [os.dup(number) for number in range(3)]
    try:
        for number in range(3):
            os.dup2(terminal.descriptor, number)
        yield
    finally:
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)


class Question(ModalScreen[str | None]):
    """Asks for a line of text, which is its result; None where the person goes back.

    The first `answer` is replaced by what is typed, unless it is there to `edit`.
    """

    BINDINGS = [("escape", "dismiss(None)", "back")]  # noqa: RUF012 (textual's own form)

    def __init__(self, question: str, answer: str, *, edit: bool = False) -> None:
        super().__init__()
        self._question = question
        self._answer = answer
        self._edit = edit

    def compose(self) -> ComposeResult:
        """The question above the field, which holds a first answer."""
        with Vertical():
            yield Static(Content(self._question))
            yield Input(self._answer, select_on_focus=not self._edit, compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the line."""
        self.dismiss(event.value)


class Sure(ModalScreen[bool]):
    """Asks whether the person is sure, which is the result."""

    BINDINGS = [("y,q,ctrl+c", "dismiss(True)", "yes"), ("n,escape", "dismiss(False)", "no")]  # noqa: RUF012

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """The question above the answers; the one that changes nothing comes first."""
        with Vertical():
            yield Static(Content(self._question))
            with Horizontal():
                yield Button("No (n)", id="no", compact=True)
                yield Button("Yes (y)", id="yes", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Take the answer."""
        self.dismiss(event.button.id == "yes")


class Reading(ModalScreen[None]):
    """Shows a text until a key ends it."""

    BINDINGS = [("escape,enter,q,ctrl+c", "dismiss(None)", "back")]  # noqa: RUF012

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """The text, which can be scrolled."""
        with VerticalScroll():
            yield Static(Content(self._text))
