"""Lines that went in one file and came in another: what was moved, extracted, split or merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from smartcommit.change.facts import FileFacts
from smartcommit.change.text import FILES_SAMPLED, HUNKS_COMPARED, is_import, read_lines
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Lines of each side of a file that are compared.
_LINES_READ = 1000

# Minimum characters of a line that tells where it came from: a shorter one occurs in many files.
_LEAST_CHARACTERS = 13
# Minimum lines that went from one file to another.
_LEAST_LINES = 5


class LineFlow(Record):
    """Where lines of a change went.

    `counts` has for a source and a target, by their places in the list of files, how many lines the one lost and the
    other gained. `gone` and `come` are all lines that were lost and gained, of those that are long enough to tell.
    """

    counts: Counter[tuple[int, int]]
    gone: int
    come: int

    @property
    def sources(self) -> list[int]:
        """The places of the files that lost the lines."""
        return sorted({source for source, _ in self.counts})

    @property
    def targets(self) -> list[int]:
        """The places of the files that gained them."""
        return sorted({target for _, target in self.counts})

    @property
    def moved(self) -> int:
        """Number of lines that only changed their file."""
        return self.counts.total()


def read_flow(files: Sequence[FileFacts]) -> LineFlow:
    """Return where the lines of `files` went, but only from one file to another between which several went."""
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
    lines = read_lines(file.diff.hunks[:HUNKS_COMPARED], side, _LINES_READ)
    return [line for line in lines if len(line) >= _LEAST_CHARACTERS and not is_import(line)]
