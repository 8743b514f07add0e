"""The review of a split in two panes on a terminal.

This module and what it imports of its name are all that needs the extra `tui`. textual is maintained, typed, drives
itself without a terminal in tests, and leaves the screen to an editor; curses has no such help, and prompt_toolkit's
full screens are built from its parts.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

from smartcommit.errors import SplitError
from smartcommit.git.repo import Repository
from smartcommit.signals import SIGNALS
from smartcommit.split.review.session import Session
from smartcommit.split.review.text import ReplanRequested, ReviewCallbacks
from smartcommit.split.review.tui import ReviewApp
from smartcommit.terminal import Terminal


class TwoPaneReview:
    """The review in two panes, on a terminal."""

    def __init__(self, session: Session, terminal: Terminal, repository: Repository, offers: ReviewCallbacks) -> None:
        self._app = ReviewApp(session, terminal, repository, offers)
        self._session = session
        self._terminal = terminal
        self._ended_by: int | None = None

    def run(self) -> bool:
        """As `Review.run`.

        Raises: SplitError too, when the panes break down; SystemExit when a signal ends them.
        """
        with _standard_streams(self._terminal), _kept_signals():
            agreed = asyncio.run(self._shown())
        if self._ended_by is not None:
            raise SystemExit(128 + self._ended_by)
        if self._app.return_code:
            raise SplitError("the review broke down", hint="run 'git config smartcommit.review text' and try again")
        if self._app.wish is not None:
            raise ReplanRequested(self._app.wish, self._session.plan)
        return bool(agreed)

    async def _shown(self) -> bool | None:
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                # Only the app itself can give the terminal back.
                loop.add_signal_handler(number, self._end, number)
        return await self._app.run_async()

    def _end(self, number: int) -> None:
        try:
            termios.tcgetattr(self._terminal.descriptor)
        except termios.error:
            # The terminal is closed: there is nothing to give back, and textual would wait for it without end.
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self._ended_by = number
        self._app.exit()


@contextmanager
def _standard_streams(terminal: Terminal) -> Iterator[None]:
    """Let the standard streams be the terminal: textual knows no other, and under a runner of hooks they are not."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    kept = [os.dup(number) for number in range(3)]
    try:
        for number in range(3):
            os.dup2(terminal.descriptor, number)
        yield
    finally:
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)


@contextmanager
def _kept_signals() -> Iterator[None]:
    """Put the handlers back that textual and the loop set for good."""
    numbers = (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH, *SIGNALS)
    handlers = [signal.getsignal(number) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)
