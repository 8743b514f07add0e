"""Atomic ref updates, each checked against its old value."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence

from smartcommit.errors import GitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import reason


def move_refs(repository: Repository, instructions: Sequence[str], *, note: str, owner: int) -> None:
    """Run `instructions` of `git update-ref --stdin` in one transaction, with `note` in the reflog; one process.

    The `reference-transaction` hook runs in the caller's environment, so no `-c` may be given here: git would hand that
    down. git inherits the open file `owner`: should we be killed, a lock on that file is held until git has exited too.

    Raises: GitError when git refuses; then no ref has moved.
    """
    # A file and not a pipe: what a hook leaves running may hold it for long.
    with tempfile.TemporaryFile() as errors:
        done = subprocess.run(
            ("git", "update-ref", "-m", note, "--stdin"),
            cwd=repository.worktree,
            env=_callers_environment(repository),
            input="".join(f"{line}\n" for line in instructions).encode(),
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=(owner,),
            check=False,
        )
        if done.returncode:
            errors.seek(0)
            raise GitError(_explain(errors.read(), done.returncode), status=done.returncode)


def _callers_environment(repository: Repository) -> dict[str, str]:
    """The environment that this process was started with; only what it says of the repository's place is absolute."""
    environment = dict(os.environ)
    if "GIT_DIR" in environment or not os.path.lexists(os.path.join(repository.worktree, ".git")):
        environment["GIT_DIR"] = repository.git_dir
        environment["GIT_WORK_TREE"] = repository.worktree
    return environment


def _explain(stderr: bytes, status: int) -> str:
    text = reason(stderr) or f"status {status}"
    if "but expected" in text:
        return f"HEAD has moved in the meantime: {text}"
    return f"git did not update any ref: {text}"
