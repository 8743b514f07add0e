"""`index.lock` as git makes it."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Iterator, Sequence

from smartcommit import files
from smartcommit.errors import LockedError, name_file
from smartcommit.git.run import read_file

# Seconds to wait for a lock: longer than git's own operations hold the index, but hardly noticeable.
TIMEOUT = 1.0
# Where there are no hard links, the lock is a copy, and a file beside the prepared one with this suffix says so.
COPIED = ".copied"


class FileLock:
    """The lock of one file, whose new content is prepared in another file beforehand.

    The lock is a hard link to that file: it is complete from the first instant, and after a crash the inode tells whose
    it is. If `target` is a symbolic link, the file that it leads to is locked and replaced. Source: lockfile.h of git,
    LOCK_NO_DEREF.
    """

    __slots__ = ("_target", "path")

    def __init__(self, target: str) -> None:
        self._target = os.path.realpath(target)
        self.path = self._target + ".lock"

    def take(self, prepared: str) -> None:
        """Create the lock with the file `prepared` as its content; wait for a moment if it is held.

        Raise LockedError if it stays held. It is never removed: only its holder knows what it is for.
        """
        for _ in retry_with_backoff(TIMEOUT):
            try:
                _create(prepared, self.path)
            except FileExistsError:
                continue
            return
        raise make_lock_error([self.path])

    def was_taken_with(self, prepared: str) -> bool:
        """Whether the lock is held, and was taken with the file `prepared`."""
        try:
            if os.path.samefile(self.path, prepared):
                return True
            return os.path.exists(prepared + COPIED) and read_file(self.path) == read_file(prepared)
        except FileNotFoundError:
            return False

    def install(self) -> None:
        """Put the lock in the place of the file; only for its holder."""
        files.replace(self.path, self._target)

    def sync(self) -> None:
        """Wait until the new name is on disk."""
        sync(os.path.dirname(self._target))

    def release(self, prepared: str) -> None:
        """Release the lock if it was taken with the file `prepared`; the file it locks does not change."""
        if self.was_taken_with(prepared):
            files.remove(self.path)


def make_lock_error(paths: Sequence[str]) -> LockedError:
    named = ", ".join(f"'{path}'" for path in paths)
    return LockedError(
        f"locked by another git command, or by one that was killed: {named}",
        hint=f"wait for the other git command; if none is running, run: rm -f {shlex.join(paths)}",
    )


def sync(path: str) -> None:
    """Wait until the content of a file, or the names in a directory, are on disk."""
    try:
        files.sync(path)
    except OSError as error:
        name_file(error, path)
        raise


def retry_with_backoff(timeout: float) -> Iterator[None]:
    """Yield at once, and then with growing pauses for `timeout` seconds."""
    end, pause = time.monotonic() + timeout, 0.01
    yield
    while time.monotonic() < end:
        time.sleep(pause)
        pause = min(pause * 2, 0.2)
        yield


def _create(prepared: str, path: str) -> None:
    try:
        os.link(prepared, path)
    except FileExistsError:
        raise
    except OSError:  # no hard links here, or another file system
        with open(prepared + COPIED, "wb"):
            pass
        with open(path, "xb"):
            pass
        try:
            shutil.copy2(prepared, path)
            sync(path)
        except OSError as error:
            files.remove(path)  # half a copy would be nobody's lock
            raise OSError(error.errno, error.strerror, path) from error
