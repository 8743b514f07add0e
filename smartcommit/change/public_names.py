"""Tells which of the definitions in a change other projects can use, by the customs of languages."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import ChangeFacts, FileFacts, SideNames
from smartcommit.change.symbols import Symbol

# Kinds of symbols that are not imported by their names.
_NEVER_IMPORTED = {"key", "section", "test", "target", "module", "resource"}
# Words in a definition.
_PUBLIC_WORDS = {"pub", "public", "export", "open"}
_PRIVATE_WORDS = {"private", "internal", "protected", "fileprivate", "local"}
# Endings of files in which only what has a public word is public.
_CLOSED_ENDINGS = {"rs", "java", "cs", "swift", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"}


def list_new_public_names(files: Sequence[FileFacts]) -> set[str]:
    """Return the names of new definitions in `files` that others can use, without errors: many are part of a fix."""
    names: set[str] = set()
    for file in files:
        for symbol in file.symbols.added:
            if _is_public(symbol, file) and not symbol.name.endswith(("Error", "Exception")):
                names.add(symbol.name)
    return names


def removes_public(change: ChangeFacts) -> bool:
    """Whether the source of a change loses a definition that others can use, as far as lines show."""
    kept = SideNames(change.files, "added")
    for file in change.core:
        if file.kind != filetypes.SOURCE:
            continue
        for symbol in (*file.symbols.removed, *[before for before, _ in file.symbols.renamed]):
            if _is_public(symbol, file) and not kept.have(symbol.name):
                return True
    return False


def _is_public(symbol: Symbol, file: FileFacts) -> bool:
    """Whether the definition of `symbol` can be used in other projects, by the customs of its language."""
    ending = posixpath.splitext(file.path)[1].decode("ascii", "replace")[1:].lower()
    words = symbol.line.split("(", maxsplit=1)[0].split()
    is_private = symbol.name.startswith(("_", "#")) or not _PRIVATE_WORDS.isdisjoint(words)
    is_private = is_private or (file.language.name == "c" and symbol.kind == "function" and "static" in words)
    if is_private or symbol.kind in _NEVER_IMPORTED:
        return False
    if ending == "go":
        return symbol.name[:1].isupper()
    if symbol.kind == "method" and file.language.name == "javascript":
        # It is as public as its class, which is not shown.
        return True
    return ending not in _CLOSED_ENDINGS or not _PUBLIC_WORDS.isdisjoint(words)
