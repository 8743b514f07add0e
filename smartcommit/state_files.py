"""Files below `.git/smartcommit`: reading, replacing and locking them.

The folder `smartcommit` lies in the directory of one worktree, so that two worktrees never meet. Files are readable by
their owner alone and replaced as a whole.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager

from smartcommit.errors import LockedError, SmartcommitError

REFUSED = "refused-message"
FAILURE = "failure.log"
# Exists only while the executor makes a commit.
PROOF = "executor-commit"
# Seconds to wait for another holder: several calls in a row pass, a person does not wait for ever.
PATIENCE = 30.0
_PAUSE = 0.01


def path(git_dir: str, name: str) -> str:
    """Where the file `name` of the worktree with `git_dir` is kept."""
    return os.path.join(git_dir, "smartcommit", name)


def save(git_dir: str, name: str, content: bytes) -> bool:
    """Keep `content` under `name`; False where the git directory cannot be written."""
    target = path(git_dir, name)
    temporary = f"{target}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, target)
    except OSError:
        return False
    return True


def load(git_dir: str, name: str) -> bytes | None:
    """What is kept under `name`, None where there is nothing."""
    try:
        with open(path(git_dir, name), "rb") as file:
            return file.read()
    except OSError:
        return None


def drop(git_dir: str, name: str) -> None:
    """Forget what is kept under `name`."""
    try:
        os.unlink(path(git_dir, name))
    except OSError:
        return


def keep_traceback(git_dir: str) -> str | None:
    """Keep the traceback of the exception being handled and return its file; None where that cannot be written.

    The last one only: a bug that shows with each commit must not fill the disk.
    """
    import traceback  # loads a dozen modules, for a case that should never happen

    text = traceback.format_exc().encode("utf-8", "backslashreplace")
    return path(git_dir, FAILURE) if save(git_dir, FAILURE, text) else None


def replace_file(path: str, content: bytes) -> None:
    """Give the file `path` a new content; its mode stays, and a link stays a link to the file that is replaced.

    What is no regular file, such as a pipe, is written to and stays what it is.

    Raises: OSError when it cannot be written; the old file is still there.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            file.write(content)
        return
    target = os.path.realpath(path)
    temporary = f"{target}.{os.getpid()}.new"
    # A new file gets what the umask leaves of this mode.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        if os.path.exists(target):
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


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
