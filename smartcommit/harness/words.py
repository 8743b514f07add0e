"""Splits a command line into commands and their words, at separators and quotes. Nothing is expanded, and none is run.

Where a shell would put something into a word, the word has a `$`. What that is, and what functions and scripts do, is
not predicted: `afterwards` sees it.
"""

from __future__ import annotations

_BLANKS = " \t\r"
_SEPARATORS = ";&|()\n"
_WORD_ENDS = f"{_BLANKS}{_SEPARATORS}<>"
# Nested substitutions that are read.
_DEPTH = 20


def split(text: str) -> list[list[str]]:
    """Return the words of the commands in `text`, those within others before them."""
    reader = _Reader(text)
    reader.read()
    return reader.commands


class _Reader:
    """Reads from a place in a text, which is within `depth` substitutions."""

    def __init__(self, text: str, place: int = 0, depth: int = 0) -> None:
        self.commands: list[list[str]] = []
        self.place = place
        self._text = text
        self._depth = depth
        self._words: list[str] = []
        # What ends the here-documents that begin in the next line.
        self._delimiters: list[str] = []

    def read(self) -> None:
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
                    self._skip_bodies()
            else:
                self._words.append(self._read_word())
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
        if self._words:
            self.commands.append(self._words)
        self._words = []

    def _read_redirection(self) -> None:
        if self._has("<(") or self._has(">("):
            self.place += 2
            self._read_nested()
            self._words.append("$")
            return
        if self._words and self._words[-1].isdigit() and self._text[self.place - 1].isdigit():
            self._words.pop()
        operator = ""
        while self.place < len(self._text) and self._text[self.place] in f"<>&|-{_BLANKS}":
            operator += self._text[self.place]
            self.place += 1
        target = self._read_word()
        if operator.strip() in ("<<", "<<-"):
            self._delimiters.append(target)
        elif ">" in operator and ">>" not in operator:
            # What is written anew is lost, whatever the program.
            self.commands.append([">", target])

    def _skip_bodies(self) -> None:
        for delimiter in self._delimiters:
            while self.place < len(self._text) and self._take("\n").lstrip("\t") != delimiter:
                pass
        self._delimiters = []

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
