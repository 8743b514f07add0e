"""The review of a split in two panes on a terminal.

This module and what it imports of its name are all that needs the extra `tui`. textual is maintained, typed, drives
itself without a terminal in tests, and leaves the screen to an editor; curses has no such help, and prompt_toolkit's
full screens are built from its parts.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from smartcommit.errors import SplitError
from smartcommit.git.repo import Repository
from smartcommit.split.review import Offers, _Reclassify
from smartcommit.split.session import Session
from smartcommit.split.tui_app import ReviewApp
from smartcommit.terminal import Terminal


class TwoPaneReview:
    """The review in two panes, on a terminal."""

    def __init__(self, session: Session, terminal: Terminal, repository: Repository, offers: Offers) -> None:
        self._app = ReviewApp(session, terminal, repository, offers)
        self._session = session
        self._terminal = terminal

    def run(self) -> bool:
        """As `Review.run`.

        Raises: SplitError too, when the panes break down.
        """
        with _standard_streams(self._terminal), _kept_signals():
            agreed = self._app.run()
        if self._app.return_code:
            raise SplitError("the review broke down", hint="run 'git config smartcommit.review text' and try again")
        if self._app.wish is not None:
            raise _Reclassify(self._app.wish, self._session.plan)
        return bool(agreed)


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
    """Put the handlers back that textual sets for good."""
    numbers = (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH)
    handlers = [signal.getsignal(number) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)
