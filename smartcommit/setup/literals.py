"""Reads the object that a configuration in JavaScript or TypeScript exports, as far as it is written out as a literal.

Nothing is executed. What is no literal (a call, a function, an import, a spread) is `UNKNOWN` in its place; a name that
stands for a literal of the same file is that literal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# Levels of brackets, and tokens in all, that are read.
_DEPTH, _TOKENS = 40, 100_000
_TOKEN = re.compile(
    r"""
    (?P<space> \s+ | //[^\n]* | \A\#![^\n]* )
    | (?P<text> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | `(?:[^`\\]|\\.)*` )
    | (?P<number> (?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)? )
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
_EXPORTS = (("module", ".", "exports", "="), ("export", "default"), ("export", "="))
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
        # The values that names stand for in this file.
        self._names: dict[str, object] = {}

    def read_module(self) -> object:
        exported: object = UNKNOWN
        while self._place < len(self._tokens):
            if any(self._take(*words) for words in _EXPORTS):
                exported = self._read_value(0)
                self._skip_statement()
            elif self._peek() in ("const", "let", "var"):
                self._read_declaration()
            else:
                self._skip_statement()
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
        if self._take("="):
            self._names[name] = self._read_value(0)
        self._skip_statement()

    def _skip_statement(self) -> None:
        """Pass over the rest of a statement: up to a semicolon, or what can only begin another one."""
        while self._place < len(self._tokens):
            if self._take(";") or self._peek() in ("module", "export", "const", "let", "var"):
                return
            self._skip_one()
            if self._peek() == "export" and self._peek(1) in ("default", "="):
                return

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
                if isinstance(entries, list):
                    values += entries
                else:
                    complete = False
            else:
                values.append(self._read_value(depth + 1))
            if not self._take(",") and self._peek() != "]":
                complete = False
                self._skip_one()
        return values if complete else UNKNOWN

    def _read_object(self, depth: int) -> object:
        values: dict[str, object] = {}
        self._place += 1
        while self._place < len(self._tokens) and not self._take("}"):
            if self._take("..."):
                entries = self._read_value(depth + 1)
                values.update(entries if isinstance(entries, dict) else {SPREAD: UNKNOWN})
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
    if plain.removeprefix("-").isdigit() and len(plain) < 16:
        return int(plain)
    try:
        return float(plain)
    except ValueError:
        return UNKNOWN
