"""The names on one side of a change. What the other side does not have was added or removed."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from functools import cached_property
from operator import attrgetter

from smartcommit.change.facts import FileFacts
from smartcommit.change.text import HUNKS_COMPARED, LINES_COMPARED, read_hunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Maximum files that are read: for more, a sentence gives their number and no names.
_FILES_READ = 60


class SideNames:
    """The names on one side: in its lines, of its symbols, and of files that exist on this side only.

    They are read when they are first needed. Of a very large change, only the first files and lines are read.
    """

    def __init__(self, files: Sequence[FileFacts], side: Side) -> None:
        self._files = files[:_FILES_READ]
        self._side = side

    def have(self, name: str) -> bool:
        """Whether `name` is one of them."""
        return name in self._names

    @cached_property
    def _names(self) -> set[str]:
        names: set[str] = set()
        for file in self._files:
            names.update(map(attrgetter("name"), getattr(file.symbols, self._side)))
            for path in self._list_paths(file):
                names.add(posixpath.basename(path).decode("utf-8", "replace").split(".")[0])
            for hunk in file.diff.hunks[:HUNKS_COMPARED]:
                names.update(read_hunk(hunk).side(self._side).names(LINES_COMPARED))
        return names

    def _list_paths(self, file: FileFacts) -> list[bytes]:
        """Return the path of the file on this side if the other side has no file there, as the only item."""
        change = file.diff.change
        if self._side == "added":
            path = change.path if change.status in "AR" else None
        elif change.status == "D":
            path = change.path
        else:
            path = change.old_path
        return [path] if path else []
