"""Files that should not be committed: leaves untracked ones out of a split, and adds patterns to `.gitignore`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from smartcommit.errors import SplitError
from smartcommit.git.diff import list_changes
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_snapshot
from smartcommit.message.characters import is_plain
from smartcommit.secret_scan import scan
from smartcommit.state_files import replace_file

_LENGTH, _LINES = 120, 20
_MARKER = b"# suggested by smartcommit"
# Patterns that hide everything, or undo others, are not suggestions.
_BEGINNINGS = ("#", "!")
_EVERYTHING = {"*", "**", "/", "/*", "/**", ".", "./", "**/*", "*.*"}


@dataclass(frozen=True, slots=True)
class SuspectFile:
    """A changed file that looks like a secret or a build artifact; `left_out` is whether it stays uncommitted."""

    path: bytes
    reason: str
    left_out: bool


@contextmanager
def take_screened_snapshot(
    repository: Repository, *, staged: bool, apart: Collection[bytes], planned: Collection[str], include_secrets: bool
) -> Iterator[tuple[Snapshot, list[SuspectFile]]]:
    """Yield a snapshot as `take_snapshot` does, and the files that look like secrets or build artifacts.

    Untracked ones are left out of the snapshot, unless they are in `planned` or `include_secrets` is set.
    """
    left_out: dict[bytes, SuspectFile] = {}
    while True:
        with take_snapshot(repository, staged=staged, apart=apart, left_out=left_out) as snapshot:
            changes = list_changes(snapshot.repository, snapshot.since, snapshot.target, counts=False)
            findings = scan(snapshot.repository, changes)
            untracked = frozenset(() if include_secrets else snapshot.untracked)
            excluded = {}
            for finding in findings:
                if finding.path in untracked and os.fsdecode(finding.path) not in planned:
                    excluded[finding.path] = SuspectFile(finding.path, finding.reason, left_out=True)
            if not excluded:
                suspects = list(left_out.values())
                for finding in findings:
                    suspects.append(SuspectFile(finding.path, finding.reason, left_out=False))
                yield snapshot, suspects
                return
        # Take another snapshot: the objects of this one must not get into the object database.
        left_out.update(excluded)


def select_patterns(lines: Iterable[str]) -> list[str]:
    """Return the patterns among `lines` that can be suggested, each once: short and plain, not hiding everything."""
    patterns = dict.fromkeys(map(str.strip, lines))
    return list(filter(_is_suggestion, patterns))[:_LINES]


def _is_suggestion(line: str) -> bool:
    if not line or len(line) > _LENGTH or not is_plain(line):
        return False
    return not line.startswith(_BEGINNINGS) and line not in _EVERYTHING


def list_missing(worktree: str, lines: Sequence[str]) -> list[str]:
    """Return those of `lines` that the top level's `.gitignore` does not have yet."""
    present = set(map(bytes.strip, _read(worktree).split(b"\n")))
    return [line for line in lines if line.encode() not in present]


def add_patterns(worktree: str, lines: Sequence[str]) -> list[str]:
    """Append what is missing of `lines` to the top level's `.gitignore`, and return it; nothing is staged.

    Raise SplitError if the file is a symlink, and OSError if it cannot be written.
    """
    new = list_missing(worktree, lines)
    if new:
        path = _path(worktree)
        if os.path.islink(path):
            raise SplitError("'.gitignore' is a symlink; not writing to it", hint="add the lines by hand")
        content = _read(worktree)
        if content and not content.endswith(b"\n"):
            content += b"\n"
        if _MARKER not in content.split(b"\n"):
            content += _MARKER + b"\n"
        replace_file(path, content + "\n".join([*new, ""]).encode())
    return new


def _path(worktree: str) -> str:
    return os.path.join(worktree, ".gitignore")


def _read(worktree: str) -> bytes:
    try:
        with open(_path(worktree), "rb") as file:
            return file.read()
    except OSError:
        return b""
