"""Reads the difference between two trees: files and lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby, islice

from smartcommit.errors import GitError
from smartcommit.git.query import make_log_command
from smartcommit.git.repo import Repository
from smartcommit.git.run import DIFF_OPTIONS, NO_LAZY_FETCH
from smartcommit.record import Record

# Maximum bytes of the list of changed files: enough for some 400,000.
LIST_LIMIT = 1 << 26
# Modes of files as git prints them; a submodule's entry is a link to a commit of another repository.
ABSENT = "000000"
REGULAR = ("100644", "100755")
LINK_MODE = "120000"
SUBMODULE_MODE = "160000"
# Above this many candidates git looks for exact renames only; its own default of 1,000 takes seconds.
RENAME_LIMIT = 400
# Larger files are not read unless a diff must be thorough: git takes half a minute to compare 100 MB of text.
LARGE_FILE = "4m"
_LIST_OPTIONS = ("--raw", "-z", "--no-abbrev")
_PATCH_OPTIONS = (
    "-p", "--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic", "--full-index",
    *DIFF_OPTIONS,
)  # fmt: skip
# Maximum bytes of the line that git prints after `@@`, with a sign before it.
_CONTEXT_BYTES = 81
# Begins each commit of a log in the format `%x01`: no list of changes and no patch has such a line elsewhere.
_COMMIT_MARK = b"\x01"
# Begins what git says below the last line of a file: "\ No newline at end of file".
_NO_NEWLINE = b"\\"
# Begins a line that stays: with `diff.suppressBlankEmpty` git prints a blank one without the blank.
_UNCHANGED = (b" ", b"")
# Compares with the tree that a commit of the index would have: without intent-to-add paths (`git add -N`).
WITH_INDEX = ("diff-index", "--cached", "--ita-invisible-in-index")


class FileChange(Record):
    """One changed path. Paths are bytes as git stores them, relative to the top level.

    `status` is git's letter (A, D, M, R, C, T); modes are git's octal text, ABSENT for a missing side; `added` and
    `deleted` count lines and are None for a binary file. `old_path` is set for renames and copies only.
    """

    status: str
    path: bytes
    old_path: bytes | None
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str
    added: int | None = None
    deleted: int | None = None

    @property
    def binary(self) -> bool:
        return self.added is None


# Where a hunk begins and how many lines it has before and after the change, as git numbers them.
LineNumbers = tuple[int, int, int, int]


class Hunk(Record):
    """A run of removed and added lines; line numbers are git's, from 1.

    `context` is the text git prints after `@@`: the line that opens the enclosing function, or empty. `before` and
    `after` are the lines around it in the new text, as far as they were asked for. `is_open` is whether its last line
    ends the new text without a newline.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    context: bytes
    removed: list[bytes]
    added: list[bytes]
    before: Sequence[bytes] = ()
    after: Sequence[bytes] = ()
    is_open: bool = False

    @property
    def numbers(self) -> LineNumbers:
        return self.old_start, self.old_count, self.new_start, self.new_count

    @property
    def old_lines(self) -> range:
        """The lines that it removes, counted from 0; without any, where it adds others."""
        return _find_lines(self.old_start, self.old_count)

    @property
    def new_lines(self) -> range:
        """The lines that it adds, counted from 0; without any, where it removes others."""
        return _find_lines(self.new_start, self.new_count)

    def select(self, removed: range, added: range) -> Hunk:
        """Return a part of it: these of its lines, counted from 0. All of them are itself, with what is known of it."""
        old, new = self.old_lines[removed.start : removed.stop], self.new_lines[added.start : added.stop]
        if (len(old), len(new)) == (self.old_count, self.new_count):
            return self
        sides = self.removed[removed.start : removed.stop], self.added[added.start : added.stop]
        is_open = self.is_open and added.stop == self.new_count
        return make_hunk(old, new, *sides, context=self.context, is_open=is_open)


