"""Reads the commands in a command line, at its separators and quotes as a shell does.

Nothing is expanded: where a shell would put something into a word, the word has a `$`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

# Programs that run what they read.
SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "su", "script"))
_BLANKS = " \t\r"
_SEPARATORS = ";&|()\n"
_WORD_ENDS = f"{_BLANKS}{_SEPARATORS}<>"
# Nested substitutions that are read.
_DEPTH = 20


def split_commands(text: str) -> list[list[str]]:
    """Return the words of the commands in `text`, those within others before them."""
    reader = _CommandReader(text)
    reader.read()
    return reader.commands


class _CommandReader:
    """Reads from a place in a text, which is within `depth` substitutions."""

    def __init__(self, text: str, place: int = 0, depth: int = 0) -> None:
        self.commands: list[list[str]] = []
        self.place = place
        self._text = text
        self._depth = depth
        self._words: list[str] = []
        # What ends the here-documents that begin in the next line, and whether the shell expands them.
        self._delimiters: list[tuple[str, bool]] = []

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
                groups += {"(": 1, ")": -1}.get(letter, 0)
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
        text = self._text[self.place : end]
        self.place = end + len(mark)
        return text

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
        begin = self.place
        target = self._read_word()
        if operator.strip() == "<<<":
            self._read_input(self._words, target)
        elif operator.strip() in ("<<", "<<-"):
            is_expanded = not any(quote in self._text[begin : self.place] for quote in "'\"\\")
            self._delimiters.append((target, is_expanded))
        elif ">" in operator:
            # What is written anew is lost, whatever the program.
            self.commands.append([">", target])

    def _skip_bodies(self) -> None:
        for delimiter, is_expanded in self._delimiters:
            lines = []
            while self.place < len(self._text) and (line := self._take("\n")).lstrip("\t") != delimiter:
                lines.append(line)
            body = "\n".join(lines)
            is_read = self._read_input(self.commands[-1] if self.commands else (), body)
            if is_expanded and not is_read:
                self._read_text(body)
        self._delimiters = []

    def _read_input(self, words: Sequence[str], text: str) -> bool:
        """Read the commands in the input of a command if that is a shell which runs it; return whether it is."""
        runs = bool(words) and os.path.basename(words[0]) in SHELLS and all(word[:1] == "-" for word in words[1:])
        if not runs or text.count("<<") >= _DEPTH:
            return False
        self.commands += split_commands(text)
        return True

    def _read_text(self, text: str) -> None:
        """Read the commands that a shell runs within text, as in double quotes."""
        if self._depth < _DEPTH:
            inner = _CommandReader(text, 0, self._depth + 1)
            inner._read_word(is_text=True)
            self.commands += inner.commands

    def _read_word(self, *, is_text: bool = False) -> str:
        word = ""
        is_quoted = is_text
        while self.place < len(self._text):
            letter = self._text[self.place]
            if letter in _WORD_ENDS and not is_quoted:
                break
            self.place += 1
            if letter == '"':
                is_quoted = is_text or not is_quoted
            elif letter == "'" and not is_quoted:
                word += self._take("'")
            elif letter == "\\":
                word += self._text[self.place : self.place + 1].strip("\n")
                self.place += 1
            elif letter == "`":
                self.commands += split_commands(self._take("`"))
                word += "$"
            elif letter != "$":
                word += letter
            elif is_quoted or not self._has("'"):
                word += f"${self._read_expansion()}"
        return word

    def _read_expansion(self) -> str:
        """Read what follows a `$` in braces or parentheses; commands in it are commands too. Return the name `PWD`."""
        begin = self.place
        if self._has("{"):
            self._read_text(self._take("}"))
        elif self._has("("):
            self.place += 1
            self._read_nested()
        return "PWD" if self._text[begin : self.place] in ("{PWD}", "(pwd)") else ""

    def _read_nested(self) -> None:
        inner = _CommandReader(self._text, self.place, self._depth + 1)
        if self._depth == _DEPTH:
            inner.place = len(self._text)
        inner.read()
        self.place = inner.place
        self.commands += inner.commands
