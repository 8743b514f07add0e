"""A pseudo-terminal for programs that talk to a person."""

import os
import pty
import select
import termios
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from smartcommit.terminal import Terminal

# Where termios keeps the modes that echoing is one of.
_LOCAL_MODES = 3
# Seconds of silence after which a person gives up.
_PATIENCE = 300


def run_on_terminal(
    command: Sequence[str],
    *,
    cwd: Path,
    answers: str = "",
    env: dict[str, str] | None = None,
    columns: int = 0,
    shown_then: tuple[str, Callable[[int], object]] | None = None,
) -> tuple[str, int]:
    """What `command` shows on a terminal of its own while `answers` are typed, and its exit status.

    The answers wait in the terminal until they are read, so nothing depends on time. A review is by text unless `env`
    says otherwise. The terminal has so many `columns`, if any. `shown_then` is a text, and what is done with the
    terminal once it was shown.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            if columns:
                termios.tcsetwinsize(0, (24, columns))
            os.chdir(cwd)
            os.execvpe(command[0], list(command), {**os.environ, "SMARTCOMMIT_REVIEW": "text", **(env or {})})
        finally:
            os._exit(127)
    if answers:
        _silence(terminal)
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
        if shown_then is not None and shown_then[0].encode() in shown:
            act, shown_then = shown_then[1], None
            act(terminal)
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return shown.decode(errors="replace").replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)


class Person:
    """Somebody at a pseudo-terminal of this process; `shown` is what was displayed, once all is over."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.shown = ""


@contextmanager
def person(answers: str, *, lines: int = 200, replies: Sequence[tuple[str, str]] = ()) -> Iterator[Person]:
    """A person who has typed `answers` at a window of so many `lines`.

    Each of `replies` is typed once its first text was shown behind what the one before it waited for.
    """
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (lines, 100))
    _silence(slave)
    os.write(master, answers.encode())
    pieces: list[bytes] = []
    waiting = list(replies)

    def watch() -> None:
        seen = 0
        while True:
            if not select.select([master], [], [], _PATIENCE)[0]:
                # A question that no test expected would wait forever.
                os.write(master, b"\x04")
            try:
                pieces.append(os.read(master, 4096))
            except OSError:  # Linux says EIO once the other side is closed
                return
            while waiting and (place := b"".join(pieces).find(waiting[0][0].encode(), seen)) >= 0:
                seen = place + 1
                os.write(master, waiting.pop(0)[1].encode())

    watcher = threading.Thread(target=watch)
    watcher.start()
    somebody = Person(Terminal(slave))
    try:
        with somebody.terminal:
            yield somebody
    finally:
        watcher.join(60)
        os.close(master)
        somebody.shown = b"".join(pieces).decode(errors="replace").replace("\r\n", "\n")


def _silence(terminal: int) -> None:
    """Show nothing of what is typed: the system echoes it when it gets to it, maybe in the midst of what is shown."""
    modes = termios.tcgetattr(terminal)
    modes[_LOCAL_MODES] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, modes)
