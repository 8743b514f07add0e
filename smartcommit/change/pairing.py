"""What two versions have in common: which lines replace each other, how two lines differ, and respelled words.

In a text one letter corrects a word, in code it makes another name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from smartcommit.message.header_proposals import is_one_edit_away
from smartcommit.patterns import compile_on_use, list_words

# The share of their tokens that two lines have in common if one replaces the other (the Dice coefficient).
_ALIKE = 0.5
# Pairs of tokens that are compared: of more, all is another.
_COMPARED = 4000
# A word of prose: one in a name, an option or a path is no matter of spelling.
_SPELLED_WORD = compile_on_use(r"(?<![\w`/\\.$@-])(?<!=[\"'])[^\W\d_]{3,}(?![\w`/\\(=-]|://|\.\w)")
# Marks and spaces between letters, as in `auto-import` and `isn't`.
_MARK = compile_on_use(r"(?<=[A-Za-z])['’.,-]?(?: (?=[a-z])|(?=[\sA-Za-z]|\Z))")
_LETTER = compile_on_use(r"[^\W\d_]")
# Of words of three letters only these are what was meant: "teh" is "the", but "run" may become "ran".
_SHORT_WORDS = list_words(
    "add all and any are but can did end far few for get had has her him his how its let may new not now off old one "
    "our out own put run see set she the too two use was way who why you"
)
# Words that differ in more than one letter count as the same word only if they share more letters than this.
_LETTERS_SHARED = 4


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
    return _choose_pairs(alike)


def _choose_pairs(alike: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Return the positions, in order, whose likeness has the largest sum that is possible."""
    rows, columns = len(alike), len(alike[0]) if alike else 0
    # The best sum that what follows each pair of positions can reach.
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            paired = best[row + 1][column + 1] + alike[row][column]
            if alike[row][column] < _ALIKE:
                paired = -1.0
            best[row][column] = max(paired, best[row + 1][column], best[row][column + 1])
    pairs = []
    row = column = 0
    while row < rows and column < columns:
        is_best = best[row][column] == best[row + 1][column + 1] + alike[row][column]
        if alike[row][column] >= _ALIKE and is_best:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row + 1][column] >= best[row][column + 1]:
            row += 1
        else:
            column += 1
    return pairs


def find_differences(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the places in which two lines of tokens differ: where they start and end in the old and the new one."""
    start, end = count_common_ends(old, new)
    old_tokens, new_tokens = old[start : len(old) - end], new[start : len(new) - end]
    alike = []
    for token in old_tokens if len(old_tokens) * len(new_tokens) <= _COMPARED else ():
        alike.append([float(token == other) for other in new_tokens])
    differences = []
    first = second = 0
    for row, column in [*_choose_pairs(alike), (len(old_tokens), len(new_tokens))]:
        if row > first or column > second:
            differences.append((start + first, start + row, start + second, start + column))
        first, second = row + 1, column + 1
    return differences


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


def is_respelled(before: str, after: str) -> bool:
    if before.rstrip(".,:; ") == after.rstrip(".,:; "):
        return False  # a full stop at the end corrects no word
    if before != after and _MARK.sub("", before) == _MARK.sub("", after):
        return True
    words, others = before.split(), after.split()
    # Two words were one, or one stood there twice. Empty cells of a table do not.
    once: list[str] = []
    for word in words:
        if word not in once[-1:] or not _LETTER.search(word):
            once.append(word)
    if len(words) != len(others) and (once == others or "".join(words) == "".join(others)):
        return all(_LETTER.search(word) for word in {*words} ^ {*others})
    old, new = _SPELLED_WORD.findall(before), _SPELLED_WORD.findall(after)
    if _SPELLED_WORD.sub("\0", before) != _SPELLED_WORD.sub("\0", after) or len(old) != len(new):
        return False
    respelled = 0
    for word, other in zip(old, new, strict=True):
        if word == other:
            continue
        if word[1:] != word[1:].lower() and word.lower() != other.lower():
            return False  # a name such as `readAll`
        respelled += 1
        # One edit apart or, if they are long, they differ in two adjacent letters, or in one for two.
        start, end = count_common_ends(word, other)
        parted = sorted((len(word) - start - end, len(other) - start - end))
        is_near = min(start, end) > 0 and start + end > _LETTERS_SHARED and parted in ([0, 2], [1, 2])
        is_short = min(len(word), len(other)) <= 3
        if is_short and (other.lower() not in _SHORT_WORDS or word.lower() in _SHORT_WORDS):
            return False
        if not (is_one_edit_away(word, other) or is_near):
            return False
    return 0 < respelled <= 3
