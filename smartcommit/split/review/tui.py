"""The review in two panes, on a terminal.

The panes need the extra `tui`. textual is maintained and typed, runs without a terminal in tests, and can be suspended
for an editor; curses has nothing like that, and prompt_toolkit has no ready-made widgets for two panes.
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
from smartcommit.signals import SIGNALS, restore_signals
from smartcommit.split.review.app import ReviewApp
from smartcommit.split.review.session import Session
from smartcommit.split.review.text import ReplanRequested, ReviewCallbacks
from smartcommit.terminal import Terminal


class TwoPaneReview:
    """The review in two panes, on a terminal."""

    def __init__(self, session: Session, terminal: Terminal, repository: Repository, offers: ReviewCallbacks) -> None:
        self._app = ReviewApp(session, terminal, repository, offers)
        self._session = session
        self._terminal = terminal
        self._ended_by: int | None = None

    def run(self) -> bool:
        """As `Review.run`; raise also SplitError if the panes fail, and SystemExit if a signal ends them."""
        replaced = (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH, *SIGNALS)
        with _standard_streams(self._terminal), restore_signals(replaced):
            agreed = asyncio.run(self._show())
        if self._ended_by is not None:
            raise SystemExit(128 + self._ended_by)
        if self._app.return_code:
            raise SplitError("the review failed", hint="run 'git config smartcommit.review text' and try again")
        if self._app.instructions is not None:
            raise ReplanRequested(self._app.instructions, self._session.plan)
        return bool(agreed)

    async def _show(self) -> bool | None:
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                # Only the app itself can restore the terminal.
                loop.add_signal_handler(number, self._end, number)
        return await self._app.run_async()

    def _end(self, number: int) -> None:
        try:
            termios.tcgetattr(self._terminal.descriptor)
        except termios.error:
            # The terminal is closed: there is nothing to restore, and textual would wait for it forever.
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self._ended_by = number
        self._app.exit()


@contextmanager
def _standard_streams(terminal: Terminal) -> Iterator[None]:
    """Redirect the standard streams to the terminal: textual uses no other, and under a hook runner they are pipes."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    kept = list(map(os.dup, range(3)))
    try:
        for number in range(3):
            os.dup2(terminal.descriptor, number)
        yield
    finally:
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)
