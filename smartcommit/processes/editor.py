"""Opens a file in the user's editor."""

from __future__ import annotations

import signal
import subprocess

from smartcommit.signals import discard_signals

# Ctrl-C and Ctrl-\ in an editor are for the editor, not for us. Source: git's editor.c.
_KEYS = (signal.SIGINT, signal.SIGQUIT)


def open_editor(editor: str, path: str, *, directory: str | None = None, terminal: int | None = None) -> int:
    """Open `path` in `editor`, a command for the shell, wait for it, and return its status.

    It runs in `directory`, and on the open file `terminal`, by default on those of this process.
    """
    command = ["sh", "-c", f'{editor} "$@"', editor, path]
    with (
        discard_signals(_KEYS, include_ignored=True),
        subprocess.Popen(command, cwd=directory, stdin=terminal, stdout=terminal, stderr=terminal) as process,
    ):
        return process.wait()
