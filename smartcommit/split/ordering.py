"""Order of commits: what others need comes first, and commits that need each other become one."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from smartcommit.change import filetypes
from smartcommit.git.hunks import Unit, diffs_of
from smartcommit.split.definitions import is_documentation, names_in, read_definitions

# What tells git how to read the other files comes before all of them.
_FIRST = (b".gitattributes", b".gitignore", b".gitmodules")
_RANKS = {
    filetypes.MANIFEST: 1,
    filetypes.LOCK: 1,
    filetypes.BUILD: 2,
    filetypes.GENERATED: 3,
    filetypes.ASSET: 3,
    filetypes.SOURCE: 4,
    filetypes.TESTS: 5,
    filetypes.CONFIGURATION: 6,
    filetypes.CI: 6,
    filetypes.DOCUMENTATION: 7,
}


def ordered(groups: Sequence[list[Unit]]) -> list[list[Unit]]:
    """`groups` so that a name is there before it is used and goes after its uses, as far as names tell.

    Groups that need each other become one. Those that do not come by rank: what configures git, manifests, source,
    tests, documentation; then by the change's own order.
    """
    needs = _needs(groups)
    joints = strongly_connected(needs)
    if len(joints) < len(groups):
        place = {group: number for number, joint in enumerate(joints) for group in joint}
        needs = [{place[other] for group in joint for other in needs[group]} - {n} for n, joint in enumerate(joints)]
        groups = [[unit for group in joint for unit in groups[group]] for joint in joints]
    return [groups[group] for group in _placed(needs, [_rank(units) for units in groups])]


def _placed(needs: Sequence[set[int]], ranks: Sequence[int]) -> list[int]:
    """The positions in an order that gives each what it needs before it; `needs`, without circles, is used up."""
    needed_by: dict[int, list[int]] = {}
    for group, others in enumerate(needs):
        for other in others:
            needed_by.setdefault(other, []).append(group)
    ready = sorted((rank, group) for group, rank in enumerate(ranks) if not needs[group])
    placed = []
    while ready:
        _, group = heapq.heappop(ready)
        placed.append(group)
        for other in needed_by.get(group, ()):
            needs[other].discard(group)
            if not needs[other]:
                heapq.heappush(ready, (ranks[other], other))
    return placed


def _rank(group: Sequence[Unit]) -> int:
    if any(unit.change.path.rpartition(b"/")[2] in _FIRST for unit in group):
        return 0
    return min(_RANKS[filetypes.kind_of(unit.change.path)] for unit in group)


def _needs(groups: Sequence[list[Unit]]) -> list[set[int]]:
    """For each group the others that must come before it."""
    diffs = [diffs_of(group) for group in groups]
    defined = read_definitions(diffs)
    needs: list[set[int]] = [set() for _ in groups]
    for number, diff in ((number, diff) for number, group in enumerate(diffs) for diff in group):
        for hunk in diff.hunks:
            for name in names_in(hunk.added) & defined.added.keys():
                needs[number].add(defined.added[name])
            if is_documentation(diff):
                continue
            for name in names_in(hunk.removed) & defined.removed.keys():
                needs[defined.removed[name]].add(number)
    # What is moved is in its new place before it leaves the old one.
    for name in defined.added.keys() & defined.removed.keys():
        needs[defined.removed[name]].add(defined.added[name])
    for number, others in enumerate(needs):
        others.discard(number)
    return needs


def strongly_connected(needs: Sequence[set[int]]) -> list[list[int]]:
    """All positions, those together that need each other, in ascending order; `needs` has what each one needs.

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
