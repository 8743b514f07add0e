"""What changed between a base tree and a target: the list of files, and the lines of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from smartcommit.errors import GitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import DIFF_OPTIONS, NO_LAZY_FETCH, head_of_output

# Bytes of the list of changed files: some 400,000 of them.
LIST_LIMIT = 1 << 26
# The mode of a link to a commit of another repository.
SUBMODULE_MODE = "160000"
# Above this many candidates git looks for exact renames only; its own default of 1,000 takes seconds.
RENAME_LIMIT = 400
# A look at a change leaves larger files alone: git takes half a minute to compare 100 MB of text with as much.
LARGE_FILE = "4m"
# A comparison with the index as a commit of it would be: what was only announced (`git add -N`) is no part of that.
WITH_INDEX = ("diff-index", "--cached", "--ita-invisible-in-index")


@dataclass(slots=True)
class FileChange:
    """One changed path. Paths are bytes as git stores them, relative to the top level.

    `status` is git's letter (A, D, M, R, C, T); modes are git's octal text, `000000` for an absent side; `added` and
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
        """Whether git counts no lines here."""
        return self.added is None


@dataclass(slots=True)
class Hunk:
    """A run of removed and added lines without context; line numbers are git's, from 1.

    `context` is the text git prints after `@@`: the line that opens the enclosing function, or empty.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    context: bytes
    removed: list[bytes] = field(default_factory=list)
    added: list[bytes] = field(default_factory=list)


@dataclass(slots=True)
class FileDiff:
    """The hunks of one changed path; empty for a binary file, a pure rename or a change of mode."""

    change: FileChange
    hunks: list[Hunk] = field(default_factory=list)
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
    """The changed paths between tree `base` and tree `target`, or the index where `target` is None; one process.

    Inside `git commit` the index is the one being committed, by `GIT_INDEX_FILE`. Unmerged paths are left out. Without
    `renames` and `counts` no content is read. Unless it is to be `thorough`, a partial clone fetches nothing for it,
    and files above LARGE_FILE are taken for binary. `watch` is called several times a second and may raise.

    Raises: GitError when git fails or the list is longer than LIST_LIMIT bytes; whatever `watch` raises.
    """
    output, complete = head_of_output(
        (
            *_command(base, target, thorough),
            "-r",
            "-z",
            "--raw",
            *(("--numstat",) if counts else ()),
            "--no-abbrev",
            *_renames(renames),
            *_trees(base, target),
        ),
        limit=LIST_LIMIT,
        directory=repository.worktree,
        environment={**repository.environment, **({} if thorough else NO_LAZY_FETCH)},
        watch=watch,
    )
    if not complete:
        raise GitError("the change has too many files to look at", status=0, hint="commit it in parts")
    return _parse_changes(output)


def read_diffs(
    repository: Repository,
    base: str,
    target: str | None,
    changes: list[FileChange],
    *,
    limit: int,
    thorough: bool = True,
) -> list[FileDiff]:
    """The hunks of `changes` (as `list_changes` gave them for the same trees), without context; one process.

    At most `limit` bytes of patch are read; what lies behind has no hunks and `complete` is False there.
    `thorough` is as it was for `list_changes`.

    Raises: GitError when git fails.
    """
    renames = any(change.status in "RC" for change in changes)
    patch, complete = head_of_output(
        (*_command(base, target, thorough), "-r", "-p", "-U0", "--inter-hunk-context=0", "--diff-algorithm=myers",
         "--indent-heuristic", "--full-index", *DIFF_OPTIONS,
         *_renames(renames), *_trees(base, target)),
        limit=limit,
        directory=repository.worktree,
        environment={**repository.environment, **({} if thorough else NO_LAZY_FETCH)},
    )  # fmt: skip
    diffs = [FileDiff(change, complete=False) for change in changes]
    sections = _sections(patch)
    for diff in diffs:
        # A change of type is printed as a deletion and an addition.
        for _ in range(2 if diff.change.status == "T" else 1):
            hunks = next(sections, None)
            if hunks is None:
                break
            diff.hunks += hunks
            diff.complete = True
        else:
            continue
        break
    if not complete:
        last = max((i for i, diff in enumerate(diffs) if diff.complete), default=None)
        if last is not None:
            diffs[last].complete = False
    else:
        for diff in diffs:
            diff.complete = True
    return diffs


def _command(base: str, target: str | None, thorough: bool) -> tuple[str, ...]:
    options = () if thorough else ("-c", f"core.bigFileThreshold={LARGE_FILE}")
    return (*options, *(WITH_INDEX if target is None else ("diff-tree",)))


def _trees(base: str, target: str | None) -> tuple[str, ...]:
    return (base,) if target is None else (base, target)


def _renames(wanted: bool) -> tuple[str, ...]:
    return ("-M", f"-l{RENAME_LIMIT}") if wanted else ("--no-renames",)


def _parse_changes(output: bytes) -> list[FileChange]:
    fields = iter(output.split(b"\0"))
    changes: dict[bytes, FileChange] = {}
    for entry in fields:
        if entry.startswith(b":"):
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
    return list(changes.values())


def _sections(patch: bytes) -> Iterator[list[Hunk]]:
    """The hunks of each `diff --git` section, in order. Counts decide what is content, so no line imitates a header."""
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
            hunk = _parse_hunk_header(line)
            hunks.append(hunk)
            for sign, count, into in ((b"-", hunk.old_count, hunk.removed), (b"+", hunk.new_count, hunk.added)):
                taken, position = _take(lines, position, sign, count)
                into.extend(taken)
    if hunks is not None:
        yield hunks


def _parse_hunk_header(line: bytes) -> Hunk:
    _, old, new, rest = line.split(b" ", 3)
    (old_start, old_count), (new_start, new_count) = _range(old), _range(new)
    return Hunk(old_start, old_count, new_start, new_count, rest.removeprefix(b"@@").strip())


def _range(text: bytes) -> tuple[int, int]:
    start, _, count = text[1:].partition(b",")
    return int(start), int(count) if count else 1


def _take(lines: list[bytes], position: int, sign: bytes, count: int) -> tuple[list[bytes], int]:
    taken = [line[1:] for line in lines[position : position + count] if line.startswith(sign)]
    position += count
    if position < len(lines) and lines[position].startswith(b"\\"):  # "\ No newline at end of file"
        position += 1
    return taken, position
