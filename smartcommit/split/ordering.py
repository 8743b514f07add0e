"""Order of commits: what others need comes first; those that need each other, or break a file, become one."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import chain, repeat

from smartcommit.change import filetypes
from smartcommit.change.syntax import parses
from smartcommit.change.uses import list_callers, list_uses
from smartcommit.git.hunks import ChangeUnits, Unit, group_by_file
from smartcommit.split.constraints import group_linked
from smartcommit.split.file_states import Steps

# Bytes that are parsed for one change, which takes some seconds; files beyond that count as sound.
BUDGET = 8 << 20
# What tells git how to read the other files comes before all of them.
_FIRST = (b".gitattributes", b".gitignore", b".gitmodules")
_RANKS = {
    filetypes.MANIFEST: 1, filetypes.LOCK: 1, filetypes.BUILD: 2, filetypes.GENERATED: 3, filetypes.ASSET: 3,
    filetypes.SOURCE: 4, filetypes.TESTS: 5, filetypes.CONFIGURATION: 6, filetypes.CI: 6, filetypes.DOCUMENTATION: 7,
}  # fmt: skip

# Kinds of files that list packages.
_LISTING = {filetypes.MANIFEST, filetypes.LOCK, filetypes.BUILD}

Groups = Sequence[Sequence[Unit]]


def order_groups(groups: Groups) -> list[list[Unit]]:
    """Return `groups` ordered so that names are added before they are used, and removed after their last use.

    Groups that need each other are merged. What calls a definition comes after what edits it. The others are ordered by
    rank: git's own configuration, manifests, source, tests, documentation; then as in the change.
    """
    ordered = [list(group) for group in groups]
    while True:
        sure, likely = _find_needs(ordered)
        circles = strongly_connected(sure)
        if len(circles) == len(ordered):
            break
        merged = []
        for circle in circles:
            merged.append(list(chain.from_iterable(ordered[item] for item in circle)))
        ordered = merged
    calls = _make_sets(len(ordered))
    for caller, definer in list_callers([group_by_file(item) for item in ordered]):
        calls[caller].add(definer)
    needs = _add_likely(_add_likely(sure, likely), calls)
    ranks = [_rank(group) for group in ordered]
    return [ordered[place] for place in _sort(needs, ranks)]


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


def _add_likely(sure: Sequence[set[int]], likely: Sequence[set[int]]) -> list[set[int]]:
    """Return `sure` and those of `likely` that are in no circle; `sure` has no circle."""
    needs = [certain | possible for certain, possible in zip(sure, likely, strict=True)]
    for circle in strongly_connected(needs):
        for group in circle:
            needs[group] -= likely[group].intersection(circle) - sure[group]
    return needs


def _sort(needs: Sequence[set[int]], ranks: Sequence[int]) -> list[int]:
    """Return the positions ordered so that each comes after what it needs; `needs`, without cycles, is emptied."""
    needed_by = _reverse(needs)
    ready = sorted((rank, group) for group, rank in enumerate(ranks) if not needs[group])
    ordered = []
    while ready:
        _, group = heapq.heappop(ready)
        ordered.append(group)
        for other in needed_by[group]:
            needs[other].discard(group)
            if not needs[other]:
                heapq.heappush(ready, (ranks[other], other))
    return ordered


def _rank(group: Sequence[Unit]) -> int:
    ranks = []
    for unit in group:
        path = unit.change.path
        kind = filetypes.classify_path(path)
        if path.rpartition(b"/")[2] in _FIRST:
            return 0
        # Code first does without a package that goes, whatever it calls it.
        if kind in _LISTING and sum(hunk.old_count - hunk.new_count for hunk in unit.hunks) > 0:
            kind = filetypes.CONFIGURATION
        ranks.append(_RANKS[kind])
    return min(ranks)


def _find_needs(groups: Groups) -> tuple[list[set[int]], list[set[int]]]:
    """Return for each group the others that must come before it, and those that should."""
    sure, likely = _make_sets(len(groups)), _make_sets(len(groups))
    for use in list_uses([group_by_file(group) for group in groups]):
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
    finished: list[int] = []
    seen: set[int] = set()
    for start in range(len(needs)):
        # A position is pushed again with True below those that it needs, and so is finished after them.
        unfinished = [(start, False)]
        while unfinished:
            group, is_left = unfinished.pop()
            if is_left:
                finished.append(group)
            elif group not in seen:
                seen.add(group)
                unfinished.append((group, True))
                unfinished += zip(needs[group], repeat(False))
    circle_of: dict[int, int] = {}
    needed_by = _reverse(needs)
    for start in reversed(finished):
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


def _reverse(needs: Sequence[set[int]]) -> list[list[int]]:
    """Return for each position those that need it."""
    needed_by: list[list[int]] = [[] for _ in needs]
    for group, others in enumerate(needs):
        for other in others:
            needed_by[other].append(group)
    return needed_by


class Checker:
    """Finds the files of `change` that would not parse between commits; each state of a file is parsed once."""

    def __init__(self, change: ChangeUnits) -> None:
        self._change = change
        self._left = BUDGET
        self._known: dict[tuple[bytes, int], bool] = {}
        self._sound: dict[bytes, bool] = {}

    def merge_broken(self, groups: Groups) -> list[list[Unit]]:
        """Return `groups` in their order, merging those between which a file would not parse."""
        places = {unit.id: place for place, unit in enumerate(self._change.units)}
        parts = [list(group) for group in groups]
        while True:
            # A group that leaves a file broken goes with the next one that changes this file.
            pairs = []
            waiting: dict[bytes, int] = {}
            for number, (units, broken) in enumerate(zip(parts, self.find_broken(parts), strict=True)):
                for unit in units:
                    if unit.change.path in waiting:
                        pairs.append((waiting.pop(unit.change.path), number))
                waiting.update(dict.fromkeys(broken, number))
            if not pairs:
                return parts
            merged = []
            for linked in group_linked(parts, pairs):
                merged.append(sorted(chain.from_iterable(linked), key=lambda unit: places[unit.id]))
            parts = order_groups(merged)

    def find_broken(self, groups: Groups) -> list[list[bytes]]:
        """Return for each of `groups`, committed in this order, the files that do not parse after it.

        A file that does not parse both before and after the change counts as sound, and so does one beyond the budget.
        """
        steps = Steps(self._change)
        all_broken = []
        for units in groups:
            broken = []
            for file in steps.take(units):
                path = file.change.path
                if file.is_complete:
                    continue
                if path not in self._sound:
                    text = self._change.files[path].text
                    assert text is not None
                    # What a file that is added or deleted has at one end, nothing, need not parse.
                    ends = (item for item in (text.base, text.target) if item)
                    self._sound[path] = all(self._parses(path, content) for content in ends)
                state = (path, file.taken)
                if self._sound[path] and state not in self._known and self._left >= 0:  # composing is not free
                    self._known[state] = self._parses(path, file.compose()) is False
                if self._known.get(state, False):
                    broken.append(path)
            all_broken.append(broken)
        return all_broken

    def _parses(self, path: bytes, content: bytes) -> bool | None:
        """Return what `syntax.parses` does, or None once the budget is used up."""
        self._left -= len(content)
        return parses(path, content) if self._left >= 0 else None
