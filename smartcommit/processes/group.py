"""Runs a command in its own process group, with streamed output and timeouts."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from smartcommit.errors import Cancelled
from smartcommit.processes import guard
from smartcommit.processes.table import EXECUTION, find_marked

# Seconds between checks of the time limits and of a request to stop.
_TICK = 0.1
_CHUNK = 1 << 16
# Seconds that a killed process takes to exit.
_KILL_TIMEOUT = 5.0
# Seconds to read remaining output: a process that got away could print for ever.
_DRAIN_TIMEOUT = 1.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits in seconds: for a command, for a pause in its output, and for its exit after SIGTERM."""

    timeout: float = 3600.0
    stall: float = 900.0
    grace: float = 5.0


class TimedOut(Exception):
    """The command was stopped because of a time limit, which the text names."""


def run_group(
    command: Sequence[str],
    *,
    directory: str,
    environment: Mapping[str, str],
    feed: Callable[[bytes], None],
    stdin: bytes = b"",
    limits: Limits | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Run `command` in a new process group and return its exit status, as in a shell (128 + n for signal n).

    `feed` gets its output and errors as they arrive. All processes it started are terminated when it exits, or when
    this process dies; except those that left its group and dropped EXECUTION, which are not read any more.

    Raise TimedOut if it exceeds a time limit, Cancelled if `stopped` returns True.
    """
    output, writer = os.pipe()
    lifeline, end = os.pipe()
    try:
        with tempfile.TemporaryFile() as file:
            # A file instead of a pipe: a command that never reads must not block us.
            file.write(stdin)
            file.seek(0)
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", guard.__file__, str(lifeline), *command],
                cwd=directory, env=dict(environment), stdin=file, stdout=writer, stderr=subprocess.STDOUT,
                start_new_session=True, pass_fds=(lifeline,),
            )  # fmt: skip
        os.close(writer)
        writer = -1
        watch = _Watch(process, output, feed, limits or Limits())
        try:
            watch.follow(stopped)
        finally:
            watch.finish(environment.get(EXECUTION))
    finally:
        for descriptor in (output, writer, lifeline, end):
            if descriptor >= 0:
                os.close(descriptor)
    # Negative if the guard itself was killed.
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


class _Watch:
    """A running command: `follow` it until it exits, and `finish` it in any case."""

    def __init__(
        self, process: subprocess.Popen[bytes], output: int, feed: Callable[[bytes], None], limits: Limits
    ) -> None:
        self._process = process
        self._output = output
        self._feed = feed
        self._limits = limits

    def follow(self, stopped: Callable[[], bool]) -> None:
        begun = heard = time.monotonic()
        while not self._is_over():
            if self._listen(_TICK):
                heard = time.monotonic()
            if stopped():
                raise Cancelled("stopped")
            now = time.monotonic()
            if now - begun > self._limits.timeout:
                raise TimedOut(f"timed out after {self._limits.timeout:g} s")
            if now - heard > self._limits.stall:
                raise TimedOut(f"was stopped after {self._limits.stall:g} s without output")

    def finish(self, run_id: str | None) -> None:
        """Terminate what is left of the group, and processes that left it, and read the remaining output."""
        if not self._is_over():
            self._signal(signal.SIGTERM)
            end = time.monotonic() + self._limits.grace
            while not self._is_over() and time.monotonic() < end:
                self._listen(_TICK)
        # SIGTERM first: only then does a git that the agent left running remove its locks.
        terminate_run(run_id, self._limits.grace)
        # The group's id is not reused before its first process is waited for.
        self._signal(signal.SIGKILL)
        self._process.wait()
        end = time.monotonic() + _DRAIN_TIMEOUT
        while time.monotonic() < end and self._listen(0):
            pass

    def _is_over(self) -> bool:
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            return self._process.poll() is not None
        # Not reaped yet, see `finish`.
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _listen(self, timeout: float) -> bool:
        """Pass on output that arrives within `timeout` seconds; return whether there was any."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            if not selector.select(timeout):
                return False
        data = os.read(self._output, _CHUNK)
        if not data:
            # All processes have closed it.
            time.sleep(min(timeout, 0.01))
            return False
        self._feed(data)
        return True


def terminate_run(run_id: str | None, grace: float) -> None:
    """Terminate the processes of a run, even outside its group if the system lists them; `grace` is in seconds."""
    for number, timeout in ((signal.SIGTERM, grace), (signal.SIGKILL, _KILL_TIMEOUT)):
        if not run_id or not (left := find_marked(f"{EXECUTION}={run_id}")):
            return
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        wait_for_run(run_id, timeout)


def wait_for_run(run_id: str, timeout: float) -> bool:
    """Wait until no process of a run is left, and return whether that is so after `timeout` seconds at most."""
    end = time.monotonic() + timeout
    while left := find_marked(f"{EXECUTION}={run_id}"):
        if time.monotonic() >= end:
            break
        time.sleep(_TICK / 2)
    return not left
