"""Names that units define and use, and the names that are missing between commits.

A module counts as the name `import NAME`: it is used by lines that import something.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from smartcommit.change import filetypes
from smartcommit.change.symbols import symbol_changes
from smartcommit.git.diff import FileDiff
from smartcommit.git.hunks import Unit, diffs_of

_WIDTH = 400
# Shorter words say too little, but where something is imported every word is a name.
_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{3,}")
_IMPORTED = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_IMPORT = re.compile(
    rb"^\s*(?:import\b|from\s+\S+\s+import\b|#\s*include\b|(?:pub\s+)?(?:use\s+[\w:]+[;:]|mod\s+\w+;))"
    rb"|\brequire(?:_relative)?\s+['\"]|\b(?:import|require)\s*\(|\bfrom\s+['\"]"
)
# Files that others import by their own names.
_MODULES = {
    b".py", b".js", b".jsx", b".mjs", b".cjs", b".ts", b".tsx", b".mts", b".cts", b".vue", b".svelte", b".rs", b".rb",
    b".lua", b".dart", b".h", b".hh", b".hpp",
}  # fmt: skip
# Files that stand for their folder.
_FOLDERS = (b"__init__", b"__main__", b"index", b"mod", b"lib", b"main")


@dataclass(frozen=True, slots=True)
class Definitions:
    """The group that defines each name, and the group that removes it.

    A name that several groups define, or remove, is in neither: it does not tell which of them is meant. A name that
    is renamed is removed, and the new one defined.
    """

    added: dict[bytes, int]
    removed: dict[bytes, int]


def read_definitions(groups: Sequence[Sequence[FileDiff]]) -> Definitions:
    """The definitions of `groups`, by their positions; documentation has none."""
    added: dict[bytes, set[int]] = {}
    removed: dict[bytes, set[int]] = {}
    for number, diffs in enumerate(groups):
        for diff in diffs:
            if is_documentation(diff):
                continue
            for name in _added(diff):
                added.setdefault(name, set()).add(number)
            for name in _removed(diff):
                removed.setdefault(name, set()).add(number)
    return Definitions(_unambiguous(added), _unambiguous(removed))


def names_in(lines: Iterable[bytes]) -> set[bytes]:
    """The names that `lines` use, and perhaps define."""
    names: set[bytes] = set()
    for line in lines:
        head = line[:_WIDTH]
        names.update(_NAME.findall(head))
        if _IMPORT.search(head):
            imported = _IMPORTED.findall(head)
            names.update(imported)
            names.update(b"import " + name for name in imported)
    return names


def is_documentation(diff: FileDiff) -> bool:
    """Whether the file only mentions names, so that it does not break where they are missing."""
    path = diff.change.path
    return filetypes.kind_of(path) == filetypes.DOCUMENTATION and posixpath.splitext(path)[1] not in _MODULES


def _added(diff: FileDiff) -> Iterator[bytes]:
    changes = symbol_changes(diff)
    yield from (symbol.name.encode() for symbol in changes.added)
    yield from (new.name.encode() for _, new in changes.renamed)
    if diff.change.status in "ARC":
        yield from _module(diff.change.path)


def _removed(diff: FileDiff) -> Iterator[bytes]:
    changes = symbol_changes(diff)
    yield from (symbol.name.encode() for symbol in changes.removed)
    yield from (old.name.encode() for old, _ in changes.renamed)
    if diff.change.status == "D":
        yield from _module(diff.change.path)
    elif diff.change.status == "R" and diff.change.old_path is not None:
        yield from _module(diff.change.old_path)


def _module(path: bytes) -> Iterator[bytes]:
    name, suffix = posixpath.splitext(posixpath.basename(path))
    if suffix in _MODULES and name not in _FOLDERS:
        yield b"import " + name


def _unambiguous(found: dict[bytes, set[int]]) -> dict[bytes, int]:
    return {name: min(groups) for name, groups in found.items() if len(groups) == 1}


def find_missing(commits: Sequence[Sequence[Unit]], skipped: Sequence[Unit] = ()) -> dict[bytes, list[range]]:
    """For each path the positions of the commits that leave it with a name missing, as far as names tell.

    That is from the commit that uses a name to the one that defines it, and from the one that removes a name to the one
    that stops using it. Between the removal of a name and its new definition it is missing everywhere. What is
    `skipped` counts as a commit that is never made.
    """
    diffs = [diffs_of(units) for units in (*commits, skipped)]
    defined = read_definitions(diffs)
    missing: dict[bytes, list[range]] = {diff.change.path: [] for group in diffs for diff in group}
    for number, diff in ((number, diff) for number, group in enumerate(diffs) for diff in group):
        if is_documentation(diff):
            continue
        found = missing[diff.change.path]
        for hunk in diff.hunks:
            found += [range(number, defined.added[name]) for name in names_in(hunk.added) & defined.added.keys()]
            found += [range(defined.removed[name], number) for name in names_in(hunk.removed) & defined.removed.keys()]
    moved = [
        range(defined.removed[name], defined.added[name]) for name in defined.removed.keys() & defined.added.keys()
    ]
    return {path: [span for span in (*found, *moved) if span] for path, found in missing.items()}
