"""Splits a command line into commands and their words, at separators and quotes. Nothing is expanded, and none is run.

What a shell would make of variables, functions and scripts is not predicted: `afterwards` sees what they did.
"""

from __future__ import annotations

from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BLANKS = " \t\r"
_SEPARATORS = ";&|()\n"
# Nested substitutions that are read.
_DEPTH = 20


class Word(Record):
    """A word without its quotes. `is_known` is False if the shell would put something into it."""

    text: str
    is_known: bool = True
    is_pattern: bool = False


class Command(Record):
    """A simple command: its words, the files that it writes anew by `>`, and its input where that is in the text."""

    words: Sequence[Word]
    written: Sequence[str]
    stdin: str


def list_texts(words: Sequence[Word]) -> list[str]:
    """Return the texts of words."""
    return [word.text for word in words]


def split(text: str) -> list[Command]:
    """Return the commands in `text`, those within others before them."""
    reader = _Reader(text, 0)
    reader.read("")
    return reader.commands


class _Reader:
    def __init__(self, text: str, depth: int) -> None:
        self.commands: list[Command] = []
        self._text = text
        self._depth = depth
        self._at = 0
        self._words: list[Word] = []
        self._written: list[str] = []
        self._stdin = ""
        # Delimiters of here-documents whose bodies begin in the next line, and the commands that read them.
        self._pending: list[str] = []
        self._readers: list[Command] = []

    def read(self, closing: str) -> None:
        """Read commands up to the `closing` parenthesis of a substitution, or to the end."""
        depth = 0
        while self._at < len(self._text):
            letter = self._text[self._at]
            if letter == closing and depth == 0:
                self._at += 1
                break
            if letter in _BLANKS or self._text.startswith("\\\n", self._at):
                self._at += 1 + (letter == "\\")
            elif letter == "#":
                self._at = self._find("\n")
            elif letter in "<>" or self._text.startswith("&>", self._at):
                self._read_redirection()
            elif letter in _SEPARATORS:
                depth += (letter == "(") - (letter == ")")
                self._at += 1
                self._end_command()
                if letter == "\n":
                    self._read_bodies()
            else:
                self._words.append(self._read_word())
        self._end_command()

    def _find(self, mark: str) -> int:
        """Return where `mark` stands next; the end of the text if it does not."""
        end = self._text.find(mark, self._at)
        if end < 0:
            end = len(self._text)
        return end

    def _end_command(self) -> None:
        command = Command(self._words, self._written, self._stdin)
        for _ in range(len(self._pending) - len(self._readers)):
            self._readers.append(command)
        if self._words or self._written:
            self.commands.append(command)
        self._words, self._written, self._stdin = [], [], ""

    def _read_redirection(self) -> None:
        if self._words and self._words[-1].text.isdigit() and self._text[self._at - 1].isdigit():
            self._words.pop()
        if self._text.startswith(("<(", ">("), self._at):
            self._at += 2
            self._read_nested()
            self._words.append(Word("", is_known=False))
            return
        start = self._at
        while self._at < len(self._text) and self._text[self._at] in "<>&|-":
            self._at += 1
        operator = self._text[start : self._at]
        while self._at < len(self._text) and self._text[self._at] in _BLANKS:
            self._at += 1
        target = self._read_word().text
        if operator == "<<<":
            self._stdin = target
        elif operator.startswith("<<"):
            self._pending.append(target)
        elif ">" in operator and ">>" not in operator:
            self._written.append(target)

    def _read_bodies(self) -> None:
        """Read the here-documents that begin in this line."""
        for delimiter, command in zip(self._pending, self._readers, strict=False):
            lines = []
            while self._at < len(self._text):
                end = self._find("\n")
                line = self._text[self._at : end]
                self._at = end + 1
                if line.lstrip("\t") == delimiter:
                    break
                lines.append(line)
            command.stdin = "\n".join(lines)
        self._pending, self._readers = [], []

    def _read_word(self) -> Word:
        word = Word("")
        while self._at < len(self._text):
            letter = self._text[self._at]
            if letter in _BLANKS or letter in _SEPARATORS or letter in "<>":
                break
            self._at += 1
            if letter == "'":
                end = self._find("'")
                word.text += self._text[self._at : end]
                self._at = end + 1
            elif letter == '"':
                self._read_quoted(word)
            elif letter == "\\":
                word.text += self._text[self._at : self._at + 1].replace("\n", "")
                self._at += 1
            elif letter in "$`":
                self._read_expansion(letter, word)
            else:
                word.is_pattern = word.is_pattern or letter in "*?["
                word.text += letter
        return word

    def _read_quoted(self, word: Word) -> None:
        while self._at < len(self._text):
            letter = self._text[self._at]
            self._at += 1
            if letter == '"':
                return
            if letter == "\\":
                word.text += self._text[self._at : self._at + 1]
                self._at += 1
            elif letter in "$`":
                self._read_expansion(letter, word)
            else:
                word.text += letter

    def _read_expansion(self, letter: str, word: Word) -> None:
        """Read what follows `$`, or a backquote; commands in it are commands too."""
        following = self._text[self._at : self._at + 1]
        if letter == "`":
            end = self._find("`")
            self.commands += split(self._text[self._at : end])
            self._at = end + 1
        elif following == "(":
            self._at += 1
            self._read_nested()
        elif following == "{":
            self._at = self._find("}") + 1
        elif following == "'":
            return
        else:
            word.text += letter
        word.is_known = False

    def _read_nested(self) -> None:
        if self._depth == _DEPTH:
            self._at = len(self._text)
            return
        inner = _Reader(self._text, self._depth + 1)
        inner._at = self._at
        inner.read(")")
        self._at = inner._at
        self.commands += inner.commands
