"""The symbols that a change adds, removes, renames or modifies, as the patterns of their languages find them.

A line is cut after LINE_BYTES before it is matched, so that the time is linear in the input.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from smartcommit.change.languages import Language, find_language
from smartcommit.change.text import LINE_BYTES, LINES_READ
from smartcommit.change.tokens import find_prose
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from smartcommit.git.diff import FileDiff, Hunk

# A key whose value ends on its line, so that nothing in the first column below belongs to it.
_WHOLE_KEY = compile_on_use(rb"[\w.\"'-]+\s*=\s*[^\s\[{(](?:.*[^\[{(,\\])?\Z")
Found = tuple[str, str]
# A line is read for the plan of a split, for its order and for its messages.
_read_symbol = lru_cache(maxsize=1 << 14)(Language.read_symbol)


class Symbol:
    """A name defined by a line; `kind` is the term of its language: function, class, test, section.

    Two of the same name and kind are equal, wherever they are.
    """

    __slots__ = ("hunk", "kind", "line", "name")

    def __init__(self, name: str, kind: str, line: str, hunk: int) -> None:
        self.name = name
        self.kind = kind
        self.line = line
        self.hunk = hunk

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and (self.name, self.kind) == (other.name, other.kind)

    def __hash__(self) -> int:
        return hash((self.name, self.kind))


class SymbolChanges(Record):
    """What happened to the symbols of a file, each in one field only. Those in `touched` enclose changed lines."""

    added: tuple[Symbol, ...] = ()
    removed: tuple[Symbol, ...] = ()
    renamed: tuple[tuple[Symbol, Symbol], ...] = ()
    changed: tuple[tuple[Symbol, Symbol], ...] = ()
    touched: tuple[Symbol, ...] = ()


def symbol_changes(diff: FileDiff, *, with_touched: bool = True) -> SymbolChanges:
    """Return what `diff` does to the symbols of its file; empty if its language is unknown or nothing was read.

    Without `with_touched`, nothing is touched, which takes less time.
    """
    language = find_language(diff.change.path)
    if not language.symbols:
        return SymbolChanges()
    removed = _find_symbols(language, _numbered_lines(diff.hunks, "removed", language))
    added = _find_symbols(language, _numbered_lines(diff.hunks, "added", language))
    changed = []
    for key in list(removed):
        if key in added:
            before, after = removed.pop(key), added.pop(key)
            if _squeezed(before.line) != _squeezed(after.line):
                changed.append((before, after))
    touched: dict[Found, Symbol] = {}
    if with_touched:
        touched = _find_symbols(language, _list_enclosing(language, diff.hunks))
    return SymbolChanges(
        renamed=tuple(_take_renames(removed, added)),
        removed=tuple(removed.values()),
        added=tuple(added.values()),
        changed=tuple(changed),
        touched=tuple(touched.values()),
    )


def _numbered_lines(
    hunks: Iterable[Hunk], side: Literal["removed", "added"], language: Language
) -> Iterator[tuple[int, bytes]]:
    for number, hunk in enumerate(hunks):
        prose = find_prose(hunk, language)[side == "added"]
        for line, is_prose in zip(getattr(hunk, side), prose, strict=True):
            if not is_prose:
                yield number, line


def _list_enclosing(language: Language, hunks: Iterable[Hunk]) -> Iterator[tuple[int, bytes]]:
    """Yield the line that git names as the context of a hunk, if the changed lines can belong to it.

    A line in the first column is beside the symbol above it, not in it.
    """
    for number, hunk in enumerate(hunks):
        may_hold = language.is_flat and not _WHOLE_KEY.match(hunk.context)
        for lines in (hunk.removed, hunk.added):
            first = next((line for line in lines if line.strip()), b"")
            may_hold = may_hold or first[:1].isspace()
        if may_hold:
            yield number, hunk.context


def _find_symbols(language: Language, lines: Iterable[tuple[int, bytes]]) -> dict[Found, Symbol]:
    symbols: dict[Found, Symbol] = {}
    for hunk, raw in islice(lines, LINES_READ):
        line = raw[:LINE_BYTES].decode("utf-8", "replace").rstrip()
        found = _read_symbol(language, line)
        if found:
            symbols.setdefault(found, Symbol(*found, line, hunk))
    return symbols


def _take_renames(removed: dict[Found, Symbol], added: dict[Found, Symbol]) -> Iterator[tuple[Symbol, Symbol]]:
    """Remove and yield the pairs of one hunk whose lines differ in the name only.

    Lines of keys, sections and tests have too little besides the name to recognize a rename.
    """
    shapes: dict[tuple[int, str, str], list[Found]] = {}
    for key, symbol in added.items():
        if symbol.kind not in ("key", "section", "test"):
            shapes.setdefault(_describe_shape(symbol), []).append(key)
    for key, before in list(removed.items()):
        matches = shapes.get(_describe_shape(before), [])
        if len(matches) == 1 and matches[0] in added:
            del removed[key]
            yield before, added.pop(matches[0])


def _describe_shape(symbol: Symbol) -> tuple[int, str, str]:
    return symbol.hunk, symbol.kind, _squeezed(symbol.line.replace(symbol.name, "\0", 1))


def _squeezed(line: str) -> str:
    return "".join(line.split())


def read_symbols(path: bytes, content: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, kind and name of each symbol that a file defines; nothing if its language is unknown."""
    language = find_language(path)
    if not language.symbols:
        return
    for number, line in enumerate(islice(content.split("\n"), LINES_READ), 1):
        found = _read_symbol(language, line[:LINE_BYTES].rstrip())
        if found:
            yield number, found[1], found[0]
