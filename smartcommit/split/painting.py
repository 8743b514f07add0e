"""A planned commit as lines for a person: its message and its diff, each line with what it is, bounded and safe."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from smartcommit.git.diff import FileChange
from smartcommit.git.hunks import Unit
from smartcommit.terminal import printable

# A hunk is shown with so many lines, each with so many characters, and a commit with so many lines in all.
HUNK_LINES = 120
LINE_WIDTH = 400
COMMIT_LINES = 4000

SUBJECT, TEXT, HUNK, REMOVED, ADDED, NOTE = "subject", "text", "hunk", "removed", "added", "note"
# The terminal's colours, as SGR parameters.
CODES = {SUBJECT: "1", TEXT: "", HUNK: "36", REMOVED: "31", ADDED: "32", NOTE: "2"}

Line = tuple[str, str]
_KINDS = {"A": "new", "D": "deleted", "R": "renamed", "C": "copied", "T": "of another type"}


def message_lines(message: str) -> Iterator[Line]:
    """The message, its first line as the subject."""
    for number, line in enumerate(message.rstrip("\n").split("\n")):
        yield (TEXT if number else SUBJECT), _safe(line)


def diff_lines(number: int, units: Sequence[Unit]) -> Iterator[Line]:
    """What the units of commit `number` change, at most COMMIT_LINES; the third one is called `NUMBER.3`."""
    left = COMMIT_LINES
    for position, unit in enumerate(units, start=1):
        for line in unit_lines(unit, f"{number}.{position}"):
            if left == 0:
                yield NOTE, f"{len(units) - position} more hunks"
                return
            left -= 1
            yield line


def unit_lines(unit: Unit, name: str) -> Iterator[Line]:
    """What `unit` changes, below a line with its `name`."""
    yield HUNK, f"[{name}] {_safe(unit.id)}{_counts(unit.change) if unit.kind == 'file' else ''}"
    yield from ((NOTE, note) for note in _notes(unit))
    lines = [line for hunk in unit.hunks for line in _hunk(hunk.removed, hunk.added)]
    yield from lines[:HUNK_LINES]
    if len(lines) > HUNK_LINES:
        yield NOTE, f"{len(lines) - HUNK_LINES} more lines"


def _hunk(removed: Iterable[bytes], added: Iterable[bytes]) -> Iterator[Line]:
    yield from ((REMOVED, f"-{_content(line)}") for line in removed)
    yield from ((ADDED, f"+{_content(line)}") for line in added)


def _notes(unit: Unit) -> Iterator[str]:
    change = unit.change
    if unit.kind == "file" and change.status in _KINDS:
        source = f" from {_safe(os.fsdecode(change.old_path))}" if change.old_path is not None else ""
        yield f"{_KINDS[change.status]}{source}"
    if unit.kind != "text" and change.status not in "AD" and change.old_mode != change.new_mode:
        yield f"mode {change.old_mode} becomes {change.new_mode}"
    if unit.kind == "file" and change.binary:
        yield "binary"
    elif not unit.complete:
        yield "too large to show in full"


def _counts(change: FileChange) -> str:
    return "" if change.binary else f" (+{change.added} -{change.deleted})"


def _content(line: bytes) -> str:
    return _safe(line[: 4 * LINE_WIDTH].decode("utf-8", "surrogateescape"))


def _safe(text: str) -> str:
    shown = printable(text[:LINE_WIDTH], keep="\t")
    return shown if len(text) <= LINE_WIDTH else shown + "..."
