"""A signal ends what is under way in order, also one that comes in the instant a process is started."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from typing import IO, Any

import pytest

from smartcommit import signals
from smartcommit.signals import defer_signals, start_in_own_session
from tests.support.processes import gone, patience


@pytest.fixture(autouse=True)
def python_handlers() -> Iterator[None]:
    """Whatever the tests are started by, the signals have the handlers of a fresh Python here."""
    before = [(number, signal.signal(number, signal.SIG_DFL)) for number in signals.SIGNALS]
    before.append((signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler)))
    yield
    for number, handler in before:
        signal.signal(number, handler)


@pytest.mark.parametrize(
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


def test_a_signal_while_a_process_is_started_ends_that_process_too(monkeypatch: pytest.MonkeyPatch) -> None:
    popen = subprocess.Popen
    made: list[subprocess.Popen[bytes]] = []

    def interrupted(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        process = popen(*arguments, **options)
        made.append(process)
        # Here the process runs, and nobody but this function knows of it.
        signal.raise_signal(signal.SIGTERM)
        return process

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    started = start_in_own_session(["sleep", "600"], directory="/", environment=os.environ, output=subprocess.DEVNULL)
    with signals.exit_on_signals(), pytest.raises(SystemExit), started:
        pytest.fail("the process was handed out")
    assert [process.returncode for process in made] == [-signal.SIGKILL]


def test_what_a_process_leaves_running_is_ended_with_it(tmp_path: os.PathLike[str]) -> None:
    output: IO[bytes]
    with open(os.path.join(tmp_path, "output"), "w+b") as output:
        command = ["sh", "-c", "sleep 600 & echo $!; echo complaint >&2"]
        with start_in_own_session(command, directory="/", environment=os.environ, output=output) as process:
            assert process.wait() == 0
        output.seek(0)
        left, complaint = output.read().split()
    assert complaint == b"complaint"
    assert any(gone(int(left)) for _ in patience())
