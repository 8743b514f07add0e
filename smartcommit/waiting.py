"""Waiting for a model: the deadline, Ctrl-C on the terminal, and a line about slow operations.

A draft without a model needs the deadline alone, so the modules that waiting takes are imported when it begins.

SIGINT kills git whatever its hooks do, and the commit with it. So while we wait for a model, the terminal sends no
signals and we read the keyboard instead: Ctrl-C ends only the waiting.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from smartcommit.errors import Cancelled, LLMTimeout
from smartcommit.message.characters import printable
from smartcommit.terminal import Terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    import queue
    from typing import TypeVar

    Item = TypeVar("Item")

# Seconds between two checks of the terminal.
_TICK = 0.05
_CTRL_C = b"\x03"
_ERASE = "\r\x1b[K"
# Seconds after which the user may begin to wonder.
DELAY = 2.0


class Deadline:
    """A time limit in seconds from now, or from `since` on the monotonic clock.

    While waiting, `tick` is called several times a second with the seconds left; it may raise Cancelled.
    """

    def __init__(
        self, seconds: float, *, since: float | None = None, tick: Callable[[float], None] | None = None
    ) -> None:
        self.seconds = seconds
        self.tick = tick
        self._end = (time.monotonic() if since is None else since) + seconds

    @property
    def remaining(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        if self.tick is not None:
            self.tick(self.remaining)
        if not self.remaining:
            raise LLMTimeout(f"no answer within {self.seconds:g} s")

    def take(self, source: queue.SimpleQueue[Item]) -> Item:
        """Return the next item of `source`, which another thread fills; raise LLMTimeout if none comes in time."""
        import queue

        longest = math.inf if self.tick is None else _TICK
        while True:
            self.check()
            with suppress(queue.Empty):
                return source.get(timeout=min(longest, self.remaining))

    def wait(self, seconds: float) -> None:
        """Wait for `seconds`; raise LLMTimeout at once if the deadline comes first."""
        if seconds >= self.remaining:
            raise LLMTimeout(f"no answer within {self.seconds:g} s")
        end = time.monotonic() + seconds
        while (seconds_left := end - time.monotonic()) > 0:
            self.check()
            time.sleep(min(_TICK, seconds_left))


@contextmanager
def hold_keyboard(terminal: Terminal | None) -> Iterator[None]:
    """Let no key of `terminal` send a signal until the block ends: Ctrl-C waits to be read. Can be nested."""
    if terminal is None or terminal.descriptor is None:
        yield
        return
    import termios  # not on Windows, where there is no such terminal

    from smartcommit.signals import exit_on_signals

    modes = termios.tcgetattr(terminal.descriptor)
    held = list(modes)
    held[3] = modes[3] & ~(termios.ISIG | termios.ICANON | termios.ECHO)
    # A signal must not kill the process before the terminal is restored.
    with exit_on_signals():
        termios.tcsetattr(terminal.descriptor, termios.TCSADRAIN, held)
        try:
            yield
        finally:
            # A terminal that hung up, or that the shell has taken over, no longer has our modes.
            with suppress(termios.error):
                termios.tcsetattr(terminal.descriptor, termios.TCSADRAIN, modes)


@contextmanager
def wait_for_model(name: str, terminal: Terminal | None, deadline: Deadline) -> Iterator[Callable[[str], None]]:
    """Let Ctrl-C on `terminal` end any waiting for the model, show a line, and yield a function that changes it."""
    if terminal is None or terminal.descriptor is None:
        yield lambda line: None
        return
    descriptor = terminal.descriptor
    import select

    line, shown = f"asking {name}", ""

    def say(text: str) -> None:
        nonlocal line
        line = printable(text)

    def tick(left: float) -> None:
        nonlocal shown
        ready, _, _ = select.select([descriptor], [], [], 0)
        if ready and _CTRL_C in os.read(descriptor, 1024):
            raise Cancelled("stopped by Ctrl-C")
        text = f"smartcommit: {line}, {math.ceil(left)} s left (Ctrl-C to continue without the model)"
        if text != shown:
            terminal.write(_ERASE + text[: terminal.width - 1])
            shown = text

    with hold_keyboard(terminal):
        deadline.tick = tick
        try:
            yield say
        finally:
            deadline.tick = None
            if shown:
                with suppress(OSError):
                    terminal.write(_ERASE)


@contextmanager
def announce_if_slow(what: str, show: Callable[[str], None] | None) -> Iterator[None]:
    """Call `show`, if given, to say that `what` is being done, in case it takes longer than DELAY."""
    if show is None:
        yield
        return
    import threading

    timer = threading.Timer(DELAY, show, (f"{what} ...",))
    timer.daemon = True
    is_started = True
    try:
        timer.start()
    except RuntimeError:
        # There is too little memory for a thread: what is being done may still work, or says so itself.
        is_started = False
    try:
        yield
    finally:
        if is_started:
            timer.cancel()
            timer.join()  # a line that is just being written comes before any others
