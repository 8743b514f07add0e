"""Changes files that other programs change too, without overwriting or deleting content that was not read before.

Our lock keeps our own processes apart, but pre-commit, lefthook or a person does not take it: a path may hold another
file a moment after it was read. So a file gets a name only if that is free, and what is to be replaced is exchanged in
one step and looked at before it is deleted. If another program was faster, the command ends with an error.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from typing import NamedTuple

from smartcommit.errors import SmartcommitError
from smartcommit.git.lockfile import retry_with_backoff

# The system call that exchanges two names, and its flag. Source: rename(2) of Linux, renamex_np(2) of macOS.
_EXCHANGES = {"linux": "renameat2", "darwin": "renameatx_np"}
_EXCHANGE = 2
# Errors of a kernel, a file system or a container that does not support it.
_UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM)
# The ending of a hook's name while it is exchanged without that call.
SPARE = ".smartcommit-spare"
# Seconds in which another program writes a hook that it has created.
_PATIENCE = 2.0


class HookFile(NamedTuple):
    """A hook as it was read: `identity` changes if another file takes its place or if it is written."""

    identity: tuple[int, ...]
    content: bytes


def read(path: str) -> HookFile | None:
    """Return the hook at `path`, None if there is nothing. Raise SmartcommitError if it is empty: it is being written.

    pre-commit, prek and lefthook create a hook and write it then.
    """
    for _ in retry_with_backoff(_PATIENCE):
        identity = identify(path)
        if identity is None:
            return None
        content = read_content(path)
        if content or not os.path.isfile(path):
            return HookFile(identity, content)
    raise SmartcommitError(f"'{path}' is empty: another program may be writing it", hint="try again, or remove it")


def read_content(path: str) -> bytes:
    """Return the content of a file; it is empty for what is no file or cannot be read."""
    if os.path.isfile(path):
        with suppress(OSError), open(path, "rb") as file:
            return file.read()
    return b""


def identify(path: str) -> tuple[int, ...] | None:
    """Return what changes with the file at `path`, None if there is none."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode


def write(path: str, content: bytes) -> None:
    """Write a new executable file and wait until it is on disk. Raise FileExistsError if the name is taken."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def move(path: str, name: str) -> None:
    """Rename the file at `path`. Raise SmartcommitError, with nothing changed, if `name` is taken."""
    try:
        os.link(path, name, follow_symlinks=False)
    except OSError:  # no hard links here, or the name is taken
        if os.path.lexists(name):
            raise explain_change(name) from None
        os.rename(path, name)
    else:
        os.unlink(path)


def replace(path: str, new: str, seen: HookFile | None) -> None:
    """Put the file `new` in the place of what was `seen` at `path`, which is at `new` afterwards.

    Raise SmartcommitError, with nothing changed, if something else is at `path` by now.
    """
    if seen is None:
        move(new, path)
        return
    # Looking after the exchange would do, but until it is undone the other program would find our file.
    if identify(path) == seen.identity:
        with suppress(FileNotFoundError):
            _exchange(new, path)
            if identify(new) == seen.identity:
                return
            _exchange(new, path)
    raise explain_change(path)


def remove(path: str, seen: HookFile, spare: str) -> None:
    """Delete what was `seen` at `path`, by way of the unused name `spare`.

    Raise SmartcommitError, with nothing deleted, if something else is there by now.
    """
    os.rename(path, spare)
    if identify(spare) != seen.identity:
        move(spare, path)
        raise explain_change(path)
    os.unlink(spare)


def explain_change(path: str) -> SmartcommitError:
    """Return the error for a hook that another program changes."""
    return SmartcommitError(
        f"another program has changed '{path}' at the same time",
        hint="wait until it has ended, then run this command again",
    )


def _exchange(one: str, other: str) -> None:
    """Exchange two files, in one step where the system has a call for it. Raise FileNotFoundError if one is missing."""
    call = None
    if sys.platform in _EXCHANGES:
        import ctypes  # few commands change hooks

        call = getattr(ctypes.CDLL(None, use_errno=True), _EXCHANGES[sys.platform], None)
    if call is not None:
        # The descriptors are of no effect, because the paths are absolute.
        if call(-1, os.fsencode(one), -1, os.fsencode(other), _EXCHANGE) == 0:
            return
        code = ctypes.get_errno()
        if code not in _UNSUPPORTED:
            raise OSError(code, os.strerror(code), other)
    spare = other + SPARE
    os.rename(other, spare)
    os.rename(one, other)
    os.rename(spare, one)
