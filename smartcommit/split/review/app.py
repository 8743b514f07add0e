"""The review in two panes, as an application of textual, with its dialogs.

The panes need the extra `tui`. textual is maintained and typed, runs without a terminal in tests, and can be suspended
for an editor; curses has nothing like that, and prompt_toolkit has no ready-made widgets for two panes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from string import digits
from typing import Any, ClassVar

from rich.table import Table
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from smartcommit.change.wording import format_count
from smartcommit.errors import SmartcommitError, SplitError
from smartcommit.git.repo import Repository
from smartcommit.message.characters import printable
from smartcommit.message.header import parse_loose_header
from smartcommit.signals import SIGNALS, restore_signals
from smartcommit.split.plan import list_open
from smartcommit.split.review import render
from smartcommit.split.review.panes import Panes, RowTree
from smartcommit.split.review.session import NEW, UNCOMMITTED, WAYS, Session
from smartcommit.split.review.text import CONFIRM_QUIT, parse_numbers, parse_ranges, reword
from smartcommit.terminal import Terminal


class LineInput(Input):
    """A line of text whose keys act in the order in which they are typed.

    A key that is no character bubbles up to the app first, and what is typed or pasted right after it would overtake
    it. Source: textual's `App.on_event`.
    """

    async def on_key(self, event: events.Key) -> None:
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            event.stop()
            event.prevent_default()
            await self.run_action(binding.action)


class Question(ModalScreen[None]):
    """Asks for a line of text, and calls `act` with it; what is typed replaces the `answer` in it, if `replaced`."""

    BINDINGS = [("escape", "dismiss", "back")]  # noqa: RUF012 (textual's own form)

    def __init__(self, question: str, answer: str, act: Callable[[str], None], *, replaced: bool = True) -> None:
        super().__init__()
        self._question = question
        self._answer = answer
        self._act = act
        self._replaced = replaced

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(self._question))
            yield LineInput(self._answer, select_on_focus=self._replaced, compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if self.is_current:  # the first of two Enters may have closed it
            self._act(event.value.strip())


class Reading(ModalScreen[bool]):
    """Shows a text until a key closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,enter,q,ctrl+c,question_mark", "dismiss(False)", "back")]

    def __init__(self, text: str | Table) -> None:
        super().__init__()
        self._text = Content(text) if isinstance(text, str) else text

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(self._text)


class Sure(Reading):
    """Asks whether the user is sure; the result is the answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("y,q,ctrl+c", "dismiss(True)", "yes"),
        ("n,escape,enter", "dismiss(False)", "no"),
    ]


class CommitChoice(ModalScreen[int | None]):
    """Asks for a commit, whose number is the result: one of those with `titles`, NEW or UNCOMMITTED."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,ctrl+c", "dismiss(None)", "back"),
        ("j", "app.simulate_key('down')", "down"),
        ("k", "app.simulate_key('up')", "up"),
        ("n", f"dismiss({NEW})", "new"),
    ]

    def __init__(self, question: str, titles: Sequence[str]) -> None:
        super().__init__()
        self._question = question
        self._numbers = [NEW, *range(1, len(titles) + 1), UNCOMMITTED]
        self._titles = ["n  new commit", *titles, f"{UNCOMMITTED}. skip: leave it uncommitted"]
        self._typed = ""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(self._question))
            yield OptionList(*(Option(Content(title)) for title in self._titles), compact=True)
            yield Static(Content("a number or arrow keys, Enter to move, Esc to go back"), classes="hint")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if self.is_current:
            self.dismiss(self._numbers[event.option_index])

    def on_key(self, event: events.Key) -> None:
        """Point at the commit whose number is typed; a digit that fits to none before begins another number."""
        if event.key not in tuple(digits):
            return
        for typed in (self._typed + event.key, event.key):
            if int(typed) in self._numbers:
                self._typed = typed
                self.query_one(OptionList).highlighted = self._numbers.index(int(typed))
                return


