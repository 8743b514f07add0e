"""Pieces of hunks: the smallest parts of a file's change that may go to different commits, and what they say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise

from smartcommit.change import filetypes
from smartcommit.change.languages import find_language
from smartcommit.change.pairing import find_differences, pair_lines
from smartcommit.change.symbols import read_symbols
from smartcommit.change.text import HUNKS_COMPARED, LINES_READ, TOKEN, count_indent, find_names, read_line
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.git.hunks import Text

# Lines on one side of a hunk whose lines are paired, which takes quadratic time; a larger one is a single piece.
_LINES_PAIRED = 80
# Lines of one side of a piece that are read, and tokens of each side in which replaced ones are looked for.
_LINES_OF_PIECE = 200
_TOKENS_COMPARED = 400
# Characters of a name that is compared, and names of a file's old text that are counted.
_SHORTEST_NAME = 3
_NAMES_COUNTED = 60_000

# Strings, names, numbers and other signs: what is replaced as a whole.
_TOKEN = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|[A-Za-z_]\w*|\d[\w.]*|[^\s\w]")
# Lines of comments that begin in no way of their own.
_WITHIN_COMMENT = re.compile(r"\s*(?:\*|/\*|//|<!--)")

# Tokens that went, and those that came in their place.
TokenEdit = tuple[tuple[str, ...], tuple[str, ...]]


class File:
    """A file of a change, with its pieces in order, also by `hunks`.

    `text` has its content before and after the change if it can be divided; else each hunk is one piece.
    """

    def __init__(self, diff: FileDiff, text: Text | None = None) -> None:
        self.path = diff.change.path
        self.kind = filetypes.classify_path(self.path)
        self.language = find_language(self.path)
        self.is_divisible = text is not None
        self._text = text
        self.hunks: list[list[Piece]] = []
        for hunk in diff.hunks[:HUNKS_COMPARED]:
            pieces: list[Piece] = []
            for part in cut_hunk(hunk) if self.is_divisible else [hunk]:
                pieces.append(Piece(self, pieces, part))
            self.hunks.append(pieces)
        self.pieces = list(chain.from_iterable(self.hunks))

    @cached_property
    def name_counts(self) -> Counter[str]:
        """How often each name occurs in the text before the change."""
        if self._text is None:
            return Counter()
        return Counter(find_names(self._text.base.decode("utf-8", "replace"))[:_NAMES_COUNTED])

    def is_comment(self, line: str) -> bool:
        """Whether a line is blank or only a comment."""
        if self.language.is_comment(line.encode()):
            return True
        return not self.language.indents and _WITHIN_COMMENT.match(line) is not None

    def find_enclosing(self, line: int) -> str:
        """Return the name of the innermost definition around a line of the new text, from 1; empty if there is none."""
        lines = self._lines
        if not lines or not self.language.symbols:
            return ""
        start = min(line, len(lines))
        least = LINES_READ
        if lines[start - 1].strip():
            least = count_indent(lines[start - 1])
        for number in range(start, max(0, start - LINES_READ), -1):
            text = lines[number - 1]
            indent = count_indent(text) if text.strip() else least
            # What is around a line is indented less than all below it, so that few lines are matched.
            if number == line or indent < least:
                least = indent
                for _, _, name in read_symbols(self.path, text):
                    return name
            if not least:
                break
        return ""

    @cached_property
    def _lines(self) -> list[str]:
        if self._text is None:
            return []
        return self._text.target.decode("utf-8", "replace").split("\n")


class Piece:
    """Adjacent changed lines, `hunk`: a part of one of git's hunks, whose pieces in order are `siblings`."""

    def __init__(self, file: File, siblings: list[Piece], hunk: Hunk) -> None:
        self.file = file
        self.siblings = siblings
        self.hunk = hunk
        self.place = hunk.new_lines

    def measure_gap(self, other: Piece) -> int:
        """Return the number of lines between two pieces of a file, negative if they overlap."""
        return max(self.place.start, other.place.start) - min(self.place.stop, other.place.stop)

    @cached_property
    def old(self) -> list[str]:
        """The removed lines that are not blank, with their indentation."""
        return _decode(self.hunk.removed)

    @cached_property
    def new(self) -> list[str]:
        """The added lines that are not blank, with their indentation."""
        return _decode(self.hunk.added)

    @cached_property
    def lines(self) -> int:
        """Number of its lines that are not blank."""
        return len(self.old) + len(self.new)

    @cached_property
    def edits(self) -> frozenset[TokenEdit]:
        """What replaces what in the lines; empty if nothing was replaced, or too much."""
        before, after = _TOKEN.findall("\n".join(self.old)), _TOKEN.findall("\n".join(self.new))
        if not before or not after or max(len(before), len(after)) > _TOKENS_COMPARED:
            return frozenset()
        spans = find_differences(before, after)
        return frozenset((tuple(before[start:end]), tuple(after[first:last])) for start, end, first, last in spans)

    @cached_property
    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        return _count_names(self.old), _count_names(self.new)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(chain(*self._counts))

    @cached_property
    def changed(self) -> frozenset[str]:
        """The names that one side has more often than the other."""
        before, after = self._counts
        return frozenset((before - after) | (after - before))

    @cached_property
    def replaced(self) -> frozenset[str]:
        """The names that only one side has."""
        before, after = self._counts
        return frozenset(before.keys() ^ after.keys())

    @cached_property
    def defined(self) -> frozenset[str]:
        """The names that its added lines define and its removed lines do not."""
        return self._list_defined(self.new) - self._list_defined(self.old)

    def _list_defined(self, lines: Sequence[str]) -> frozenset[str]:
        code = "\n".join(line for line in lines if not self.file.is_comment(line))
        return frozenset(symbol[2] for symbol in read_symbols(self.file.path, code))

    @cached_property
    def enclosing(self) -> str:
        """The name of the definition around its first line; empty if there is none."""
        return self.file.find_enclosing(self.place.start + 1)

    @cached_property
    def is_layout(self) -> bool:
        """Whether only white space and line breaks differ; blank lines are layout, too."""
        if not has_same_text(self.hunk):
            return False
        return not self.file.language.indents or [count_indent(item) for item in self.old] == [
            count_indent(item) for item in self.new
        ]

    @property
    def is_blank(self) -> bool:
        return not self.old and not self.new

    @cached_property
    def is_comment(self) -> bool:
        """Whether it has comments alone."""
        return not self.is_layout and all(self.file.is_comment(item) for item in chain(self.old, self.new))


