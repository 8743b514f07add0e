"""A lock on a file, held by one thread of one process at a time."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from smartcommit.errors import LockedError, SmartcommitError, explain_os_error

# Seconds to wait for another holder: enough for several calls in a row.
PATIENCE = 30.0
_PAUSE = 0.01


@contextmanager
def hold(path: str, *, patience: float = PATIENCE, what: str = "") -> Iterator[None]:
    """Hold a lock on the file `path`, which is created if necessary; it excludes threads of this process too.

    `patience` is how many seconds to wait for another holder. `what` names in the error what is locked. The file is
    never deleted: the lock belongs to the open file, so one that was left behind is free.

    Raise LockedError, naming the holder's process, if it stays held; SmartcommitError if the file cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise SmartcommitError(
            f"cannot open the lock '{path}': {explain_os_error(error)}",
            hint="check that the directory is writable",
        ) from None
    try:
        if not lock(descriptor, patience=patience):
            holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
            by = f" by process {holder}" if holder.isdigit() else ""
            name = what or f"'{path}'"
            raise LockedError(f"{name} is locked{by}", hint="wait for that process to finish, or stop it")
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def lock(descriptor: int, *, patience: float) -> bool:
    """Lock an open file, waiting up to `patience` seconds for another holder; return whether it is locked now.

    The lock is free again when the file is unlocked, or closed by this process and all that inherited it.
    """
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(_PAUSE)
        else:
            return True


def unlock(descriptor: int) -> None:
    """Unlock an open file, whichever processes have inherited it."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)
