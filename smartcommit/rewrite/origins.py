"""Which commit of a range each line comes from, and where it is in the versions between.

A `LineHistory` has all lines that one file ever had in a range of commits, in one order, as runs of lines that came
together and went together. The lines that no commit of the range changes are not read.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from smartcommit.git.diff import ABSENT, REGULAR, FileChange, FileDiff, Hunk, read_commit_diffs
from smartcommit.git.fast_import import Edit
from smartcommit.git.hunks import PATCH_LIMIT
from smartcommit.git.repo import Repository

# The origin of lines from before the range.
BASE = -1
# More lines than any file has: those from before the range are not counted.
_ALL = 1 << 48


@dataclass(frozen=True, slots=True)
class LineRun:
    """`count` lines that the commit at the position `born` in the range inserted, and the one at `died` removed.

    `born` is BASE for lines from before the range, whose text is only there once `read_base` has read it, and `died` is
    None for lines that HEAD has.
    """

    born: int
    died: int | None
    count: int
    lines: tuple[bytes, ...] = ()

    @property
    def stays(self) -> bool:
        """Whether the lines are both before the range and in HEAD."""
        return self.born == BASE and self.died is None

    @property
    def is_transient(self) -> bool:
        """Whether the lines are neither before the range nor in HEAD."""
        return self.born != BASE and self.died is not None

    def outlives(self, commit: int) -> bool:
        """Whether `commit` or a later one has the lines."""
        return self.died is None or self.died > commit


@dataclass(slots=True)
class LineHistory:
    """The lines of one file in all versions from before a range of commits to HEAD, its last one.

    `changes` has what the commits did to the file, by their positions in the range. Unless the file `is_text` in all
    versions, the runs say nothing. Lines of HEAD are counted from 0; a range without any is the place above its start.
    """

    runs: list[LineRun] = field(default_factory=lambda: [LineRun(BASE, None, _ALL)])
    changes: dict[int, FileChange] = field(default_factory=dict)
    is_text: bool = True

    def list_origins(self, lines: range) -> list[int]:
        """Return the commit that inserted each of these lines of HEAD, BASE for one from before the range."""
        runs, places = self._cut(lines)
        born: list[int] = []
        for run in runs[places.start : places.stop]:
            if run.died is None:
                born += [run.born] * run.count
        return born

    def _cut(self, lines: range) -> tuple[Sequence[LineRun], range]:
        """Return the runs, divided at the ends of these lines of HEAD, and the places of those that have the lines."""
        runs, before = _divide(self.runs, lines.start)
        runs, after = _divide(runs, lines.stop)
        return runs, range(before.stop, after.start)

    def find_place(self, lines: range, since: int) -> tuple[Sequence[LineRun], range] | None:
        """Return the runs, divided around these lines of HEAD, and the places of the runs that have them.

        All versions from that of `since` on must have the lines, and nothing between them. For a place between two
        lines, they must have one of these, and nothing between them if they have both, or no lines at all. Otherwise
        return None.
        """
        if lines:
            runs, places = self._cut(lines)
            return None if _is_changed(runs[places.start : places.stop], since) else (runs, places)
        runs, between = _divide(self.runs, lines.start)
        has_above = between.start > 0 and runs[between.start - 1].born <= since
        has_below = between.stop < len(runs) and runs[between.stop].born <= since
        if has_above and has_below and any(runs[place].outlives(since) for place in between):
            return None
        if has_above:
            return runs, range(between.start, between.start)
        if has_below:
            return runs, range(between.stop, between.stop)
        if not any(run.outlives(since) for run in runs):
            return runs, range(0)  # the file is empty in all of them
        return None

    def absorb(self, hunk: Hunk, since: int) -> bool:
        """Make a hunk of a change of HEAD a part of the commit `since`; return False if it has no place there."""
        place = self.find_place(hunk.old_lines, since)
        if place is None:
            return False
        runs, places = place
        changed = []
        for run in runs[places.start : places.stop]:
            died = run.died
            if died is None:
                died = since
            changed.append(replace(run, died=died))
        if hunk.added:
            changed.append(_make_run(hunk, since))
        self.runs = [*runs[: places.start], *changed, *runs[places.stop :]]
        return True

    def compose(self, commit: int) -> bytes:
        """Return the content at `commit`, once the lines were read."""
        return join_lines(run for run in self.runs if run.born <= commit and run.outlives(commit))

    def is_apart(self, lines: range, since: int) -> bool:
        """Whether no commit after `since` changes a line next to these lines of HEAD.

        Only then does `git rebase` merge the changes: a line that neither of them touches has to be between them.
        """
        runs, before = _divide(self.runs, lines.start)
        runs, after = _divide(runs, lines.stop)
        return not _is_changed(runs[max(before.start - 1, 0) : after.stop + 1], since)

    def find_entry(self, commit: int) -> Edit | None:
        """Return the file as it is at `commit`, with its path then; None if it does not exist.

        At least one commit must have changed it.
        """
        first = next(iter(self.changes.values()))
        entry = Edit(first.old_path or first.path, first.old_mode, first.old_id)
        for number, change in self.changes.items():
            if number <= commit:
                entry = Edit(change.path, change.new_mode, change.new_id)
        return None if entry.mode == ABSENT else entry

    def read_base(self, content: bytes) -> list[LineRun]:
        """Return the runs with the lines from before the range, of the content that the file had then."""
        base = io.BytesIO(content)
        runs = []
        for run in self.runs:
            runs.append(replace(run, lines=tuple(islice(base, run.count))) if run.born == BASE else run)
        return runs

    def follow(self, commit: int, diff: FileDiff) -> None:
        """Add what `commit`, the next one that changes the file, does to it."""
        change = diff.change
        self.changes[commit] = change
        modes = {change.old_mode, change.new_mode}
        self.is_text = self.is_text and diff.complete and not change.binary and modes <= {ABSENT, *REGULAR}
        if self.is_text:
            self.runs = list(_apply(self.runs, diff.hunks, commit))


@dataclass(frozen=True, slots=True)
class Origins:
    """Where the lines of HEAD come from in a range of commits, the oldest first.

    `diffs` has what each commit changes, and `files` the history of each file that one of them changes, by its path in
    HEAD, or the last one that it had. Renamed files are followed as git finds them.
    """

    diffs: Sequence[Sequence[FileDiff]]
    files: dict[bytes, LineHistory]

    def find(self, path: bytes) -> LineHistory:
        return self.files.get(path) or LineHistory()


def read_origins(repository: Repository, commits: Sequence[str], *, renames: bool = True) -> Origins:
    """Read the history of the lines that `commits` change, each the only parent of the next, by two processes.

    Without `renames`, a file that was renamed counts as deleted, and as added at its new path. Raise GitError if git
    fails.
    """
    diffs = read_commit_diffs(repository, commits, limit=PATCH_LIMIT, renames=renames)
    files: dict[bytes, LineHistory] = {}
    for number, changed in enumerate(diffs):
        # A file can be renamed to the old path of another one.
        renamed = {}
        for diff in changed:
            if diff.change.old_path is not None:
                renamed[diff.change.path] = files.pop(diff.change.old_path, LineHistory())
        files.update(renamed)
        for diff in changed:
            history = files.get(diff.change.path)
            if history is None:
                history = files[diff.change.path] = LineHistory()
                if diff.change.status == "A":
                    history.runs.clear()
            history.follow(number, diff)
    return Origins(diffs, files)


def number_runs(runs: Iterable[LineRun]) -> Iterator[tuple[LineRun, int, int]]:
    """Yield the runs, each with the number of its first line before the range, and in HEAD."""
    old = new = 0
    for run in runs:
        yield run, old, new
        if run.born == BASE:
            old += run.count
        if run.died is None:
            new += run.count


def _is_changed(runs: Iterable[LineRun], since: int) -> bool:
    """Whether a commit after `since` brought or removed some of the lines."""
    return any(run.outlives(since) and (run.born > since or run.died is not None) for run in runs)


def _apply(runs: Sequence[LineRun], hunks: Sequence[Hunk], commit: int) -> Iterator[LineRun]:
    rest = list(reversed(runs))
    above = 0
    for hunk in hunks:
        yield from _take(rest, hunk.old_lines.start - above)
        for run in _take(rest, hunk.old_count):
            yield replace(run, died=commit) if run.died is None else run
        if hunk.added:
            yield _make_run(hunk, commit)
        above = hunk.old_lines.stop
    yield from reversed(rest)


def _make_run(hunk: Hunk, commit: int) -> LineRun:
    lines = [line + b"\n" for line in hunk.added]
    if hunk.is_open:
        lines[-1] = hunk.added[-1]
    return LineRun(commit, None, len(lines), tuple(lines))


def _take(rest: list[LineRun], count: int) -> Iterator[LineRun]:
    """Take runs from the end of `rest` until `count` lines of HEAD are taken."""
    while count:
        run = rest.pop()
        if run.died is None:
            if run.count > count:
                run, below = _halve(run, count)
                rest.append(below)
            count -= run.count
        yield run


def _divide(runs: Sequence[LineRun], line: int) -> tuple[Sequence[LineRun], range]:
    """Return `runs` divided below this line of HEAD, and the places of runs that are between it and the next one."""
    above = end = 0
    for place, run in enumerate(runs):
        if run.died is not None:
            continue
        if above == line:
            return runs, range(end, place)
        if above + run.count > line:
            return [*runs[:place], *_halve(run, line - above), *runs[place + 1 :]], range(place + 1, place + 1)
        above += run.count
        end = place + 1
    return runs, range(end, len(runs))


def _halve(run: LineRun, count: int) -> tuple[LineRun, LineRun]:
    first = replace(run, count=count, lines=run.lines[:count])
    return first, replace(run, count=run.count - count, lines=run.lines[count:])


def join_lines(runs: Iterable[LineRun]) -> bytes:
    """Return the content of these runs; what was the last line may end nowhere, and not be the last now."""
    content = bytearray()
    for run in runs:
        if run.lines and content and not content.endswith(b"\n"):
            content += b"\n"
        content += b"".join(run.lines)
    return bytes(content)


def count_lines(content: bytes) -> int:
    """Return the number of lines of a content, the last of which may lack a newline."""
    return content.count(b"\n") + (content[-1:] not in (b"", b"\n"))
