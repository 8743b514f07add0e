"""Signals that end this process, as an exception: what is under way is put in order on the way out."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def unwinding() -> Iterator[None]:
    """While this is open, SIGTERM and SIGHUP raise SystemExit with a shell's status; further ones are ignored.

    One that is ignored already, as SIGHUP is below `nohup`, stays so.
    """
    if threading.current_thread() is not threading.main_thread():  # there Python changes no handler
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    # Below another one of these nothing is left to do: the first signal must stay the only one.
    before = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, _leave)}
    for number in before:
        signal.signal(number, _leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _leave(number: int, frame: FrameType | None) -> None:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise SystemExit(128 + number)
