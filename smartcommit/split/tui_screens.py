"""What the two panes of a review lay over themselves: a question, and something to read."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static


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
