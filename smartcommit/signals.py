"""Signals: turn them into exceptions, defer them, and run children in a session of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO

SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_HEARD = b"stopping; a commit that is being made is finished first\n"


@contextmanager
def exit_on_signals() -> Iterator[None]:
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


@contextmanager
def defer_signals() -> Iterator[None]:
    """While this is open, SIGINT, SIGTERM and SIGHUP wait: what is started here is known before they end us.

    One that is ignored stays so, for what is started inherits that.
    """
    heard: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        heard.append(number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, *SIGNALS)}
        before = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    for number in before:
        signal.signal(number, note)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for each in heard:
            signal.raise_signal(each)


@contextmanager
def own_session(
    command: Sequence[str], *, directory: str, environment: Mapping[str, str], output: IO[bytes] | int
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that leads a session of its own, reads nothing and prints, errors too, to `output`.

    At the end its status is known, and whatever it started and left in its group is killed.
    """
    process = None
    try:
        with defer_signals():
            process = subprocess.Popen(
                command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        yield process
    finally:
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


def _leave(number: int, frame: FrameType | None) -> None:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise SystemExit(128 + number)


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
