"""Tokens of code: what they are, how they are written, and the brackets and commas between them."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.patterns import compile_on_use

# What looks like a call, but is part of the language, or an assertion.
NOT_CALLS = {
    "if", "for", "while", "switch", "return", "assert", "print", "catch", "elif", "super", "expect", "Some", "Ok",
    "Err", "and", "or", "not", "in", "format", "require", "println!", "vec!", "assert!", "assert_eq!", "foreach",
    "with", "function", "match", "case", "else", "await", "yield", "func", "fn", "def", "lambda", "typeof", "sizeof",
}  # fmt: skip
# A name with the names that it is reached by: `os.path`, `std::fs`, `x-api-key`.
NAME = compile_on_use(r"@?[A-Za-z_$][\w$]*(?:(?:\.|::|->|-)[\w$]+)*[!?]?\Z")
_VALUE = compile_on_use(
    r"(?:\"[^\"]*\"|'[^']*'|`[^`]*`|-?[\d.]+\w*|true|false|True|False|null|None|nil|@?[A-Za-z_$][\w$.:>-]*)\Z"
)
_ONE_WORD = compile_on_use(r"[\w@./:+*%^~-]{1,40}\Z")
_DEFINITION = compile_on_use(
    r"\b(?:def|func|fn|fun|function|sub|proc|constructor|macro)\b"
    r"|^(?:public|private|protected|static|async|export|inline|virtual|override)\b.*\{\Z"
)
LETTER = compile_on_use(r"\w")
# Constants and operators that are words: alone they say nothing.
_UNTELLING = {
    "true", "false", "none", "null", "nil", "undefined", "yes", "no", "on", "off", "and", "or", "not", "is", "in",
}  # fmt: skip
OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")
# Signs that are written without a space before them, and without one after them.
_JOINED_TO_PREVIOUS = {",", ";", ":", ")", "]", "}", ".", "=", "?.", "?", "->", ".."}
_JOINED_TO_NEXT = {"(", "[", "{", "!", "~", "@", ".", "=", "?.", "$", "->", "..", "..."}


def strip_quotes(token: str) -> str:
    """Return a literal without its quotes if it is one word."""
    if len(token) > 2 and token[0] == token[-1] and token[0] in "\"'" and _ONE_WORD.match(token[1:-1]):
        return token[1:-1]
    return token


def tells_alone(text: str) -> bool:
    """Whether a literal says something without what has or combines it: no operator, boolean or empty value does."""
    return LETTER.search(text) is not None and text.strip("\"'").lower() not in _UNTELLING


def is_value(text: str) -> bool:
    """Whether `text` is a string, a number, a constant or a name."""
    return _VALUE.match(text) is not None


def is_definition(line: str) -> bool:
    """Whether `line` defines a function, in any of the usual languages."""
    return _DEFINITION.search(line) is not None


def is_balanced(tokens: Sequence[str]) -> bool:
    """Whether every bracket in `tokens`, or in a text, is closed in them."""
    depth = 0
    for token in tokens:
        depth += (token in OPENING) - (token in CLOSING)
        if depth < 0:
            return False
    return depth == 0


def join_tokens(tokens: Sequence[str]) -> str:
    """Return tokens as they are written in code."""
    text = previous = ""
    for token in tokens:
        if text and text not in ("&", "*") and _needs_space(previous, token):
            text += " "
        text += token
        previous = token
    return text


def _needs_space(previous: str, token: str) -> bool:
    if token in _JOINED_TO_PREVIOUS or previous in _JOINED_TO_NEXT:
        return False
    return not (token in ("(", "[") and LETTER.match(previous[-1]))


def find_opening(tokens: Sequence[str]) -> int:
    """Return the position of the innermost bracket that is open at the end of `tokens`, or -1."""
    depth = 0
    for position in range(len(tokens) - 1, -1, -1):
        if tokens[position] in CLOSING:
            depth += 1
        elif tokens[position] in OPENING:
            if depth == 0:
                return position
            depth -= 1
    return -1


def split_at_commas(tokens: Sequence[str]) -> list[list[str]]:
    """Return the tokens between commas outside of brackets; no part is empty."""
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in (*OPENING, "<")) - (token in (*CLOSING, ">"))
        if token == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return list(filter(None, parts))
