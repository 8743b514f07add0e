"""Whether files parse between the commits of a split, and not only before the first and after the last one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.split.constraints import union_find
from smartcommit.split.ordering import ordered
from smartcommit.split.steps import FileState, Steps
from smartcommit.split.syntax import parses

# Bytes that are parsed for one change, some seconds' worth; what comes after counts as not checked.
BUDGET = 8 << 20

Groups = Sequence[Sequence[Unit]]
# For each file that a commit leaves in between, whether it parses there; None: not checked.
States = dict[bytes, bool | None]


class Checker:
    """Tells of the files of `pieces` in any state whether they parse, each state once."""

    def __init__(self, pieces: ChangeUnits) -> None:
        self._pieces = pieces
        self._left = BUDGET
        self._known: dict[tuple[bytes, int], bool | None] = {}
        self._sound: dict[bytes, bool] = {}

    def states(self, groups: Groups) -> list[States]:
        """The files that each of `groups`, committed in this order, leaves neither as they were nor as they become.

        One that does not parse before and after the change is not checked: nothing can be expected of it between.
        """
        steps = Steps(self._pieces)
        return [self._between(steps.take(units)) for units in groups]

    def joined(self, groups: Groups) -> list[list[Unit]]:
        """`groups` in their order, those made one between which a file would not parse."""
        places = {unit.id: place for place, unit in enumerate(self._pieces.units)}
        found = [list(units) for units in groups]
        while pairs := self._broken(found):
            found = ordered(
                [
                    sorted((unit for group in joint for unit in found[group]), key=lambda unit: places[unit.id])
                    for joint in union_find(len(found), pairs)
                ]
            )
        return found

    def _between(self, files: Iterable[FileState]) -> States:
        return {file.change.path: self._parses_now(file) for file in files if not file.is_complete}

    def _parses_now(self, file: FileState) -> bool | None:
        path = file.change.path
        if not self._is_sound(path):
            return None
        state = (path, file.taken)
        if state not in self._known:
            if self._left < 0:  # before the content is made, which is not free
                return None
            self._known[state] = self._parses(path, bytes(file.version.content))
        return self._known[state]

    def _is_sound(self, path: bytes) -> bool:
        if path not in self._sound:
            text = self._pieces.texts[path]
            self._sound[path] = bool(self._parses(path, text.base) and self._parses(path, text.target))
        return self._sound[path]

    def _parses(self, path: bytes, content: bytes) -> bool | None:
        """As `smartcommit.split.syntax.parses`, within the budget."""
        self._left -= len(content)
        return parses(path, content) if self._left >= 0 else None

    def _broken(self, groups: Groups) -> list[tuple[int, int]]:
        """Pairs of groups: one that leaves a file broken, and the next one that touches this file."""
        pairs = []
        waiting: dict[bytes, int] = {}
        for number, (units, states) in enumerate(zip(groups, self.states(groups), strict=True)):
            for path in {unit.change.path for unit in units} & waiting.keys():
                pairs.append((waiting.pop(path), number))
            waiting |= {path: number for path, sound in states.items() if sound is False}
        return pairs