def list_all(files: Iterable[File]) -> list[Piece]:
    return list(chain.from_iterable(file.pieces for file in files))


def has_same_text(hunk: Hunk) -> bool:
    """Whether only white space and line breaks differ."""
    # All of the lines: a long one may differ at its end alone.
    return b"".join(b"".join(hunk.removed).split()) == b"".join(b"".join(hunk.added).split())


def cut_hunk(hunk: Hunk) -> list[Hunk]:
    """Return the pieces of a hunk, in order.

    Lines that replace each other are a piece, and so is what came or went between two of these. Where lines only came,
    or only went, a piece begins after each blank line, unless it is indented deeper than what is before it.
    """
    old, new = len(hunk.removed), len(hunk.added)
    found: list[Hunk] = []
    if not old or not new:
        lines = hunk.added or hunk.removed
        for start, end in pairwise([0, *_find_borders(lines), len(lines)]):
            found.append(hunk.select(range(start, end), range(start, end)))
        return found
    if not count_pairs(hunk):
        return [hunk]
    old_end = new_end = 0
    pairs = pair_lines([_split_line(line) for line in hunk.removed], [_split_line(line) for line in hunk.added])
    for before, after in [*pairs, (old, new)]:
        if before > old_end or after > new_end:
            found.append(hunk.select(range(old_end, before), range(new_end, after)))
        if before < old:
            found.append(hunk.select(range(before, before + 1), range(after, after + 1)))
        old_end, new_end = before + 1, after + 1
    return found


def count_pairs(hunk: Hunk) -> int:
    if max(hunk.old_count, hunk.new_count) > _LINES_PAIRED:
        return 0
    return hunk.old_count * hunk.new_count


def _find_borders(lines: Sequence[bytes]) -> Iterator[int]:
    """Yield where a paragraph begins that is indented no deeper than those before it."""
    least: int | None = None
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        indent = count_indent(line)
        if least is None:
            least = indent
        elif not lines[number - 1].strip() and indent <= least:
            yield number
        least = min(least, indent)


def _split_line(line: bytes) -> list[str]:
    return TOKEN.findall(read_line(line))


def _decode(lines: Sequence[bytes]) -> list[str]:
    found = [read_line(line) for line in lines[:_LINES_OF_PIECE]]
    return [item for item in found if item.strip()]


def _count_names(lines: Iterable[str]) -> Counter[str]:
    return Counter(name for name in find_names("\n".join(lines)) if len(name) >= _SHORTEST_NAME)
