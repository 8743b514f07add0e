"""Dialogs over the panes: questions, choices and texts to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import digits
from typing import ClassVar

from rich.table import Table
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from smartcommit.split.review.session import NEW, UNCOMMITTED


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
    """Asks for a line of text, with which `act` is called; if `replaced`, what is typed replaces the first `answer`."""

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
