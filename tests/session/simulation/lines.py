"""Lines with an identity: what is true of who typed and removed them, whatever their texts are."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

NUMBERS = itertools.count()
PERSON = "person"
# Who moved a line where a commit has another of two equal readings.
SOMEBODY = "somebody"


class Line:
    """One line that somebody typed: another line with the same text is another one.

    `authors` are all who typed a part of it. `committed` is whether a commit ever had it: from then on its text is
    public, and whoever brings it back owns that. `moved` is whether some authors only moved what was public,
    `before` the line that an edit made this one of.
    """

    __slots__ = ("authors", "before", "committed", "moved", "number", "text")

    def __init__(self, text: str, authors: Iterable[str], *, moved: bool = False, before: Line | None = None) -> None:
        self.text = text
        self.authors = frozenset(authors)
        self.committed = False
        self.moved = moved
        self.before = before
        self.number = next(NUMBERS)

    def __repr__(self) -> str:
        return f"{self.number}:{'+'.join(sorted(self.authors))}:{self.text!r}"

    def copy_for(self, mover: str) -> Line:
        if self.committed:
            return Line(self.text, {mover}, moved=True)
        return Line(self.text, self.authors, moved=self.moved)

    def changed_to(self, text: str, author: str) -> Line:
        """Return what this line became by an edit of a part of it; what it was before is as its authors typed it."""
        authors = frozenset({author}) if self.committed else self.authors | {author}
        line: Line | None = self
        while line is not None:
            if line.text == text and not line.committed:
                authors = line.authors
            line = line.before
        return Line(text, authors, moved=self.moved, before=self)


@dataclass(frozen=True, eq=False)
class Version:
    """A file's content. `entry` is its mode as a line, so that making a file and chmod have an author as well.

    `final` is whether the last line ends as the others do.
    """

    entry: Line
    lines: tuple[Line, ...]
    final: bool = True

    @property
    def mode(self) -> str:
        return self.entry.text.removeprefix("mode ")

    def with_lines(self, lines: Sequence[Line]) -> Version:
        return replace(self, lines=tuple(lines))

    def text(self, ending: str = "\n") -> str:
        return "".join(self.pieces(ending))

    def pieces(self, ending: str = "\n") -> list[str]:
        pieces = [line.text + ending for line in self.lines]
        if pieces and not self.final:
            pieces[-1] = self.lines[-1].text
        return [piece for piece in pieces if piece]


def new_entry(author: str, mode: str = "100644") -> Line:
    return Line(f"mode {mode}", {author})


def entries(version: Version | None) -> tuple[Line, ...]:
    """Return the mode and the lines as one sequence; nothing where there is no file."""
    return () if version is None else (version.entry, *version.lines)


def keep_order(version: Version, base: Version | None, actor: str) -> Version:
    """Return `version` with copies of the lines that stand in another order than in `base`: `actor` moved them."""
    if base is None:
        return version
    places = {line: place for place, line in enumerate(base.lines)}
    known = [line for line in version.lines if line in places]
    if all(places[a] < places[b] for a, b in itertools.pairwise(known)):
        return version
    kept = find_longest_rise(known, places)
    return version.with_lines(
        [line if line in kept or line not in places else line.copy_for(actor) for line in version.lines]
    )


def find_longest_rise(known: Sequence[Line], places: dict[Line, int]) -> set[Line]:
    ends: list[int] = []
    tops: list[Line] = []
    before: dict[Line, Line | None] = {}
    for line in known:
        at = bisect.bisect_left(ends, places[line])
        before[line] = tops[at - 1] if at else None
        ends[at : at + 1] = [places[line]]
        tops[at : at + 1] = [line]
    kept: set[Line] = set()
    last: Line | None = tops[-1] if tops else None
    while last is not None:
        kept.add(last)
        last = before[last]
    return kept


def find_same(base: Sequence[Line], now: Sequence[Line]) -> dict[Line, Line]:
    """Return the new lines of `now` that stand where lines of `base` with the same text were, with those.

    Retyping a line as it was is no change, whoever did it.
    """
    here, there = set(now), set(base)
    same: dict[Line, Line] = {}
    for old, new in split_gaps(base, now, here & there):
        if old and new:
            same.update(pair_by_text(old, new))
    return same


def split_gaps(base: Sequence[Line], now: Sequence[Line], common: set[Line]) -> list[tuple[list[Line], list[Line]]]:
    cuts = []
    for sequence in (base, now):
        parts: list[list[Line]] = [[]]
        for line in sequence:
            if line in common:
                parts.append([])
            else:
                parts[-1].append(line)
        cuts.append(parts)
    return list(zip(*cuts, strict=True))


def pair_by_text(old: Sequence[Line], new: Sequence[Line]) -> dict[Line, Line]:
    """Return a longest common subsequence of the texts, from lines of `new` to lines of `old`."""
    shared = {line.text for line in old} & {line.text for line in new}
    old = [line for line in old if line.text in shared]
    new = [line for line in new if line.text in shared]
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        row, below = table[i], table[i + 1]
        for j in range(len(new) - 1, -1, -1):
            if old[i].text == new[j].text:
                row[j] = below[j + 1] + 1
            else:
                row[j] = max(below[j], row[j + 1])
    pairs: dict[Line, Line] = {}
    i = j = 0
    while i < len(old) and j < len(new):
        if old[i].text == new[j].text:
            pairs[new[j]] = old[i]
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def find_changed(old: Sequence[object], new: Sequence[object]) -> tuple[int, int, int]:
    """Return where two sequences begin to differ, and where that ends in each."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return first, len(old) - last, len(new) - last
