"""A person's editor, started as git starts it."""

from __future__ import annotations

import signal
import subprocess
from types import FrameType

from smartcommit.errors import GitError
from smartcommit.git.repo import Repository

# Ctrl-C and Ctrl-\ in an editor are the editor's, not ours. Source: git's editor.c.
_KEYS = (signal.SIGINT, signal.SIGQUIT)


def edit_file(repository: Repository, path: str, terminal: int) -> None:
    """Let the person at the open file `terminal` edit `path`, and wait until the editor is closed.

    The editor is the one that `git var GIT_EDITOR` names, its words split by the shell.

    Raises: GitError when there is none, or it ends with another status than 0.
    """
    editor = repository.run("var", "GIT_EDITOR").decode("utf-8", "surrogateescape").rstrip("\n")
    if editor == ":":  # git's way of saying that nobody edits
        return
    status = _run(["sh", "-c", f'{editor} "$@"', editor, path], repository.worktree, terminal)
    if status != 0:
        raise GitError(f"the editor '{editor}' ended with status {status}", status=status)


def _run(command: list[str], directory: str, terminal: int) -> int:
    # Caught and not ignored: the editor would inherit that a key is ignored.
    handlers = [(key, signal.signal(key, _overhear)) for key in _KEYS]
    try:
        with subprocess.Popen(command, cwd=directory, stdin=terminal, stdout=terminal, stderr=terminal) as process:
            return process.wait()
    finally:
        for key, handler in handlers:
            signal.signal(key, handler)


def _overhear(number: int, frame: FrameType | None) -> None:
    pass
