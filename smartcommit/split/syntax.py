"""Whether a file parses: by `ast`, `json`, `tomllib`, or a tree-sitter grammar.

Python, JSON and TOML need nothing else; other languages need the extra `parse`.

Each tree-sitter grammar is a small wheel of the tree-sitter project's own, in the extra `parse`. The bundles of all
grammars are ten times as large, or fetch what they need when they run.
"""

from __future__ import annotations

import ast
import importlib
import json
import posixpath
import tomllib
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

# For files by their paths, whether each parses; None: not checked.
States = dict[bytes, bool | None]
# Bytes above which a file is not parsed: a parser takes seconds for a megabyte.
LIMIT = 1 << 19
_C, _CPP = ("tree_sitter_c", "language"), ("tree_sitter_cpp", "language")
_JAVASCRIPT = ("tree_sitter_javascript", "language")
_SHELL = ("tree_sitter_bash", "language")
# The package, and what in it gives the grammar.
_GRAMMARS = {
    ".bash": _SHELL, ".sh": _SHELL, ".c": _C, ".cc": _CPP, ".cpp": _CPP, ".cxx": _CPP, ".h": _CPP, ".hpp": _CPP,
    ".cjs": _JAVASCRIPT, ".js": _JAVASCRIPT, ".jsx": _JAVASCRIPT, ".mjs": _JAVASCRIPT,
    ".ts": ("tree_sitter_typescript", "language_typescript"), ".tsx": ("tree_sitter_typescript", "language_tsx"),
    ".cs": ("tree_sitter_c_sharp", "language"), ".go": ("tree_sitter_go", "language"),
    ".java": ("tree_sitter_java", "language"), ".rb": ("tree_sitter_ruby", "language"),
    ".rs": ("tree_sitter_rust", "language"),
}  # fmt: skip


def parses(path: bytes, content: bytes) -> bool | None:
    """Whether `content` is sound in the language that the name of `path` tells; None where that cannot be said."""
    if len(content) > LIMIT:
        return None
    suffix = _suffix(path)
    if suffix not in _PARSERS:
        return parses_by_grammar(suffix, content)
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


def parses_by_grammar(suffix: str, content: bytes) -> bool | None:
    """Whether `content` is sound in the language of files that end in `suffix`; None without a grammar for it."""
    parser = _parser(*_GRAMMARS[suffix]) if suffix in _GRAMMARS else None
    return None if parser is None else not parser.parse(content).root_node.has_error


@cache
def _parser(package: str, grammar: str) -> Any:
    try:
        import tree_sitter

        language = getattr(importlib.import_module(package), grammar)()
        return tree_sitter.Parser(tree_sitter.Language(language))
    except (ImportError, ValueError):  # not installed, or of a version that the other does not know
        return None
