"""Reads the object that a configuration in JavaScript or TypeScript exports, as far as it is written out as a literal.

Nothing is executed. What is no literal (a call, a function, an import, a spread) is `UNKNOWN` in its place; a name that
stands for a literal of the same file is that literal, unless it may be changed after it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

# Levels of brackets, and tokens in all, that are read; as many entries are copied from one list to another.
_DEPTH, _TOKENS = 40, 100_000
_TOKEN = re.compile(
    r"""
    (?P<space> \s+ | //[^\n]* | \A\#![^\n]* )
    | (?P<text> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | `(?:[^`\\]|\\.)*` )
    | (?P<number> (?:\d[\w.]*|\.\d\w*) )
    | (?P<name> [A-Za-z_$][\w$]* )
    | (?P<mark> => | \.\.\. | [^\w\s] )
    """,
    re.VERBOSE | re.DOTALL,
)
# A regular expression, where a value can begin; it is bounded, so that a file of slashes takes no time.
_PATTERN = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,100}\]){1,300}/[a-z]{0,8}")
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_WORDS: Mapping[str, object] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": None,
    "Infinity": float("inf"),
}
# `RuleConfigSeverity` of @commitlint/types, which configurations in TypeScript use for the levels.
_MEMBERS: Mapping[tuple[str, str], object] = {
    ("RuleConfigSeverity", "Disabled"): 0,
    ("RuleConfigSeverity", "Warning"): 1,
    ("RuleConfigSeverity", "Error"): 2,
}


class Unknown:
    """A value that is no literal."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()
_MODULE = ("module", ".", "exports")
_EXPORTS = ((*_MODULE, "="), ("export", "default"), ("export", "="))
# What can only begin a statement.
_STATEMENTS = ("module", "export", "const", "let", "var")
# Members of an array that leave it as it is.
_READING = ("concat", "every", "filter", "flatMap", "includes", "join", "length", "map", "reduce", "slice", "some")
# Stands for the entries that an object or an array gets from elsewhere, by `...name`.
SPREAD = "..."


def read_export(text: str) -> object:
    """Return the value that the module `text` exports: objects are dicts, arrays lists; UNKNOWN if it is no literal.

    An object with entries from elsewhere has the key SPREAD; an array with such entries is UNKNOWN.
    """
    tokens = _scan(text)
    if tokens is None:
        return UNKNOWN
    reader = _Reader(tokens)
    return reader.read_module()


def _scan(text: str) -> list[tuple[str, str]] | None:
    """Return the kinds and texts of the tokens of `text`, None if there are too many or one cannot be read."""
    tokens: list[tuple[str, str]] = []
    position, last = 0, ""
    while position < len(text):
        if text.startswith("/*", position):
            position = text.find("*/", position + 2) + 2
            if position < 2:
                return None
            continue
        kind, found = "pattern", None
        if text[position] == "/" and not text.startswith("//", position) and _expects_value(last):
            found = _PATTERN.match(text, position)
        if found is None:
            found = _TOKEN.match(text, position)
            if found is None or found[0] in ("'", '"', "`") or len(tokens) >= _TOKENS:
                return None
            kind = found.lastgroup or ""
        if kind != "space":
            last = found[0]
            tokens.append((kind, last))
        position = found.end()
    return tokens


def _expects_value(last: str) -> bool:
    """Whether a value can follow the token `last`, so that a slash begins a regular expression."""
    return last == "" or last in ("return", "=>") or last[-1] in "(,=:[!&|?{};+-*%<>~^"


