"""The commits to replay: one by one for drafts, folded together for splits, whose right answer is then known."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, pairwise
from pathlib import Path

from smartcommit.change.wording import format_count
from smartcommit.errors import SmartcommitError
from smartcommit.git.diff import ABSENT, REGULAR, FileChange, FileDiff, Hunk, list_changes, read_diffs
from smartcommit.git.log import log_command
from smartcommit.git.objects import read_blobs
from smartcommit.git.repo import Repository
from smartcommit.message.header import Header, is_name, parse_loose_header

# Folded changes have as many commits as these, in turn, at most so many files, and so many changed lines.
SIZES = (2, 2, 2, 3, 3, 4)
FILES = 25
LINES = range(4, 601)
PATCH_LIMIT = 16 << 20
# Headers with these types say what git or a tool did.
_NO_CONCERN = ("merge", "release", "revert")

# A changed line: its path, `+` in the new text or `-` in the old one, and its number there, from 1.
Line = tuple[bytes, str, int]


@dataclass(frozen=True, slots=True)
class RecordedCommit:
    """A commit with one parent and a conventional header, whose type is in lower case; `author` is an address."""

    oid: str
    parent: str
    author: str
    header: Header


@dataclass(frozen=True, slots=True)
class FoldedChange:
    """The change that `commits`, which follow each other, make together; the oldest is the first.

    `lines` has every changed line with the position of the commit that changed it.
    """

    commits: tuple[RecordedCommit, ...]
    lines: dict[Line, int]

    @property
    def divides_file(self) -> bool:
        """Whether several of the commits changed the same file."""
        having: dict[bytes, set[int]] = {}
        for (path, _, _), commit in self.lines.items():
            having.setdefault(path, set()).add(commit)
        return any(len(commits) > 1 for commits in having.values())

    @property
    def base(self) -> str:
        """The commit before the change."""
        return self.commits[0].parent

    @property
    def target(self) -> str:
        """The commit after the change."""
        return self.commits[-1].oid


@contextmanager
def copy_git_dir(repository: Repository) -> Iterator[Repository]:
    """Yield the repository with a temporary git directory, which has the same objects, references and configuration.

    What smartcommit saves there is not the user's. Source: gitrepository-layout(5), `commondir`.
    """
    with tempfile.TemporaryDirectory(prefix="smartcommit-bench-") as folder:
        Path(folder, "commondir").write_bytes(os.fsencode(repository.common_dir))
        head = repository.head() or repository.null_id
        Path(folder, "HEAD").write_text(f"{head}\n", encoding="ascii")
        copy = Repository(
            worktree=repository.worktree,
            git_dir=folder,
            common_dir=repository.common_dir,
            object_format=repository.object_format,
        ).pinned()
        if os.path.isdir(os.path.join(repository.common_dir, "reftable")):
            # git counts this as the directory of a worktree, whose HEAD is in a reftable of its own.
            os.mkdir(os.path.join(folder, "reftable"))
            copy.run("update-ref", "--no-deref", "HEAD", head)
        yield copy


def read_commits(repository: Repository, last: int) -> list[RecordedCommit]:
    """Return those of the `last` commits of HEAD that have one parent and a conventional header, newest first.

    Raise GitError if git fails, SmartcommitError if there are none.
    """
    output = repository.run(*log_command("%H%x01%P%x01%ae%x01%s", "--no-merges", last=last))
    commits = []
    for record in filter(None, output.decode("utf-8", "replace").split("\0")):
        oid, parent, author, line = record.split("\x01", 3)
        header = read_header(line)
        if parent and header is not None:
            commits.append(RecordedCommit(oid, parent, author, header))
    if not commits:
        raise SmartcommitError(
            f"no commit with a header 'type(scope): summary' among the last {format_count(last, 'commit')}",
            hint="give a larger number with --last",
        )
    return commits


def read_header(line: str) -> Header | None:
    """Return the header in `line` in the project's own spelling, without the number of a pull request at its end."""
    header = parse_loose_header(line)
    if header is None or not is_name(header.type.lower()):
        return None
    header.type = header.type.lower()
    words, _, number = header.summary.rpartition(" (#")
    if words and number.endswith(")"):
        header.summary = words
    return header


