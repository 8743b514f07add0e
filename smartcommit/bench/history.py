"""The commits to replay: one by one for drafts, folded together for splits, whose right answer is then known."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle

from smartcommit.change.wording import format_count
from smartcommit.errors import SmartcommitError
from smartcommit.git.diff import ABSENT, REGULAR, FileChange, FileDiff, Hunk, list_changes, read_diffs
from smartcommit.git.objects import read_blobs
from smartcommit.git.repo import Repository
from smartcommit.message.header import Header, Scan, is_name

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
    def base(self) -> str:
        """The commit before the change."""
        return self.commits[0].parent

    @property
    def target(self) -> str:
        """The commit after the change."""
        return self.commits[-1].oid


@dataclass(slots=True)
class _Origins:
    """Where the lines of a file come from.

    `lines` has for each line of the present text its number in the old text, and None; or, if one of the commits added
    it, 0 and the position of that commit. `removed` has by its number the commit that removed a line of the old text.
    """

    lines: list[tuple[int, int | None]]
    removed: dict[int, int] = field(default_factory=dict)

    def apply(self, diff: FileDiff, commit: int) -> None:
        """Follow the lines through what the commit at position `commit` did to the file."""
        for hunk in reversed(diff.hunks):
            start = hunk.old_start
            if hunk.old_count:
                start -= 1
            for number, earlier in self.lines[start : start + hunk.old_count]:
                if earlier is None:
                    self.removed[number] = commit
            self.lines[start : start + hunk.old_count] = [(0, commit)] * hunk.new_count

    def label(self, path: bytes) -> dict[Line, int]:
        """Return the changed lines with their commits."""
        labels = {}
        for number, commit in self.removed.items():
            labels[path, "-", number] = commit
        for number, (_, added_by) in enumerate(self.lines, start=1):
            if added_by is not None:
                labels[path, "+", number] = added_by
        return labels


@contextmanager
def copy_git_dir(repository: Repository) -> Iterator[Repository]:
    """Yield the repository with a temporary git directory, which has the same objects, references and configuration.

    What smartcommit saves there is not the user's. Source: gitrepository-layout(5), `commondir`.
    """
    with tempfile.TemporaryDirectory(prefix="smartcommit-bench-") as folder:
        with open(os.path.join(folder, "commondir"), "wb") as file:
            file.write(os.fsencode(repository.common_dir))
        head = repository.head() or repository.null_id
        with open(os.path.join(folder, "HEAD"), "w", encoding="ascii") as file:
            file.write(f"{head}\n")
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
    output = repository.run(
        "log", "-z", "--no-merges", f"--max-count={last}", "--no-show-signature", "--no-color", "--encoding=UTF-8",
        "--format=%H%x01%P%x01%ae%x01%s",
    )  # fmt: skip
    commits = []
    for record in output.decode("utf-8", "replace").split("\0"):
        oid, _, rest = record.partition("\x01")
        parent, _, rest = rest.partition("\x01")
        author, _, line = rest.partition("\x01")
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
    scan = Scan(line)
    kind = scan.type.lower()
    summary = line[scan.summary :].strip()
    if scan.misplaced is not None or scan.colon is None or not is_name(kind) or not summary:
        return None
    words, _, number = summary.rpartition(" (#")
    if words and number.endswith(")"):
        summary = words
    return Header(kind, summary, scope=scan.scope, breaking=scan.bang is not None)


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
    origins = _find_origins(repository, commits)
    for diff in read_diffs(repository, folded.base, folded.target, changes, limit=PATCH_LIMIT):
        path = diff.change.path
        labels = origins[path].label(path)
        # A line that one commit removed and another added again is not part of the change.
        for line in labels.keys() & set(list_lines(path, diff.hunks)):
            folded.lines[line] = labels[line]
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


def _find_origins(repository: Repository, commits: Sequence[RecordedCommit]) -> dict[bytes, _Origins]:
    """Return where the lines of each file come from that one of the commits changed, by its path."""
    diffs: list[list[FileDiff]] = []
    first: dict[bytes, FileChange] = {}
    for commit in commits:
        changes = list_changes(repository, commit.parent, commit.oid, renames=False)
        diffs.append(read_diffs(repository, commit.parent, commit.oid, changes, limit=PATCH_LIMIT))
        for change in changes:
            first.setdefault(change.path, change)
    origins = {path: _Origins([]) for path in first}
    old = [change for change in first.values() if change.old_mode in REGULAR]
    contents = read_blobs(repository, [change.old_id for change in old])
    for change, content in zip(old, contents, strict=True):
        count = content.count(b"\n") + (content[-1:] not in (b"", b"\n"))
        origins[change.path].lines = [(number, None) for number in range(1, count + 1)]
    for position, found in enumerate(diffs):
        for diff in found:
            origins[diff.change.path].apply(diff, position)
    return origins
