"""Names that units define and use, and the names that are missing between commits.

A module counts as the name `import NAME`: it is used by lines that import something.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from smartcommit.change import filetypes
from smartcommit.change.symbols import symbol_changes
from smartcommit.change.text import Lines, find_names, is_import, read_hunk
from smartcommit.git.diff import FileDiff
from smartcommit.git.hunks import Unit, group_by_file

# In characters: shorter words are ignored, except on lines that import something, where every word is a name.
_SHORTEST_NAME = 4
# Files that others import by their own names.
_MODULES = {
    b".py", b".js", b".jsx", b".mjs", b".cjs", b".ts", b".tsx", b".mts", b".cts", b".vue", b".svelte", b".rs", b".rb",
    b".lua", b".dart", b".h", b".hh", b".hpp",
}  # fmt: skip
# Files that stand for their folder.
_FOLDERS = (b"__init__", b"__main__", b"index", b"mod", b"lib", b"main")


@dataclass(frozen=True, slots=True)
class Definitions:
    """The group that adds each name, and the group that removes it.

    A name that several groups add (or remove) is left out, since it is not clear which of them is meant. Renaming
    removes the old name and adds the new one.
    """

    added: dict[str, int]
    removed: dict[str, int]


def read_definitions(groups: Sequence[Sequence[FileDiff]]) -> Definitions:
    """Return the definitions of `groups`, by their positions; documentation has none."""
    added: dict[str, set[int]] = {}
    removed: dict[str, set[int]] = {}
    for number, diffs in enumerate(groups):
        for diff in diffs:
            if is_documentation(diff):
                continue
            new, old = _changed_names(diff)
            for name in new:
                added.setdefault(name, set()).add(number)
            for name in old:
                removed.setdefault(name, set()).add(number)
    return Definitions(_unambiguous(added), _unambiguous(removed))


def list_names(lines: Lines) -> set[str]:
    """Return the names that the lines of a hunk use or define."""
    names = {name for name in lines.names() if len(name) >= _SHORTEST_NAME}
    for line in filter(is_import, lines.read()):
        for name in find_names(line):
            names.update((name, f"import {name}"))
    return names


def is_documentation(diff: FileDiff) -> bool:
    """Whether the file only mentions names, so that a missing one does not break it."""
    path = diff.change.path
    return filetypes.classify_path(path) == filetypes.DOCUMENTATION and posixpath.splitext(path)[1] not in _MODULES


def _changed_names(diff: FileDiff) -> tuple[set[str], set[str]]:
    """Return the names that `diff` adds, and those it removes."""
    changes, change = symbol_changes(diff), diff.change
    added = set(map(attrgetter("name"), changes.added))
    removed = set(map(attrgetter("name"), changes.removed))
    for old, new in changes.renamed:
        removed.add(old.name)
        added.add(new.name)
    if change.status in "ARC":
        added |= _module(change.path)
    if change.status == "D":
        removed |= _module(change.path)
    elif change.status == "R" and change.old_path is not None:
        removed |= _module(change.old_path)
    return added, removed


def _module(path: bytes) -> set[str]:
    name, suffix = posixpath.splitext(posixpath.basename(path))
    if suffix not in _MODULES or name in _FOLDERS:
        return set()
    return {f"import {name.decode('utf-8', 'replace')}"}


def _unambiguous(found: dict[str, set[int]]) -> dict[str, int]:
    return {name: min(groups) for name, groups in found.items() if len(groups) == 1}


def find_missing(commits: Sequence[Sequence[Unit]], skipped: Sequence[Unit] = ()) -> dict[bytes, list[range]]:
    """Return for each path the positions of the commits after which it uses a name that does not exist.

    They reach from the commit that uses a name to the one that adds it, and from the commit that removes a name to the
    one that stops using it. A name that is removed and added again is missing everywhere in between. `skipped` counts
    as a commit that is never made.
    """
    groups = list(map(group_by_file, (*commits, skipped)))
    defined = read_definitions(groups)
    missing: dict[bytes, list[range]] = {}
    for number, diffs in enumerate(groups):
        for diff in diffs:
            spans = missing.setdefault(diff.change.path, [])
            if not is_documentation(diff):
                spans.extend(filter(None, _spans(diff, number, defined)))
    for name in defined.removed.keys() & defined.added.keys():
        if defined.removed[name] < defined.added[name]:
            for spans in missing.values():
                spans.append(range(defined.removed[name], defined.added[name]))
    return missing


def _spans(diff: FileDiff, number: int, defined: Definitions) -> Iterator[range]:
    """Yield where a name that `diff` uses is missing; `number` is its commit. A range may be empty."""
    for hunk in diff.hunks:
        for name in list_names(read_hunk(hunk).added) & defined.added.keys():
            yield range(number, defined.added[name])
        for name in list_names(read_hunk(hunk).removed) & defined.removed.keys():
            yield range(defined.removed[name], number)
