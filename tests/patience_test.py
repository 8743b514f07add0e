"""Waiting before a terminal that goes away meanwhile."""

from __future__ import annotations

import os
import signal

from smartcommit.terminal import Terminal
from smartcommit.waiting import InterruptibleWait


def test_a_terminal_that_hung_up_is_left_without_a_word() -> None:
    keyboard, screen = os.openpty()
    before = signal.getsignal(signal.SIGTERM)
    with Terminal(screen) as terminal, InterruptibleWait(terminal, "waiting") as patience:
        patience.tick(1.0)
        os.close(keyboard)
    assert signal.getsignal(signal.SIGTERM) == before