class ReviewApp(App[bool]):
    """One review; its result is whether to create the commits that the session has at the end."""

    CSS = """
    RowTree { height: 1fr; scrollbar-size: 1 1; }
    CommitTree { width: 38%; max-width: 88; border-right: vkey $foreground 20%; }
    MessageView { height: auto; max-height: 50%; padding: 0 1; }
    .-narrow Panes { layout: vertical; }
    .-narrow CommitTree {
        width: 1fr; max-width: 100%; height: 40%; min-height: 4; border-right: none;
        border-bottom: hkey $foreground 20%;
    }
    ModalScreen { align: center middle; }
    ModalScreen > * { width: 80%; max-width: 90; height: auto; max-height: 100%; border: round $primary; padding: 0 1; }
    ModalScreen OptionList { height: auto; max-height: 60vh; margin: 1 0; }
    ModalScreen .hint { color: $text-muted; }
    .-narrow ModalScreen > *, ModalScreen.-narrow > * { width: 100%; }
    """
    # The number of columns that two panes side by side need.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (70, "-wide")]  # noqa: RUF012 (textual's own form)
    ENABLE_COMMAND_PALETTE = False
    # The footer shows those with a description, which takes 56 columns.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "agree", "commit", tooltip="create these commits"),
        Binding("q", "leave", "quit", tooltip="quit without committing"),
        Binding("?", "keys", "keys", tooltip="show these keys"),
        Binding("e", "title", "title", tooltip="edit the title of the commit"),
        Binding("g", "move", "move", tooltip="move the hunk, file, commit or what is marked to another commit"),
        Binding("m", "merge", "merge", tooltip="merge (squash) the marked commits, or others, into this one"),
        Binding("u", "undo", "undo", tooltip="undo the last step"),
        Binding("ctrl+c", "leave", show=False, tooltip="quit without committing"),
        Binding("d", "delete", show=False, tooltip="delete the commit; its changes stay uncommitted"),
        Binding("x", "split", show=False, tooltip="split the commit"),
        Binding("s", "cut", show=False, tooltip="cut the hunk in two at the cursor"),
        Binding("E", "message", show=False, tooltip="edit the message in your editor"),
        Binding("K", "reorder(-1)", show=False, tooltip="move the commit up"),
        Binding("J", "reorder(1)", show=False, tooltip="move the commit down"),
        Binding("r", "reclassify", show=False, tooltip="split again, following your instructions"),
        Binding("t", "toggle_dark", show=False, tooltip="switch between dark and light"),
    ]

    def __init__(
        self, session: Session, terminal: Terminal, repository: Repository, *, can_replan: bool, said: str
    ) -> None:
        # Without colours of its own textual shows NO_COLOR in shades of gray.
        super().__init__(ansi_color=bool(os.environ.get("NO_COLOR")))
        self.animation_level = "none"
        self._session = session
        self._terminal = terminal
        self._repository = repository
        self._can_replan = can_replan
        self._said = said
        self._panes = Panes(session)

    def compose(self) -> ComposeResult:
        yield self._panes
        yield Footer(compact=True)

    def on_mount(self) -> None:
        for text in (self._said, "\n".join(render.show_warnings(self._session.plan.warnings))):
            if text:
                self.notify(printable(text, keep="\n"), severity="warning", markup=False)

    async def run_action(self, *given: Any, **named: Any) -> bool:
        with self._editing():
            return await super().run_action(*given, **named)
        return True  # the action has failed, and the user was told

    @contextmanager
    def _editing(self) -> Iterator[None]:
        """Show the commits as they are afterwards; if what is done fails, notify the user."""
        try:
            yield
        except SmartcommitError as error:
            text = "\n".join(part for part in (str(error), error.hint) if part)
            self.notify(printable(text, keep="\n"), severity="error", markup=False)
        self._panes.refresh_edited()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._can_replan or action != "reclassify"

    def action_agree(self) -> None:
        self._session.check()
        self.exit(True)

    def action_leave(self) -> None:
        """Exit without commits; ask first if the user has edited them."""
        if self._session.edited and not isinstance(self.screen, Sure):
            self.push_screen(Sure(f"{CONFIRM_QUIT} [y/N]"), lambda sure: self.exit(False) if sure else None)
        else:
            self.exit(False)

    async def action_quit(self) -> None:
        self.action_leave()

    def action_title(self) -> None:
        number = self._panes.number
        commit = self._session.commit(number)
        start = printable(commit.subject)
        header = parse_loose_header(commit.subject)
        if commit.open and header is not None:
            header.summary = ""
            start = printable(str(header))

        def set_title(text: str) -> None:
            self._session.set_subject(number, text)
            if commit.open:
                self._panes.refresh_edited(next(iter(list_open(self._session.commits)), number))

        self._ask(f"title of commit {number}:", start, set_title, replaced=False)

    def action_message(self) -> None:
        failure: SmartcommitError | None = None
        with self.suspend():
            # textual does not resume after an error, so none leaves this block.
            try:
                reword(self._session, self._panes.number, self._repository, self._terminal.descriptor)
            except SmartcommitError as error:
                failure = error
        if failure is not None:
            raise failure

    def action_merge(self) -> None:
        number, marked = self._panes.number, self._panes.list_marked_commits()
        if marked:
            self._session.merge(number, *marked)
            self._panes.refresh_edited(number - sum(other < number for other in marked))
            self._panes.action_unmark()
            return

        def merge(text: str) -> None:
            self._session.merge(number, *parse_ranges(text, len(self._session.commits)))

        self._ask(f"merge which commits, such as 2 or 3-5, into commit {number}?", str(number + 1), merge)

    def action_delete(self) -> None:
        self._session.delete(self._panes.number)

    def action_move(self) -> None:
        name, units = self._panes.selected_hunks()
        commits = enumerate(self._session.commits, start=1)
        titles = [f"{number}. {printable(commit.subject)}" for number, commit in commits]

        def move(number: int | None) -> None:
            if number is None:
                return
            with self._editing():
                moved = self._session.move(units, number)
                self._panes.action_unmark()
                if len(moved) > len(units):
                    self.notify(f"moved {format_count(len(moved), 'hunk')} that belong together", markup=False)

        self.push_screen(CommitChoice(f"move {name} to which commit?", titles), move)

    def action_cut(self) -> None:
        name, units = self._panes.selected_hunk()
        removed, added = self._panes.hunks.count_changes()

        def cut(text: str) -> None:
            removed, added = parse_numbers(text, 2)
            self._session.cut(units[0], removed=removed, added=added)

        if removed + added == 0:
            added = 1
        self._ask(f"cut {name} after how many removed and added lines?", f"{removed} {added}", cut)

    def action_split(self) -> None:
        number = self._panes.number
        self._ask(f"split commit {number} by {', '.join(WAYS)}?", WAYS[0], partial(self._session.split, number))

    def action_reorder(self, by: int) -> None:
        number = self._panes.number
        self._session.reorder(number, number + by)
        self._panes.refresh_edited(number + by)

    def action_undo(self) -> None:
        self._session.undo()

    def action_reclassify(self) -> None:
        def leave(wish: str) -> None:
            self._session.ask_anew(wish)
            self.exit(False)

        self._ask("what should be done differently?", "", leave)

    def action_keys(self) -> None:
        keys: dict[str, list[str]] = {}
        for binding in Binding.make_bindings((*self.BINDINGS, *Panes.BINDINGS, *RowTree.BINDINGS)):
            if self.check_action(binding.action, ()):
                keys.setdefault(binding.tooltip, []).append(self.get_key_display(binding))
        table = Table.grid(padding=(0, 2))
        for what, names in keys.items():
            table.add_row(", ".join(names), what)
        self.push_screen(Reading(table))

    def _ask(self, question: str, answer: str, act: Callable[[str], object], *, replaced: bool = True) -> None:
        """Ask for a line of text until `act` accepts one, or the user goes back."""

        def try_answer(text: str) -> None:
            with self._editing():
                act(text)
                self.pop_screen()

        self.push_screen(Question(question, answer, try_answer, replaced=replaced))