def fold_commits(repository: Repository, commits: Sequence[RecordedCommit]) -> Iterator[FoldedChange]:
    """Yield changes that commits of one author in a row make together; no commit is in two of them.

    Those that are too large, or in which a commit left no line, are omitted. `commits` are as from `read_commits`.
    """
    sizes = cycle(SIZES)
    size = next(sizes)
    row: list[RecordedCommit] = []
    for commit in commits:
        if row and (row[-1].parent != commit.oid or row[-1].author != commit.author):
            row = []
        row.append(commit)
        if len(row) == size:
            change = _fold(repository, tuple(reversed(row)))
            if change is not None:
                yield change
            row, size = [], next(sizes)


def _fold(repository: Repository, commits: tuple[RecordedCommit, ...]) -> FoldedChange | None:
    if any(commit.header.type in _NO_CONCERN for commit in commits):
        return None
    folded = FoldedChange(commits, {})
    changes = list_changes(repository, folded.base, folded.target, renames=False)
    changed = sum((change.added or 0) + (change.deleted or 0) for change in changes)
    if len(changes) > FILES or changed not in LINES or not all(map(_is_text, changes)):
        return None
    origins = find_origins(repository, folded.base, [commit.oid for commit in commits])
    for diff in read_diffs(repository, folded.base, folded.target, changes, limit=PATCH_LIMIT):
        for line in list_lines(diff.change.path, diff.hunks):
            # A line that one commit removed and another added again is not part of the change.
            if line in origins:
                folded.lines[line] = origins[line]
    if len(set(folded.lines.values())) < len(commits):
        return None
    return folded


def list_lines(path: bytes, hunks: Iterable[Hunk]) -> Iterator[Line]:
    """Yield the changed lines of a file's hunks."""
    for hunk in hunks:
        for number in range(hunk.old_start, hunk.old_start + hunk.old_count):
            yield path, "-", number
        for number in range(hunk.new_start, hunk.new_start + hunk.new_count):
            yield path, "+", number


def _is_text(change: FileChange) -> bool:
    return not change.binary and {change.old_mode, change.new_mode} <= {ABSENT, *REGULAR}


def find_origins(repository: Repository, base: str, commits: Sequence[str]) -> dict[Line, int]:
    """Return the position of the commit that removed each line of the old texts, or added each line of the new ones.

    The `commits` follow each other, and the first one follows `base`. Raise GitError if git fails.
    """
    steps: list[list[FileDiff]] = []
    first: dict[bytes, FileChange] = {}
    for parent, commit in pairwise([base, *commits]):
        changes = list_changes(repository, parent, commit, renames=False)
        steps.append(read_diffs(repository, parent, commit, changes, limit=PATCH_LIMIT))
        for change in changes:
            first.setdefault(change.path, change)
    texts = _number_lines(repository, first)
    origins: dict[Line, int] = {}
    for position, diffs in enumerate(steps):
        for diff in diffs:
            lines = texts[diff.change.path]
            for number in _apply(diff, lines, position):
                origins[diff.change.path, "-", number] = position
    for path, lines in texts.items():
        for number, (sign, position) in enumerate(lines, start=1):
            if sign == "+":
                origins[path, sign, number] = position
    return origins


def _apply(diff: FileDiff, lines: list[tuple[str, int]], position: int) -> Iterator[int]:
    """Change `lines` as the commit at `position` did; yield the numbers of the old lines that it removed."""
    for hunk in reversed(diff.hunks):
        start = hunk.old_start - min(hunk.old_count, 1)
        end = start + hunk.old_count
        for sign, number in lines[start:end]:
            if sign == "-":
                yield number
        lines[start:end] = [("+", position)] * hunk.new_count


def _number_lines(repository: Repository, first: dict[bytes, FileChange]) -> dict[bytes, list[tuple[str, int]]]:
    """Return for each line of the old texts `-` and its number; later, a line that is added is `+` and its commit."""
    texts: dict[bytes, list[tuple[str, int]]] = {path: [] for path in first}
    old = [change for change in first.values() if change.old_mode in REGULAR]
    for change, content in zip(old, read_blobs(repository, [change.old_id for change in old]), strict=True):
        count = content.count(b"\n") + (content[-1:] not in (b"", b"\n"))
        for number in range(1, count + 1):
            texts[change.path].append(("-", number))
    return texts
