"""The order of commits: what others need comes first."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Sequence

from smartcommit.change import kinds
from smartcommit.change.symbols import symbol_changes
from smartcommit.git.hunks import Unit
from smartcommit.split.cycles import circles
from smartcommit.split.messages import diffs_of

# What tells git how to read the other files comes before all of them.
_FIRST = (b".gitattributes", b".gitignore", b".gitmodules")
_RANKS = {
    kinds.MANIFEST: 1, kinds.LOCK: 1, kinds.BUILD: 2, kinds.GENERATED: 3, kinds.ASSET: 3, kinds.SOURCE: 4,
    kinds.TESTS: 5, kinds.CONFIGURATION: 6, kinds.CI: 6, kinds.DOCUMENTATION: 7,
}  # fmt: skip
_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{3,}")
_WIDTH = 400


def ordered(groups: Sequence[list[Unit]]) -> list[list[Unit]]:
    """`groups` so that a name is there before it is used and goes after its uses, as far as names tell.

    Groups that need each other become one. Those that do not come by rank: what configures git, manifests, source,
    tests, documentation; then by the change's own order.
    """
    needs = _needs(groups)
    joints = circles(needs)
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
    return min(_RANKS[kinds.kind_of(unit.change.path)] for unit in group)


def _needs(groups: Sequence[list[Unit]]) -> list[set[int]]:
    """For each group the others that must come before it."""
    diffs = [diffs_of(group) for group in groups]
    adders = _only(
        (symbol.name.encode(), number)
        for number, group in enumerate(diffs) for diff in group for symbol in symbol_changes(diff).added
    )  # fmt: skip
    removers = _only(
        (symbol.name.encode(), number)
        for number, group in enumerate(diffs) for diff in group for symbol in symbol_changes(diff).removed
    )  # fmt: skip
    needs: list[set[int]] = [set() for _ in groups]
    for number, group in enumerate(diffs):
        for hunk in (hunk for diff in group for hunk in diff.hunks):
            for name in _names(hunk.added) & adders.keys():
                needs[number].add(adders[name])
            for name in _names(hunk.removed) & removers.keys():
                needs[removers[name]].add(number)
    for number, others in enumerate(needs):
        others.discard(number)
    return needs


def _only(found: Iterable[tuple[bytes, int]]) -> dict[bytes, int]:
    """The group of each name; a name that several groups have says nothing about which of them is meant."""
    groups: dict[bytes, set[int]] = {}
    for name, group in found:
        groups.setdefault(name, set()).add(group)
    return {name: min(numbers) for name, numbers in groups.items() if len(numbers) == 1}


def _names(lines: Iterable[bytes]) -> set[bytes]:
    return {name for line in lines for name in _NAME.findall(line[:_WIDTH])}
