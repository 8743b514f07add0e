"""What all statements on a change are made from, and the statement itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from smartcommit.change.edits import LiteralEdit
from smartcommit.change.facts import ChangeFacts, FileFacts, list_hunks
from smartcommit.change.literals import list_literals
from smartcommit.change.text import LINES_READ, FileText, is_import, read_hunk, read_lines, says_nothing
from smartcommit.record import Record

# Number of files that statements are made from; with more, only their names count.
FILES_EXAMINED = 60
# Literal edits, and changed lines, after which no further file is read for more: what is repeated so often is known.
_EDITS_EXAMINED, _LINES_EXAMINED = 400, 2000


class Statement(Record):
    """A summary that the lines of a change show.

    `kind` names what it says, as in `judge.PRIORS`, and `subject` what it is about. `share` is the share of the changed
    lines that it explains, from 0 to 1. `type` is the class of the type that it tells by itself, such as "ci" for a new
    workflow, and `repeated` says that one edit was made in more than two files.
    """

    text: str
    kind: str
    subject: str
    share: float
    type: str | None = None
    repeated: bool = False


class ChangeView:
    """A change, and what more than one kind of statement asks of it.

    `read_text` returns the new text of a file; it is None where there is no repository to read from.
    """

    def __init__(self, change: ChangeFacts, read_text: Callable[[FileFacts], str] | None = None) -> None:
        self.change = change
        self.core: Sequence[FileFacts] = change.core[:FILES_EXAMINED]
        self._read_text = read_text

    @property
    def can_read(self) -> bool:
        """Whether whole files can be read."""
        return self._read_text is not None

    def read_new_text(self, file: FileFacts) -> str:
        """Return the new text of `file`, empty if it cannot be read; starts a process."""
        return self._read_text(file) if self._read_text is not None else ""

    @cached_property
    def lines(self) -> int:
        """Number of changed lines in `core` that have to be explained, at least 1."""
        strong, weak = self._sizes
        return strong or weak or 1

    @property
    def follows_alone(self) -> bool:
        """Whether nothing but imports and comments changed, which follow from other changes as a rule."""
        return self._sizes[0] == 0

    @cached_property
    def _sizes(self) -> tuple[int, int]:
        return _count_sizes(self.core)

    @cached_property
    def literals(self) -> Sequence[tuple[FileFacts, LiteralEdit]]:
        """The literal edits in `core`, each with its file."""
        found: list[tuple[FileFacts, LiteralEdit]] = []
        lines = 0
        for file in self.core:
            if file.nature != "modified":
                continue
            if lines > _LINES_EXAMINED or len(found) > _EDITS_EXAMINED:
                break
            lines += file.lines_added + file.lines_removed
            for edit in list_literals(file.diff):
                found.append((file, edit))
        return found

    @cached_property
    def added(self) -> Sequence[str]:
        """The first added lines of the whole change."""
        return read_lines(list_hunks(self.change.files[:FILES_EXAMINED]), "added")

    @cached_property
    def removed(self) -> Sequence[str]:
        """The first removed lines of the whole change."""
        return read_lines(list_hunks(self.change.files[:FILES_EXAMINED]), "removed")

    def share(self, lines: float) -> float:
        """Return the share of the changed lines that `lines` are."""
        return min(1.0, lines / self.lines)


def count_lines(files: Sequence[FileFacts]) -> int:
    """Return the number of changed lines that have to be explained, at least 1.

    An edited line counts once. Comments and imports count only if nothing else changed.
    """
    strong, weak = _count_sizes(files)
    return strong or weak or 1


def _count_sizes(files: Sequence[FileFacts]) -> tuple[int, int]:
    """Return the number of changed lines without comments and imports, and with them.

    In a large change, the lines after the first LINES_READ are counted without reading them.
    """
    strong = weak = lines = 0
    for file in files:
        text = FileText(file.path)
        for hunk in file.diff.hunks:
            lines += len(hunk.removed) + len(hunk.added)
            if lines > LINES_READ:
                longer = max(len(hunk.removed), len(hunk.added))
                strong, weak = strong + longer, weak + longer
                continue
            reading = read_hunk(hunk)
            sizes = []
            for side in (reading.removed, reading.added):
                telling = [line for line in side.read() if not says_nothing(line)]
                plain = [line for line in telling if not is_import(line) and not text.is_comment(line)]
                sizes.append((len(plain), len(telling)))
            strong += max(sizes[0][0], sizes[1][0])
            weak += max(sizes[0][1], sizes[1][1])
    return strong, weak
