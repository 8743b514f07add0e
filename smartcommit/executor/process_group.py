"""Running a command with everything it starts: output as it comes, an end to all of it in time."""

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

from smartcommit.check import EXECUTION
from smartcommit.errors import Cancelled
from smartcommit.executor import guard
from smartcommit.process_table import marked

# Seconds between two looks at what is no output: the clock, and whether a person wants to stop.
_TICK = 0.1
_CHUNK = 1 << 16
# Seconds that a process which is killed takes at most to be gone.
_DYING = 5.0
# Seconds of what is still said when all is over: whoever got away, mark and all, could go on for ever.
_LAST_WORDS = 1.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds: how long a command may take, how long it may say nothing, and how long it may take to end when asked."""

    timeout: float = 3600.0
    stall: float = 900.0
    grace: float = 5.0


class Ended(Exception):
    """The command was ended from here; the text says why."""


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
    """Run `command` in a process group of its own and return its status, as a shell gives it (128 + n for signal n).

    `feed` gets its output and errors as they come. When it is over nothing that it started is left, nor when this
    process dies first; but for what left its group and dropped EXECUTION, which is not heard any more.

    Raises: Ended when it takes too long or says nothing for too long; Cancelled when `stopped` says so.
    """
    output, writer = os.pipe()
    lifeline, end = os.pipe()
    try:
        with tempfile.TemporaryFile() as file:
            # A file and not a pipe: a command that never reads must not keep us from hearing it.
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
    # Negative where the guard itself was ended.
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


class _Watch:
    """One running command: `follow` it to its end, and `finish` it in any case."""

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
                raise Ended(f"took longer than {self._limits.timeout:g} s and was ended")
            if now - heard > self._limits.stall:
                raise Ended(f"said nothing for {self._limits.stall:g} s and was ended")

    def finish(self, mark: str | None) -> None:
        """End what is left of the group, and of what left the group, and take in what it said last."""
        if not self._is_over():
            self._signal(signal.SIGTERM)
            end = time.monotonic() + self._limits.grace
            while not self._is_over() and time.monotonic() < end:
                self._listen(_TICK)
        # A git that the agent left at work removes its locks when it is asked to end, and only then.
        end_marked(mark, self._limits.grace)
        # The group's number is not given out again before its first process is waited for.
        self._signal(signal.SIGKILL)
        self._process.wait()
        end = time.monotonic() + _LAST_WORDS
        while time.monotonic() < end and self._listen(0):
            pass

    def _is_over(self) -> bool:
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            return self._process.poll() is not None
        # Left unwaited for, see `finish`.
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _listen(self, patience: float) -> bool:
        """Hand on what is there, or comes within `patience` seconds; False where nothing did."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            if not selector.select(patience):
                return False
        data = os.read(self._output, _CHUNK)
        if not data:
            # Everybody has closed it; whoever still runs has nothing more to say.
            time.sleep(min(patience, 0.01))
            return False
        self._feed(data)
        return True


def end_marked(mark: str | None, grace: float) -> None:
    """End the processes of a run, also those that left their group, where the system tells; `grace` is in seconds."""
    for number, patience in ((signal.SIGTERM, grace), (signal.SIGKILL, _DYING)):
        if not mark or not (left := marked(f"{EXECUTION}={mark}")):
            return
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        wait_for(mark, patience)


def wait_for(mark: str, patience: float) -> bool:
    """Wait up to `patience` seconds until no process of a run is left; whether none is, as far as the system tells."""
    end = time.monotonic() + patience
    while left := marked(f"{EXECUTION}={mark}"):
        if time.monotonic() >= end:
            break
        time.sleep(_TICK / 2)
    return not left
