"""Signals: turn them into exceptions, defer them, or discard them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

# Windows has no SIGHUP.
SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
_ALL = (signal.SIGINT, *SIGNALS)


@contextmanager
def restore_signals(numbers: Iterable[int]) -> Iterator[Callable[[], None]]:
    """Restore the handlers of the signals `numbers` when the block ends; yield a function that does so earlier."""
    before = {number: signal.getsignal(number) for number in numbers}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)

    try:
        yield restore
    finally:
        restore()


@contextmanager
def handle_signals(
    handler: Callable[[int, FrameType | None], None], numbers: Iterable[int] = _ALL, *, include_ignored: bool = False
) -> Iterator[Callable[[], None]]:
    """Call `handler` for the signals `numbers` until the block ends; yield a function that restores their handlers.

    Signals that are ignored, as SIGHUP is below `nohup`, stay so unless `include_ignored`, because a child process
    inherits that. Outside the main thread Python cannot change handlers, so this does nothing.
    """
    kept = {handler} if include_ignored else {handler, signal.SIG_IGN}
    replaced: list[int] = []
    if threading.current_thread() is threading.main_thread():
        replaced = [number for number in numbers if signal.getsignal(number) not in kept]
    with restore_signals(replaced) as restore:
        for number in replaced:
            signal.signal(number, handler)
        yield restore


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Raise SystemExit with a shell's status on SIGTERM and SIGHUP until the block ends; ignore further ones."""
    # A nested block keeps the handler of the outer one: the first signal must stay the only one.
    with handle_signals(_exit, SIGNALS):
        yield


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defer SIGINT, SIGTERM and SIGHUP until the block ends, so that a child just started is always cleaned up."""
    received: list[int] = []
    try:
        with handle_signals(lambda number, frame: received.append(number)):
            yield
    finally:
        for number in received:
            signal.raise_signal(number)


@contextmanager
def discard_signals(numbers: Iterable[int] = _ALL, *, include_ignored: bool = False) -> Iterator[None]:
    """Discard the signals `numbers` until the block ends; unlike ignored ones, child processes still receive them."""
    with handle_signals(lambda number, frame: None, numbers, include_ignored=include_ignored):
        yield


def _exit(number: int, frame: FrameType | None) -> None:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise SystemExit(128 + number)


@contextmanager
def stop_on_signals(answer: str) -> Iterator[Callable[[], bool]]:
    """Keep running on SIGINT, SIGTERM and SIGHUP until the block ends; yield a function that says if one has come.

    The first one is answered by the line `answer` on standard error. The second one may come with it (Ctrl-C pressed
    twice, SIGTERM with SIGHUP), so only a third one ends the process.
    """
    received = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if received.is_set():
            restore()
        else:
            # Not through Python's buffers, which may be in use.
            with suppress(OSError):
                os.write(2, f"{answer}\n".encode())
        received.set()

    with handle_signals(note) as restore:
        yield received.is_set
