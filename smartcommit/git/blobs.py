"""Reading the contents of many files at once, however large they are."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, TypeVar

from smartcommit.errors import GitError
from smartcommit.git.diff import SUBMODULE_MODE, FileChange
from smartcommit.git.repo import Repository
from smartcommit.git.run import environment_of

# Bytes that are read at once, and how many of them are seen again with the next ones.
_PART = 1 << 22
_OVERLAP = 1 << 10

Match = TypeVar("Match")


def find_added(
    repository: Repository, changes: Iterable[FileChange], find: Callable[[bytes], Iterable[Match]]
) -> list[tuple[bytes, Match]]:
    """What `find` finds in the new content of each of `changes` and not in its old content, with the path.

    Whole files are read and no diff is made, so that no attribute hides anything; two processes at most.

    Raises: GitError when a file cannot be read.
    """
    files = [change for change in changes if change.status != "D" and change.new_mode != SUBMODULE_MODE]
    found = _find(repository, [(change.path, change.new_id) for change in files], find)
    paths = {path for path, _ in found}
    old = []
    for change in files:
        if change.path in paths and change.status != "A" and change.old_mode != SUBMODULE_MODE:
            old.append((change.path, change.old_id))
    known = _find(repository, old, find)
    return [match for match in found if match not in known]


def _find(
    repository: Repository, blobs: Sequence[tuple[bytes, str]], find: Callable[[bytes], Iterable[Match]]
) -> dict[tuple[bytes, Match], None]:
    """What `find` finds in `blobs`, which are given as path and object name; in order and without duplicates."""
    found: dict[tuple[bytes, Match], None] = {}
    if blobs:
        for position, part in read_parts(repository, [oid for _, oid in blobs]):
            for match in find(part):
                found[blobs[position][0], match] = None
    return found


def read_sizes(repository: Repository, oids: Sequence[str]) -> list[int]:
    """The sizes of the blobs `oids` in bytes; one process at most.

    Raises: GitError when one cannot be read.
    """
    if not oids:
        return []
    listing = repository.run(
        "cat-file", "--batch-check=%(objectsize)", "--buffer", stdin="".join(f"{oid}\n" for oid in oids).encode()
    )
    return [int(size) for size in listing.split()]


def read_parts(repository: Repository, oids: Sequence[str]) -> Iterator[tuple[int, bytes]]:
    """The contents of the blobs `oids`, in parts that overlap, each behind its blob's place in `oids`; one process.

    Raises: GitError when one cannot be read.
    """
    with tempfile.TemporaryFile() as wanted:
        # A file and not a pipe: git writes before it has read all names.
        wanted.write("".join(f"{oid}\n" for oid in oids).encode())
        wanted.seek(0)
        with subprocess.Popen(
            ("git", "cat-file", "--batch", "--buffer"), cwd=repository.worktree, stdin=wanted, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=environment_of(repository.environment),
        ) as process:  # fmt: skip
            assert process.stdout is not None
            for place, oid in enumerate(oids):
                for part in _parts(process.stdout, oid):
                    yield place, part


def _parts(stream: IO[bytes], oid: str) -> Iterator[bytes]:
    words = stream.readline().split()
    if len(words) != 3 or words[1] != b"blob":
        raise GitError(f"object '{oid}' cannot be read", status=1, hint="run 'git fsck'")
    left, seen = int(words[2]), b""
    while left > 0:
        data = stream.read(min(left, _PART))
        if not data:
            raise GitError(f"object '{oid}' cannot be read", status=1, hint="run 'git fsck'")
        left -= len(data)
        yield seen + data
        seen = data[-_OVERLAP:]
    stream.read(1)  # the newline behind each