def _find_lines(start: int, count: int) -> range:
    # Of an empty side git names the line before it.
    first = start - min(count, 1)
    return range(first, first + count)


def make_hunk(
    old: range,
    new: range,
    removed: list[bytes],
    added: list[bytes],
    *,
    context: bytes = b"",
    before: Sequence[bytes] = (),
    after: Sequence[bytes] = (),
    is_open: bool = False,
) -> Hunk:
    """Return a hunk at lines that are counted from 0."""
    places = old.start + bool(old), len(old), new.start + bool(new), len(new)
    return Hunk(*places, context, removed, added, before, after, is_open)


class FileDiff(Record):
    """The hunks of one changed path: none for a binary file, a mere rename or change of mode.

    It is not `complete` if the patch was longer than what was read of it.
    """

    change: FileChange
    hunks: list[Hunk]
    complete: bool = True


def list_changes(
    repository: Repository,
    base: str,
    target: str | None = None,
    *,
    renames: bool = True,
    counts: bool = True,
    thorough: bool = True,
    watch: Callable[[], None] = lambda: None,
) -> list[FileChange]:
    """Return the changed paths between tree `base` and tree `target` (None: the index), by one process.

    Inside `git commit` the index is the one being committed, from `GIT_INDEX_FILE`. Unmerged paths are omitted. Without
    `renames` and `counts` no content is read. Unless `thorough`, nothing is fetched in a partial clone, and files above
    LARGE_FILE count as binary. `watch` is called several times a second and may raise.
    """
    options = [*_LIST_OPTIONS, "--ignore-submodules=none", *_list_rename_options(renames)]
    if counts:
        options.append("--numstat")
    output, complete = _diff(repository, base, target, options, limit=LIST_LIMIT, thorough=thorough, watch=watch)
    if not complete:
        raise _refuse_many()
    return next(_parse_changes(output))


def _refuse_many() -> GitError:
    return GitError("too many changed files", status=0, hint="commit them in smaller batches")


def read_diffs(
    repository: Repository,
    base: str,
    target: str | None,
    changes: list[FileChange],
    *,
    limit: int,
    thorough: bool = True,
    around: int = 0,
) -> list[FileDiff]:
    """Return the hunks of `changes` (from `list_changes` with the same trees and `thorough`), by one process.

    At most `limit` bytes of patch are read; files after that are not `complete`. A hunk has up to `around` of the lines
    before it, and of those after it.
    """
    renames = any(change.status in "RC" for change in changes)
    options = (*_PATCH_OPTIONS, f"-U{around}", *_list_rename_options(renames))
    patch, complete = _diff(repository, base, target, options, limit=limit, thorough=thorough)
    return _add_hunks(changes, patch, complete, around)


def read_small_change(
    repository: Repository, base: str, target: str | None, *, limit: int, around: int
) -> list[FileDiff] | None:
    """Return what `list_changes` and `read_diffs` do, neither of them `thorough`, by one process.

    Return None if git prints more than `limit` bytes.
    """
    options = (*_LIST_OPTIONS, *_PATCH_OPTIONS, f"-U{around}", *_list_rename_options(True))
    output, complete = _diff(repository, base, target, options, limit=limit, thorough=False)
    return parse_change(output, around=around) if complete else None


def list_change_options(*, around: int, renames: bool = True) -> tuple[str, ...]:
    """Return the options of a diff or a log that make git print what `parse_change` reads."""
    return (*_LIST_OPTIONS, "--numstat", *_PATCH_OPTIONS, f"-U{around}", *_list_rename_options(renames))


def parse_change(output: bytes, *, around: int) -> list[FileDiff]:
    """Return the changed paths of a whole list with their hunks, of the patch behind it."""
    # An empty field parts the two; in the patch git quotes names despite `-z`.
    listing, _, patch = output.partition(b"\0\0")
    return _add_hunks(next(_parse_changes(listing)), patch, True, around)