class _Reader:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._place = 0
        self._copied = 0
        # The values that names stand for in this file, and the names whose values may be others later.
        self._names: dict[str, object] = {}
        self._changed = _find_changed(tokens)

    def read_module(self) -> object:
        exported: object = UNKNOWN
        complete = True
        while self._place < len(self._tokens):
            if any(self._take(*words) for words in _EXPORTS):
                exported = self._read_value(0)
            elif self._peek() in ("const", "let", "var"):
                self._read_declaration()
            else:
                if self._take(*_MODULE):
                    complete = False
                self._skip_one()
            self._skip_statement()
        if isinstance(exported, dict) and not complete:
            return {**exported, SPREAD: UNKNOWN}
        return exported

    def _peek(self, ahead: int = 0) -> str:
        place = self._place + ahead
        return self._tokens[place][1] if place < len(self._tokens) else ""

    def _take(self, *words: str) -> bool:
        """Pass over `words` if they come next."""
        for ahead, word in enumerate(words):
            if self._peek(ahead) != word:
                return False
        self._place += len(words)
        return True

    def _read_declaration(self) -> None:
        """Read `const NAME: TYPE = VALUE`."""
        self._place += 1
        name = self._peek()
        self._place += 1
        while self._place < len(self._tokens) and self._peek() not in ("=", ";"):
            self._skip_one()
        if self._take("=") and name not in self._changed:
            self._names[name] = self._read_value(0)

    def _skip_statement(self) -> None:
        """Pass over the rest of a statement: up to a semicolon, or what can only begin another one."""
        while self._place < len(self._tokens):
            if self._take(";") or self._peek() in _STATEMENTS:
                return
            self._skip_one()

    def _skip_one(self) -> None:
        """Pass over a token, or over brackets and what is in them."""
        expected: list[str] = []
        while self._place < len(self._tokens):
            kind, text = self._tokens[self._place]
            self._place += 1
            if kind == "mark" and text in _CLOSING:
                expected.append(_CLOSING[text])
            elif kind == "mark" and expected and text == expected[-1]:
                expected.pop()
            if not expected:
                return

    def _read_value(self, depth: int) -> object:
        """Read an expression, up to the comma, bracket or semicolon after it."""
        value = UNKNOWN if depth > _DEPTH else self._read_literal(depth)
        if self._peek() in ("as", "satisfies"):
            # A type of TypeScript, which changes nothing.
            self._skip_expression()
        elif self._goes_on():
            self._skip_expression()
            return UNKNOWN
        return value

    def _goes_on(self) -> bool:
        """Whether an operator, a call or a member follows, so that what was read is not the whole value."""
        if self._place >= len(self._tokens):
            return False
        kind, text = self._tokens[self._place]
        return kind == "mark" and text not in (",", ";", "]", "}", ")")

    def _skip_expression(self) -> None:
        while self._place < len(self._tokens) and self._peek() not in (",", ";", "]", "}", ")"):
            if self._peek() in ("module", "export", "const") and self._peek(-1) not in (".", "as"):
                return
            self._skip_one()

    def _read_literal(self, depth: int) -> object:
        if self._place >= len(self._tokens):
            return UNKNOWN
        kind, text = self._tokens[self._place]
        if kind == "name" and self._peek(1) == "(" and text.lower().startswith("define"):
            # `defineConfig({...})` returns what it is given.
            self._place += 1
            text = "("
        if text in _CLOSING and kind != "text":
            read = {"{": self._read_object, "[": self._read_array, "(": self._read_brackets}[text]
            return read(depth)
        if text in (*_CLOSING.values(), ",", ";"):
            return UNKNOWN
        self._place += 1
        if text == "-" and self._place < len(self._tokens):
            kind, digits = self._tokens[self._place]
            text += digits
            self._place += 1
        return self._read_word(kind, text)

    def _read_word(self, kind: str, text: str) -> object:
        """Return the value of a token that stands for one by itself."""
        if kind == "text":
            return _decode(text)
        if kind == "number":
            return _read_number(text)
        if kind == "name":
            return self._read_name(text)
        return UNKNOWN

    def _read_brackets(self, depth: int) -> object:
        """Read `(VALUE)`; a list of arguments is UNKNOWN."""
        start = self._place
        self._place += 1
        value = self._read_value(depth + 1)
        if self._take(")") or self._take(",", ")"):
            return value
        self._place = start
        self._skip_one()
        return UNKNOWN

    def _read_name(self, text: str) -> object:
        if self._peek() == "." and (text, self._peek(1)) in _MEMBERS:
            value = _MEMBERS[text, self._peek(1)]
            self._place += 2
            return value
        if text in _WORDS:
            return _WORDS[text]
        return self._names.get(text, UNKNOWN)

    def _read_array(self, depth: int) -> object:
        values: list[object] = []
        complete = True
        self._place += 1
        while self._place < len(self._tokens) and not self._take("]"):
            if self._take("..."):
                entries = self._read_value(depth + 1)
                if isinstance(entries, list) and self._may_copy(entries):
                    values += entries
                else:
                    complete = False
            else:
                values.append(self._read_value(depth + 1))
            if not self._take(",") and self._peek() != "]":
                complete = False
                self._skip_one()
        return values if complete else UNKNOWN

    def _may_copy(self, entries: Collection[object]) -> bool:
        """Whether `entries` can be copied too; lists of each other's entries double with each of them."""
        self._copied += len(entries)
        return self._copied <= _TOKENS

    def _read_object(self, depth: int) -> object:
        values: dict[str, object] = {}
        self._place += 1
        while self._place < len(self._tokens) and not self._take("}"):
            if self._take("..."):
                entries = self._read_value(depth + 1)
                if isinstance(entries, dict) and self._may_copy(entries):
                    values.update(entries)
                else:
                    values[SPREAD] = UNKNOWN
            else:
                self._read_entry(values, depth)
            if not self._take(",") and self._peek() != "}":
                self._skip_one()
        return values

    def _read_entry(self, values: dict[str, object], depth: int) -> None:
        """Read `KEY: VALUE`, or a name alone; a method and a computed key are no literals."""
        kind, text = self._tokens[self._place]
        key = _decode(text) if kind == "text" else text
        if self._peek(1) == ":" and kind in ("text", "name", "number") and isinstance(key, str):
            self._place += 2
            values[key] = self._read_value(depth + 1)
        elif kind == "name" and self._peek(1) in (",", "}"):
            self._place += 1
            values[text] = self._read_name(text)
        else:
            values[SPREAD if text == "[" else text] = UNKNOWN
            self._skip_expression()


