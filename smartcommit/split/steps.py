"""What becomes of each file from commit to commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from smartcommit.git.chain import ABSENT, Edit
from smartcommit.git.compose import Text
from smartcommit.git.hunks import Pieces, Unit


class Steps:
    """What each commit changes, taken one after the other: a file's content depends on its hunks committed so far."""

    def __init__(self, pieces: Pieces) -> None:
        self._texts = pieces.texts
        self._parts: dict[bytes, list[Unit]] = {}
        for unit in pieces.units:
            self._parts.setdefault(unit.change.path, []).append(unit)
        self._taken: dict[bytes, set[str]] = {}

    def edits(self, units: Iterable[Unit]) -> Iterator[Edit]:
        """The edits that add `units` to what was taken before."""
        touched: dict[bytes, None] = {}
        for unit in units:
            touched[unit.change.path] = None
            self._taken.setdefault(unit.change.path, set()).add(unit.id)
        for path in touched:
            change = self._parts[path][0].change
            if change.old_path is not None:
                yield Edit(change.old_path, ABSENT, change.old_id)
            if (edit := self.entry(path)) is not None:
                yield edit

    def entry(self, path: bytes, beside: Text | None = None) -> Edit | None:
        """What `path` is with the units taken so far, None where none was.

        `beside` are other changes to the same base, to be made where no hunk that was taken touches them.
        """
        parts, taken = self._parts[path], self._taken.get(path, set())
        change = parts[0].change
        if not taken:
            return None
        if len(taken) == len(parts):
            return Edit(path, change.new_mode, change.new_id)
        # A set: each commit of a file asks for each of its hunks.
        chosen = {number for number, unit in enumerate(parts) if unit.kind == "text" and unit.id in taken}
        mode = change.new_mode if any(u.kind == "mode" and u.id in taken for u in parts) else change.old_mode
        return Edit(path, mode, change.new_id, self._texts[path].compose(chosen, beside))
