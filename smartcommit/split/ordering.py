"""Order of commits: what others need comes first, and commits that need each other become one."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import chain, repeat

from smartcommit.change import filetypes
from smartcommit.change.definitions import list_uses
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
    sure, likely = _find_needs(groups)
    circles = strongly_connected(sure)
    if len(circles) < len(groups):
        groups = _merge(circles, groups)
        sure, likely = _merge_needs(circles, sure), _merge_needs(circles, likely)
    needs = _add_likely(sure, likely)
    return list(map(groups.__getitem__, _sort(needs, list(map(_rank, groups)))))


def order_among(
    fixed: Sequence[list[Unit]], others: Sequence[list[Unit]], spans: Sequence[tuple[int, int]]
) -> list[int]:
    """Return the positions of all groups in an order in which the `fixed` ones, which come first, stay in theirs.

    The `spans` say when the lines of each group came, first and last ones. A group only needs what was there by then;
    others come after what they need, then before what needs them, as far as that is possible; else when they came.
    """
    needs = _make_sets(len(spans))
    for number in range(1, len(fixed)):
        needs[number].add(number - 1)
    sure, likely = _find_needs([*fixed, *others])
    for wanted in (sure, likely):
        for number, needed in enumerate(wanted):
            needed -= {other for other in needed if spans[other][0] > spans[number][1]}
    own: list[set[int]] = [*([set()] * len(fixed)), *sure[len(fixed) :]]
    for wanted in (own, sure, likely):
        needs = _add_likely(needs, wanted)
    return _sort(needs, [last for _, last in spans])


def _merge(circles: Sequence[list[int]], groups: Sequence[list[Unit]]) -> list[list[Unit]]:
    """Return `groups` with those of each circle merged."""
    merged = []
    for circle in circles:
        merged.append(list(chain.from_iterable(map(groups.__getitem__, circle))))
    return merged


def _merge_needs(circles: Sequence[list[int]], needs: Sequence[set[int]]) -> list[set[int]]:
    """Return what each circle needs of the others."""
    places: dict[int, int] = {}
    for number, circle in enumerate(circles):
        places.update(dict.fromkeys(circle, number))
    merged = []
    for number, circle in enumerate(circles):
        others: set[int] = set()
        for group in circle:
            others.update(map(places.__getitem__, needs[group]))
        merged.append(others - {number})
    return merged


def _add_likely(sure: Sequence[set[int]], likely: Sequence[set[int]]) -> list[set[int]]:
    """Return `sure` and those of `likely` that are in no circle; `sure` has no circle."""
    needs = list(map(set.union, sure, likely))
    for circle in strongly_connected(needs):
        for group in circle:
            needs[group] -= likely[group].intersection(circle) - sure[group]
    return needs


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


def _find_needs(groups: Sequence[list[Unit]]) -> tuple[list[set[int]], list[set[int]]]:
    """Return for each group the others that must come before it, and those that should."""
    sure, likely = _make_sets(len(groups)), _make_sets(len(groups))
    for use in list_uses(list(map(group_by_file, groups))):
        needs = likely
        if use.is_sure:
            needs = sure
        if use.side == "added":
            needs[use.user].add(use.definer)
        else:
            needs[use.definer].add(use.user)
    return sure, likely


def _make_sets(count: int) -> list[set[int]]:
    return [set() for _ in range(count)]


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
