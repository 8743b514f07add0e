"""Reading the contents of many files at once, however large they are."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from typing import IO

from smartcommit.errors import GitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import environment_of

# Bytes that are read at once, and how many of them are seen again with the next ones.
_PART = 1 << 22
_OVERLAP = 1 << 10


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
