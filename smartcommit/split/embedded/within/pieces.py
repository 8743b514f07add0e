"""Pieces of hunks: the smallest parts of a file's change that may go to different commits, and what they say."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import chain, filterfalse

from smartcommit.change import filetypes
from smartcommit.change.symbols import read_symbols
from smartcommit.change.text import HUNKS_COMPARED, LINE_BYTES, find_names, is_import
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.git.hunks import Text
from smartcommit.split.embedded.within.cut_hunks import Ranges, cut_hunk

# Lines of one side of a piece that are read.
_LINES_READ = 200
# Tokens of each side of a piece in which replaced ones are looked for.
_TOKENS_COMPARED = 400
# Characters of a name that is compared.
_SHORTEST_NAME = 3
# Names of a file's old text that are counted.
_NAMES_COUNTED = 60_000

# Names that are replaced by others in a piece that renames.
_NAMES_RENAMED = 3

# Strings, names, numbers and other signs: what is replaced as a whole.
_TOKEN = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|[A-Za-z_]\w*|\d[\w.]*|[^\s\w]")
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_VERSION = re.compile(r"v?\d[\w.+-]*|[0-9a-f]{12,}")
_VERSIONED = re.compile(r"\d+\.\d+|@v\d|\bv\d+\b|^\s*-?\s*uses:")
_MODIFIERS = {
    "final", "public", "private", "protected", "static", "const", "readonly", "override", "@", "Override",
    "SuppressWarnings", "inline", "mut", "pub", "abstract", "var", "let", "Deprecated", "synchronized", "transient",
    "volatile", "<", ">", "?",
}  # fmt: skip
# Lines of comments that begin in no way of their own.
_WITHIN_COMMENT = re.compile(r"\s*(?:\*|/\*|//|<!--)")

# Tokens that went, and those that came in their place.
TokenEdit = tuple[tuple[str, ...], tuple[str, ...]]


class File:
    """A file of a change, with its pieces in order.

    `text` has its content before and after the change if it can be divided; else each hunk is one piece.
    """

    def __init__(self, diff: FileDiff, text: Text | None = None) -> None:
        self.path = diff.change.path
        self.kind = filetypes.classify_path(self.path)
        self.name = self.path.decode("utf-8", "replace").lower()
        self.is_divisible = text is not None
        self._text = text
        self.pieces: list[Piece] = []
        self.hunks: list[list[Piece]] = []
        for number, hunk in enumerate(diff.hunks[:HUNKS_COMPARED]):
            ranges = [(range(hunk.old_count), range(hunk.new_count))]
            if text is not None:
                ranges = cut_hunk(hunk)
            self.hunks.append([Piece(self, number, hunk, part) for part in ranges])
            self.pieces += self.hunks[-1]

    @cached_property
    def name_counts(self) -> Counter[str]:
        """How often each name occurs in the text before the change."""
        if self._text is None:
            return Counter()
        return Counter(find_names(self._text.base.decode("utf-8", "replace"))[:_NAMES_COUNTED])

    @property
    def is_indented(self) -> bool:
        """Whether indentation has a meaning in this file, so that a change of it is more than layout."""
        return filetypes.has_meaningful_indentation(self.name)

    def find_enclosing(self, line: int) -> str:
        """Return the name of the innermost definition around a line of the new text, from 1; empty if there is none."""
        lines = self._lines
        if not lines:
            return ""
        position = min(line, len(lines)) - 1
        least = _indent(lines[position]) if lines[position].strip() else _LINES_READ
        for start in range(bisect_right(self._starts, line) - 1, -1, -1):
            number, name = self._symbols[start]
            for between in range(position, number - 1, -1):
                if lines[between].strip():
                    least = min(least, _indent(lines[between]))
            position = min(position, number - 1)
            if number == line or _indent(lines[number - 1]) < least:
                return name
        return ""

    @cached_property
    def _lines(self) -> list[str]:
        if self._text is None:
            return []
        return self._text.target.decode("utf-8", "replace").split("\n")

    @cached_property
    def _symbols(self) -> list[tuple[int, str]]:
        """The line and the name of each definition in the new text."""
        return [(number, name) for number, _, name in read_symbols(self.path, "\n".join(self._lines))]

    @cached_property
    def _starts(self) -> list[int]:
        return [number for number, _ in self._symbols]


class Piece:
    """Adjacent changed lines of a hunk, which is at position `number` in its file.

    `removed` and `added` are the ranges of the hunk's lines that belong to it.
    """

    def __init__(self, file: File, number: int, hunk: Hunk, part: Ranges) -> None:
        self.file = file
        self.number = number
        self.hunk = hunk
        self.removed, self.added = part

    def list_hunk(self) -> list[Piece]:
        """Return all pieces of its hunk."""
        return self.file.hunks[self.number]

    def list_run(self) -> list[Piece]:
        """Return the pieces of its hunk that no layout separates from it, with the layout between them."""
        hunk = self.list_hunk()
        place = hunk.index(self)
        found: list[Piece] = []
        for part in (hunk[:place][::-1], hunk[place + 1 :]):
            for other in part:
                found.append(other)
                if not other.is_layout:
                    break
        return found

    def list_near(self, lines: int) -> list[Piece]:
        """Return the other pieces of its file with at most so many lines between."""
        found = []
        for other in self.file.pieces:
            is_near = other.first_line - self.end_line <= lines and self.first_line - other.end_line <= lines
            if other is not self and is_near:
                found.append(other)
        return found

    @property
    def first_line(self) -> int:
        """The number of its first line in the new text, or of the line that is there now; from 1."""
        start = self.hunk.new_start if self.hunk.new_count else self.hunk.new_start + 1
        return start + self.added.start

    @property
    def end_line(self) -> int:
        """The number of the line after it in the new text."""
        return self.first_line + len(self.added)

    @cached_property
    def old(self) -> list[str]:
        """The removed lines that are not blank, with their indentation."""
        return _decode(self.hunk.removed, self.removed)

    @cached_property
    def new(self) -> list[str]:
        """The added lines that are not blank, with their indentation."""
        return _decode(self.hunk.added, self.added)

    @property
    def lines(self) -> int:
        """Number of its lines that are not blank."""
        return len(self.old) + len(self.new)

    @cached_property
    def edits(self) -> frozenset[TokenEdit]:
        """What replaces what in the lines; empty if nothing was replaced, or too much."""
        before, after = _list_tokens(self.old), _list_tokens(self.new)
        if not before or not after or max(len(before), len(after)) > _TOKENS_COMPARED:
            return frozenset()
        found = set()
        for tag, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if tag != "equal":
                found.add((tuple(before[start:end]), tuple(after[new_start:new_end])))
        return frozenset(found)

    @cached_property
    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        return _count_names(self.old), _count_names(self.new)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in its lines."""
        before, after = self._counts
        return frozenset(before) | frozenset(after)

    @cached_property
    def changed(self) -> frozenset[str]:
        """The names that one side has more often than the other."""
        before, after = self._counts
        return frozenset((before - after) | (after - before))

    @cached_property
    def come(self) -> frozenset[str]:
        """The names that only the added lines have."""
        before, after = self._counts
        return frozenset(after) - frozenset(before)

    @cached_property
    def gone(self) -> frozenset[str]:
        """The names that only the removed lines have."""
        before, after = self._counts
        return frozenset(before) - frozenset(after)

    @cached_property
    def defined(self) -> frozenset[str]:
        """The names that its added lines define and its removed lines do not."""
        return self._definitions[1] - self._definitions[0]

    @cached_property
    def redefined(self) -> frozenset[str]:
        """The names that both its removed and its added lines define."""
        return self._definitions[1] & self._definitions[0]

    @cached_property
    def _definitions(self) -> tuple[frozenset[str], frozenset[str]]:
        found = []
        for lines in (self.old, self.new):
            code = [line for line in lines if not filetypes.is_comment(line.encode(), self.file.name)]
            found.append(frozenset(name for _, _, name in read_symbols(self.file.path, "\n".join(code))))
        return found[0], found[1]

    @cached_property
    def enclosing(self) -> str:
        """The name of the definition around its first line; empty if there is none."""
        return self.file.find_enclosing(self.first_line)

    @cached_property
    def is_layout(self) -> bool:
        """Whether only white space and line breaks differ; blank lines are layout, too."""
        if _squeeze(self.old) != _squeeze(self.new):
            return False
        if not self.file.is_indented:
            return True
        return list(map(_indent, self.old)) == list(map(_indent, self.new))

    @property
    def is_blank(self) -> bool:
        """Whether it has blank lines alone."""
        return not self.old and not self.new

    @cached_property
    def is_reindented(self) -> bool:
        """Whether its lines differ in their indentation alone."""
        if not self.is_layout or self.is_blank:
            return False
        return list(map(str.strip, self.old)) == list(map(str.strip, self.new))

    @cached_property
    def is_comment(self) -> bool:
        """Whether it has comments alone."""
        lines = [*self.old, *self.new]
        return bool(lines) and not self.is_layout and all(map(self._is_comment, lines))

    def _is_comment(self, line: str) -> bool:
        if filetypes.is_comment(line.encode(), self.file.name):
            return True
        return not self.file.is_indented and _WITHIN_COMMENT.match(line) is not None

    @cached_property
    def is_import(self) -> bool:
        """Whether all its lines import something."""
        lines = [*self.old, *self.new]
        return bool(lines) and all(is_import(line.strip()) for line in lines)

    @property
    def only_adds(self) -> bool:
        """Whether nothing is removed."""
        return bool(self.new) and not self.old

    @cached_property
    def is_modifier(self) -> bool:
        """Whether only modifiers or annotations came or went."""
        if not self.edits or self.is_layout:
            return False
        return all(_MODIFIERS.issuperset((*gone, *come)) for gone, come in self.edits)

    @cached_property
    def renamed(self) -> dict[str, str]:
        """The names that went, with those that replace them, if nothing else differs; else empty."""
        names: dict[str, str] = {}
        for gone, come in self.edits:
            if len(gone) != len(come):
                return {}
            for old, new in zip(gone, come, strict=True):
                if not _NAME.match(old) or not _NAME.match(new) or names.setdefault(old, new) != new:
                    return {}
        return names if len(names) <= _NAMES_RENAMED and not self.is_layout else {}

    @cached_property
    def is_signature(self) -> bool:
        """Whether a definition stays and the line that begins it differs."""
        return bool(self.redefined) and not self.is_layout

    @cached_property
    def versioned(self) -> str:
        """What has another version now, as far as the line says; empty unless only versions differ."""
        if len(self.old) != len(self.new) or not any(map(_VERSIONED.search, [*self.old, *self.new])):
            return ""
        before, after = _VERSION.sub("#", _join(self.old)), _VERSION.sub("#", _join(self.new))
        if before != after or self.is_layout:
            return ""
        return _VERSION.sub("", self.new[0].strip())

    @cached_property
    def is_definition(self) -> bool:
        """Whether it adds whole definitions, of two lines or more."""
        code = list(filterfalse(self._is_comment, self.new))
        while code and code[0].lstrip().startswith(("@", "#[", "[")):
            del code[0]
        if not self.only_adds or self.lines < 2 or not code:
            return False
        text = "\n".join(code)
        return text.count("{") == text.count("}") and any(True for _ in read_symbols(self.file.path, code[0]))


def _squeeze(lines: Iterable[str]) -> str:
    return "".join("".join(lines).split())


def _join(lines: Iterable[str]) -> str:
    return " ".join(" ".join(lines).split())


def _decode(lines: Sequence[bytes], chosen: range) -> list[str]:
    found = []
    for line in lines[chosen.start : min(chosen.stop, chosen.start + _LINES_READ)]:
        text = line[:LINE_BYTES].decode("utf-8", "replace")
        if text.strip():
            found.append(text)
    return found


def _list_tokens(lines: Iterable[str]) -> list[str]:
    return list(chain.from_iterable(map(_TOKEN.findall, lines)))


def _count_names(lines: Iterable[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(name for name in find_names(line) if len(name) >= _SHORTEST_NAME)
    return counts


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def list_all(files: Iterable[File]) -> list[Piece]:
    """Return the pieces of all files."""
    return list(chain.from_iterable(file.pieces for file in files))
