"""Finds lines that were removed from one file and added to another: what was moved, extracted, split or merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import itemgetter

from smartcommit.change.facts import FileFacts
from smartcommit.change.text import FILES_SAMPLED, HUNKS_COMPARED, is_import, read_lines
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Maximum removed lines, and added lines, of a file that are compared.
_LINES_READ = 1000
# Minimum characters of a line that is followed: shorter ones occur in many files.
_LEAST_CHARACTERS = 13
# Minimum lines between two files that count as moved: fewer may be the same by chance.
_LEAST_LINES = 5


class LineFlow(Record):
    """How many lines were moved from which files to which others.

    The keys of `counts` are pairs of a source and a target, as indices in the list of files. `gone` and `come` are the
    numbers of all removed and all added lines, of those that are long enough to be followed.
    """

    counts: Counter[tuple[int, int]]
    gone: int
    come: int

    @property
    def sources(self) -> list[int]:
        """The indices of the files that lines were moved from."""
        return sorted(set(map(itemgetter(0), self.counts)))

    @property
    def targets(self) -> list[int]:
        """The indices of the files that lines were moved to."""
        return sorted(set(map(itemgetter(1), self.counts)))

    @property
    def moved(self) -> int:
        """Number of lines that were moved."""
        return self.counts.total()


def read_flow(files: Sequence[FileFacts]) -> LineFlow:
    """Return how many lines were moved between `files`, leaving out pairs of files with only a few such lines."""
    sources: dict[str, int] = {}
    counts: Counter[tuple[int, int]] = Counter()
    gone = come = 0
    files = files[:FILES_SAMPLED]
    most_lost = max((file.lines_removed for file in files), default=0)
    most_gained = max((file.lines_added for file in files), default=0)
    if min(most_lost, most_gained) < _LEAST_LINES:
        # Too little for several lines of one file to have gone to another.
        return LineFlow(counts, gone, come)
    for number, file in enumerate(files):
        lines = _read_telling(file, "removed")
        gone += len(lines)
        for line in lines:
            sources.setdefault(line, number)
    for number, file in enumerate(files):
        lines = _read_telling(file, "added")
        come += len(lines)
        for line in dict.fromkeys(lines):
            source = sources.get(line, number)
            if source != number:
                counts[source, number] += 1
    for pair in [pair for pair, count in counts.items() if count < _LEAST_LINES]:
        del counts[pair]
    return LineFlow(counts, gone, come)


def _read_telling(file: FileFacts, side: Side) -> list[str]:
    """Return the lines of one side that are long enough to be followed, without imports."""
    lines = read_lines(file.diff.hunks[:HUNKS_COMPARED], side, _LINES_READ)
    return [line for line in lines if len(line) >= _LEAST_CHARACTERS and not is_import(line)]
