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
    suffix = posixpath.splitext(path)[1].decode("ascii", "replace").lower()
    parse = _PARSERS.get(suffix)
    if parse is None:
        return grammars.parses(suffix, content)
    try:
        parse(content)
    except (RecursionError, MemoryError):  # nested too deeply for this parser, which may say nothing about others
        return None
    except (SyntaxError, ValueError):
        return False
    return True


def _python(content: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of strings with odd escapes
        ast.parse(content)


_PARSERS: dict[str, Callable[[bytes], object]] = {
    ".py": _python,
    ".pyi": _python,
    ".json": json.loads,
    ".toml": lambda content: tomllib.loads(content.decode()),
}
