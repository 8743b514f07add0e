"""Changes files that other programs change too, without overwriting or deleting content that was not read before.

Our lock keeps our own processes apart, but pre-commit, lefthook or a person does not take it: a path may hold another
file a moment after it was read. So a file gets a name only if that is free, and what is to be replaced is exchanged in
one step and looked at before it is deleted.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import time
from typing import NamedTuple

from smartcommit.errors import SmartcommitError
from smartcommit.git.lockfile import retry_with_backoff

# The system call that exchanges two names, and its flag. Source: rename(2) of Linux, renamex_np(2) of macOS.
_EXCHANGES = {"linux": "renameat2", "darwin": "renameatx_np"}
_EXCHANGE = 2
# Errors of a kernel, a file system or a container that does not support it.
_UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM)
# Seconds for another program to finish a hook: pre-commit writes it in place and makes it executable at the end.
PATIENCE = 1.0


class HookFile(NamedTuple):
    """A hook as it was read: `identity` changes if another file takes its place or if it is written."""

    identity: tuple[int, ...]
    content: bytes

    @property
    def executable(self) -> bool:
        """Whether its owner may run it."""
        return bool(self.identity[-1] & stat.S_IXUSR)


def read(path: str) -> HookFile | None:
    """Return the hook at `path`, None if there is nothing; wait a moment for one that is being written."""
    found = None
    for _ in retry_with_backoff(PATIENCE):
        identity = _identify(path)
        if identity is None:
            return None
        found = HookFile(identity, read_content(path))
        if found.executable or time.time() - identity[-2] / 1e9 > PATIENCE:
            break
    return found


def read_content(path: str) -> bytes:
    """Return the content of a file; it is empty for what is no file or cannot be read."""
    if not os.path.isfile(path):
        return b""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _identify(path: str) -> tuple[int, ...] | None:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode


def write_executable(path: str, content: bytes) -> None:
    """Write a new file and wait until it is on disk. Raise FileExistsError if the name is taken."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
    except OSError:
        os.unlink(path)
        raise


def duplicate(path: str, name: str) -> bool:
    """Give the file at `path` the further `name`; return False if that is taken or the file is gone."""
    try:
        os.link(path, name, follow_symlinks=False)
    except (FileExistsError, FileNotFoundError):
        return False
    except OSError:  # no hard links here
        if os.path.lexists(name):
            return False
        shutil.copy2(path, name, follow_symlinks=False)
    return True


def move(path: str, name: str) -> bool:
    """Rename the file at `path`; return False, with nothing changed, if `name` is taken."""
    if not duplicate(path, name):
        return False
    os.unlink(path)
    return True


def replace(path: str, new: str, seen: HookFile | None) -> bool:
    """Put the file `new` in the place of what was `seen` at `path`, which may be at `new` afterwards.

    Return False, with nothing changed, if something else is at `path` by now.
    """
    if seen is None:
        return move(new, path)
    # Looking after the exchange would do, but until it is undone the other program would find our file.
    if _identify(path) != seen.identity:
        return False
    try:
        if not _exchange(new, path):
            os.replace(new, path)
            return True
    except FileNotFoundError:
        return False
    if _identify(new) == seen.identity:
        return True
    _exchange(new, path)
    return False


def remove(path: str, seen: HookFile, spare: str) -> bool:
    """Delete what was `seen` at `path`, by way of the unused name `spare`.

    Return False, with nothing changed, if something else is there by now.
    """
    try:
        os.rename(path, spare)
    except FileNotFoundError:
        return False
    if _identify(spare) == seen.identity:
        os.unlink(spare)
        return True
    if not move(spare, path):
        raise SmartcommitError(
            f"another program has written '{path}' at the same time",
            hint=f"the hook that was there before is '{spare}'; choose between them, then try again",
        )
    return False


def _exchange(one: str, other: str) -> bool:
    """Exchange two files in one step; return False, with nothing changed, where the system has no call for it.

    Raise FileNotFoundError if `other` is missing.
    """
    if sys.platform not in _EXCHANGES:
        return False
    import ctypes  # few commands change hooks

    call = getattr(ctypes.CDLL(None, use_errno=True), _EXCHANGES[sys.platform], None)
    # The descriptors are of no effect, because the paths are absolute.
    if call is not None and call(-1, os.fsencode(one), -1, os.fsencode(other), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if call is None or code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), other)
