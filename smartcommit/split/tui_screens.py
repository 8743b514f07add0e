"""What the two panes of a review lay over themselves: questions, and something to read."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static


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
