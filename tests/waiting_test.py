"""A line is shown for what takes long, and only for that; and waiting before a terminal that goes away."""

import os
import signal
import threading

import pytest

from smartcommit import waiting
from smartcommit.errors import Cancelled
from smartcommit.terminal import Terminal
from smartcommit.waiting import Deadline, announce_if_slow, hold_keyboard, wait_for_model


def test_what_takes_long_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "DELAY", 0)
    seen = threading.Event()
    lines: list[str] = []

    def tell(line: str) -> None:
        lines.append(line)
        seen.set()

    with announce_if_slow("writing", tell):
        assert seen.wait(60)
    assert lines == ["writing ..."]


def test_what_is_done_at_once_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "DELAY", 3600)
    threads = threading.active_count()
    lines: list[str] = []
    with announce_if_slow("writing", lines.append):
        pass
    with announce_if_slow("writing", None):
        pass
    assert lines == []
    assert threading.active_count() == threads


def test_what_is_slow_is_done_without_a_word_where_no_thread_can_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    done: list[str] = []
    with announce_if_slow("writing", done.append):
        done.append("written")
    assert done == ["written"]


def test_a_wait_ends_with_what_watches_it() -> None:
    def stop(left: float) -> None:
        raise Cancelled("stopped")

    deadline = Deadline(60)
    deadline.tick = stop
    with hold_keyboard(None), pytest.raises(Cancelled):
        deadline.wait(1)


def test_a_terminal_that_hung_up_is_left_without_a_word() -> None:
    keyboard, screen = os.openpty()
    before = signal.getsignal(signal.SIGTERM)
    deadline = Deadline(60)
    with Terminal(screen) as terminal, wait_for_model("m", terminal, deadline):
        deadline.check()
        os.close(keyboard)
    assert signal.getsignal(signal.SIGTERM) == before
