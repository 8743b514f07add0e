"""Signals ask a run to stop; the third one ends it, and ignored ones do neither."""

from __future__ import annotations

import os
import signal

import pytest

from smartcommit.signals import stop_on_signals
from tests.support.table import rows


@rows("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_two_signals_are_a_wish_and_the_third_one_acts(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
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


@rows("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_is_ignored_as_below_nohup_does_not_stop_the_run(number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with stop_on_signals("stopping") as stopped:
            os.kill(os.getpid(), number)
            assert not stopped()
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        signal.signal(number, before)
