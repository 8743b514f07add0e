"""Ctrl-C as a wish: what is under way is ended in order, a commit is finished first."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_HEARD = b"stopping; a commit that is being made is finished first\n"


@contextmanager
def stop_on_signals() -> Iterator[Callable[[], bool]]:
    """While this is open, signals that would end the process only make the function it gives answer True.

    The first one is answered on standard error. Two of them are heard so, since one wish may come twice (Ctrl-C hit
    twice, TERM with HUP); a third one ends it.
    """
    asked = threading.Event()
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def note(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            restore()
        else:
            # Past Python's own buffers, which may be in use just now.
            with suppress(OSError):
                os.write(2, _HEARD)
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
