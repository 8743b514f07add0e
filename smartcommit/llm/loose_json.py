"""Reads JSON of servers, whose values may be of any type, and in a model's answer what it writes instead of JSON.

That is JavaScript (comments, single quotes, bare keys, trailing commas), Python (dictionaries, keyword arguments,
triple quotes, `None`), quotes within a text that are not escaped, and objects that end before their last brace.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from smartcommit.patterns import compile_on_use

# Limits that keep this linear: a longer text is not an answer, and more braces without an object are noise.
_CHARACTERS, _LOOSE_CHARACTERS = 1 << 16, 1 << 14
# Levels of JSON. Answers need about ten, and most code that walks JSON recurses once per level.
_LEVELS_READ = 64
_STARTS_TRIED = 40
_LEVELS = 16
_START = compile_on_use(r"\{|\b([A-Za-z_][\w.]{0,80})\(\s*(?=[A-Za-z_]\w{0,40}\s*=)")
_BLANK = compile_on_use(r"(?:\s|//[^\n]*|/\*.{0,400}?\*/|#[^\n]*)*+", re.DOTALL)
_KEY = compile_on_use(r"[A-Za-z_$][\w$ -]{0,40}?(?=\s*[:=])")
_RELATION = compile_on_use(r"=>|[:=]")
_PREFIX = compile_on_use(r"[rbfu]{1,2}(?=[\"'])", re.IGNORECASE)
_QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019"}
# What may follow the quote that closes a key, and the one that closes a value; other quotes are part of the text.
_AFTER_KEY = compile_on_use(r"\s*[:=]")
_AFTER_VALUE = compile_on_use(
    r"[^\S\n]*(?:$|[}\])\n;]|//|/\*|#|\"\w{1,40}\":|,\s*(?:[}\])\[{\"'`\u201c\u2018]|[A-Za-z_$][\w$]*\s*[:=]|-?\d"
    r"|(?:true|false|null|None|True|False)\b|//|/\*|#|$))"
)
_BARE = compile_on_use(r"[^\n,;}\])]{1,400}")
_ESCAPE = compile_on_use(r"\\(u[0-9a-fA-F]{4}|[^u])", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": "", "\n": ""}
_WORDS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}


def as_list(value: object) -> list[Any]:
    """Return `value` if it is a list, else an empty list."""
    return value if isinstance(value, list) else []


def as_count(value: object) -> int:
    """Return `value` if it is an integer, else 0."""
    return value if isinstance(value, int) else 0


def as_object(value: object) -> Mapping[str, object] | None:
    """Return `value` if it is a JSON object, or the object it encodes as text, at most twice over.

    Return None if there is none, or if it is nested more than _LEVELS_READ levels deep.
    """
    for _ in range(3):
        if isinstance(value, dict):
            return value if is_shallow(value) else None
        if not isinstance(value, str):
            return None
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return None


def keep_texts(found: Mapping[str, object], keys: Sequence[str]) -> dict[str, object]:
    """Return the items of `found` with these keys that hold something, unless it is too long."""
    return {key: found[key] for key in keys if found.get(key) and len(str(found[key])) <= _CHARACTERS}


def is_shallow(value: object) -> bool:
    """Whether `value` has at most _LEVELS_READ levels. Not recursive, because deep JSON breaks recursion."""
    level = [value]
    for _ in range(_LEVELS_READ):
        below: list[object] = []
        for item in level:
            if isinstance(item, dict):
                below += item.values()
            elif isinstance(item, list):
                below += item
        if not below:
            return True
        level = below
    return not any(isinstance(item, (dict, list)) for item in level)


@dataclass(frozen=True, slots=True)
class Found:
    """An object in a text: its fields, the offsets of its start and end, and its name if it is a call in Python."""

    fields: Mapping[str, object]
    start: int
    end: int
    name: str = ""


def find_objects(text: str) -> Iterator[Found]:
    """Yield the outermost objects in `text`, in order. One that is cut off has the fields that are complete."""
    text = text[:_CHARACTERS]
    decoder = json.JSONDecoder(strict=False)
    position = 0
    for _ in range(_STARTS_TRIED):
        start = _START.search(text, position)
        if start is None:
            return
        found: object = None
        position = start.end()
        try:
            found, position = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            reader = _Reader(text[:_LOOSE_CHARACTERS], start.end())
            try:
                found, position = reader.read_fields(0), reader.position
            except ValueError:
                continue
            if not found:
                continue
        if isinstance(found, dict) and is_shallow(found):
            yield Found(found, start.start(), position, start[1] or "")


def objects_in(text: str) -> Iterator[Mapping[str, object]]:
    """Yield the fields of the outermost objects in `text`, in order."""
    for found in find_objects(text):
        yield found.fields


class _Reader:
    """Reads values from `position` on; `cut` once the text ended within one. ValueError: there is none."""

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
        self._skip(",;")
        if self.position >= len(self._text):
            self.cut = True
        if self.cut:
            return True
        if self._text[self.position] not in closing:
            return False
        self.position += 1
        return True

    def _skip(self, marks: str = "") -> None:
        while True:
            blank = _BLANK.match(self._text, self.position)
            assert blank is not None
            self.position = blank.end()
            if self.position >= len(self._text) or self._text[self.position] not in marks:
                return
            self.position += 1

    def _read_key(self) -> str:
        if self._text[self.position] in _QUOTES:
            key = self._read_text(_AFTER_KEY)
        else:
            bare = _KEY.match(self._text, self.position)
            if bare is None:
                raise ValueError("no key")
            key, self.position = bare[0], bare.end()
        self._skip()
        relation = _RELATION.match(self._text, self.position)
        if relation is None:
            self.cut = self.cut or self.position >= len(self._text)
            if not self.cut:
                raise ValueError("no value")
            return key
        self.position = relation.end()
        return key

    def _read_value(self, level: int) -> object:
        self._skip()
        if level >= _LEVELS:
            raise ValueError("too many levels")
        prefix = _PREFIX.match(self._text, self.position)
        if prefix is not None:
            self.position = prefix.end()
        opening = self._text[self.position : self.position + 1]
        if opening == "{":
            self.position += 1
            return self.read_fields(level + 1)
        if opening and opening in "[(":
            self.position += 1
            return self._read_items(level + 1)
        if opening in _QUOTES:
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
        opening = self._text[self.position]
        if self._text.startswith(opening * 3, self.position):
            begin, closing = self.position + 3, opening * 3
        else:
            begin, closing = self.position + 1, _QUOTES[opening]
        end = begin - 1
        while True:
            end = self._text.find(closing, end + 1)
            if end < 0:
                return self._read_unclosed(begin)
            escapes = end - len(self._text[begin:end].rstrip("\\")) - begin
            if escapes % 2 == 0 and (len(closing) == 3 or after.match(self._text, end + 1)):
                break
        self.position = end + len(closing)
        return _resolve_escapes(self._text[begin:end])

    def _read_unclosed(self, begin: int) -> str:
        """Read a text whose closing quote is missing. It is complete if closing braces follow it."""
        rest = self._text[begin:].rstrip("`\n ")
        kept = rest.rstrip("]}\n ")
        self.position = len(self._text)
        self.cut = kept == rest
        return _resolve_escapes(kept)

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
    # Two escapes may be the halves of one character.
    resolved = _ESCAPE.sub(_unescape, text).encode("utf-16", "surrogatepass")
    return resolved.decode("utf-16", "replace")


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return _ESCAPES.get(code, code)
