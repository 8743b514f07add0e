"""Runs a command in its own process group, with streamed output and timeouts."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from smartcommit.errors import Cancelled
from smartcommit.processes import EXECUTION
from smartcommit.processes.run import run_in_session

# Seconds between two checks for remaining processes.
_TICK = 0.05
# Seconds that a killed process takes to exit.
_KILL_TIMEOUT = 5.0


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
    bounds = limits or Limits()
    begun = heard = time.monotonic()

    def hear(output: bytes) -> None:
        nonlocal heard
        heard = time.monotonic()
        feed(output)

    def watch() -> None:
        if stopped():
            raise Cancelled("stopped")
        now = time.monotonic()
        if now - begun > bounds.timeout:
            raise TimedOut(f"timed out after {bounds.timeout:g} s")
        if now - heard > bounds.stall:
            raise TimedOut(f"was stopped after {bounds.stall:g} s without output")

    def finish() -> None:
        # Before they are killed: only then does a git that the agent left running remove its locks.
        terminate_run(environment.get(EXECUTION), bounds.grace)

    return run_in_session(
        command,
        directory=directory,
        environment=environment,
        feed=hear,
        stdin=stdin,
        watch=watch,
        grace=bounds.grace,
        finish=finish,
    )


def terminate_run(run_id: str | None, grace: float) -> None:
    """Terminate the processes of a run, even outside its group if the system lists them; `grace` is in seconds."""
    for number, timeout in ((signal.SIGTERM, grace), (signal.SIGKILL, _KILL_TIMEOUT)):
        if not run_id or not (left := _find_marked(f"{EXECUTION}={run_id}")):
            return
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        wait_for_run(run_id, timeout)


def wait_for_run(run_id: str, timeout: float) -> bool:
    """Wait until no process of a run is left, and return whether that is so after `timeout` seconds at most."""
    end = time.monotonic() + timeout
    while left := _find_marked(f"{EXECUTION}={run_id}"):
        if time.monotonic() >= end:
            break
        time.sleep(_TICK)
    return not left


def _find_marked(mark: str) -> list[int]:
    """Return the other processes of this user whose environment contains `mark`; none if there is no `/proc`."""
    wanted = mark.encode()
    found: list[int] = []
    if not os.path.isdir("/proc/self"):
        return found
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                environment = file.read()
        except OSError:  # it has exited in the meantime, or belongs to another user
            continue
        if wanted in environment.split(b"\0"):
            found.append(int(name))
    return found
