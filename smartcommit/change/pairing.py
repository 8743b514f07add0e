"""Which lines replace each other, and what two sequences have in common at their ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

# The share of their tokens that two lines have in common if one replaces the other (the Dice coefficient).
_ALIKE = 0.5


def pair_lines(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return the positions of lines that replace each other, in order; the lines are given as their tokens.

    The sum of their likeness is the largest that is possible, which takes time for each line of one side with each of
    the other. A line of one token is only like itself, but single lines replace each other.
    """
    if len(old) == len(new) == 1:
        return [(0, 0)]
    counts = [Counter(tokens) for tokens in new]
    alike = []
    for tokens in old:
        own = Counter(tokens)
        alike.append([measure_likeness(own, other) for other in counts])
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


def measure_likeness(one: Counter[str], other: Counter[str]) -> float:
    if one == other:
        return 1.0
    if not one or not other or one.total() == 1:
        return 0.0
    return 2 * (one & other).total() / (one.total() + other.total())


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
