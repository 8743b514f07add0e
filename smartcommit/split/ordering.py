"""Order of commits: what others need comes first, and commits that need each other become one."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

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
    needed_by: dict[int, list[int]] = {}
    for group, others in enumerate(needs):
        for other in others:
            needed_by.setdefault(other, []).append(group)
    ready = sorted((rank, group) for group, rank in enumerate(ranks) if not needs[group])
    found = []
    while ready:
        _, group = heapq.heappop(ready)
        found.append(group)
        for other in needed_by.get(group, ()):
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

    Source: Tarjan's algorithm for strongly connected components, without recursion.
    """
    found: list[list[int]] = []
    visit = _Visit(needs, found)
    for start in range(len(needs)):
        visit.start(start)
    return sorted(found)


class _Visit:
    def __init__(self, needs: Sequence[set[int]], found: list[list[int]]) -> None:
        self._needs = needs
        self._found = found
        self._number: dict[int, int] = {}
        self._low: dict[int, int] = {}
        self._open: list[int] = []
        self._is_open: set[int] = set()

    def start(self, start: int) -> None:
        if start in self._number:
            return
        path = [(start, iter(sorted(self._needs[start])))]
        self._enter(start)
        while path:
            node, rest = path[-1]
            other = next(rest, None)
            if other is None:
                path.pop()
                self._leave(node)
                if path:
                    above = path[-1][0]
                    self._low[above] = min(self._low[above], self._low[node])
            elif other not in self._number:
                self._enter(other)
                path.append((other, iter(sorted(self._needs[other]))))
            elif other in self._is_open:
                self._low[node] = min(self._low[node], self._number[other])

    def _enter(self, node: int) -> None:
        self._number[node] = self._low[node] = len(self._number)
        self._open.append(node)
        self._is_open.add(node)

    def _leave(self, node: int) -> None:
        if self._low[node] != self._number[node]:
            return
        circle: list[int] = []
        while not circle or circle[-1] != node:
            circle.append(self._open.pop())
        self._is_open.difference_update(circle)
        self._found.append(sorted(circle))
