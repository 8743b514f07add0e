"""Waiting in front of a person: one line that says for what, and Ctrl-C as "enough".

git dies of SIGINT whatever its hooks do, and takes the commit with it. So while something is waited for the terminal
sends no signals, and the key is read instead.
"""

from __future__ import annotations

import math
import os
import select
import termios
from contextlib import ExitStack, suppress
from types import TracebackType

from smartcommit.errors import Cancelled
from smartcommit.signals import exit_on_signals
from smartcommit.terminal import Terminal, printable

_CTRL_C = b"\x03"
_ERASE = "\r\x1b[K"


class InterruptibleWait:
    """A context manager around the waiting; its `tick` belongs into a Deadline. Without a terminal it does nothing."""

    def __init__(self, terminal: Terminal | None, what: str) -> None:
        self._terminal = terminal
        self._line = what
        self._shown = ""
        self._modes: list[object] | None = None
        self._ending = ExitStack()

    def say(self, line: str) -> None:
        """Show `line` from now on."""
        self._line = printable(line)

    def tick(self, left: float) -> None:
        """Look at the keyboard, and bring the line up to date; `left` is in seconds.

        Raises: Cancelled when Ctrl-C was pressed.
        """
        if self._terminal is None:
            return
        if _CTRL_C in self._typed(self._terminal):
            raise Cancelled("stopped by Ctrl-C")
        text = f"smartcommit: {self._line}, {math.ceil(left)} s left (Ctrl-C: without the model)"
        if text != self._shown:
            self._terminal.write(_ERASE + text[: self._width() - 1])
            self._shown = text

    def _typed(self, terminal: Terminal) -> bytes:
        ready, _, _ = select.select([terminal.descriptor], [], [], 0)
        return os.read(terminal.descriptor, 1024) if ready else b""

    def _width(self) -> int:
        assert self._terminal is not None
        try:
            return os.get_terminal_size(self._terminal.descriptor).columns or 80
        except OSError:
            return 80

    def __enter__(self) -> InterruptibleWait:
        if self._terminal is not None:
            self._modes = termios.tcgetattr(self._terminal.descriptor)
            modes = list(self._modes)
            flags = modes[3]
            assert isinstance(flags, int)
            modes[3] = flags & ~(termios.ISIG | termios.ICANON | termios.ECHO)
            # A signal must not end the process with the terminal still changed.
            self._ending.enter_context(exit_on_signals())
            termios.tcsetattr(self._terminal.descriptor, termios.TCSADRAIN, modes)  # type: ignore[arg-type]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._terminal is None:
            return
        # A terminal that hung up, or a shell took back from us, has no modes of ours any more.
        with self._ending:
            if self._shown:
                with suppress(OSError):
                    self._terminal.write(_ERASE)
            with suppress(termios.error):
                termios.tcsetattr(self._terminal.descriptor, termios.TCSADRAIN, self._modes)  # type: ignore[arg-type]
