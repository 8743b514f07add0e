"""Reads objects that are nearly JSON, as models write them.

Models write as in JavaScript (comments, single quotes, bare keys, trailing commas) or Python (dictionaries, keyword
arguments, triple quotes, `None`), have quotes that are not escaped, or end before their last brace. Libraries that
repair JSON take quadratic time for a text of brackets.
"""

from __future__ import annotations

import json
import re

from smartcommit.patterns import compile_on_use

# Levels of objects within objects.
_LEVELS = 16
# What separates keys and values: blanks, commas and comments.
_BLANK = compile_on_use(r"(?:[\s,;]|//[^\n]*|/\*.{0,400}?\*/|#[^\n]*)*+", re.DOTALL)
_KEY = compile_on_use(r"[A-Za-z_$][\w$ -]{0,40}?(?=\s*[:=])")
# What may follow the quote that closes a key, and the one that closes a value; other quotes are part of the text.
_AFTER_KEY = compile_on_use(r"\s*[:=]")
_AFTER_VALUE = compile_on_use(
    r"[^\S\n]*(?:$|[}\])\n;]|//|/\*|#|\"\w{1,40}\":|,\s*(?:[}\])\[{\"']|[A-Za-z_$][\w$]*\s*[:=]|-?\d"
    r"|(?:true|false|null|None|True|False)\b|//|/\*|#|$))"
)
_BARE = compile_on_use(r"[^\n,;}\])]{1,400}")
_ESCAPE = compile_on_use(r"\\(.)", re.DOTALL)
_WORDS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}


class LooseReader:
    """Reads the values of a text from `position` on, which is behind the last one then.

    `cut` is set once the text ended within a value. The methods raise ValueError where there is none.
    """

    def __init__(self, text: str, position: int) -> None:
        self.position = position
        self.cut = False
        self._text = text

    def read_fields(self, level: int) -> dict[str, object]:
        """Read the rest of an object, after its brace or parenthesis."""
        fields: dict[str, object] = {}
        while not self._ends("})"):
            key = self._read_key()
            if self.cut:
                break
            value = self._read_value(level)
            if not self.cut or (value and isinstance(value, dict | list)):
                fields[key] = value
        return fields

    def _ends(self, closing: str) -> bool:
        """Whether what is being read ends here, with one of `closing` or with the text."""
        self._skip()
        if self.position >= len(self._text):
            self.cut = True
        if self.cut:
            return True
        if self._text[self.position] not in closing:
            return False
        self.position += 1
        return True

    def _skip(self) -> None:
        blank = _BLANK.match(self._text, self.position)
        assert blank is not None
        self.position = blank.end()

    def _read_key(self) -> str:
        if self._text[self.position] in "\"'":
            key = self._read_text(_AFTER_KEY)
        else:
            bare = _KEY.match(self._text, self.position)
            if bare is None:
                raise ValueError("no key")
            key, self.position = bare[0], bare.end()
        self._skip()
        if self._text[self.position : self.position + 1] in (":", "="):
            self.position += 1
            return key
        self.cut = self.cut or self.position >= len(self._text)
        if not self.cut:
            raise ValueError("no value")
        return key

    def _read_value(self, level: int) -> object:
        self._skip()
        if level >= _LEVELS:
            raise ValueError("too many levels")
        opening = self._text[self.position : self.position + 1]
        if opening == "{":
            self.position += 1
            return self.read_fields(level + 1)
        if opening and opening in "[(":
            self.position += 1
            return self._read_items(level + 1)
        if opening and opening in "\"'":
            return self._read_text(_AFTER_VALUE)
        return self._read_word()

    def _read_items(self, level: int) -> object:
        items: list[object] = []
        while not self._ends("])"):
            item = self._read_value(level)
            if not self.cut or (item and isinstance(item, dict | list)):
                items.append(item)
        return items

    def _read_text(self, after: re.Pattern[str]) -> str:
        """Read a quoted text, which ends at the first quote behind which `after` matches."""
        quote = self._text[self.position]
        if self._text.startswith(quote * 3, self.position):
            quote *= 3
        begin = self.position + len(quote)
        end = begin - 1
        while True:
            end = self._text.find(quote, end + 1)
            if end < 0:
                # The closing quote is missing. The text is complete if closing braces follow it.
                text = self._text[begin:].rstrip("]}\n ")
                self.position = len(self._text)
                self.cut = self._text.endswith(text)
                return _resolve_escapes(text)
            text = self._text[begin:end]
            escapes = len(text) - len(text.rstrip("\\"))
            if escapes % 2 == 0 and (len(quote) == 3 or after.match(self._text, end + 1)):
                break
        self.position = end + len(quote)
        return _resolve_escapes(text)

    def _read_word(self) -> object:
        word = _BARE.match(self._text, self.position)
        if word is None:
            raise ValueError("no value")
        self.position = word.end()
        self.cut = self.position >= len(self._text)
        text = word[0].partition(" //")[0].partition(" #")[0].strip()
        if text.lower() in _WORDS:
            return _WORDS[text.lower()]
        if text.isdecimal() and len(text) < 10:
            return int(text)
        return text


def _resolve_escapes(text: str) -> str:
    if "\\" not in text:
        return text
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:  # other escapes than those of JSON, or quotes that are not escaped
        return _ESCAPE.sub(r"\1", text.replace("\\n", "\n"))