def read_change(repository: Repository, base: str, target: str, *, limit: int, renames: bool = True) -> list[FileDiff]:
    """Return the changed paths between two trees with their hunks, as `list_changes` and `read_diffs` do; one process.

    The `limit` is for the patch.
    """
    options = list_change_options(around=0, renames=renames)
    output, complete = _diff(repository, base, target, options, limit=LIST_LIMIT + limit, thorough=True)
    # As in `parse_change`, but the patch may be cut.
    listing, _, patch = output.partition(b"\0\0")
    if len(listing) > LIST_LIMIT:
        raise _refuse_many()
    return _add_hunks(next(_parse_changes(listing)), patch[:limit], complete and len(patch) <= limit)


def read_commit_diffs(
    repository: Repository, commits: Sequence[str], *, limit: int, renames: bool = True
) -> list[list[FileDiff]]:
    """Return what each of `commits` changes in its only parent, or adds; `limit` is for all their patches."""
    walk = ("--no-walk=unsorted", "--root", "--submodule=short", *_list_rename_options(renames))
    command = make_log_command("%x01", "--raw", "--no-abbrev", "--numstat", *walk, revisions=commits)
    output, complete = repository.read_head(command, limit=LIST_LIMIT)
    if not complete:
        raise GitError("the commits change too many files", status=0, hint="name fewer commits")
    changes = list(_parse_changes(output, divided=True))
    command = make_log_command("%x01", *_PATCH_OPTIONS, "-U0", *walk, revisions=commits)
    patch, complete = repository.read_head(command, limit=limit)
    # No section belongs to two commits, and their order is that of the changes.
    diffs = iter(_add_hunks(list(chain.from_iterable(changes)), patch, complete))
    return [list(islice(diffs, len(commit_changes))) for commit_changes in changes]


def _add_hunks(changes: Sequence[FileChange], patch: bytes, complete: bool, around: int = 0) -> list[FileDiff]:
    """Return `changes` with their hunks, which follow each other in `patch`."""
    sections = _parse_sections(patch, around)
    diffs: list[FileDiff] = []
    last = None
    for change in changes:
        # A change of type is printed as a deletion and an addition.
        parts = list(islice(sections, 2 if change.status == "T" else 1))
        diff = FileDiff(change, list(chain.from_iterable(parts)), complete=complete or bool(parts))
        if parts:
            last = diff
        diffs.append(diff)
    if last is not None and not complete:
        last.complete = False
    return diffs


def make_diff_command(base: str, target: str | None, options: Sequence[str], *, thorough: bool) -> tuple[str, ...]:
    limits = () if thorough else ("-c", f"core.bigFileThreshold={LARGE_FILE}")
    if target is None:
        return (*limits, *WITH_INDEX, "-r", *options, base)
    return (*limits, "diff-tree", "-r", *options, base, target)


def _diff(
    repository: Repository,
    base: str,
    target: str | None,
    options: Sequence[str],
    *,
    thorough: bool,
    limit: int,
    watch: Callable[[], None] = lambda: None,
) -> tuple[bytes, bool]:
    if not thorough:
        repository = repository.extended(**NO_LAZY_FETCH)
    return repository.read_head(make_diff_command(base, target, options, thorough=thorough), limit=limit, watch=watch)


def _list_rename_options(find: bool) -> tuple[str, ...]:
    return ("-M", f"-l{RENAME_LIMIT}") if find else ("--no-renames",)


