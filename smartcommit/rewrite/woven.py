"""The lines of a file between the ends of a range: whose they are, and those that a later commit removes again.

The units of a range are the hunks between its ends, in which such lines do not show. A `WovenText` has them too: lines
that one commit brought and another one removed are there between the units of these two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from smartcommit.git.diff import Hunk
from smartcommit.git.hunks import Text, Unit
from smartcommit.rewrite.origins import BASE, Run, join_lines, number_runs

# The owner of what is cut anew.
LOOSE = -1


@dataclass(frozen=True, slots=True)
class Step(Run):
    """A run with the positions of the units that add and remove its lines, None where no unit does."""

    adder: int | None = None
    remover: int | None = None

    def is_with(self, chosen: Collection[int]) -> bool:
        """Whether a version with the units `chosen` has the lines."""
        return (self.adder is None or self.adder in chosen) and self.remover not in chosen


class WovenText(Text):
    """A text made of `steps`, of which a version has those that its hunks say."""

    __slots__ = ("steps",)

    def __init__(self, text: Text, hunks: Sequence[Hunk], steps: Sequence[Step]) -> None:
        super().__init__(text.base, text.target, hunks)
        self.steps = steps

    def compose(self, chosen: Collection[int], beside: Text | None = None) -> bytes:
        """Return the content with the hunks at the positions `chosen`; nothing can be beside them."""
        assert beside is None
        return join_lines(step for step in self.steps if step.is_with(chosen))


def group_by_path(units: Iterable[Unit]) -> dict[bytes, list[Unit]]:
    found: dict[bytes, list[Unit]] = {}
    for unit in units:
        found.setdefault(unit.change.path, []).append(unit)
    return found


def list_hunks(units: Iterable[Unit]) -> list[Hunk]:
    hunks: list[Hunk] = []
    for unit in units:
        hunks += unit.hunks
    return hunks


def list_steps(runs: Iterable[Run], units: Sequence[Unit]) -> list[Step]:
    """Return all lines of a file in their order; none of the steps has lines of several of its `units`."""
    adders: dict[int, int] = {}
    removers: dict[int, int] = {}
    for position, unit in enumerate(units):
        for hunk in unit.hunks:
            removers.update(dict.fromkeys(range(hunk.old_start, hunk.old_start + hunk.old_count), position))
            adders.update(dict.fromkeys(range(hunk.new_start, hunk.new_start + hunk.new_count), position))
    steps = []
    for run, old, new in number_runs(runs):
        if run.stays or run.is_transient:
            steps.append(Step(run.born, run.died, run.count, run.lines))
        elif run.born == BASE:
            for remover, lines in _divide(run, old, removers):
                steps.append(Step(BASE, run.died, len(lines), lines, remover=remover))
        else:
            for adder, lines in _divide(run, new, adders):
                steps.append(Step(run.born, None, len(lines), lines, adder=adder))
    return steps


def _divide(run: Run, first: int, positions: Mapping[int, int]) -> Iterator[tuple[int | None, tuple[bytes, ...]]]:
    """Yield the lines of a run, whose first number is `first`, unit by unit, with the position of each unit."""
    above = 0
    for position, numbers in groupby([positions.get(number) for number in range(first, first + run.count)]):
        end = above + len(list(numbers))
        yield position, run.lines[above:end]
        above = end


def find_loose(steps: Sequence[Step], place: int, owned: Sequence[int]) -> int | None:
    """Return the position of a unit without owner that changes lines next to the step at `place`.

    No line between them stays. `owned` has the owner of each unit.
    """
    for direction in (1, -1):
        other = place + direction
        while 0 <= other < len(steps) and not steps[other].stays:
            for position in (steps[other].adder, steps[other].remover):
                if position is not None and owned[position] == LOOSE:
                    return position
            other += direction
    return None


def weave(
    text: Text, units: Sequence[Unit], runs: Iterable[Run], *, owners: Sequence[int], owned: Sequence[int]
) -> WovenText:
    """Return the text with the lines of `runs` that do not last.

    `owners` has the owner of each commit, and `owned` that of each unit: the number of the new commit, or LOOSE.
    """
    steps = list_steps(runs, units)
    woven = []
    # The last unit of each owner so far; before it, the first one.
    nearest: dict[int, int | None] = {}
    for position, owner in enumerate(owned):
        nearest.setdefault(owner, position)
    for place, step in enumerate(steps):
        for changer in (step.adder, step.remover):
            if changer is not None:
                nearest[owned[changer]] = changer
        if step.died is None or not step.is_transient:
            woven.append(step)
            continue
        # Of the units without owner only one that changes the same place has to do with the lines.
        near = {**nearest, LOOSE: find_loose(steps, place, owned)}
        adder, remover = near.get(owners[step.born]), near.get(owners[step.died])
        if owners[step.born] != owners[step.died] and adder is not None and remover is not None:
            woven.append(replace(step, adder=adder, remover=remover))
    return WovenText(text, list_hunks(units), woven)


def list_idle(runs: Iterable[Run], owners: Sequence[int]) -> list[int]:
    """Return the owners whose lines in a file are all replaced by others, and that of a new path."""
    idle: set[int] = set()
    lasting: set[int] = set()
    for run in runs:
        changers = _list_changers([run], owners)
        if not run.is_transient:
            lasting |= changers
        elif len(changers) == 2 and LOOSE not in changers:
            idle |= changers
    return sorted(idle - lasting)


def divide_runs(runs: Iterable[Run], owners: Sequence[int], known: Sequence[Hunk]) -> tuple[list[Run], list[Hunk]]:
    """Return the lines of a file, and the hunks between its ends, each of one owner.

    git compares the two ends alone, and may pair lines that the commits do not. Lines that one owner has changed and
    put back count as never changed. Of git's hunks, the `known` ones, the nearest above says which function it is in.
    """
    left: list[Run] = []
    hunks = []
    for _, numbered in groupby(number_runs(runs), key=lambda numbered: numbered[0].stays):
        section = list(numbered)
        changed = [run for run, _, _ in section]
        parts = _list_parts(changed, owners)
        if len(parts) == 1 and parts[0].changes_nothing and len(_list_changers(changed, owners)) == 1:
            lines = tuple(parts[0].removed)
            left.append(Run(BASE, None, len(lines), lines))
            continue
        left += changed
        _, old, new = section[0]
        for part in parts:
            hunks.append(part.make_hunk(old, new, known))
            old += len(part.removed)
            new += len(part.added)
    return left, hunks


def _list_changers(runs: Iterable[Run], owners: Sequence[int]) -> set[int]:
    changers = set()
    for run in runs:
        if run.born != BASE:
            changers.add(owners[run.born])
        if run.died is not None:
            changers.add(owners[run.died])
    return changers


@dataclass(slots=True)
class _Part:
    """Lines in a row that one owner removes and adds."""

    owner: int
    removed: list[bytes] = field(default_factory=list)
    added: list[bytes] = field(default_factory=list)

    @property
    def changes_nothing(self) -> bool:
        """Whether a commit of these lines alone would be empty."""
        return self.removed == self.added

    def make_hunk(self, old: int, new: int, known: Iterable[Hunk]) -> Hunk:
        context = b""
        for hunk in known:
            if hunk.old_start <= old + len(self.removed):
                context = hunk.context
        removed, added = _strip_ends(self.removed), _strip_ends(self.added)
        # git numbers an empty side by the line before it.
        return Hunk(old - (not removed), len(removed), new - (not added), len(added), context, removed, added)


def _list_parts(runs: Iterable[Run], owners: Sequence[int]) -> list[_Part]:
    """Return what is removed and added between lines that stay, in parts that each change something."""
    parts: list[_Part] = []
    for run in runs:
        if run.stays or run.is_transient:
            continue
        (owner,) = _list_changers([run], owners)
        if not parts or not (parts[-1].owner == owner or parts[-1].changes_nothing):
            parts.append(_Part(owner))
        part = parts[-1]
        part.owner = owner
        if run.died is None:
            part.added += run.lines
        else:
            part.removed += run.lines
    if len(parts) > 1 and parts[-1].changes_nothing:
        last = parts.pop()
        parts[-1].removed += last.removed
        parts[-1].added += last.added
    return parts


def _strip_ends(lines: Sequence[bytes]) -> list[bytes]:
    return [line.removesuffix(b"\n") for line in lines]
