"""Order of commits: what others need comes first, and commits that need each other become one."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import repeat

from smartcommit.change import filetypes
from smartcommit.change.definitions import Definitions, is_documentation, list_names, read_definitions
from smartcommit.change.text import read_hunk
from smartcommit.git.diff import FileDiff
from smartcommit.git.hunks import Unit, group_by_file

# What tells git how to read the other files comes before all of them.
_FIRST = (b".gitattributes", b".gitignore", b".gitmodules")
_RANKS = {
    filetypes.MANIFEST: 1, filetypes.LOCK: 1, filetypes.BUILD: 2, filetypes.GENERATED: 3, filetypes.ASSET: 3,
    filetypes.SOURCE: 4, filetypes.TESTS: 5, filetypes.CONFIGURATION: 6, filetypes.CI: 6, filetypes.DOCUMENTATION: 7,
}  # fmt: skip


def order_groups(groups: Sequence[list[Unit]]) -> list[list[Unit]]:
    """Return `groups` ordered so that names are added before they are used, and removed after their last use.

    Groups that need each other are merged. Groups that do not are ordered by rank: git's own configuration, manifests,
    source, tests, documentation; then as in the change.
    """
    needs = _find_needs(groups)
    circles = strongly_connected(needs)
    if len(circles) < len(groups):
        groups, needs = _merge(circles, groups, needs)
    return [groups[group] for group in _sort(needs, list(map(_rank, groups)))]


def _merge(
    circles: Sequence[list[int]], groups: Sequence[list[Unit]], needs: Sequence[set[int]]
) -> tuple[list[list[Unit]], list[set[int]]]:
    """Return `groups` with those of each circle merged, and what the result needs."""
    places: dict[int, int] = {}
    for number, circle in enumerate(circles):
        places.update(dict.fromkeys(circle, number))
    merged, needed = [], []
    for number, circle in enumerate(circles):
        units: list[Unit] = []
        others: set[int] = set()
        for group in circle:
            units += groups[group]
            others.update(map(places.__getitem__, needs[group]))
        merged.append(units)
        needed.append(others - {number})
    return merged, needed


def _sort(needs: Sequence[set[int]], ranks: Sequence[int]) -> list[int]:
    """Return the positions ordered so that each comes after what it needs; `needs`, without cycles, is emptied."""
    needed_by = _reverse(needs)
    ready = sorted((rank, group) for group, rank in enumerate(ranks) if not needs[group])
    found = []
    while ready:
        _, group = heapq.heappop(ready)
        found.append(group)
        for other in needed_by[group]:
            needs[other].discard(group)
            if not needs[other]:
                heapq.heappush(ready, (ranks[other], other))
    return found


def _rank(group: Sequence[Unit]) -> int:
    return min(map(_rank_unit, group))


def _rank_unit(unit: Unit) -> int:
    path = unit.change.path
    if path.rpartition(b"/")[2] in _FIRST:
        return 0
    return _RANKS[filetypes.classify_path(path)]


def _find_needs(groups: Sequence[list[Unit]]) -> list[set[int]]:
    """Return for each group the others that must come before it."""
    changes = list(map(group_by_file, groups))
    defined = read_definitions(changes)
    needs: list[set[int]] = [set() for _ in groups]
    for number, diffs in enumerate(changes):
        for diff in diffs:
            for group, needed in _dependencies(diff, number, defined):
                needs[group].add(needed)
    # A name that moves is added in its new place before it is removed from the old one.
    for name in defined.added.keys() & defined.removed.keys():
        needs[defined.removed[name]].add(defined.added[name])
    for number, others in enumerate(needs):
        others.discard(number)
    return needs


def _dependencies(diff: FileDiff, number: int, defined: Definitions) -> Iterator[tuple[int, int]]:
    """Yield pairs of a group and one that it needs, as far as they follow from `diff` in the group `number`."""
    for hunk in diff.hunks:
        for name in list_names(read_hunk(hunk).added) & defined.added.keys():
            yield number, defined.added[name]
        if is_documentation(diff):
            continue
        for name in list_names(read_hunk(hunk).removed) & defined.removed.keys():
            yield defined.removed[name], number


def strongly_connected(needs: Sequence[set[int]]) -> list[list[int]]:
    """Return all positions, grouped by those that need each other; `needs` has what each one needs.

    Source: the algorithm of Kosaraju and Sharir for strongly connected components, without recursion.
    """
    circle_of: dict[int, int] = {}
    needed_by = _reverse(needs)
    for start in reversed(_list_after_needs(needs)):
        waiting = [start]
        while waiting:
            group = waiting.pop()
            if group not in circle_of:
                circle_of[group] = start
                waiting += needed_by[group]
    circles: dict[int, list[int]] = {}
    for group in range(len(needs)):
        circles.setdefault(circle_of[group], []).append(group)
    return list(circles.values())


def _list_after_needs(needs: Sequence[set[int]]) -> list[int]:
    """Return all positions, each after those that it needs unless they need it too."""
    found: list[int] = []
    seen: set[int] = set()
    for start in range(len(needs)):
        # A position is pushed again with True below those that it needs, and so is finished after them.
        waiting = [(start, False)]
        while waiting:
            group, is_left = waiting.pop()
            if is_left:
                found.append(group)
            elif group not in seen:
                seen.add(group)
                waiting.append((group, True))
                waiting += zip(needs[group], repeat(False))
    return found


def _reverse(needs: Sequence[set[int]]) -> list[list[int]]:
    """Return for each position those that need it."""
    needed_by: list[list[int]] = [[] for _ in needs]
    for group, others in enumerate(needs):
        for other in others:
            needed_by[other].append(group)
    return needed_by
