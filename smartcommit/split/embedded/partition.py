"""The embedded splitter: compares the parts of a change in pairs, and joins those that belong together.

The same change is always split in the same way. A change that belongs together stays one commit.
"""

from __future__ import annotations

import math
import posixpath
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from smartcommit.change.filetypes import DOCUMENTATION, TESTS, classify_path, is_changelog, is_changelog_fragment
from smartcommit.change.uses import list_uses
from smartcommit.git.hunks import ChangeUnits, Unit, group_by_file, group_by_path, keep_whole
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.embedded.commit_count import average_link, choose_level, join_certain, join_followers, join_small
from smartcommit.split.embedded.similarity import Comparison, read_part
from smartcommit.split.ordering import order_groups

STRATEGIES = ("auto", "hunk", "file", "directory")

# The confidence below which the user is asked for the number of commits.
_CONFIDENT = 0.74
# Comparison takes quadratic time: with more parts than this, those of one folder count as one.
_PARTS_COMPARED = 150
# How well tests alone fit what they follow: a lower fit suffices than for other parts.
_TESTS_FIT = 0.55
# Changed lines of an entry of a changelog.
_LINES_OF_ENTRY = 12

Group = list[Unit]


@dataclass(frozen=True, slots=True)
class Division:
    """A change with its units in groups, one for each commit, in the order of the commits.

    `confidence` is the probability that their number is better than the next best one; None if the number was given or
    nothing was compared. `alternative` is another division that the user can choose.
    """

    change: ChangeUnits
    groups: list[Group]
    confidence: float | None = None
    alternative: Division | None = None


def partition_files(units: Sequence[Unit], *, strategy: str = "auto", count: int | None = None) -> list[Group]:
    """Return `units` in groups, those of each file together."""
    files = group_by_path(units)
    groups = []
    for group in find_partition(keep_whole(group_by_file(units)), strategy=strategy, count=count).groups:
        groups.append(list(chain.from_iterable(files[unit.change.path] for unit in group)))
    return groups


def find_partition(
    change: ChangeUnits, *, strategy: str = "auto", count: int | None = None, asking: bool = False
) -> Division:
    """Return how the units of `change` are divided among commits.

    With `hunk` each unit is a group; with `file` and `directory` the units of a file, or of the files in one folder,
    form a group. `count` is the number of groups to make, as far as the units can be separated. An alternative is only
    looked for if `asking`: ordering its groups takes as long as ordering the others.
    """
    bundles = find_inseparable(change.units)
    if strategy == "directory":
        bundles = _merge_by(bundles, _folder)
    elif strategy == "file":
        bundles = _merge_by(bundles, lambda unit: unit.change.path)
    if strategy != "auto" and (count is None or count >= len(bundles)):
        return Division(change, order_groups(bundles))
    # Fragments of changelogs come last: they look alike, and go with what they tell of, however much else there is.
    parts = sorted(_coarsen(bundles), key=_is_fragment)
    fragments = {place for place, part in enumerate(parts) if _is_fragment(part)}
    are_edited = any(is_changelog_fragment(unit.change.path) and not _is_fragment([unit]) for unit in change.units)
    if are_edited or len(parts) - len(fragments) < (count or 1):
        fragments = set()  # they change for their own sake
    files = [group_by_file(part) for part in parts]
    comparison = Comparison([read_part(file) for file in files], list_uses(files))
    fit, follow, rate_entry = cache(comparison.probability), cache(comparison.follow), cache(comparison.rate_entry)
    # As few groups as are wanted, even if a fragment has nothing to go with but a changelog.
    least = 0.0 if count is None else -1.0
    tree = average_link(len(parts) - len(fragments), fit)

    def make_groups(count: int) -> list[list[int]]:
        groups = [*tree.groups(count), *([fragment] for fragment in fragments)]
        return join_followers(groups, fragments, rate_entry, least, weigh=max)

    if count is not None:
        return Division(change, _join_parts(parts, make_groups(count)))
    level = choose_level(tree)
    entries, tests = _find_followers(parts)
    sizes = [_measure(part) for part in parts]

    def join(count: int) -> list[Group]:
        positions = join_followers(join_certain(make_groups(count), follow), entries, fit)
        positions = join_followers(positions, tests, fit, _TESTS_FIT)
        return _join_parts(parts, join_small(positions, sizes, fit))

    found = Division(change, join(level.count))
    if level.other is None:
        return found
    alternative = None
    if asking and level.confidence < _CONFIDENT:
        other = join(level.other)
        if other != found.groups:
            alternative = Division(change, other)
    return replace(found, confidence=level.confidence, alternative=alternative)


def _is_fragment(part: Group) -> bool:
    return all(unit.change.status == "A" and is_changelog_fragment(unit.change.path) for unit in part)


def _measure(part: Group) -> float:
    """Return the lines of a part; a few lines of documentation are a commit of their own more often than others."""
    if _classify(part) == DOCUMENTATION:
        return math.inf
    return _count_lines(part)


def _count_lines(part: Group) -> int:
    lines = 0
    for unit in part:
        for hunk in unit.hunks:
            lines += hunk.old_count + hunk.new_count
    return lines


def _find_followers(parts: Sequence[Group]) -> tuple[set[int], set[int]]:
    """Return the positions of the entries of changelogs, and of the tests: they go with what they are about."""
    entries, tests = set(), set()
    for place, part in enumerate(parts):
        paths = [unit.change.path for unit in part]
        are_entries = all(is_changelog(path) or is_changelog_fragment(path) for path in paths)
        if are_entries and _count_lines(part) <= _LINES_OF_ENTRY:
            entries.add(place)
        elif _classify(part) == TESTS:
            tests.add(place)
    return entries, tests


def _classify(part: Group) -> str:
    return classify_path(part[0].change.path)


def _join_parts(parts: Sequence[Group], found: Sequence[Sequence[int]]) -> list[Group]:
    """Return the units of the parts at the positions in `found` in groups, in the order of the commits."""
    groups: list[Group] = []
    for positions in found:
        groups.append(list(chain.from_iterable(parts[position] for position in positions)))
    return order_groups(groups)


def _coarsen(parts: list[Group]) -> list[Group]:
    """Return `parts` joined by folder, then by ever higher folders, until there are few enough to compare."""
    depth = max((unit.change.path.count(b"/") for unit in chain.from_iterable(parts)), default=0)
    while len(parts) > _PARTS_COMPARED and depth >= 0:
        limit = depth
        parts = _merge_by(parts, lambda unit: b"/".join(_folder(unit).split(b"/")[:limit]))  # noqa: B023
        depth -= 1
    return parts


def _merge_by(parts: Sequence[Group], key: Callable[[Unit], Hashable]) -> list[Group]:
    """Return `parts`, merged if their first units have the same key, in the order of the first of each."""
    merged: dict[Hashable, Group] = {}
    for part in parts:
        merged.setdefault(key(part[0]), []).extend(part)
    return list(merged.values())


def _folder(unit: Unit) -> bytes:
    return posixpath.dirname(unit.change.path)
