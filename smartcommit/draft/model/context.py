"""The hunks of a change with the unchanged lines around them, as far as there is room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from smartcommit.agent.shown import LINE, decode_start, hunk_lines
from smartcommit.change.facts import FileFacts
from smartcommit.errors import GitError
from smartcommit.git.diff import ABSENT, REGULAR, Hunk
from smartcommit.git.objects import read_blobs, read_sizes
from smartcommit.git.repo import Repository

# Maximum number of files whose content is read for context, and bytes of one.
_FILES_SHOWN, _BYTES_READ = 40, 1 << 18
# Lines of context around a hunk, and the maximum characters of a change that is shown with them: for a small change
# the whole function is shown. Three lines are shown wherever they fit.
_WIDE_CONTEXTS = ((20, 2400), (10, 3600))
_LEAST_CONTEXT = 3

# The lines of each file after the change, by path.
Contents = Mapping[bytes, Sequence[bytes]]
# A file, and the lines that are shown of it.
Shown = tuple[FileFacts, list[str]]
_new_id = attrgetter("diff.change.new_id")


def read_contents(repository: Repository, files: Sequence[FileFacts]) -> Contents:
    """Return the lines of changed files as they are after the change, of those that are worth it; two processes.

    Files that are new, deleted or large have none.
    """
    wanted: list[FileFacts] = []
    for file in files[:_FILES_SHOWN]:
        change = file.diff.change
        # What has hunks was read before, so nothing is missing here even in a partial clone.
        if file.diff.hunks and change.old_mode != ABSENT and change.new_mode in REGULAR:
            wanted.append(file)
    contents: dict[bytes, list[bytes]] = {}
    small: list[FileFacts] = []
    try:
        for file, size in zip(wanted, read_sizes(repository, list(map(_new_id, wanted))), strict=True):
            if size <= _BYTES_READ:
                small.append(file)
        for file, blob in zip(small, read_blobs(repository, list(map(_new_id, small))), strict=True):
            contents[file.path] = blob.removesuffix(b"\n").split(b"\n")
    except GitError:
        return {}
    return contents


def show_files(files: Sequence[FileFacts], contents: Contents, room: int) -> list[Shown]:
    """Return the lines of each file's hunks, with as much context as fits into `room` characters, at best for all."""
    for context, limit in (*_WIDE_CONTEXTS, (_LEAST_CONTEXT, room)):
        shown = _show_with_context(files, contents, context)
        if measure(shown) <= min(limit, room):
            return shown
    return _show_with_context(files, {}, 0)


def _show_with_context(files: Sequence[FileFacts], contents: Contents, context: int) -> list[Shown]:
    return [(file, list(_show_file(file, contents, context))) for file in files]


def _show_file(file: FileFacts, contents: Contents, context: int) -> Iterator[str]:
    lines = contents.get(file.path)
    if lines is None:
        for hunk in file.diff.hunks:
            yield from hunk_lines(hunk)
        return
    shown = 0
    for hunk, following in zip(file.diff.hunks, (*file.diff.hunks[1:], None), strict=True):
        start, end = _place(hunk)
        heading, *changed = hunk_lines(hunk)
        if start - context > shown or not shown:
            yield heading
        yield from _unchanged(lines[max(shown, start - context) : start])
        yield from changed
        shown = min(end + context, len(lines))
        if following is not None:
            shown = min(shown, _place(following)[0])
        yield from _unchanged(lines[end:shown])


def _place(hunk: Hunk) -> tuple[int, int]:
    """Return where a hunk begins and ends among the lines after the change, counted from 0."""
    start = hunk.new_start
    if hunk.new_count:
        # git names the line before a hunk that adds none.
        start -= 1
    return start, start + hunk.new_count


def _unchanged(lines: Sequence[bytes]) -> Iterator[str]:
    for line in lines:
        yield " " + decode_start(line, LINE)


def measure(shown: Sequence[Shown]) -> int:
    size = 0
    for _, lines in shown:
        size += sum(map(len, lines)) + len(lines)
    return size
