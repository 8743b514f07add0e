"""The symbols that a change adds, removes, renames or modifies, as the patterns of their languages find them.

If `def read(path):` becomes `def load(path):`, the function is renamed; if it becomes `def read(path, mode):`, it is
changed. A line is cut after LINE_BYTES before it is matched, so that the time is linear in the input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from smartcommit.change.languages import Language, find_language
from smartcommit.change.pairing import measure_likeness
from smartcommit.change.text import LINE_BYTES, LINES_READ, count_indent, read_line, squeeze
from smartcommit.change.tokens import find_prose
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side
    from smartcommit.git.diff import FileDiff, Hunk

# A key whose value ends on its line, so that nothing in the first column below belongs to it.
_WHOLE_KEY = compile_on_use(rb"[\w.\"'-]+\s*=\s*[^\s\[{(](?:.*[^\[{(,\\])?\Z")
# The share of its words that a definition keeps if it only has another name.
_KEPT = 0.8
_WORD = compile_on_use(r"\w+")
# Name and kind, by which the symbols of a file are told apart.
_Key = tuple[str, str]
# The same line is read for the plan of a split, for its order and for its messages.
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
    """What happened to the symbols of a file, each in one field only.

    Those in `renamed` and `changed` are pairs, before and after; those in `touched` stay, and enclose changed lines.
    """

    added: tuple[Symbol, ...] = ()
    removed: tuple[Symbol, ...] = ()
    renamed: tuple[tuple[Symbol, Symbol], ...] = ()
    changed: tuple[tuple[Symbol, Symbol], ...] = ()
    touched: tuple[Symbol, ...] = ()


def find_symbol_changes(diff: FileDiff, *, with_touched: bool = True) -> SymbolChanges:
    """Return what `diff` does to the symbols of its file; empty if its language is unknown or nothing was read.

    Without `with_touched`, nothing is touched, which takes less time.
    """
    language = find_language(diff.change.path)
    if not language.symbols:
        return SymbolChanges()
    removed = _find_symbols(language, _number_lines(diff.hunks, "removed", language))
    added = _find_symbols(language, _number_lines(diff.hunks, "added", language))
    changed = []
    for key in list(removed):
        if key in added:
            before, after = removed.pop(key), added.pop(key)
            if squeeze(before.line) != squeeze(after.line):
                changed.append((before, after))
    renamed = _take_renames(removed, added, diff.hunks)
    touched: dict[_Key, Symbol] = {}
    # git takes a function above the methods of Objective-C for the context of what is in these.
    if with_touched and not diff.change.path.endswith((b".m", b".mm")):
        touched = _find_symbols(language, _list_enclosing(language, diff.hunks))
    return SymbolChanges(
        added=tuple(added.values()),
        removed=tuple(removed.values()),
        renamed=tuple(renamed),
        changed=tuple(changed),
        touched=tuple(touched.values()),
    )


def _number_lines(hunks: Iterable[Hunk], side: Side, language: Language) -> Iterator[tuple[int, bytes]]:
    for number, hunk in enumerate(hunks):
        for line, is_prose in zip(getattr(hunk, side), find_prose(hunk, language, side), strict=True):
            if not is_prose:
                yield number, line


def _list_enclosing(language: Language, hunks: Iterable[Hunk]) -> Iterator[tuple[int, bytes]]:
    """Yield the line that git names as the context of a hunk, if the changed lines can belong to it.

    A line in the first column is beside the symbol above it, not in it, and so is one of a block comment that begins
    there.
    """
    for number, hunk in enumerate(hunks):
        may_hold = language.is_flat and not _WHOLE_KEY.match(hunk.context)
        for lines in (hunk.removed, hunk.added):
            first = next((line for line in lines if line.strip()), b"")
            may_hold = may_hold or (first[:1].isspace() and not first.startswith(b" *"))
        if may_hold:
            yield number, hunk.context


def _find_symbols(language: Language, lines: Iterable[tuple[int, bytes]]) -> dict[_Key, Symbol]:
    symbols: dict[_Key, Symbol] = {}
    for hunk, raw in islice(lines, LINES_READ):
        line = read_line(raw).rstrip()
        key = _read_symbol(language, line)
        if key:
            symbols.setdefault(key, Symbol(*key, line, hunk))
    return symbols


def _take_renames(
    removed: dict[_Key, Symbol], added: dict[_Key, Symbol], hunks: Sequence[Hunk]
) -> list[tuple[Symbol, Symbol]]:
    """Remove and return the pairs of one hunk whose lines differ in the name only, and that keep what is below these.

    Lines of keys, sections and tests have too little besides the name to recognize a rename.
    """
    shapes: dict[tuple[int, str, str], list[_Key]] = {}
    for key, symbol in added.items():
        if symbol.kind not in ("key", "section", "test"):
            shapes.setdefault(_describe_shape(symbol), []).append(key)
    renamed = []
    for key, before in list(removed.items()):
        matches = shapes.get(_describe_shape(before), [])
        if len(matches) == 1 and matches[0] in added and keeps_body(hunks, before, added[matches[0]]):
            renamed.append((removed.pop(key), added.pop(matches[0])))
    return renamed


def keeps_body(hunks: Sequence[Hunk], before: Symbol, after: Symbol) -> bool:
    """Whether `after` has nearly the value, or the lines below it, that `before` had in the same one of `hunks`."""
    hunk = hunks[before.hunk]
    old, _ = _read_body([*hunk.removed, *hunk.after], before)
    new, end = _read_body([*hunk.added, *hunk.after], after)
    # What is around a hunk is new; what was there instead is in those below.
    for below in islice(hunks, before.hunk + 1, None):
        if not hunk.new_start < below.new_start < hunk.new_start + end:
            break
        old = old - _count_words(below.added) + _count_words(below.removed)
    for words in (old, new):
        del words[before.name], words[after.name]
    return measure_likeness(old, new) >= _KEPT


def _read_body(lines: Sequence[bytes], symbol: Symbol) -> tuple[Counter[str], int]:
    """Return the words behind the name of what one of `lines` defines and below it, and the number of its last line."""
    words = Counter(_WORD.findall(symbol.line.partition(symbol.name)[2]))
    begins, indent = False, count_indent(symbol.line)
    for number, raw in enumerate(lines[:LINES_READ]):
        line = read_line(raw).rstrip()
        own = count_indent(line)
        if begins and line and (own < indent or (own == indent and line.lstrip()[0] not in ")]}{")):
            return words, number
        words.update(_WORD.findall(line) if begins else ())
        begins = begins or line == symbol.line
    return words, len(lines)


def _count_words(lines: Iterable[bytes]) -> Counter[str]:
    return Counter(_WORD.findall(b"\n".join(lines).decode("utf-8", "replace")))


def _describe_shape(symbol: Symbol) -> tuple[int, str, str]:
    return symbol.hunk, symbol.kind, squeeze(symbol.line.replace(symbol.name, "\0", 1))


def read_symbols(path: bytes, content: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, kind and name of each symbol that a file defines; nothing if its language is unknown."""
    language = find_language(path)
    if not language.symbols:
        return
    for number, line in enumerate(islice(content.split("\n"), LINES_READ), 1):
        key = _read_symbol(language, line[:LINE_BYTES].rstrip())
        if key:
            name, kind = key
            yield number, kind, name
