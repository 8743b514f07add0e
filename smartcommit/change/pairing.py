"""How the lines of a hunk replace each other: pairs of a removed and an added line, and where their tokens differ.

Lines between two pairs only came, or only went.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import itemgetter

from smartcommit.change.text import (
    HUNKS_COMPARED,
    LINE_BYTES,
    LINES_COMPARED,
    FileText,
    HunkText,
    Lines,
    read_hunk,
    says_nothing,
)
from smartcommit.git.diff import FileDiff
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# The share of their tokens that two lines have in common if one replaces the other (the Dice coefficient).
_ALIKE = 0.5
# Lines of each side of a hunk that are paired: in a larger one, what replaces what is a guess.
_LINES_PAIRED = 30
# The share of its tokens that a line keeps at both ends if the place between them is what was edited.
_TOKENS_KEPT = 0.35
# Tokens that went or came: in one place of a hunk of several lines, and of a line.
_TOKENS_OF_HUNK, _TOKENS_OF_LINE = 12, 16
# Strings, options, names with their dots, signs that belong together: what a reader takes for one thing.
_TOKEN = compile_on_use(
    r"\"(?:[^\"\\]|\\.){0,200}\"|'(?:[^'\\]|\\.){0,200}'|`[^`]{0,200}`|--?[A-Za-z][\w-]*"
    r"|@?[\w$]+(?:(?:\.|::|->|-(?=[A-Za-z0-9]))[\w$]+)*[!?]?|[=!]==?|[<>+*/&|-]?=|=>|->|&&|\|\||\?\?|\?\."
    r"|\.{2,3}|[^\w\s]"
)
_TRAILING_COMMA = compile_on_use(r",(?=\s*[)\]}])")
# Lines that say something, each with its indentation in characters.
IndentedLines = Sequence[tuple[int, str]]


class TokenEdit(Record):
    """How a replaced line differs from the one before: the tokens that went and those that came in one place.

    `before` and `after` are the tokens around that place, which are the same.
    """

    before: Sequence[str]
    gone: Sequence[str]
    come: Sequence[str]
    after: Sequence[str]

    @property
    def kept(self) -> int:
        return len(self.before) + len(self.after)

    @property
    def moved(self) -> Sequence[str]:
        """The tokens that only came, or only went; none if they replace each other."""
        return () if self.gone and self.come else self.gone or self.come


class Replacement(Record):
    """Lines that replace others and differ in one place.

    `line` is the text of the first new line and `old_line` that of the first old one, `context` the line that opens the
    function around them, and `lines` the number of lines on the longer side.
    """

    tokens: TokenEdit
    line: str
    old_line: str
    context: str
    lines: int


class Block(Record):
    """Adjacent lines that only came, or only went; `indent` is the least indentation, of brackets around them too."""

    lines: IndentedLines
    context: str
    indent: int


class PairedLines:
    """What happened to the lines of a file, as far as they can be compared."""

    def __init__(self) -> None:
        self.replaced: list[Replacement] = []
        self.came: list[Block] = []
        self.went: list[Block] = []

    def add_blocks(
        self, removed: IndentedLines, added: IndentedLines, context: str, lines: Sequence[bytes] = ()
    ) -> None:
        """Add the lines that went and those that came in one place, if any; `lines` are all of a hunk of one side."""
        for found, blocks in ((removed, self.went), (added, self.came)):
            if found:
                indents = [len(line) - len(line.lstrip()) for line in filter(bytes.strip, lines)]
                blocks.append(Block(found, context, min([*indents, *map(itemgetter(0), found)])))

    def add_pairs(self, removed: IndentedLines, added: IndentedLines, context: str) -> None:
        old, new = [line for _, line in removed], [line for _, line in added]
        old_end = new_end = 0
        for before, after in pair_lines(list(map(_TOKEN.findall, old)), list(map(_TOKEN.findall, new))):
            edit = _compare_texts(old[before], new[after])
            longer = max(len(edit.gone), len(edit.come))
            if longer > 1 and edit.kept <= _TOKENS_KEPT * (edit.kept + longer):
                continue
            self.add_blocks(removed[old_end:before], added[new_end:after], context)
            old_end, new_end = before + 1, after + 1
            if 0 < len(edit.gone) + len(edit.come) <= _TOKENS_OF_LINE:
                self.replaced.append(Replacement(edit, new[after], old[before], context, 1))
        self.add_blocks(removed[old_end:], added[new_end:], context)


def pair_file(diff: FileDiff) -> PairedLines:
    """Return what happened to the lines of a file that say something and are no comments."""
    paired = PairedLines()
    file = FileText(diff.change.path)
    compared = 0
    for hunk in diff.hunks[:HUNKS_COMPARED]:
        reading = read_hunk(hunk)
        removed = _list_telling(hunk.removed, reading.removed, file)
        added = _list_telling(hunk.added, reading.added, file)
        size = max(len(removed), len(added))
        if not removed or not added:
            paired.add_blocks(removed, added, reading.context, hunk.removed or hunk.added)
        elif size <= _LINES_PAIRED and compared <= LINES_COMPARED:
            compared += len(added)
            whole = None
            if len(removed) != len(added):
                whole = _compare_whole(reading, file)
            if whole is None:
                paired.add_pairs(removed, added, reading.context)
            else:
                paired.replaced.append(Replacement(whole, added[0][1], removed[0][1], reading.context, size))
    return paired


def pair_lines(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return the positions of lines that replace each other, in order; the lines are given as their tokens.

    The sum of their likeness is the largest that is possible, which takes time for each line of one side with each of
    the other. A line of one token is only like itself, but single lines replace each other.
    """
    if len(old) == len(new) == 1:
        return [(0, 0)]
    counts = list(map(Counter, new))
    alike = []
    for tokens in map(Counter, old):
        alike.append([_measure_likeness(tokens, other) for other in counts])
    # The best sum that the lines from each pair of positions on can reach.
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for row in range(len(old) - 1, -1, -1):
        for column in range(len(new) - 1, -1, -1):
            paired = best[row + 1][column + 1] + alike[row][column]
            if alike[row][column] < _ALIKE:
                paired = -1.0
            best[row][column] = max(paired, best[row + 1][column], best[row][column + 1])
    pairs = []
    row = column = 0
    while row < len(old) and column < len(new):
        is_best = best[row][column] == best[row + 1][column + 1] + alike[row][column]
        if alike[row][column] >= _ALIKE and is_best:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row + 1][column] >= best[row][column + 1]:
            row += 1
        else:
            column += 1
    return pairs


