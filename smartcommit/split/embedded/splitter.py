"""The embedded splitter: divides a change among commits, over files and within them, and finds an alternative."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from smartcommit.git.hunks import ChangeUnits, cut_files
from smartcommit.git.repo import Repository
from smartcommit.split.cut import keep_files_whole
from smartcommit.split.embedded.partition import Group, Partition, find_partition
from smartcommit.split.embedded.segments import Segments, compare_each_hunk, find_segments
from smartcommit.split.embedded.similarity import UNKNOWN, Habits
from smartcommit.split.embedded.within.candidates import (
    Candidate,
    Surroundings,
    find_asked,
    find_candidates,
)
from smartcommit.split.embedded.within.divide import read_files, take_out
from smartcommit.split.embedded.within.rules import Pieces, find_certain


@dataclass(frozen=True, slots=True)
class DivideOptions:
    """How to divide a change: by which of STRATEGIES, and into how many commits (None: as many as are found).

    With `asking`, another number of commits that is nearly as likely is looked for.
    """

    strategy: str = "auto"
    count: int | None = None
    asking: bool = False


@dataclass(frozen=True, slots=True)
class Division:
    """A change with its units in groups, one for each commit, in the order of the commits.

    `confidence` is the probability that their number is better than the next best one; None if the number was given or
    nothing was compared. `alternative` is another division that the user can choose; `apart` has the pieces that became
    a commit of their own there, if that is the difference.
    """

    change: ChangeUnits
    groups: list[Group]
    confidence: float | None = None
    alternative: Division | None = None
    apart: Candidate | None = None


def divide(
    repository: Repository, change: ChangeUnits, options: DivideOptions, *, habits: Habits = UNKNOWN
) -> Division:
    """Divide `change`, whose units are whole files unless the strategy is `hunk`; one process.

    `habits` tell what was changed together before. Raise GitError if git fails.
    """
    if options.strategy == "auto":
        return _Splitter(repository, change, options, habits).divide()
    found = find_partition(change, strategy=options.strategy, count=options.count, asking=options.asking)
    alternative = None
    if found.alternative is not None:
        alternative = Division(change, found.alternative)
    return Division(change, found.groups, found.confidence, alternative)


class _Splitter:
    """Divides one change, first over files and then within them."""

    def __init__(self, repository: Repository, change: ChangeUnits, options: DivideOptions, habits: Habits) -> None:
        self._repository = repository
        self._change = change
        self._options = options
        self._habits = habits
        self._hunks, self._files = read_files(repository, change)
        self._certain = find_certain(self._files)

    def divide(self) -> Division:
        count = self._options.count
        found = self._divide_freely()
        if count is None:
            return found
        for division in (found, found.alternative):
            if division is not None and len(division.groups) == count:
                return replace(division, confidence=None, alternative=None, apart=None)
        return self._divide_into(count)

    def _divide_into(self, count: int) -> Division:
        """Return the division into `count` groups, or as many as there can be, in which each hunk may go anywhere."""
        segments = compare_each_hunk(self._change) or find_segments(self._change, self._habits)
        parts, found = self._partition(segments, count)
        return Division(parts, found.groups)

    def _divide_freely(self) -> Division:
        """Return the division that seems best, with an alternative if there is one."""
        parts, found = self._partition(find_segments(self._change, self._habits))
        division = self._take_out(parts, found.groups)
        candidates = find_candidates(self._files, apart_from=self._certain)
        around = Surroundings(self._files, len(division.groups), found.confidence or 1.0)
        asked = find_asked(candidates, around)
        alternative = None
        if asked is not None:
            alternative = self._take_out(parts, found.groups, asked)
        elif found.alternative is not None:
            alternative = self._take_out(parts, found.alternative)
        return replace(division, confidence=found.confidence, alternative=alternative)

    def _partition(self, segments: Mapping[bytes, Segments], count: int | None = None) -> tuple[ChangeUnits, Partition]:
        """Return how the files are divided, those of `segments` into these, and the change in the units of that."""
        if self._files:
            change = keep_files_whole(self._hunks, self._hunks.texts.keys() - segments.keys())
        elif segments:
            change = cut_files(self._repository, self._change, segments)
        else:
            change = self._change
        known = {path: segments[path] for path in change.texts if path in segments}
        found = find_partition(change, count=count, segments=known, habits=self._habits, asking=self._options.asking)
        change = keep_files_whole(change, [path for path in change.texts if not found.divides(path)])
        return change, found.with_units(change.units)

    def _take_out(self, change: ChangeUnits, groups: list[Group], apart: Candidate | None = None) -> Division:
        """Return the division of `groups`, the units of `change`, after what is certain and `apart` were taken out."""
        pieces: Pieces = set()
        if apart is not None:
            pieces.update(apart.pieces)
        chosen = list(filter(None, [*(certain - pieces for certain in self._certain), pieces]))
        if chosen:
            change, groups = take_out(groups, self._hunks, self._files, chosen)
        return Division(change, groups, apart=apart)
