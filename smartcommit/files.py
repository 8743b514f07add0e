"""Files, also where systems differ: locks, directories on disk, and what Windows does not let one replace or delete.

On Windows nobody can replace or delete a file that a process has open, be it a scanner of viruses for a moment, or one
that is read-only, as git's objects are.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable

IS_WINDOWS = os.name == "nt"
# Seconds in which a program that looks at each new file, such as a scanner, has closed it.
_PATIENCE = 2.0
_PAUSE = 0.02
# The byte that is locked: Windows lets nobody read what another process has locked, so it is behind all content.
_LOCKED_BYTE = 1 << 30


def try_lock(descriptor: int) -> bool:
    """Lock an open file, until it is unlocked or closed by all that inherited it; return False if it is held."""
    if IS_WINDOWS:
        import msvcrt

        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def unlock(descriptor: int) -> None:
    """Unlock an open file that is about to be closed; nothing happens if it is not locked."""
    if IS_WINDOWS:
        import msvcrt

        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            pass
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_UN)


def open_directory_lock(directory: str) -> int:
    """Open what is locked for a whole directory: Windows cannot open the directory itself."""
    if IS_WINDOWS:
        return os.open(f"{directory}.lock", os.O_RDWR | os.O_CREAT)
    return os.open(directory, os.O_RDONLY)


def sync(path: str) -> None:
    """Wait until the content of a file, or the names in a directory, are on disk."""
    if IS_WINDOWS and os.path.isdir(path):
        return  # NTFS writes names to its journal by itself
    descriptor = os.open(path, os.O_RDWR if IS_WINDOWS else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_content(path: str | bytes, size: int = -1) -> bytes:
    """Return the content of a file, or `size` bytes of it; it is empty for what is no file or cannot be read."""
    if not os.path.isfile(path):
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(size)
    except OSError:
        return b""


def replace(source: str, target: str) -> None:
    """Do as `os.replace`."""
    _retry(lambda: os.replace(source, target), target)


def remove(path: str) -> None:
    """Do as `os.unlink`."""
    _retry(lambda: os.unlink(path), path)


def link(target: str, path: str) -> None:
    """Do as `os.symlink`, or nothing on Windows, which lets few people make a link."""
    try:
        os.symlink(target, path)
    except OSError:
        if not IS_WINDOWS:
            raise


def remove_tree(path: str) -> None:
    """Do as `shutil.rmtree`."""
    import shutil
    import sys

    def again(function: Callable[[str], object], name: str, _: object) -> None:
        _retry(lambda: function(name), name)

    if not IS_WINDOWS:
        shutil.rmtree(path)
    elif sys.version_info >= (3, 12):
        shutil.rmtree(path, onexc=again)
    else:
        shutil.rmtree(path, onerror=again)


def _retry(act: Callable[[], object], path: str) -> None:
    """Call `act`; on Windows again for a moment, without the protection of the file `path`."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            act()
        except PermissionError:
            if not IS_WINDOWS or time.monotonic() >= end:
                raise
            if os.path.isfile(path):
                os.chmod(path, stat.S_IWRITE)
            time.sleep(_PAUSE)
        else:
            return
