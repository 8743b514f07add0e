"""The two panes of a review: the commits, and message and diff of the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Footer, OptionList

from smartcommit.errors import SmartcommitError, SplitError
from smartcommit.git.hunks import Unit
from smartcommit.git.repo import Repository
from smartcommit.split.edit import NEW, UNCOMMITTED
from smartcommit.split.painting import ADDED, HUNK, NOTE, REMOVED, SUBJECT, TEXT, Line, diff_lines, message_lines
from smartcommit.split.review.editor import reword
from smartcommit.split.review.render import show_issues, show_left_out, show_warnings
from smartcommit.split.review.session import WAYS, Session
from smartcommit.split.review.text import SURE, ReviewCallbacks, parse_number, parse_numbers
from smartcommit.split.tui_screens import Question, Reading, Sure
from smartcommit.terminal import Terminal, printable

# The number of what is no commit, but to be read.
_NOTES = -2
Result = TypeVar("Result")
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
