"""Reads the object that a configuration in JavaScript or TypeScript exports, as far as it is written out as a literal.

Nothing is executed. What is no literal (a call, a function, an import, a spread) is `UNKNOWN` in its place. A name
stands for the value that it is declared with if it is used once, so that nothing can have changed that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

# Levels of brackets, and tokens in all, that are read.
_LEVELS_READ, _TOKENS_READ = 40, 100_000
_TOKEN = re.compile(
    r"""
    (?P<space> \s+ | //[^\n]* | /\*.*?(?:\*/|\Z) | \A\#![^\n]* )
    | (?P<text> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | `(?:[^`\\]|\\.)*` )
    | (?P<number> -? \d[\w.]* )
    | (?P<name> [A-Za-z_$][\w$]* )
    | (?P<mark> => | \.\.\. | [^\w\s"'`] )
    """,
    re.VERBOSE | re.DOTALL,
)
# A regular expression, where a value can begin; it is bounded, so that a file of slashes takes no time.
_PATTERN = re.compile(r"/(?!\*)(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,100}\]){1,300}/")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ENDS = (",", ";", ")", "]", "}", "")
# `RuleConfigSeverity` of @commitlint/types has the levels by name, for configurations in TypeScript.
_WORDS: Mapping[str, object] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": None,
    "Infinity": float("inf"),
    "RuleConfigSeverity.Disabled": 0,
    "RuleConfigSeverity.Warning": 1,
    "RuleConfigSeverity.Error": 2,
}
_EXPORTS = (["module", ".", "exports", "="], ["export", "default"], ["export", "="])


class Unknown:
    """A value that is no literal."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()
# Stands for the entries that an object gets from elsewhere, by `...name`.
SPREAD = "..."


def read_export(text: str) -> object:
    """Return the value that the module `text` exports: objects are dicts, arrays lists; UNKNOWN if it is no literal.

    An object with entries from elsewhere has the key SPREAD.
    """
    tokens = _scan(text)
    starts = []
    for place in range(len(tokens)):
        for words in _EXPORTS:
            if [word for _, word in tokens[place : place + len(words)]] == words:
                starts.append(place + len(words))
    # A second look at `module.exports` may change what was exported.
    if len(starts) != 1 or tokens.count(("name", "exports")) > 1:
        return UNKNOWN
    return _Reader(tokens, starts[0]).read_value()


def _scan(text: str) -> list[tuple[str, str]]:
    """Return the kinds and texts of the tokens of `text`, none if there are too many or one cannot be read."""
    tokens: list[tuple[str, str]] = []
    position, last = 0, "("
    while position < len(text):
        kind, found = "pattern", None
        # After a value, a slash divides.
        if last[-1] in "(,=:[!&|?{};>" or last == "return":
            found = _PATTERN.match(text, position)
        if found is None:
            found = _TOKEN.match(text, position)
            if found is None or len(tokens) >= _TOKENS_READ:
                return []
            kind = found.lastgroup or ""
        if kind != "space":
            last = found[0]
            tokens.append((kind, last))
        position = found.end()
    return tokens


