"""Refs moved in one transaction, all or none, each only where it still has its old value."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress

from smartcommit.errors import GitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import environment_of, read_file, reason


def move_refs(
    repository: Repository, instructions: Sequence[str], *, note: str, prepared: Callable[[], None] = lambda: None
) -> None:
    """Carry out `instructions` of `git update-ref --stdin`, with `note` in the reflog; one process.

    `prepared` is called when every ref is locked and has its old value, and the `reference-transaction` hook has
    agreed, but none has moved: what it raises gives the transaction up.

    Raises: GitError when git refuses; then no ref has moved.
    """
    with tempfile.TemporaryFile() as complaints:
        with subprocess.Popen(
            ("git", "-c", "core.fsync=reference", "update-ref", "-m", note, "--stdin"),
            cwd=repository.worktree,
            env=environment_of(repository.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            ready = "\n".join(["start", *instructions, "prepare", ""])
            # Without `commit` git gives the transaction up when its input ends.
            if _tell(process, ready, b"prepare: ok\n"):
                prepared()
                _tell(process, "commit\n", b"commit: ok\n")
        if process.returncode:
            complaints.seek(0)
            raise GitError(_explain(complaints.read()), status=process.returncode)


def head_lock(repository: Repository) -> str | None:
    """What identifies the lock of HEAD that is there now, None where there is none."""
    try:
        status = os.stat(_head_lock(repository))
    except FileNotFoundError:
        return None
    return f"{status.st_ino} {status.st_mtime_ns}"


def release_locks(repository: Repository, *, own: str, branch: str | None, value: str | None, head: str | None) -> None:
    """Remove the locks of a transaction of ours that was killed when git had prepared it.

    The ref `own` is nobody else's, and nobody else writes `value` to `branch`: either lock shows whose they are. HEAD
    is the first that a transaction locks, so its lock belongs to whoever holds a later one. It is also the last that
    git gives up: where it stands alone, `head` tells it, as `head_lock` gave it while the transaction was prepared.
    """
    if head is not None and head_lock(repository) == head:
        os.unlink(_head_lock(repository))
    own_lock = os.path.join(repository.common_dir, own + ".lock")
    branch_lock = os.path.join(repository.common_dir, branch + ".lock") if branch else None
    if branch_lock is not None and read_file(branch_lock) != f"{value}\n".encode():
        branch_lock = None
    if branch_lock is None and not os.path.exists(own_lock):
        return
    for lock in (branch_lock, own_lock, _head_lock(repository)):
        if lock is not None:
            with suppress(FileNotFoundError):
                os.unlink(lock)


def _head_lock(repository: Repository) -> str:
    return os.path.join(repository.git_dir, "HEAD.lock")


def _tell(process: subprocess.Popen[bytes], words: str, answer: bytes) -> bool:
    """Whether git answers `words` with `answer` rather than ending."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(words.encode())
        process.stdin.flush()
    except BrokenPipeError:
        return False
    return answer in iter(process.stdout.readline, b"")


def _explain(stderr: bytes) -> str:
    text = reason(stderr)
    return f"HEAD has moved meanwhile: {text}" if "but expected" in text else f"git moved no ref: {text}"
