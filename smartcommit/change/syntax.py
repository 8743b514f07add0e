"""Whether a file parses: by `ast`, `json`, `tomllib`, or a tree-sitter grammar.

Python, JSON and TOML need nothing else; other languages need the extra `parse`.

Each grammar is a small wheel from the tree-sitter project. The bundles of all grammars are ten times as large, or
download what they need when they run.
"""

from __future__ import annotations

import ast
import importlib
import json
import posixpath
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

# Maximum bytes of a file that is parsed: a parser takes seconds for a megabyte.
BYTES_PARSED = 1 << 19
_C = ("tree_sitter_c", "language")
_CPP = ("tree_sitter_cpp", "language")
_JAVASCRIPT = ("tree_sitter_javascript", "language")
_SHELL = ("tree_sitter_bash", "language")
# The package of a grammar, and the function in it.
_GRAMMARS = {
    ".bash": _SHELL, ".sh": _SHELL, ".c": _C, ".cc": _CPP, ".cpp": _CPP, ".cxx": _CPP, ".h": _CPP, ".hpp": _CPP,
    ".cjs": _JAVASCRIPT, ".js": _JAVASCRIPT, ".jsx": _JAVASCRIPT, ".mjs": _JAVASCRIPT,
    ".ts": ("tree_sitter_typescript", "language_typescript"), ".tsx": ("tree_sitter_typescript", "language_tsx"),
    ".cs": ("tree_sitter_c_sharp", "language"), ".go": ("tree_sitter_go", "language"),
    ".java": ("tree_sitter_java", "language"), ".rb": ("tree_sitter_ruby", "language"),
    ".rs": ("tree_sitter_rust", "language"),
}  # fmt: skip


def parses(path: bytes, content: bytes) -> bool | None:
    """Whether `content` parses in the language of `path`, or None if that is unknown."""
    if len(content) > BYTES_PARSED:
        return None
    suffix = posixpath.splitext(path)[1].decode("ascii", "replace").lower()
    if suffix not in _PARSERS:
        parser = _make_parser(*_GRAMMARS[suffix]) if suffix in _GRAMMARS else None
        return None if parser is None else not parser.parse(content).root_node.has_error
    try:
        _PARSERS[suffix](content)
    except (RecursionError, MemoryError):  # nested too deeply for this parser, but perhaps not for others
        return None
    except (SyntaxError, ValueError):
        return False
    return True


def _parse_python(content: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about invalid escape sequences
        ast.parse(content)


def _parse_toml(content: bytes) -> None:
    import tomllib

    tomllib.loads(content.decode())


# By suffix a function that raises an error if a file does not parse.
_PARSERS: dict[str, Callable[[bytes], object]] = {
    ".py": _parse_python,
    ".pyi": _parse_python,
    ".json": json.loads,
    ".toml": _parse_toml,
}


@cache
def _make_parser(package: str, grammar: str) -> Any:
    try:
        import tree_sitter

        language = getattr(importlib.import_module(package), grammar)()
        return tree_sitter.Parser(tree_sitter.Language(language))
    except (ImportError, ValueError):  # not installed, or incompatible versions
        return None
