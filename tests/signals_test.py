"""A signal ends what is under way in order, also one that comes in the instant a process is started."""

import os
import signal

import pytest

from smartcommit import signals
from smartcommit.signals import defer_signals, stop_on_signals
from tests.support.table import rows

pytestmark = pytest.mark.usefixtures("python_handlers")


@rows(
    ("number", "expected"),
    (signal.SIGINT, KeyboardInterrupt),
    (signal.SIGTERM, SystemExit),
    (signal.SIGHUP, SystemExit),
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


@rows("number", signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
def test_two_signals_are_a_wish_and_a_third_acts(number: signal.Signals, capfd: pytest.CaptureFixture[str]) -> None:
    came: list[int] = []
    said: list[str] = []
    before = signal.signal(number, lambda number, frame: came.append(number))
    try:
        with stop_on_signals("stopping") as stopped:
            assert not stopped()
            for _ in range(2):
                os.kill(os.getpid(), number)
                assert (stopped(), came) == (True, [])
                said.append(capfd.readouterr().err)
            os.kill(os.getpid(), number)
            assert came == [number]
        assert said == ["stopping\n", ""]
        os.kill(os.getpid(), number)
        assert came == [number, number]
    finally:
        signal.signal(number, before)


@rows("number", signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
def test_a_signal_that_is_ignored_as_below_nohup_does_not_stop_the_run(number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with stop_on_signals("stopping") as stopped:
            os.kill(os.getpid(), number)
            assert not stopped()
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        signal.signal(number, before)
