"""The names on one side of a change: by those of the other side one knows what is new, and what is gone."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from functools import cached_property
from operator import attrgetter

from smartcommit.change.facts import FileFacts
from smartcommit.change.text import HUNKS_COMPARED, LINES_COMPARED, read_hunk, split_identifier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Files whose lines are read: with more, a sentence gives their number and no name.
_FILES_READ = 60
# Separates names where their words are searched, so that no phrase goes beyond one name.
_BETWEEN = " | "


class SideNames:
    """The names in the removed or the added lines of files, of the symbols there, and of the files that went or came.

    They are read when they are first asked for. The rest of a very large change is not read.
    """

    def __init__(self, files: Sequence[FileFacts], side: Side) -> None:
        self._files = files[:_FILES_READ]
        self._side = side

    def have(self, name: str) -> bool:
        """Whether `name` is one of them."""
        return name in self._names

    def have_part(self, words: Sequence[str]) -> bool:
        """Whether `words`, in lower case, stand in one of them side by side: `user id` in `parse_user_id`."""
        return f" {' '.join(words)} " in self._text

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

    @cached_property
    def _text(self) -> str:
        parts = [" ".join(split_identifier(name)) for name in self._names]
        return f" {_BETWEEN.join(parts)} "

    def _list_paths(self, file: FileFacts) -> list[bytes]:
        """Return the path of the file if the other side has no file there."""
        change = file.diff.change
        if self._side == "removed":
            if change.status == "D":
                return [change.path]
            return [change.old_path] if change.old_path else []
        return [change.path] if change.status in "AR" else []
