"""The locks that git takes for a transaction of refs, and whose they are when they outlived it.

git names none of its locks after who took it: most are empty files, there for an instant. Yet every transaction of a
split begins with a ref that is its own and nobody else's, so the lock of that ref shows that git died between its first
lock and the last one; from there on the journal knows each lock by its inode.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

from smartcommit.git.locks import PATIENCE, moments
from smartcommit.git.processes import a_git_is_older
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file


class RefLocks:
    """What git locks to move HEAD, and the branch that it names if it does, beside the split's ref `own`."""

    def __init__(self, repository: Repository, *, own: str, branch: str | None) -> None:
        self._repository = repository
        self._own = os.path.join(repository.common_dir, f"{own}.lock")
        self._paths = [
            os.path.join(repository.git_dir, "HEAD.lock"),
            *([os.path.join(repository.common_dir, "refs", "heads", f"{branch}.lock")] if branch else []),
            os.path.join(repository.common_dir, "packed-refs.lock"),
        ]

    def seen(self) -> dict[str, str]:
        """The locks that are there now, each by its path with what identifies it."""
        found = {path: _identity(path) for path in self._paths}
        return {path: identity for path, identity in found.items() if identity is not None}

    def release(self, known: Mapping[str, str], value: str | None) -> None:
        """Remove the locks that a git of ours left when it was killed; it must be dead.

        Ours are those that it was seen to hold (`known`), and where it died before all were taken, those that are not
        older than the lock of its own ref, if either they hold `value`, which nobody else writes, or they are empty
        and no process lives that could have taken them. Every other lock stays.
        """
        for path in self._paths:
            if _identity(path) == known.get(path, "none") or self._was_being_taken(path, value):
                _remove(path)
        # Last: a recovery that is killed as well finds the same again.
        _remove(self._own)

    def _was_being_taken(self, path: str, value: str | None) -> bool:
        try:
            first, this = os.stat(self._own), os.stat(path)
        except FileNotFoundError:
            return False
        if this.st_mtime_ns < first.st_mtime_ns:
            return False
        content = read_file(path)
        return (value is not None and content == f"{value}\n".encode()) or (
            content == b"" and self._is_nobodys(this.st_mtime)
        )

    def _is_nobodys(self, taken: float) -> bool:
        """Whether no git can hold a lock `taken` then, now or in a moment: git holds such locks no longer."""
        return any(a_git_is_older(self._repository, taken) is False for _ in moments(PATIENCE))


def _remove(path: str) -> None:
    if path.endswith("packed-refs.lock"):
        with suppress(FileNotFoundError):
            os.unlink(path.removesuffix(".lock") + ".new")  # only the holder of the lock writes it
    with suppress(FileNotFoundError):
        os.unlink(path)


def _identity(path: str) -> str | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return f"{status.st_ino} {status.st_mtime_ns}"
