"""A lock on a file, held by one thread of one process at a time."""

from __future__ import annotations

import os
import time

from smartcommit.errors import LockedError, SmartcommitError, explain_os_error
from smartcommit.files import try_lock
from smartcommit.state_files import open_regular

# Seconds to wait for another holder: enough for several calls in a row.
PATIENCE = 30.0
_PAUSE = 0.01


class HeldLock:
    """A lock on the file `path`, from the beginning of a `with` block to its end; the file is created if necessary.

    It excludes threads of this process too. `patience` is how many seconds to wait for another holder. `what` names in
    the error what is locked. The file is never deleted: the lock belongs to the open file, so one that was left behind
    is free. The block raises LockedError, naming the holder's process, if it stays held; SmartcommitError if the file
    cannot be opened.
    """

    # No generator, because `contextlib` takes longer to load than a notice of an agent's edit may take.
    def __init__(self, path: str, *, patience: float = PATIENCE, what: str = "") -> None:
        self._path = path
        self._patience = patience
        self._what = what
        self._descriptor = -1

    def __enter__(self) -> None:
        while not self._take():
            os.close(self._descriptor)
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)

    def _take(self) -> bool:
        """Open the file and lock it; return False if `uninstall` has removed it meanwhile, with its directory."""
        try:
            self._descriptor = open_regular(self._path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise SmartcommitError(
                f"cannot open the lock '{self._path}': {explain_os_error(error)}",
                hint="check that the directory is writable",
            ) from None
        try:
            if not lock(self._descriptor, patience=self._patience):
                holder = os.read(self._descriptor, 32).decode("ascii", "replace").strip()
                by = f" by process {holder}" if holder.isdigit() else ""
                name = self._what or f"'{self._path}'"
                raise LockedError(f"{name} is locked{by}", hint="wait for that process to finish, or stop it")
            if not os.path.exists(self._path):
                return False
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, f"{os.getpid()}\n".encode())
        except BaseException:
            self.__exit__()
            raise
        return True

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def lock(descriptor: int, *, patience: float) -> bool:
    """Lock an open file, waiting up to `patience` seconds for another holder; return whether it is locked now.

    The lock is free again when the file is unlocked, or closed by this process and all that inherited it.
    """
    end = time.monotonic() + patience
    while True:
        if try_lock(descriptor):
            return True
        if time.monotonic() >= end:
            return False
        time.sleep(_PAUSE)
