"""Cuts a hunk into the smallest parts that may go to different commits, by what its lines replace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from smartcommit.change.text import LINE_BYTES, TOKEN
from smartcommit.git.diff import Hunk

# Lines on one side of a hunk whose lines are paired, which takes quadratic time; a larger one is a single part.
_LINES_PAIRED = 80
# The share of their tokens that two lines have in common if one replaces the other (the Dice coefficient).
_ALIKE = 0.5

# A range of removed lines and one of added lines, counted from 0 in their hunk.
Ranges = tuple[range, range]


def cut_hunk(hunk: Hunk) -> list[Ranges]:
    """Return the pieces of a hunk, in order.

    Lines that replace each other are a piece, and so is what came or went between two of these. Where lines only came,
    or only went, a piece begins after each blank line, unless it is indented deeper than what is before it.
    """
    old, new = len(hunk.removed), len(hunk.added)
    if not old or not new:
        lines = hunk.added or hunk.removed
        found = []
        for start, end in pairwise([0, *_find_borders(lines), len(lines)]):
            part = range(start, end)
            found.append((range(0), part) if new else (part, range(0)))
        return found
    if not count_pairs(hunk):
        return [(range(old), range(new))]
    found = []
    old_end = new_end = 0
    for before, after in [*_pair_lines(hunk), (old, new)]:
        if before > old_end or after > new_end:
            found.append((range(old_end, before), range(new_end, after)))
        if before < old:
            found.append((range(before, before + 1), range(after, after + 1)))
        old_end, new_end = before + 1, after + 1
    return found


def count_pairs(hunk: Hunk) -> int:
    """Return how many pairs of lines are compared to cut a hunk."""
    if max(hunk.old_count, hunk.new_count) > _LINES_PAIRED:
        return 0
    return hunk.old_count * hunk.new_count


def _find_borders(lines: Sequence[bytes]) -> Iterator[int]:
    """Yield where a paragraph begins that is indented no deeper than those before it."""
    least: int | None = None
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip(b" \t"))
        if least is None:
            least = indent
        elif not lines[number - 1].strip() and indent <= least:
            yield number
        least = min(least, indent)


def _pair_lines(hunk: Hunk) -> list[tuple[int, int]]:
    """Return the positions of removed and added lines that replace each other, in order."""
    old, new = list(map(_split_line, hunk.removed)), list(map(_split_line, hunk.added))
    alike = []
    for before in old:
        alike.append([_measure_likeness(before, after) for after in new])
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


def _split_line(line: bytes) -> Counter[str]:
    return Counter(TOKEN.findall(line[:LINE_BYTES].decode("utf-8", "replace")))


def _measure_likeness(one: Counter[str], other: Counter[str]) -> float:
    """Return the share of tokens that two lines have in common; a line of one token is only like itself."""
    size = one.total() + other.total()
    if one == other:
        return 1.0
    if not one or not other or one.total() == 1:
        return 0.0
    return 2 * (one & other).total() / size
