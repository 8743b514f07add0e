"""The order of commits: what others need comes first."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Sequence

from smartcommit.change import kinds
from smartcommit.change.symbols import symbol_changes
from smartcommit.git.hunks import Unit
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

    Groups that need each other, and those that do not, come by rank: what configures git, manifests, source, tests,
    documentation; then by the change's own order.
    """
    needs = _needs(groups)
    needed_by: dict[int, set[int]] = {}
    for group, others in enumerate(needs):
        for other in others:
            needed_by.setdefault(other, set()).add(group)
    ranked = sorted((_rank(units), group) for group, units in enumerate(groups))
    ready = [entry for entry in ranked if not needs[entry[1]]]
    placed: dict[int, None] = {}
    for waiting in ranked:
        # Where all that is left waits for one another, the first by rank goes first.
        ready = ready or [waiting]
        while ready:
            _, group = heapq.heappop(ready)
            if group in placed:
                continue
            placed[group] = None
            for other in needed_by.get(group, ()):
                needs[other].discard(group)
                if not needs[other]:
                    heapq.heappush(ready, (_rank(groups[other]), other))
    return [groups[group] for group in placed]


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
