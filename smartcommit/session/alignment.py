"""Aligns the lines of two versions of a file."""

from __future__ import annotations

from collections.abc import Collection, Sequence

# Old lines that become new lines: the numbers of the first old line, of the one after the last, and both for the new.
ChangedBlock = tuple[int, int, int, int]
# The numbers of an old line and of the new line that is equal.
Pair = tuple[int, int]

# Pairs of lines up to which all are compared; above, it would take too long.
_EXACT = 400_000
# What lines without content consist of: blanks, brackets and the like, but not NUL, which marks modes and binary data.
MARKS = bytes(code for code in range(1, 128) if not chr(code).isalnum())


def has_content(text: bytes, common: Collection[bytes] = ()) -> bool:
    """Whether a line says something of its own: it has a letter or a digit, and is none of the texts `common`."""
    rest = text.translate(None, MARKS)
    if not rest or text.strip() in common:
        return False
    if rest.isascii() or b"\0" in rest:
        return True
    return any(character.isalnum() for character in rest.decode("utf-8", "replace"))


def _count_common_start(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    most = min(len(old), len(new))
    count = 0
    while count < most and old[count] == new[count]:
        count += 1
    return count


def find_blocks(old: Sequence[bytes], new: Sequence[bytes]) -> list[ChangedBlock]:
    """Return the changed blocks in order, between lines that are the same.

    First the beginnings and ends that are equal count as the same, and between them a longest common subsequence, in
    which lines with content come before brackets and blank lines. Where that would take too long, lines that are unique
    on both sides divide what is left.
    """
    blocks: list[ChangedBlock] = []
    waiting: list[ChangedBlock] = [(0, len(old), 0, len(new))]
    while waiting:
        first, last, start, end = waiting.pop()
        same = _count_common_start(old[first:last], new[start:end])
        first, start = first + same, start + same
        same = _count_common_start(old[first:last][::-1], new[start:end][::-1])
        last, end = last - same, end - same
        find = _find_pairs if (last - first) * (end - start) <= _EXACT else _find_unique_pairs
        pairs = find(old[first:last], new[start:end])
        line, place = first, start
        for old_line, new_line in pairs:
            waiting.append((line, first + old_line, place, start + new_line))
            line, place = first + old_line + 1, start + new_line + 1
        if pairs:
            waiting.append((line, last, place, end))
        elif first < last or start < end:
            blocks.append((first, last, start, end))
    return sorted(blocks)


def _find_pairs(old: Sequence[bytes], new: Sequence[bytes]) -> list[Pair]:
    """Return the pairs of a heaviest common subsequence, the first of several."""
    ends = _measure_ends(old, new)
    pairs = []
    line = place = 0
    while ends[line][place]:
        if old[line] == new[place]:
            pairs.append((line, place))
            line, place = line + 1, place + 1
        elif ends[line][place] == ends[line][place + 1]:
            place += 1
        else:
            line += 1
    return pairs


def _measure_ends(old: Sequence[bytes], new: Sequence[bytes]) -> list[list[int]]:
    """Return for each pair of positions how much the heaviest common subsequence of what follows weighs."""
    width = len(new)
    rows = [[0] * (width + 1)]
    for line in reversed(old):
        below, row = rows[-1], [0] * (width + 1)
        # One line with content weighs more than all the brackets and blank lines that two versions can share.
        weight = _EXACT if has_content(line) else 1
        # Without calls, since a reformatted file has many cells.
        longest = 0
        for place in range(width - 1, -1, -1):
            if new[place] == line:
                longest = below[place + 1] + weight
            elif below[place] > longest:
                longest = below[place]
            row[place] = longest
        rows.append(row)
    rows.reverse()
    return rows


def _find_unique_pairs(old: Sequence[bytes], new: Sequence[bytes]) -> list[Pair]:
    """Return pairs of lines that stand once on either side, as the longest rising sequence (patience)."""
    from bisect import bisect_left

    places, twins = _find_places(old), _find_places(new)
    # The patience sort: the least last twin of a sequence of each length, and before each twin its predecessor.
    tops: list[int] = []
    before: dict[int, tuple[int, int]] = {}
    for line, text in enumerate(old):
        twin = twins.get(text, -1)
        if places[text] < 0 or twin < 0:
            continue
        length = bisect_left(tops, twin)
        before[twin] = (line, tops[length - 1] if length else -1)
        tops[length : length + 1] = [twin]
    pairs = []
    twin = tops[-1] if tops else -1
    while twin >= 0:
        line, previous = before[twin]
        pairs.append((line, twin))
        twin = previous
    return pairs[::-1]


def _find_places(lines: Sequence[bytes]) -> dict[bytes, int]:
    places: dict[bytes, int] = {}
    for place, text in enumerate(lines):
        places[text] = -1 if text in places else place
    return places
