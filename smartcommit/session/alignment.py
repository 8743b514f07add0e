"""Aligns the lines of two versions of a file, and says where the alignment is a choice.

A pair of equal lines is certain if every longest common subsequence pairs these two. Between certain pairs, which of
two equal lines is the old one is anybody's guess.
"""

from __future__ import annotations

from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

# A changed block: old lines from..to, new lines from..to.
Block = tuple[int, int, int, int]
# An old line, the new line that is equal, and whether the pair is certain.
Pair = tuple[int, int, bool]

# Lines around a change within which other alignments are sought.
CONTEXT = 24
# Product of the numbers of lines up to which two sides are compared exactly.
_EXACT = 400_000
# What lines without content consist of: blanks, brackets and the like. NUL marks a mode, or bytes that are no text.
_MARKS = bytes(filter(lambda code: not chr(code).isalnum(), range(1, 128)))


class Zone(Record):
    """Changed blocks between certain pairs, in the old lines `start` to `end`; a choice if `ambiguous`."""

    blocks: list[Block]
    ambiguous: bool
    start: int
    end: int


def has_content(text: bytes, common: Collection[bytes] = ()) -> bool:
    """Whether a line says something of its own: it has a letter or a digit, and is none of the texts `common`."""
    rest = text.translate(None, _MARKS)
    if not rest.isascii() and b"\0" not in rest and not any(map(str.isalnum, rest.decode("utf-8", "replace"))):
        return False
    return rest != b"" and text.strip() not in common


def _count_common_start(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    """Return how many lines at the start are equal."""
    most = min(len(old), len(new))
    count = 0
    while count < most and old[count] == new[count]:
        count += 1
    return count


def find_blocks(old: Sequence[bytes], new: Sequence[bytes]) -> list[Block]:
    """Return the changed blocks, in order: by equal ends, then by a longest common subsequence.

    Where that would take too long, lines that are unique on both sides divide the blocks.
    """
    found: list[Block] = []
    waiting: list[Block] = [(0, len(old), 0, len(new))]
    while waiting:
        first, last, start, end = waiting.pop()
        same = _count_common_start(old[first:last], new[start:end])
        first, start = first + same, start + same
        same = _count_common_start(old[first:last][::-1], new[start:end][::-1])
        last, end = last - same, end - same
        pairs: list[Pair] = []
        if (last - first) * (end - start) <= _EXACT:
            pairs = _rank_pairs(old[first:last], new[start:end])
        else:
            pairs = _find_unique_pairs(old[first:last], new[start:end])
        line, place = first, start
        for i, j, _ in pairs:
            waiting.append((line, first + i, place, start + j))
            line, place = first + i + 1, start + j + 1
        if pairs:
            waiting.append((line, last, place, end))
        elif first < last or start < end:
            found.append((first, last, start, end))
    return sorted(found)


def _measure_ends(old: Sequence[bytes], new: Sequence[bytes]) -> list[list[int]]:
    """Return for each pair of positions how long the longest common subsequence of what follows is."""
    width = len(new)
    rows = [[0] * (width + 1)]
    for line in reversed(old):
        below, row = rows[-1], [0] * (width + 1)
        # Without calls, since a reformatted file has many cells.
        longest = 0
        for place in range(width - 1, -1, -1):
            if new[place] == line:
                longest = below[place + 1] + 1
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
        pairs.append((line, twin, True))
        twin = previous
    return pairs[::-1]


def _find_places(lines: Sequence[bytes]) -> dict[bytes, int]:
    """Return where each of the lines stands, -1 if in several places."""
    places: dict[bytes, int] = {}
    for place, text in enumerate(lines):
        places[text] = -1 if text in places else place
    return places


def find_zones(old: Sequence[bytes], new: Sequence[bytes], common: Collection[bytes] = ()) -> list[Zone]:
    """Return the changed blocks in zones, in order; between two zones stands at least one certain pair.

    A choice between lines without content, as the texts `common` are, makes no zone ambiguous.
    """
    blocks = find_blocks(old, new)
    zones: list[Zone] = []
    group: list[Block] = []
    for number, block in enumerate(blocks):
        group.append(block)
        if number + 1 < len(blocks) and blocks[number + 1][0] - block[1] <= 2 * CONTEXT:
            continue
        above = min(CONTEXT, group[0][0], group[0][2])
        below = min(CONTEXT, len(old) - block[1], len(new) - block[3])
        first, last, start, end = group[0][0] - above, block[1] + below, group[0][2] - above, block[3] + below
        if (last - first) * (end - start) <= _EXACT:
            zones += _find_exact_zones(old, new, (first, last, start, end), common)
        else:
            zones.append(Zone(group, True, group[0][0], block[1]))
        group = []
    return zones


def _find_exact_zones(old: Sequence[bytes], new: Sequence[bytes], part: Block, common: Collection[bytes]) -> list[Zone]:
    """Return the zones of a part of both sides."""
    line, last, place, end = part
    zones: list[Zone] = []
    blocks: list[Block] = []
    ambiguous = False
    zone_start = line
    # What follows the last line is a pair of its own.
    for pair, twin, is_certain in [*_rank_pairs(old[line:last], new[place:end]), (last - line, end - place, True)]:
        i, j = part[0] + pair, part[2] + twin
        if line < i or place < j:
            blocks.append((line, i, place, j))
        if is_certain:
            if blocks:
                zones.append(Zone(blocks, ambiguous, zone_start, i))
            blocks, ambiguous, zone_start = [], False, i + 1
        elif has_content(old[i], common):
            ambiguous = True
        line, place = i + 1, j + 1
    return zones


def _rank_pairs(old: Sequence[bytes], new: Sequence[bytes]) -> list[Pair]:
    """Return the pairs of a longest common subsequence, each with whether it is in each such subsequence.

    A pair that some longest subsequence has is certain if no other pair has its rank in one.
    """
    ends = _measure_ends(old, new)
    length = ends[0][0]
    counts = [0] * length
    pairs: list[tuple[int, int]] = []
    last_place = -1
    above = [0] * (len(new) + 1)
    for i, line in enumerate(old):
        row, after = [0] * (len(new) + 1), ends[i + 1]
        has_pair = False
        for j, other in enumerate(new):
            if other != line:
                row[j + 1] = max(above[j + 1], row[j])
                continue
            rank = row[j + 1] = above[j] + 1
            if rank + after[j + 1] != length:
                continue
            counts[rank - 1] += 1
            # The first pair of each rank that goes with those before.
            if rank == len(pairs) + 1 and j > last_place and not has_pair:
                pairs.append((i, j))
                last_place = j
                has_pair = True
        above = row
    ranked = []
    for (i, j), count in zip(pairs, counts, strict=True):
        ranked.append((i, j, count == 1))
    return ranked
