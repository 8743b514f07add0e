"""Waiting for a model: the deadline, Ctrl-C on the terminal, and a line about slow operations.

git dies of SIGINT whatever its hooks do, and takes the commit with it. So while a model is awaited the terminal sends
no signals, and the key is read instead: Ctrl-C means that waiting is over.
"""

from __future__ import annotations

import math
import os
import queue
import select
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType
from typing import TypeVar

from smartcommit.errors import Cancelled, LLMTimeout
from smartcommit.signals import exit_on_signals
from smartcommit.terminal import Terminal, printable

# Seconds between two looks at the terminal while something is waited for.
_TICK = 0.05

Item = TypeVar("Item")
_CTRL_C = b"\x03"
_ERASE = "\r\x1b[K"
# Seconds after which a person begins to wonder.
DELAY = 2.0


class Deadline:
    """A wall-clock bound, in seconds from now, or from `since` on the monotonic clock.

    `tick` is called with the seconds left, several times a second, while something is waited for; it may raise, which
    ends the waiting (`smartcommit.errors.Cancelled`).
    """

    __slots__ = ("_end", "seconds", "tick")

    def __init__(
        self, seconds: float, *, since: float | None = None, tick: Callable[[float], None] | None = None
    ) -> None:
        self.seconds = seconds
        self.tick = tick
        self._end = (time.monotonic() if since is None else since) + seconds

    @property
    def remaining(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Look at the terminal and the clock.

        Raises: LLMTimeout when no time is left.
        """
        if self.tick is not None:
            self.tick(self.remaining)
        if not self.remaining:
            raise LLMTimeout(f"no answer within {self.seconds:g} s")

    def take(self, source: queue.SimpleQueue[Item]) -> Item:
        """The next item of `source`, which another thread fills.

        Raises: LLMTimeout when none comes in time.
        """
        while True:
            self.check()
            try:
                return source.get(timeout=min(_TICK, self.remaining) if self.tick else self.remaining)
            except queue.Empty:
                continue

    def wait(self, seconds: float) -> None:
        """Let `seconds` pass.

        Raises: LLMTimeout at once when they would pass the deadline.
        """
        if seconds >= self.remaining:
            raise LLMTimeout(f"no answer within {self.seconds:g} s")
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.check()
            time.sleep(min(_TICK, left))


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


@contextmanager
def announce_if_slow(what: str, tell: Callable[[str], None] | None) -> Iterator[None]:
    """Have `tell`, if there is one, say `what` is being done, should that take longer than DELAY."""
    if tell is None:
        yield
        return
    timer = threading.Timer(DELAY, tell, (f"{what} ...",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # a line that is just being written comes before what follows