def review_in_panes(
    session: Session, terminal: Terminal, repository: Repository, *, can_replan: bool, said: str
) -> bool:
    """As `TextReview.run`; the panes cover what was `said` on the terminal just before, and show it again.

    Raise also SplitError if the panes fail, and SystemExit if a signal ends them.
    """
    import termios  # not on Windows, where the review is by text

    assert terminal.descriptor is not None
    descriptor = terminal.descriptor
    signals: list[int] = []
    app = ReviewApp(session, terminal, repository, can_replan=can_replan, said=said)

    def end(number: int) -> None:
        try:
            termios.tcgetattr(descriptor)
        except termios.error:
            # The terminal is closed: there is nothing to restore, and textual would wait for it forever.
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        signals.append(number)
        app.exit()

    async def show() -> bool | None:
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                # Only the app itself can restore the terminal.
                loop.add_signal_handler(number, end, number)
        return await app.run_async()

    replaced = (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH, *SIGNALS)
    with _redirect_streams(descriptor), restore_signals(replaced):
        agreed = asyncio.run(show())
    if signals:
        raise SystemExit(128 + signals[0])
    if app.return_code:
        raise SplitError("the review failed", hint="run 'git config smartcommit.review text' and try again")
    return bool(agreed)


@contextmanager
def _redirect_streams(terminal: int) -> Iterator[None]:
    """Redirect the standard streams to the terminal: textual uses no other, and under a hook runner they are pipes."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    copies = [os.dup(number) for number in range(3)]
    try:
        for number in range(3):
            os.dup2(terminal, number)
        yield
    finally:
        for number, copy in enumerate(copies):
            os.dup2(copy, number)
            os.close(copy)
