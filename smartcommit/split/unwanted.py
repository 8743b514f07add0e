"""Files that nobody may have meant to commit: finds them for a split, and adds patterns to `.gitignore`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from smartcommit.errors import SplitError
from smartcommit.git.diff import FileChange, list_changes
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_snapshot
from smartcommit.message.characters import is_plain
from smartcommit.secrets.files import is_any_above
from smartcommit.secrets.scan import Finding, scan, scan_conflicts, scan_names
from smartcommit.state_files import replace_file

_LENGTH, _LINES = 120, 20
_MARKER = b"# suggested by smartcommit"
# Patterns that hide everything, or undo others, are not suggestions.
_BEGINNINGS = ("#", "!")
_EVERYTHING = {"*", "**", "/", "/*", "/**", ".", "./", "**/*", "*.*"}


@dataclass(frozen=True, slots=True)
class SuspectFile:
    """What nobody may have meant to commit: a secret, an artifact, or a conflict; a folder ends in a slash.

    `left_out` is whether it stays uncommitted.
    """

    path: bytes
    reason: str
    left_out: bool


@contextmanager
def take_screened_snapshot(
    repository: Repository, *, staged: bool, apart: Collection[bytes], planned: Collection[str], include_secrets: bool
) -> Iterator[tuple[Snapshot, list[SuspectFile]]]:
    """Yield a snapshot as `take_snapshot` does, and its suspect files.

    All are to be left out, except for those in `planned`, or if `include_secrets` is set. Untracked ones are not in the
    snapshot then; what is in a folder that a program made is not even read.
    """
    left_out: dict[bytes, SuspectFile] = {}
    meant = set(map(os.fsencode, planned))

    def is_meant(path: bytes) -> bool:
        return include_secrets or path in meant or any(is_any_above(each, [path]) for each in meant)

    def leave_out(head: str | None, untracked: Sequence[bytes]) -> Collection[bytes]:
        if not include_secrets:
            for finding in scan_names(repository, head or repository.empty_tree, untracked):
                # A file may have been renamed, which only a snapshot shows.
                if finding.path.endswith(b"/") and not is_meant(finding.path):
                    left_out[finding.path] = SuspectFile(finding.path, finding.reason, left_out=True)
        return left_out

    while True:
        with take_snapshot(repository, staged=staged, apart=apart, leave_out=leave_out) as snapshot:
            changes = list_changes(snapshot.repository, snapshot.since, snapshot.target, counts=False)
            suspects = []
            for finding in _scan(snapshot, changes):
                suspects.append(SuspectFile(finding.path, finding.reason, left_out=not is_meant(finding.path)))
            untracked = frozenset(snapshot.untracked)
            excluded = [suspect for suspect in suspects if suspect.left_out and suspect.path in untracked]
            if not excluded:
                yield snapshot, [*left_out.values(), *suspects]
                return
        # Take another snapshot: the objects of this one must not get into the object database.
        left_out.update((suspect.path, suspect) for suspect in excluded)


def _scan(snapshot: Snapshot, changes: Sequence[FileChange]) -> list[Finding]:
    """Return one finding for each suspect file among the `changes` of `snapshot`."""
    findings = scan(snapshot.repository, snapshot.since, changes)
    known = {finding.path for finding in findings}
    clean = [change for change in changes if not is_any_above(change.path, known)]
    return findings + scan_conflicts(snapshot.repository, clean)


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
