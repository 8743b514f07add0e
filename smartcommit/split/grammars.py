"""Parsers of other languages, where the extra `parse` is installed: tree-sitter with one package for each grammar.

Each of them is a small wheel of the tree-sitter project's own. The bundles of all grammars are ten times as large, or
fetch what they need when they run.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

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