def _find_changed(tokens: Sequence[tuple[str, str]]) -> set[str]:
    """Return the names that are assigned anew, or a member of which is named that may be assigned or change them."""
    changed = set()
    for place, (kind, name) in enumerate(tokens[:-1]):
        before = tokens[place - 1][1] if place > 0 else ""
        after = tokens[place + 1][1]
        if kind != "name" or before in (".", "const", "let", "var"):
            continue
        following = tokens[place + 2][1] if place + 2 < len(tokens) else ""
        if after == "[" or (after == "." and following not in _READING) or (after == "=" and following != "="):
            changed.add(name)
    return changed


def _decode(text: str) -> object:
    """Return the string that a literal with its quotes means; UNKNOWN if a template has a value in it."""
    if text.startswith("`") and "${" in text:
        return UNKNOWN
    return _ESCAPE.sub(_unescape, text[1:-1])


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        return _ESCAPED.get(found[4], found[4])
    number = int(code, 16)
    return chr(number) if number <= 0x10FFFF and not 0xD800 <= number < 0xE000 else "\ufffd"


def _read_number(text: str) -> object:
    plain = text.replace("_", "")
    digits = plain.removeprefix("-")
    if digits.isdigit() and len(digits) > 1 and digits[0] == "0":
        return UNKNOWN  # octal, or not, by its digits
    if digits.isdigit() and len(plain) < 16:
        return int(plain)
    try:
        return float(plain)
    except ValueError:
        return UNKNOWN
