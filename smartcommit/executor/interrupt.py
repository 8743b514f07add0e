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
    """While this is open, signals that would end the process only make the function it gives answer True.

    That holds for two of them, since one wish may come twice (Ctrl-C hit twice, TERM with HUP); a third one ends it.
    """
    asked = threading.Event()
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def note(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            restore()
        asked.set()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    if threading.current_thread() is not threading.main_thread():  # there Python changes no handler
        yield asked.is_set
        return
    for number in _SIGNALS:
        signal.signal(number, note)
    try:
        yield asked.is_set
    finally:
        restore()