def _measure_likeness(one: Counter[str], other: Counter[str]) -> float:
    if one == other:
        return 1.0
    if not one or not other or one.total() == 1:
        return 0.0
    return 2 * (one & other).total() / (one.total() + other.total())


def find_edit(before: str, after: str, token: re.Pattern[str]) -> TokenEdit:
    """Return how two lines differ, in tokens of the pattern `token`."""
    old, new = token.findall(before), token.findall(after)
    start, end = count_common_ends(old, new)
    stop = len(new) - end
    return TokenEdit(new[:start], old[start : len(old) - end], new[start:stop], new[stop:])


def count_common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how many members are the same at the start and, without these, at the end."""
    shortest = min(len(one), len(other))
    start = 0
    while start < shortest and one[start] == other[start]:
        start += 1
    end = 0
    while end < shortest - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return start, end


def _list_telling(raw: Sequence[bytes], lines: Lines, file: FileText) -> IndentedLines:
    """Return the lines that say something, without comments."""
    found = []
    for bare, text in zip(raw, lines.read(LINES_COMPARED), strict=False):
        if not says_nothing(text) and not file.is_comment(text):
            start = bare[:LINE_BYTES]
            found.append((len(start) - len(start.lstrip()), text))
    return found


def _compare_whole(reading: HunkText, file: FileText) -> TokenEdit | None:
    """Return the one place in which all lines of a hunk differ, or None if that is not a small one.

    So a line that was divided into several, and a call on several lines that gained an argument, are one edit.
    """
    texts = []
    for side in (reading.removed, reading.added):
        texts.append("\n".join(line for line in side.read(LINES_COMPARED) if not file.is_comment(line)))
    edit = _compare_texts(*texts)
    return edit if edit.kept and 0 < len(edit.gone) + len(edit.come) <= _TOKENS_OF_HUNK else None


def _compare_texts(before: str, after: str) -> TokenEdit:
    """Return how two texts differ, in what a reader takes for one thing each."""
    return find_edit(_TRAILING_COMMA.sub("", before), _TRAILING_COMMA.sub("", after), _TOKEN)