def _parse_changes(output: bytes, *, divided: bool = False) -> Iterator[list[FileChange]]:
    """Yield the changes that git lists; with `divided`, those of each commit, which begin with its mark."""
    fields = iter(output.split(b"\0"))
    changes: dict[bytes, FileChange] = {}
    if divided:
        next(fields)
    for field in fields:
        # Below the mark of a commit git begins a new line.
        entry = field.removeprefix(b"\n")
        if entry == _COMMIT_MARK:
            yield list(changes.values())
            changes = {}
        elif entry.startswith(b":"):
            old_mode, new_mode, old_id, new_id, status = entry[1:].decode().split(" ")
            path = next(fields)
            old_path = None
            if status[0] in "RC":
                old_path, path = path, next(fields)
            if status[0] != "U":
                changes[path] = FileChange(status[0], path, old_path, old_mode, new_mode, old_id, new_id)
        elif entry:
            added, deleted, path = entry.split(b"\t", 2)
            if not path:
                next(fields)
                path = next(fields)
            if path in changes and added != b"-":
                changes[path].added, changes[path].deleted = int(added), int(deleted)
    yield list(changes.values())


def _parse_sections(patch: bytes, around: int) -> Iterator[list[Hunk]]:
    """Yield the hunks of each `diff --git` section. Counts decide what is content, so no line imitates a header."""
    lines = patch.split(b"\n")
    position = 0
    hunks: list[Hunk] | None = None
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith(b"diff --git "):
            if hunks is not None:
                yield hunks
            hunks = []
        elif line.startswith(b"@@ -") and hunks is not None:
            _, *ranges, context = line.split(b" ", 3)
            if len(ranges) < 2:  # the patch was cut off here
                break
            old_lines, new_lines = _parse_range(ranges[0]), _parse_range(ranges[1])
            end = _find_end(lines, position, len(old_lines), len(new_lines))
            context = context.removeprefix(b"@@").strip()
            hunks += _divide(lines[position:end], (old_lines.start, new_lines.start), context, around)
            position = end
    if hunks is not None:
        yield hunks


def _parse_range(text: bytes) -> range:
    start, _, count = text[1:].partition(b",")
    return _find_lines(int(start), int(count or 1))


def _find_end(lines: Sequence[bytes], position: int, old: int, new: int) -> int:
    """Return where a hunk ends that begins at `position` and has so many lines on each side."""
    while position < len(lines) and (old > 0 or new > 0 or lines[position].startswith(_NO_NEWLINE)):
        sign = lines[position][:1]
        if sign in (b"-", *_UNCHANGED):
            old -= 1
        if sign in (b"+", *_UNCHANGED):
            new -= 1
        position += 1
    return position


def _divide(body: Sequence[bytes], start: tuple[int, int], context: bytes, around: int) -> Iterator[Hunk]:
    """Yield each run of changed lines in what git prints as one hunk, in `body`, as a hunk of its own.

    The body begins at the lines `start` of the old and of the new text.
    """
    old, new = start
    lines = [line for line in body if not line.startswith(_NO_NEWLINE)]
    new_text: list[bytes] = []
    position = 0
    for is_unchanged, same in groupby(lines, key=lambda line: line[:1] in _UNCHANGED):
        run = list(same)
        position += len(run)
        removed = [line[1:] for line in run if line.startswith(b"-")]
        added = [line[1:] for line in run if line[:1] in (b"+", *_UNCHANGED)]
        old_lines = range(old, old + (len(added) if is_unchanged else len(removed)))
        new_lines = range(new, new + len(added))
        if not is_unchanged:
            before = new_text[max(0, len(new_text) - around) :]
            after = [line[1:] for line in lines[position : position + around] if not line.startswith(b"-")]
            is_open = bool(added) and position == len(lines) and body[-1].startswith(_NO_NEWLINE)
            yield make_hunk(
                old_lines, new_lines, removed, added, context=context, before=before, after=after, is_open=is_open
            )
        context = _find_opening(run) or context
        new_text += added
        old, new = old_lines.stop, new_lines.stop


def _find_opening(lines: Sequence[bytes]) -> bytes:
    """Return the last line of the old text that git takes for the head of a function, cut as git does."""
    for line in reversed(lines):
        if line[:1] in (b" ", b"-") and (line[1:2].isalpha() or line[1:2] in (b"_", b"$")):
            return line[1:_CONTEXT_BYTES].strip()
    return b""
