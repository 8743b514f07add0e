"""Ctrl-C as a wish: what is under way is ended in order, a commit is finished first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """While this is open, signals that would end the process only make the function it gives answer True."""
    asked = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        asked.set()

    if threading.current_thread() is not threading.main_thread():  # there Python changes no handler
        yield asked.is_set
        return
    before = {number: signal.signal(number, note) for number in _SIGNALS}
    try:
        yield asked.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
