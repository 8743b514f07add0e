"""A pseudo-terminal for programs that talk to a person."""

from __future__ import annotations

import os
import pty
import select
from collections.abc import Sequence
from pathlib import Path


def run_on_terminal(
    command: Sequence[str], *, cwd: Path, answers: str = "", env: dict[str, str] | None = None
) -> tuple[str, int]:
    """What `command` shows on a terminal of its own while `answers` are typed, and its exit status.

    The answers wait in the terminal until they are read, so nothing depends on time.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.chdir(cwd)
            os.execvpe(command[0], list(command), {**os.environ, **(env or {})})
        finally:
            os._exit(127)
    os.write(terminal, answers.encode())
    shown = b""
    while True:
        ready, _, _ = select.select([terminal], [], [], 120)
        assert ready, f"nothing more came after {shown!r}"
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # Linux says EIO once the last process has closed its side
            piece = b""
        if not piece:
            break
        shown += piece
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return shown.decode(errors="replace").replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)
