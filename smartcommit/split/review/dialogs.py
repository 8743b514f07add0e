"""What lies over the panes: questions, choices and texts to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from smartcommit.split.review.edits import NEW, UNCOMMITTED


def _list_actions() -> dict[str, str]:
    """Return the actions of a line of text by their keys."""
    actions = {}
    for binding in Input.BINDINGS:
        assert isinstance(binding, Binding)
        for key in binding.key.split(","):
            actions[key] = binding.action
    return actions


_ACTIONS = _list_actions()


class LineInput(Input):
    """A line of text whose keys act in the order in which they are typed.

    A key that is no character bubbles up to the app first, and what is typed or pasted right after it would overtake
    it. Source: textual's `App.on_event`.
    """

    async def on_key(self, event: events.Key) -> None:
        action = _ACTIONS.get(event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            await self.run_action(action)


class Question(ModalScreen[str | None]):
    """Asks for a line of text, which is its result; None if the user goes back.

    What is typed replaces the first `answer`.
    """

    BINDINGS = [("escape", "dismiss(None)", "back")]  # noqa: RUF012 (textual's own form)

    def __init__(self, question: str, answer: str) -> None:
        super().__init__()
        self._question = question
        self._answer = answer

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(self._question))
            yield LineInput(self._answer, select_on_focus=True, compact=True)

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

    BINDINGS = [("escape,enter,q,ctrl+c,question_mark", "dismiss(None)", "back")]  # noqa: RUF012

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(Content(self._text))


class CommitChoice(ModalScreen[int | None]):
    """Asks for a commit, whose number is the result: one of those with `titles`, NEW or UNCOMMITTED."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,ctrl+c", "dismiss(None)", "back"),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
        Binding("n", "choose_new", show=False),
        *(Binding(digit, f"digit('{digit}')", show=False) for digit in "0123456789"),
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
        self.dismiss(self._numbers[event.option_index])

    def action_digit(self, digit: str) -> None:
        """Point at the commit whose number is typed; a digit that fits to none before begins another number."""
        for typed in (self._typed + digit, digit):
            if int(typed) in self._numbers:
                self._typed = typed
                self.query_one(OptionList).highlighted = self._numbers.index(int(typed))
                return

    def action_choose_new(self) -> None:
        self.dismiss(NEW)

    def action_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()

    def action_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()


class TitleInput(LineInput):
    """The title of commit `number`, edited where it is shown."""

    BINDINGS = [Binding("escape", "leave", "back", show=False)]  # noqa: RUF012 (textual's own form)
    DEFAULT_CSS = "TitleInput { layer: above; position: absolute; height: 1; background: $panel; }"

    class Left(Message):
        """The user goes back."""

    def __init__(self, number: int, title: str) -> None:
        super().__init__(title, select_on_focus=False, compact=True)
        self.number = number

    def action_leave(self) -> None:
        self.post_message(self.Left())

    def on_blur(self) -> None:
        self.post_message(self.Left())
