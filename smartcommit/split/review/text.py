"""The review by text commands, and the edit of a message in the user's editor."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import NamedTuple

from smartcommit import DOCS, state_files
from smartcommit.change.wording import format_count
from smartcommit.errors import GitError, SmartcommitError, SplitError
from smartcommit.files import IS_WINDOWS
from smartcommit.git.hunks import Unit
from smartcommit.git.repo import Repository
from smartcommit.message.cleanup import WHITESPACE, Cleaning, clean, repair
from smartcommit.message.header import parse_loose_header
from smartcommit.message.report import Style
from smartcommit.processes.run import open_editor
from smartcommit.split.plan import list_open
from smartcommit.split.review.render import CODES, SUBJECT, TEXT, Line, list_diff_lines, list_message_lines, show_plan
from smartcommit.split.review.session import NEW, UNCOMMITTED, WAYS, Session
from smartcommit.terminal import Terminal, format_error

CONFIRM_QUIT = "quit and discard your changes to these commits?"
_CONDITION = "but not on Windows" if IS_WINDOWS else "for which textual has to be installed"
_PANES_HINT = f"There is a review in panes, {_CONDITION}: {DOCS}/splitting.md#reviewing-a-plan"
# Editors recognize a message by this name of its file.
_MESSAGE_FILE = "COMMIT_EDITMSG"
# git's own form of this line. Nothing above it is a comment, so a line that starts with `#` stays.
_SCISSORS = """\
# ------------------------ >8 ------------------------
# Do not modify or remove the line above.
# Everything below it will be ignored.
"""


class TextReview:
    def __init__(self, session: Session, terminal: Terminal, repository: Repository, *, can_replan: bool) -> None:
        """With `can_replan`, the user can ask for another split."""
        self._session = session
        self._terminal = terminal
        self._repository = repository
        colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._style = Style(colour=colour)
        self._commands = list(_COMMANDS)
        if can_replan:
            self._commands.append(_RECLASSIFY)
        self._agreed: bool | None = None

    def run(self) -> bool:
        """Show the commits and edit them with the user; return whether to create those that the session has then."""
        if not IS_WINDOWS and find_spec("textual") is None:
            self._terminal.write(f"{_PANES_HINT}\n")
        self._list()
        while self._agreed is None:
            answer = self._terminal.ask(self._question)
            if answer is None:
                return False
            before = self._session.commits
            try:
                self._execute(answer)
            except SmartcommitError as error:
                self._terminal.write(f"{format_error(error)}\n")
            if self._session.commits is not before:
                self._list()
        return self._agreed

    @property
    def _question(self) -> str:
        number = next(iter(list_open(self._session.commits)), None)
        title = "" if number is None else f", t TITLE for commit {number}"
        return f"create these commits? [y, q{title}, ? for help] "

    def _execute(self, answer: str) -> None:
        word, _, rest = answer.partition(" ")
        if not word:
            return
        name = "help" if word == "?" else word.lower()
        for command in self._commands:
            if command.name.startswith(name):
                command.act(self, rest.strip())
                return
        raise SplitError(f"unknown command '{word}'", hint="type '?' for help")

    def _yes(self, _: str) -> None:
        self._session.check()
        self._agreed = True

    def _quit(self, _: str) -> None:
        answer = None
        if self._session.edited:
            answer = self._terminal.ask(f"{CONFIRM_QUIT} [y/N] ")
        if answer is None or answer.lower() in ("y", "yes", "q", "quit"):
            self._agreed = False

    def _list(self, _: str = "") -> None:
        kinds = {False: TEXT, True: SUBJECT}
        lines = show_plan(self._session.plan).split("\n")
        self._page([Line(kinds[line.lstrip()[:1].isdigit()], line) for line in lines])

    def _help(self, _: str) -> None:
        width = max(len(command.usage) for command in self._commands)
        lines = [f"{command.usage:{width}}  {command.help}" for command in self._commands]
        self._page([Line(TEXT, line) for line in (*lines, "", *_EXPLANATION, _PANES_HINT)])

    def _view(self, rest: str) -> None:
        (number,) = parse_numbers(rest, 1)
        units = self._session.units_of(number)
        lines: list[Line] = []
        if number != UNCOMMITTED:
            lines += list_message_lines(self._session.commit(number).message, self._session.reasons[number - 1])
        self._page([*lines, *list_diff_lines(number, units, self._session.context)])

    def _edit(self, rest: str) -> None:
        (number,) = parse_numbers(rest, 1)
        if not reword(self._session, number, self._repository, self._terminal.descriptor):
            self._terminal.write("message unchanged\n")

    def _subject(self, rest: str) -> None:
        number, _, subject = rest.partition(" ")
        self._session.set_subject(parse_number(number), subject.strip())

    def _title(self, title: str) -> None:
        for number in list_open(self._session.commits)[:1]:
            header = parse_loose_header(self._session.commit(number).subject)
            if header is not None and parse_loose_header(title) is None:
                header.summary = title
                title = str(header)
            self._session.set_subject(number, title)
            return
        raise SplitError("no title is open", hint="type 's N TEXT' for that of commit N")

    def _merge(self, rest: str) -> None:
        self._session.merge(*parse_ranges(rest, len(self._session.commits)))

    def _delete(self, rest: str) -> None:
        self._session.delete(*parse_numbers(rest, 1))

    def _move(self, rest: str) -> None:
        *names, to = rest.split() or [""]
        hunks: list[Unit] = []
        for name in names:
            hunks += self._hunks(name)
        moved = self._session.move(hunks, NEW if to == "new" else parse_number(to))
        if len(moved) > len(hunks):
            self._terminal.write(f"moved {format_count(len(moved), 'hunk')} that belong together\n")

    def _split(self, rest: str) -> None:
        number, _, way = rest.partition(" ")
        self._session.split(parse_number(number), way.strip() or WAYS[0])

    def _cut(self, rest: str) -> None:
        name, _, counts = rest.partition(" ")
        units = self._hunks(name)
        removed, added = parse_numbers(counts, 2)
        self._session.cut(units[0], removed=removed, added=added)

    def _order(self, rest: str) -> None:
        self._session.reorder(*parse_numbers(rest, 2))

    def _undo(self, _: str) -> None:
        self._session.undo()

    def _reclassify(self, wish: str) -> None:
        self._session.ask_anew(wish)
        self._agreed = False

    def _hunks(self, name: str) -> Sequence[Unit]:
        """Return the units that `2.3`, `2.3-5` or `2` names: the third, the third to the fifth, or all of commit 2."""
        number, point, positions = name.partition(".")
        first, _, last = positions.partition("-")
        units = self._session.units_of(parse_number(number))
        if not point:
            return units
        begin, end = parse_number(first), parse_number(last or first)
        if not 1 <= begin <= end <= len(units):
            raise SplitError(f"no hunk named '{name}'", hint=f"run 'view {number}' to see the names of its hunks")
        return units[begin - 1 : end]

    def _page(self, lines: Sequence[Line]) -> None:
        styled = []
        for line in lines:
            text = line.printed
            if CODES[line.kind]:
                text = self._style(CODES[line.kind], text)
            styled.append(text)
        height = max(self._terminal.height - 1, 1)
        for begin in range(0, len(styled), height):
            if begin and self._terminal.ask("-- Enter: more, q: quit -- ") != "":
                return
            self._terminal.write("\n".join(styled[begin : begin + height]) + "\n")


class _Command(NamedTuple):
    """A text command; a prefix of several names selects the first such command in the table."""

    name: str
    usage: str
    help: str
    act: Callable[[TextReview, str], None]


_COMMANDS = (
    _Command("yes", "y(es)", "create these commits", TextReview._yes),
    _Command("quit", "q(uit)", "quit without committing", TextReview._quit),
    _Command("no", "n(o)", "same as q", TextReview._quit),
    _Command("list", "l(ist)", "list the commits", TextReview._list),
    _Command("view", "v(iew) N", "show the message and the diff of commit N", TextReview._view),
    _Command("edit", "e(dit) N", "edit the message in your editor", TextReview._edit),
    _Command("subject", "s(ubject) N TEXT", "replace the subject of commit N", TextReview._subject),
    _Command("title", "t(itle) TEXT", "type the first open title, with or without its type", TextReview._title),
    _Command("merge", "m(erge) A B...", "merge commits B, such as 3 or 3-5, into commit A", TextReview._merge),
    _Command("squash", "sq(uash) A B...", "same as m", TextReview._merge),
    _Command("delete", "d(elete) N", "delete commit N; its changes stay uncommitted", TextReview._delete),
    _Command("move", "mo(ve) HUNK... N", "move hunks to commit N, to 'new', or to 0 (skip them)", TextReview._move),
    _Command("split", "sp(lit) N [HOW]", f"split commit N by {', '.join(WAYS)}", TextReview._split),
    _Command("order", "o(rder) N PLACE", "move commit N to position PLACE", TextReview._order),
    _Command("undo", "u(ndo)", "undo the last step", TextReview._undo),
    _Command("cut", "c(ut) HUNK R A", "cut a hunk after R removed and A added lines", TextReview._cut),
    _Command("help", "h(elp)", "show this help", TextReview._help),
)  # fmt: skip
_RECLASSIFY = _Command("reclassify", "r(eclassify) TEXT", "split again, following TEXT", TextReview._reclassify)
_EXPLANATION = (
    "Name a HUNK as 'view' shows it: 2.3 is the third hunk of commit 2, and 2.3-5",
    "are the third to the fifth, and 2 all of them. Skipped hunks stay uncommitted;",
    "they are listed as commit 0. Hunks that cannot be separated, such as a manifest",
    "and its lock file, move together. A commit whose last hunk is moved away disappears.",
)


def parse_number(word: str) -> int:
    if not word:
        raise SplitError("missing number", hint="type '?' for help")
    if not (word.isascii() and word.isdigit() and len(word) < 8):
        raise SplitError(f"'{word}' is not a number", hint="type '?' for help")
    return int(word)


def parse_ranges(text: str, highest: int) -> list[int]:
    """Return the numbers in `text`, in which `3-5` stands for 3, 4 and 5; of those above `highest` only the first."""
    numbers: list[int] = []
    for word in text.split() or [""]:
        first, _, last = word.partition("-")
        begin, end = parse_number(first), parse_number(last or first)
        if begin > end:
            raise SplitError(f"'{word}' names no commit", hint=f"did you mean '{end}-{begin}'?")
        numbers += range(begin, min(end, max(begin, highest + 1)) + 1)
    return numbers


def parse_numbers(text: str, count: int) -> list[int]:
    words = text.split()
    if len(words) != count:
        expected = "one number" if count == 1 else f"{count} numbers"
        raise SplitError(f"expected {expected}", hint="type '?' for help")
    return [parse_number(word) for word in words]


def reword(session: Session, number: int, repository: Repository, terminal: int | None) -> bool:
    """Let the user edit the message of commit `number`, above its diff; return whether it changed.

    The text is cleaned up as by git, except that there are no comments. Raise GitError if the editor fails, and
    SplitError if the file cannot be written or read, or the text breaks a rule; then the next edit of this commit opens
    that text.
    """
    lines = list_diff_lines(number, session.units_of(number), session.context)
    note = "\n" + _SCISSORS + "".join(f"{line.printed}\n" for line in lines)
    before = session.text_to_edit(number).encode("utf-8", "surrogateescape")
    written = before + note.encode("utf-8", "surrogateescape")
    path = state_files.find_path(repository.git_dir, _MESSAGE_FILE)
    if not state_files.save(repository.git_dir, _MESSAGE_FILE, written):
        raise SplitError(f"cannot write '{path}'")
    editor = repository.run("var", "GIT_EDITOR").decode("utf-8", "surrogateescape").rstrip("\n")
    if editor != ":":  # for git, this means not to edit
        status = open_editor(editor, path, directory=repository.worktree, terminal=terminal)
        if status != 0:
            raise GitError(f"editor '{editor}' exited with status {status}", status=status)
    after = state_files.load(repository.git_dir, _MESSAGE_FILE)
    if after is None:
        raise SplitError(f"cannot read '{path}'")
    state_files.drop(repository.git_dir, _MESSAGE_FILE)
    cleaned = clean(after, Cleaning(WHITESPACE, cut=True)).text
    if after == written or cleaned == before:
        return False
    try:
        session.set_message(number, repair(cleaned).decode())
    except SplitError as error:
        raise SplitError(str(error), hint=f"edit commit {number} again; the rejected text was kept") from error
    return True
