"""Files below `.git/smartcommit`: reading and replacing them.

The directory `smartcommit` is in the git directory of one worktree, so worktrees do not share it. Only the owner can
read the files, and they are always replaced as a whole. An archive can bring links and pipes in their places: no link
is followed there, and only regular files are opened.
"""

from __future__ import annotations

import errno
import os
import stat

from smartcommit import json_text
from smartcommit.errors import AgentError, SmartcommitError, name_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Content = TypeVar("Content")

_FOLDER = "smartcommit"
REFUSED = "refused-message"
FAILURE = "failure.log"
# Exists only while the executor makes a commit.
PROOF = "executor-commit"
# The executor's attempt at a task, while that has no commit.
ATTEMPT = "executor-state"
# Which commits the `commit-msg` hook has accepted; exists only while a coding agent may have a session.
RECEIPTS = "receipts"
# Where the message of the commit being made is from, as git tells `prepare-commit-msg`, after the date of its author.
SOURCE = "message-source"
# Removed by `uninstall`.
_REMOVED = (
    "draft.json", REFUSED, "refused-report", "refused-attempt", SOURCE, "servers.json", FAILURE, "hooks.json",
    "hooks.lock", "partial-plan.json", "reviewed-plan.json", "COMMIT_EDITMSG", "agent-plans.json", "split.lock",
)  # fmt: skip
# All files and folders there. What names a command is kept by `uninstall`, for that command.
STORED = {
    **dict.fromkeys(_REMOVED, ""),
    "split": "git smart-commit undo",
    # In `.jj`, as others of these can be.
    "operation-before-split": "git smart-commit undo",
    "pieces.json": "smartcommit agents uninstall",
    "ledger": "smartcommit session",
    RECEIPTS: "smartcommit session",
    ATTEMPT: "smartcommit execute run",
    "executor-checks": "smartcommit execute run",
    PROOF: "smartcommit execute run",
    "executor-index": "smartcommit execute run",
    "executor.lock": "smartcommit execute run",
}
# Windows has none of these, but one of its own, without which a line feed is written as two characters.
_FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
# What ends the name of the directory beside a hook directory that has the hooks which were there before ours.
KEPT_HOOKS = ".before-smartcommit"
# Where the executor's plans and their logs are in the working tree, and what keeps its locks out of commits.
PLANS = ".smartcommit/plans"
PLANS_IGNORE = ".smartcommit/.gitignore"


def is_plan_state(path: bytes) -> bool:
    """Whether a path below the top level belongs to the executor, which commits it with the work on a plan."""
    return path.startswith(f"{PLANS}/".encode()) or path == PLANS_IGNORE.encode()


def find_path(git_dir: str, name: str) -> str:
    assert name.partition(os.sep)[0] in STORED, f"'{name}' is missing in the table of what is stored"
    return os.path.join(git_dir, _FOLDER, name)


def refuse_links(folder: str) -> None:
    """Raise OSError if `folder`, or one between it and the git directory, is a link."""
    while folder != os.path.dirname(folder):
        if os.path.islink(folder):
            raise OSError(errno.ELOOP, "it is a link", folder)
        if os.path.basename(folder) == _FOLDER:
            return
        folder = os.path.dirname(folder)


