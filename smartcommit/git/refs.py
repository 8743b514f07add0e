"""Refs moved in one transaction, all or none, each only where it still has its old value."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Sequence

from smartcommit.errors import GitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import environment_of, reason


def move_refs(
    repository: Repository,
    instructions: Sequence[str],
    *,
    note: str,
    owner: int,
    prepared: Callable[[], None] = lambda: None,
) -> None:
    """Carry out `instructions` of `git update-ref --stdin`, with `note` in the reflog; one process.

    `prepared` is called when every ref is locked and has its old value, and the `reference-transaction` hook has
    agreed, but none has moved: what it raises gives the transaction up. git inherits the open file `owner`: should we
    die, a lock on that file is held until git has ended too.

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
            pass_fds=(owner,),
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
