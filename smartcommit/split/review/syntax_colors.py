"""Colors the lines of a hunk by their syntax, with pygments."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from time import process_time

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename
from pygments.token import Token, _TokenType

# From a place in a line to another, and the kind of what is between.
Span = tuple[int, int, str]
KINDS = ("comment", "keyword", "string", "number", "name")
# Some lexers take a time that grows with the square of the text: Java's takes seconds for what a hostile file may hold.
# So they get this many characters, and what they have not colored after this many seconds stays plain.
LIMIT = 16_000
SECONDS = 0.1
_TOKENS = (
    (Token.Comment, "comment"), (Token.Keyword, "keyword"), (Token.Operator.Word, "keyword"),
    (Token.Name.Builtin, "keyword"), (Token.Literal.String, "string"), (Token.Literal.Number, "number"),
    (Token.Name.Function, "name"), (Token.Name.Class, "name"), (Token.Name.Tag, "name"), (Token.Name.Decorator, "name"),
    (Token.Generic.Heading, "name"), (Token.Generic.Subheading, "name"),
)  # fmt: skip


def color_lines(path: bytes, lines: Sequence[str]) -> list[list[Span]]:
    """Return the spans of each of `lines`, which come from a file at `path`; none if its language is unknown."""
    spans: list[list[Span]] = [[] for _ in lines]
    text = "\n".join(lines) + "\n"
    lexer = _find_lexer(os.fsdecode(os.path.basename(path)))
    if lexer is None or len(text) > LIMIT:
        return spans
    number = place = 0
    end = process_time() + SECONDS
    for token, piece in lexer.get_tokens(text):
        if process_time() > end:
            break
        kind = _kind_of(token)
        for position, part in enumerate(piece.split("\n")):
            if position:
                number, place = number + 1, 0
            if not part:
                continue
            if number >= len(lines) or not lines[number].startswith(part, place):
                # A lexer may change the text; then its places mean nothing.
                return [[] for _ in lines]
            if kind:
                spans[number].append((place, place + len(part), kind))
            place += len(part)
    return spans


@lru_cache(maxsize=64)
def _find_lexer(name: str) -> Lexer | None:
    found = find_lexer_class_for_filename(name)
    return found(stripnl=False, ensurenl=False) if found else None


@lru_cache(maxsize=512)
def _kind_of(token: _TokenType) -> str:
    for parent, kind in _TOKENS:
        if token in parent:
            return kind
    return ""
