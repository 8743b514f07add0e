"""Whether the text of a file can be parsed, as far as there is a parser for it.

Python, JSON and TOML need nothing else; what other languages need is in `smartcommit.split.grammars`.
"""

from __future__ import annotations

import ast
import json
import posixpath
import tomllib
import warnings
from collections.abc import Callable

from smartcommit.split import grammars

# Bytes above which a file is not parsed: a parser takes seconds for a megabyte.
LIMIT = 1 << 19


def parses(path: bytes, content: bytes) -> bool | None:
    """Whether `content` is sound in the language that the name of `path` tells; None where that cannot be said."""
    if len(content) > LIMIT:
        return None
    suffix = _suffix(path)
    if suffix not in _PARSERS:
        return grammars.parses_by_grammar(suffix, content)
    try:
        _PARSERS[suffix][1](content)
    except (RecursionError, MemoryError):  # nested too deeply for this parser, which may say nothing about others
        return None
    except (SyntaxError, ValueError):
        return False
    return True


def parser_of(path: bytes) -> str:
    """The name of what parses files such as `path`, if anything does."""
    suffix = _suffix(path)
    return _PARSERS[suffix][0] if suffix in _PARSERS else "tree-sitter"


def _suffix(path: bytes) -> str:
    return posixpath.splitext(path)[1].decode("ascii", "replace").lower()


def _python(content: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of strings with odd escapes
        ast.parse(content)


# For files that end so: the parser's name, and what raises an error where they are not sound.
_PARSERS: dict[str, tuple[str, Callable[[bytes], object]]] = {
    ".py": ("ast", _python),
    ".pyi": ("ast", _python),
    ".json": ("json", json.loads),
    ".toml": ("tomllib", lambda content: tomllib.loads(content.decode())),
}
