"""Programs in sessions of their own: heard, watched, and ended with what they start."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from smartcommit import signals
from smartcommit.processes.run import run_in_session
from tests.support.processes import gone, patience


@pytest.fixture(autouse=True)
def python_handlers() -> Iterator[None]:
    """Whatever the tests are started by, the signals have the handlers of a fresh Python here."""
    before = [(number, signal.signal(number, signal.SIG_DFL)) for number in signals.SIGNALS]
    before.append((signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler)))
    yield
    for number, handler in before:
        signal.signal(number, handler)


def test_output_and_errors_are_heard_together_or_apart(tmp_path: Path) -> None:
    script = ["sh", "-c", "echo out; echo err >&2; cat; exit 3"]
    heard, errors = bytearray(), bytearray()
    where: dict[str, Any] = {"directory": str(tmp_path), "environment": os.environ, "stdin": b"given"}
    assert run_in_session(script, feed=heard.extend, **where) == 3
    assert heard == b"out\nerr\ngiven"
    heard.clear()
    assert run_in_session(script, feed=heard.extend, feed_errors=errors.extend, **where) == 3
    assert (heard, errors) == (b"out\ngiven", b"err\n")


def test_what_a_listener_or_a_watcher_raises_ends_the_program(tmp_path: Path) -> None:
    def refuse(printed: bytes = b"") -> None:
        raise ValueError("enough")

    def watch() -> None:
        if heard:
            refuse()

    heard = bytearray()
    for options in ({"feed": refuse}, {"feed": heard.extend, "watch": watch}):
        command = ["sh", "-c", "echo $$ > pid; echo on; exec sleep 600"]
        with pytest.raises(ValueError, match="enough"):
            run_in_session(command, directory=str(tmp_path), environment=os.environ, **options)
        assert any(gone(int((tmp_path / "pid").read_text())) for _ in patience())


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
    with signals.exit_on_signals(), pytest.raises(SystemExit):
        run_in_session(["sleep", "600"], directory="/", environment=os.environ, feed=bytearray().extend)
    assert [process.returncode for process in made] == [-signal.SIGKILL]


def test_what_a_process_leaves_running_is_ended_with_it() -> None:
    heard = bytearray()
    command = ["sh", "-c", "sleep 600 & echo $!; echo complaint >&2"]
    assert run_in_session(command, directory="/", environment=os.environ, feed=heard.extend) == 0
    left, complaint = heard.split()
    assert complaint == b"complaint"
    assert any(gone(int(left)) for _ in patience())