class _Reader:
    """Reads values from the token at `place` on."""

    def __init__(self, tokens: list[tuple[str, str]], place: int) -> None:
        self._tokens = [*tokens, ("", "")]
        self._place = place
        self._depth = 0
        self._uses = Counter(text for kind, text in tokens if kind == "name")
        # Where the declaration of a name goes on after it.
        self._declared: dict[str, int] = {}
        for number, (_, text) in enumerate(tokens[:-1]):
            if text in ("const", "let", "var"):
                self._declared[tokens[number + 1][1]] = number + 2

    def read_value(self) -> object:
        """Read an expression, up to the comma, bracket or semicolon after it."""
        value: object = UNKNOWN
        self._depth += 1
        if self._depth <= _LEVELS_READ:
            value = self._read_literal()
        self._depth -= 1
        # A type of TypeScript changes nothing, nor does the end of a line begin another operation.
        if self._kind() == "mark" and self._peek() not in _ENDS:
            value = UNKNOWN
        self._skip_expression()
        return value

    def _peek(self, ahead: int = 0) -> str:
        """Return the text of a token to come, empty at the end."""
        return self._tokens[min(self._place + ahead, len(self._tokens) - 1)][1]

    def _kind(self) -> str:
        return self._tokens[min(self._place, len(self._tokens) - 1)][0]

    def _skip_one(self) -> None:
        """Pass over a token, or over brackets and what is in them."""
        expected: list[str] = []
        while self._place < len(self._tokens):
            kind, text = self._tokens[self._place]
            self._place += 1
            if kind == "mark" and text in _CLOSING:
                expected.append(_CLOSING[text])
            elif expected and text == expected[-1]:
                expected.pop()
            if not expected:
                return

    def _skip_expression(self) -> None:
        while self._peek() not in _ENDS:
            self._skip_one()

    def _read_literal(self) -> object:
        kind, text = self._kind(), self._peek()
        if kind == "name" and text.startswith("define") and self._peek(1) == "(":
            # `defineConfig({...})` returns what it is given.
            self._place += 1
            kind, text = "mark", "("
        if kind == "mark" and text in _CLOSING:
            read = {"{": self._read_object, "[": self._read_array, "(": self._read_brackets}[text]
            self._place += 1
            return read()
        if text not in _ENDS:
            self._place += 1
        if kind == "name":
            return self._read_name(text)
        if kind == "text":
            return _decode(text)
        return _read_number(text)

    def _read_brackets(self) -> object:
        value = self.read_value()
        if self._peek() != ")":
            return UNKNOWN
        self._place += 1
        return value

    def _read_name(self, name: str) -> object:
        if self._peek() == "." and f"{name}.{self._peek(1)}" in _WORDS:
            name = f"{name}.{self._peek(1)}"
            self._place += 2
        if name in _WORDS or self._uses[name] != 2:
            return _WORDS.get(name, UNKNOWN)
        return self._read_declared(name)

    def _read_declared(self, name: str) -> object:
        """Return the value in `const NAME: TYPE = VALUE`, UNKNOWN if `name` is declared in another way."""
        if name not in self._declared:
            return UNKNOWN
        place = self._place
        self._place = self._declared[name]
        while self._peek() not in ("=", ";", ""):
            self._skip_one()
        self._place += 1
        value = self.read_value()
        self._place = place
        return value

    def _read_array(self) -> object:
        values: list[object] = []
        complete = True
        while self._peek() not in ("]", ""):
            complete = complete and self._peek() != SPREAD
            values.append(self.read_value())
            self._pass_comma("]")
        self._place += 1
        if complete:
            return values
        return UNKNOWN

    def _read_object(self) -> object:
        values: dict[str, object] = {}
        while self._peek() not in ("}", ""):
            kind, key = self._kind(), self._peek()
            if kind == "text":
                key = str(_decode(key))
            if kind in ("text", "name", "number") and self._peek(1) == ":":
                self._place += 2
                values[key] = self.read_value()
            elif kind == "name" and self._peek(1) in _ENDS:
                values[key] = self.read_value()
            else:
                # A method, or entries that are computed or come from elsewhere.
                if kind != "name":
                    key = SPREAD
                values[key] = UNKNOWN
                self._skip_expression()
            self._pass_comma("}")
        self._place += 1
        return values

    def _pass_comma(self, closing: str) -> None:
        """Pass over the comma after an entry, or over what cannot be there, up to the `closing` bracket."""
        if self._peek() != closing:
            self._place += 1


def _decode(text: str) -> object:
    """Return the string that a literal with its quotes means; UNKNOWN if a template has a value in it."""
    if text.startswith("`") and "${" in text:
        return UNKNOWN
    return _ESCAPE.sub(_unescape, text[1:-1])


def _unescape(found: re.Match[str]) -> str:
    if found[1] is None:
        return _ESCAPED.get(found[2], found[2])
    return chr(int(found[1], 16)).encode("utf-8", "replace").decode()


def _read_number(text: str) -> object:
    """Return a number in decimal digits; other forms are UNKNOWN."""
    digits = text.replace("_", "").removeprefix("-")
    if not digits.isdecimal() or len(digits) > 15 or digits != str(int(digits)):
        return UNKNOWN
    return int(text.replace("_", ""))
