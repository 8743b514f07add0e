"""Tells which of the definitions in a change other projects can use, by the customs of languages."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import ChangeFacts, FileFacts, SideNames
from smartcommit.change.languages import find_language
from smartcommit.change.symbols import Symbol

# Kinds of symbols that others do not use by their names.
_UNUSED_KINDS = {"key", "section", "test", "target", "module", "resource"}
# Words in a definition by which it is public, and by which it is not; endings of files where only the first are public.
_PUBLIC_WORDS = {"pub", "public", "export", "open"}
_PRIVATE_WORDS = {"private", "internal", "protected", "fileprivate"}
_CLOSED_ENDINGS = {"rs", "java", "cs", "swift", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"}


def list_public(files: Sequence[FileFacts]) -> set[str]:
    """Return the names of new definitions in `files` that others can use; errors usually come with what is mended."""
    names: set[str] = set()
    for file in files:
        for symbol in file.symbols.added:
            is_error = symbol.name.endswith(("Error", "Exception"))
            if symbol.kind not in _UNUSED_KINDS and _is_public(symbol, file) and not is_error:
                names.add(symbol.name)
    return names


def removes_public(change: ChangeFacts) -> bool:
    """Whether the source of a change loses a definition that others can use, as far as lines show."""
    kept = SideNames(change.files, "added")
    for file in change.core:
        if file.kind != filetypes.SOURCE:
            continue
        for symbol in (*file.symbols.removed, *[before for before, _ in file.symbols.renamed]):
            is_used = symbol.kind not in _UNUSED_KINDS and _is_public(symbol, file)
            if is_used and not kept.have(symbol.name):
                return True
    return False


def _is_public(symbol: Symbol, file: FileFacts) -> bool:
    """Whether the definition of `symbol` can be used in other projects, by the customs of its language."""
    ending = posixpath.splitext(file.path)[1].decode("ascii", "replace")[1:].lower()
    words = symbol.line.split("(", maxsplit=1)[0].split()
    if symbol.name.startswith(("_", "#")) or not _PRIVATE_WORDS.isdisjoint(words):
        return False
    if ending == "go":
        return symbol.name[:1].isupper()
    if symbol.kind == "method" and find_language(file.path).name == "javascript":
        # It is as public as its class, which is not shown.
        return True
    return ending not in _CLOSED_ENDINGS or not _PUBLIC_WORDS.isdisjoint(words)
