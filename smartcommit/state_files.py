"""What smartcommit keeps in the git directory, beside git's own files and never in the tree.

The folder `smartcommit` lies in the directory of one worktree, so that two worktrees never meet. Files are readable by
their owner alone and replaced as a whole.
"""

from __future__ import annotations

import os

REFUSED = "refused-message"
FAILURE = "failure.log"
# Exists only while the executor makes a commit.
PROOF = "executor-commit"


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
