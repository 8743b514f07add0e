"""Groups of which each needs the other, directly or through others: no order suits them."""

from __future__ import annotations

from collections.abc import Sequence


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
