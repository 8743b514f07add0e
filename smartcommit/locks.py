"""Locks between processes on one machine: the system frees them when their holder ends, however it ends."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from smartcommit.errors import LockedError, SmartcommitError

# Seconds to wait for another holder: several calls in a row pass, a person does not wait for ever.
PATIENCE = 30.0
_PAUSE = 0.01


@contextmanager
def hold(path: str, *, patience: float = PATIENCE, what: str = "") -> Iterator[None]:
    """Hold the lock file `path`, which is made where there is none; `patience` is in seconds, 0 asks once.
    `what` names in the error what is locked, by default the file.

    Also keeps threads of one process apart. The file stays behind: what locks is the open file, so a stale one is free.

    Raises: LockedError, naming the holder's process, when it is held longer; SmartcommitError when the file cannot be
    opened.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise SmartcommitError(
            f"cannot open the lock '{path}': {(error.strerror or 'error').lower()}",
            hint="see that a file can be written there",
        ) from None
    try:
        _wait(descriptor, what or f"'{path}'", time.monotonic() + patience)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _wait(descriptor: int, what: str, end: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
                by = f" by process {holder}" if holder.isdigit() else ""
                raise LockedError(f"{what} is held{by}", hint="wait for that process, or end it") from None
            time.sleep(_PAUSE)
        else:
            return
