"""Splits a command line into commands and their words, at separators and quotes. Nothing is expanded, and none is run.

Where a shell would put something into a word, the word has a `$`. What that is, and what functions and scripts do, is
not predicted: `afterwards` sees it.
"""

from __future__ import annotations

from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BLANKS = " \t\r"
_SEPARATORS = ";&|()\n"
_WORD_ENDS = f"{_BLANKS}{_SEPARATORS}<>"
# Nested substitutions that are read.
_DEPTH = 20


class Command(Record):
    """A simple command: its words, the files that it writes anew by `>`, and its input where that is in the text."""

    words: list[str]
    written: list[str]
    stdin: str = ""


def split(text: str) -> Sequence[Command]:
    """Return the commands in `text`, those within others before them."""
    reader = _Reader(text)
    reader.read()
    return reader.commands


class _Reader:
    """Reads from a place in a text, which is within `depth` substitutions."""

    def __init__(self, text: str, place: int = 0, depth: int = 0) -> None:
        self.commands: list[Command] = []
        self.place = place
        self._text = text
        self._depth = depth
        self._command = Command([], [])
        # Commands that read what begins in the next line, up to a delimiter.
        self._pending: list[tuple[str, Command]] = []

    def read(self) -> None:
        """Read commands up to the end of the substitution, or of the text."""
        groups = 0
        while self.place < len(self._text):
            letter = self._text[self.place]
            if letter == ")" and groups == 0 and self._depth > 0:
                self.place += 1
                break
            if self._has("\\\n"):
                self.place += 2
            elif letter in _BLANKS:
                self.place += 1
            elif letter == "#":
                self._take("\n")
                self.place -= 1
            elif letter in "<>" or self._has("&>"):
                self._read_redirection()
            elif letter in _SEPARATORS:
                groups += (letter == "(") - (letter == ")")
                self.place += 1
                self._end_command()
                if letter == "\n":
                    self._read_bodies()
            else:
                self._command.words.append(self._read_word())
        self._end_command()

    def _has(self, mark: str) -> bool:
        return self._text.startswith(mark, self.place)

    def _take(self, mark: str) -> str:
        """Return the text before the next `mark`, and go on after that."""
        end = self._text.find(mark, self.place)
        if end < 0:
            end = len(self._text)
        taken = self._text[self.place : end]
        self.place = end + len(mark)
        return taken

    def _end_command(self) -> None:
        if self._command.words or self._command.written:
            self.commands.append(self._command)
        self._command = Command([], [])

    def _read_redirection(self) -> None:
        if self._has("<(") or self._has(">("):
            self.place += 2
            self._read_nested()
            self._command.words.append("$")
            return
        words = self._command.words
        if words and words[-1].isdigit() and self._text[self.place - 1].isdigit():
            words.pop()
        operator = ""
        while self.place < len(self._text) and self._text[self.place] in "<>&|-":
            operator += self._text[self.place]
            self.place += 1
        while self.place < len(self._text) and self._text[self.place] in _BLANKS:
            self.place += 1
        target = self._read_word()
        if operator == "<<<":
            self._command.stdin = target
        elif operator.startswith("<<"):
            self._pending.append((target, self._command))
        elif ">" in operator and ">>" not in operator:
            self._command.written.append(target)

    def _read_bodies(self) -> None:
        """Read the here-documents that begin in this line."""
        for delimiter, command in self._pending:
            lines = []
            while self.place < len(self._text):
                line = self._take("\n")
                if line.lstrip("\t") == delimiter:
                    break
                lines.append(line)
            command.stdin = "\n".join(lines)
        self._pending = []

    def _read_word(self) -> str:
        word = ""
        is_quoted = False
        while self.place < len(self._text):
            letter = self._text[self.place]
            if letter in _WORD_ENDS and not is_quoted:
                break
            self.place += 1
            if letter == '"':
                is_quoted = not is_quoted
            elif letter == "'" and not is_quoted:
                word += self._take("'")
            elif letter == "\\":
                word += self._text[self.place : self.place + 1].strip("\n")
                self.place += 1
            elif letter == "`":
                self.commands += split(self._take("`"))
                word += "$"
            elif letter != "$":
                word += letter
            elif not self._has("'"):
                word += "$"
                self._read_expansion()
        return word

    def _read_expansion(self) -> None:
        """Read what follows a `$` in braces or parentheses; commands in it are commands too."""
        if self._has("{"):
            self._take("}")
        elif self._has("("):
            self.place += 1
            self._read_nested()

    def _read_nested(self) -> None:
        if self._depth == _DEPTH:
            self.place = len(self._text)
            return
        inner = _Reader(self._text, self.place, self._depth + 1)
        inner.read()
        self.place = inner.place
        self.commands += inner.commands