def open_regular(path: str, flags: int = os.O_RDONLY) -> int:
    """Open a file below `.git/smartcommit`, as `os.open` does; raise OSError if it is a link, a pipe or the like."""
    refuse_links(os.path.dirname(path))
    # Opening a pipe would wait for its other end.
    descriptor = os.open(path, flags | _FLAGS, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file", path)
    return descriptor


def save_or_raise(git_dir: str, name: str, content: bytes) -> None:
    """Save `content` as `name`, in the place of whatever is there; raise OSError if that cannot be written."""
    target = find_path(git_dir, name)
    refuse_links(os.path.dirname(target))
    os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
    _replace(target, content, mode=0o600, durable=False)


def save(git_dir: str, name: str, content: bytes) -> bool:
    """Save `content` as `name`; return False if the git directory cannot be written."""
    try:
        save_or_raise(git_dir, name, content)
    except OSError:
        return False
    return True


def load(git_dir: str, name: str) -> bytes | None:
    try:
        with open(open_regular(find_path(git_dir, name)), "rb") as file:
            return file.read()
    except OSError:
        return None


def save_json(git_dir: str, name: str, content: object) -> bool:
    return save(git_dir, name, json_text.dumps(content).encode())


def load_json(git_dir: str, name: str, read: Callable[[Any], Content]) -> Content | None:
    """Return what `read` makes of the JSON in `name`; None if that is missing, damaged or of another shape.

    Another version may have written it, so `read` needs no checks of its own before it takes the content apart.
    """
    content = load(git_dir, name)
    if content is None:
        return None
    try:
        return read(json_text.loads(content.decode()))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def drop(git_dir: str, name: str) -> None:
    path = find_path(git_dir, name)
    try:
        refuse_links(os.path.dirname(path))
        _unlink(path)
    except OSError:
        pass


def remove_all(git_dir: str) -> list[str]:
    """Remove what no command needs after `uninstall`; return what is left and why, and the refused message."""
    remaining = []
    refused = load(git_dir, REFUSED)
    if refused is not None:
        remaining.append(f"the message that was refused last:\n{refused.decode('utf-8', 'replace')}")
    for name, command in STORED.items():
        if not command:
            drop(git_dir, name)
        elif os.path.lexists(find_path(git_dir, name)) and not _remove_empty(find_path(git_dir, name)):
            remaining.append(f"'{find_path(git_dir, name)}' stays, for '{command}'")
    _remove_empty(os.path.join(git_dir, _FOLDER))
    return remaining


def _remove_empty(folder: str) -> bool:
    try:
        os.rmdir(folder)
    except OSError:
        return False
    return True


def save_traceback(git_dir: str) -> str | None:
    """Save the traceback of the exception being handled and return its path, or None if that cannot be written.

    Only the last one is kept: a bug that occurs with each commit must not fill the disk.
    """
    import traceback  # loads a dozen modules, for a case that should never happen

    text = traceback.format_exc().encode("utf-8", "backslashreplace")
    if not save(git_dir, FAILURE, text):
        return None
    return find_path(git_dir, FAILURE)


def explain_bug(error: Exception, git_dir: str | None) -> SmartcommitError:
    """Return an expected `error` as it is; of a bug, save the traceback, and return an AgentError that says where."""
    if isinstance(error, SmartcommitError):
        return error
    log = None if git_dir is None else save_traceback(git_dir)
    details = str(error) if log is None else f"see '{log}'"
    return AgentError(f"this is a bug in smartcommit ({type(error).__name__}): {details}")


def replace_file(path: str, content: bytes) -> None:
    """Replace the content of the file `path` atomically, and wait until it is on disk; its mode stays.

    A symbolic link stays, and its target is replaced. What is not a regular file, such as a pipe, is written to.

    Raise OSError if it cannot be written; then the old file is unchanged.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            file.write(content)
        return
    try:
        _replace(os.path.realpath(path), content, mode=None, durable=True)
    except OSError as error:
        name_file(error, path)
        raise


def _replace(target: str, content: bytes, *, mode: int | None, durable: bool) -> None:
    """Replace a file; with the mode None, it keeps its own, and a new one gets 0o666 less the umask."""
    temporary = f"{target}.{os.getpid()}.new"
    _unlink(temporary)  # left by a killed process that had our id
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, mode or 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(descriptor)
        if mode is None and os.path.exists(target):
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
        try:
            os.replace(temporary, target)
        except PermissionError:
            from smartcommit import files  # it tries again, for Windows

            files.replace(temporary, target)
    finally:
        _unlink(temporary)  # still there if a step failed


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except PermissionError:
        from smartcommit import files  # it tries again, for Windows

        files.remove(path)
