"""A signal ends what is under way in order, also one that comes in the instant a process is started."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from smartcommit import signals
from smartcommit.signals import defer_signals
from tests.support.table import rows


@pytest.fixture(autouse=True)
def python_handlers() -> Iterator[None]:
    """Whatever the tests are started by, the signals have the handlers of a fresh Python here."""
    before = [(number, signal.signal(number, signal.SIG_DFL)) for number in signals.SIGNALS]
    before.append((signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler)))
    yield
    for number, handler in before:
        signal.signal(number, handler)


@rows(
    ("number", "expected"),
    [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit), (signal.SIGHUP, SystemExit)],
)
def test_a_signal_waits_while_it_is_held(number: signal.Signals, expected: type[BaseException]) -> None:
    steps: list[str] = []

    def start() -> None:
        with defer_signals():
            signal.raise_signal(number)
            steps.append("started")

    with signals.exit_on_signals(), pytest.raises(expected):
        start()
    assert steps == ["started"]


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with defer_signals():
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        signal.raise_signal(signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
