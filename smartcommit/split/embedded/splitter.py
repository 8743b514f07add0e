"""The embedded splitter: divides a change among commits, over files and within them, and finds an alternative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from smartcommit.git.hunks import ChangeUnits
from smartcommit.git.repo import Repository
from smartcommit.split.embedded.partition import Group, find_partition
from smartcommit.split.embedded.similarity import UNKNOWN, Habits
from smartcommit.split.embedded.within.candidates import Candidate, Surroundings, find_asked, find_candidates
from smartcommit.split.embedded.within.divide import divide_files, read_files
from smartcommit.split.embedded.within.finders import Pieces, find_certain
from smartcommit.split.plan import list_ids

# Hunks of a change each of which may become a commit if the user says how many commits there are.
_HUNKS_SEPARATED = 80


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
        change = self._hunks
        if sum(len(unit.hunks) for unit in change.units) > _HUNKS_SEPARATED:
            change = self._change
        found = find_partition(change, count=count, habits=self._habits)
        owners = {}
        for number, group in enumerate(found.groups):
            owners.update(dict.fromkeys(list_ids(group), number))
        return Division(*divide_files(change, owners))

    def _divide_freely(self) -> Division:
        """Return the division that seems best, with an alternative if there is one."""
        found = find_partition(self._change, habits=self._habits, asking=self._options.asking)
        certain = find_certain(self._files)
        division = self._take_out(found.groups, certain)
        alternative = None
        if found.alternative is not None:
            alternative = self._take_out(found.alternative, certain)
        around = Surroundings(self._files, len(division.groups), found.confidence or 1.0)
        asked = find_asked(find_candidates(self._files, apart_from=certain), around)
        if asked is not None:
            certain = [pieces - asked.pieces for pieces in certain]
            alternative = replace(self._take_out(found.groups, [*certain, set(asked.pieces)]), apart=asked)
        return replace(division, confidence=found.confidence, alternative=alternative)

    def _take_out(self, groups: list[Group], taken: Sequence[Pieces]) -> Division:
        """Return the division of `groups`, of whole files, after the sets of pieces in `taken` left them."""
        if not any(taken):
            return Division(self._change, groups)
        number_of = {}
        for number, group in enumerate(groups):
            for unit in group:
                number_of[unit.change.path] = number
        owners = {unit.id: number_of[unit.change.path] for unit in self._hunks.units}
        return Division(*divide_files(self._hunks, owners, self._files, taken))
