"""Runs programs: in sessions of their own, heard as they print and ended with all that they start; git; an editor.

Short questions to git in a hook are for `smartcommit.processes.spawn`.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any

from smartcommit.errors import Cancelled
from smartcommit.files import IS_WINDOWS
from smartcommit.processes import CHUNK, DRAIN_TIMEOUT, EXECUTION, TICK, Feed, guard
from smartcommit.signals import defer_signals, discard_signals

# Seconds to wait where nothing is left to read from.
_PAUSE = 0.01
# Bytes at the start of a standard error that are kept.
_ERRORS_KEPT = 1 << 16
# Ctrl-C and Ctrl-\ in an editor are for the editor, not for us. Source: git's editor.c.
_EDITORS_KEYS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGQUIT") if hasattr(signal, name))

# Seconds that a killed process of a run takes to exit.
_KILL_TIMEOUT = 5.0


def run_in_session(  # noqa: PLR0913
    command: Sequence[str],
    *,
    directory: str,
    environment: Mapping[str, str],
    feed: Feed,
    feed_errors: Feed | None = None,
    stdin: bytes = b"",
    watch: Callable[[], object] = lambda: None,
    grace: float = 0.0,
    finish: Callable[[], object] = lambda: None,
) -> int:
    """Run `command` in a new session; return its status as in a shell: 128 + n for signal n, 127 if it cannot run.

    `feed` gets its output as it arrives, and its errors unless `feed_errors` gets them. `watch` is called several times
    a second. If one of them raises, the command is terminated, and killed after `grace` seconds.

    When it has ended, what is left of its process group is killed; before that `finish` is called. A guard that
    outlives this process kills the group, too, once this process is gone, even if that was killed.
    """
    if IS_WINDOWS:
        from smartcommit.processes.windows import run_in_job

        return run_in_job(
            command, directory=directory, environment=environment, feed=feed, feed_errors=feed_errors, stdin=stdin,
            watch=watch, finish=finish,
        )  # fmt: skip
    errors = subprocess.STDOUT if feed_errors is None else subprocess.PIPE
    session = None
    lifeline, end = os.pipe()
    guarded = [sys.executable, "-I", "-S", guard.__file__, str(lifeline), *command]
    try:
        # A file instead of a pipe: a command that never reads must not block us.
        with tempfile.TemporaryFile() as file, defer_signals():
            file.write(stdin)
            file.seek(0)
            process = subprocess.Popen(
                guarded, cwd=directory, env=environment, stdin=file, stdout=subprocess.PIPE, stderr=errors,
                start_new_session=True, pass_fds=(lifeline,),
            )  # fmt: skip
            session = _Session(process, feed, feed_errors or feed)
        session.follow(watch)
    finally:
        if session is not None:
            session.end(grace, finish)
        os.close(lifeline)
        os.close(end)
    status = process.returncode
    if status < 0:  # the guard itself was killed
        status = 128 - status
    return status


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
    feed: Feed,
    stdin: bytes = b"",
    limits: Limits | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Run `command` in a new process group and return its exit status, as in a shell (128 + n for signal n).

    `feed` gets its output and errors as they arrive. All processes it started are terminated when it exits, or when
    this process dies; except those that left its group and dropped EXECUTION, which are not read any more. Raise
    TimedOut if it exceeds a time limit, Cancelled if `stopped` returns True.
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
        command, directory=directory, environment=environment, feed=hear, stdin=stdin, watch=watch,
        grace=bounds.grace, finish=finish,
    )  # fmt: skip


def terminate_run(run_id: str | None, grace: float) -> None:
    """Terminate the processes of a run, even outside its group if the system lists them; `grace` is in seconds."""
    for number, timeout in ((signal.SIGTERM, grace), (signal.SIGKILL, _KILL_TIMEOUT)):
        if not run_id or not (processes := _find_marked(f"{EXECUTION}={run_id}")):
            return
        for pid in processes:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        wait_for_run(run_id, timeout)


def wait_for_run(run_id: str, timeout: float) -> bool:
    """Wait until no process of a run is left, and return whether that is so after `timeout` seconds at most."""
    end = time.monotonic() + timeout
    while processes := _find_marked(f"{EXECUTION}={run_id}"):
        if time.monotonic() >= end:
            break
        time.sleep(TICK)
    return not processes


def _find_marked(mark: str) -> list[int]:
    """Return the other processes of this user whose environment contains `mark`; none if there is no `/proc`."""
    wanted = mark.encode()
    processes: list[int] = []
    if not os.path.isdir("/proc/self"):
        return processes
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                environment = file.read()
        except OSError:  # it has exited in the meantime, or belongs to another user
            continue
        if wanted in environment.split(b"\0"):
            processes.append(int(name))
    return processes


def describe_status(status: int) -> str:
    """Return how a program ended, by the status that `run_in_session` returns."""
    if status - 128 in signal.valid_signals():
        return f"was killed by signal {status - 128}"
    return f"exited with status {status}"


class _Session:
    """A process that leads a session, and those who get what it prints."""

    def __init__(self, process: subprocess.Popen[bytes], feed: Feed, feed_errors: Feed) -> None:
        self._process = process
        self._selector = selectors.DefaultSelector()
        for stream, receiver in ((process.stdout, feed), (process.stderr, feed_errors)):
            if stream is not None:
                self._selector.register(stream, selectors.EVENT_READ, receiver)

    def follow(self, watch: Callable[[], object]) -> None:
        while not _is_over(self._process):
            self._listen(TICK)
            watch()

    def end(self, grace: float, finish: Callable[[], object]) -> None:
        """Terminate the process, if it still runs, kill what is left of its group, and pass on the remaining output."""
        try:
            terminate(self._process, grace, pause=self._listen)
            finish()
        finally:
            kill_group(self._process)
        end = time.monotonic() + DRAIN_TIMEOUT
        with self._process, self._selector:
            while time.monotonic() < end and self._listen(0):
                pass

    def _listen(self, timeout: float) -> bool:
        """Pass on output that arrives within `timeout` seconds; return whether there was any."""
        if not self._selector.get_map():
            # All processes have closed it; this one is about to exit.
            time.sleep(min(timeout, _PAUSE))
            return False
        ready = self._selector.select(timeout)
        for key, _ in ready:
            chunk = os.read(key.fd, CHUNK)
            if chunk:
                key.data(chunk)
            else:
                self._selector.unregister(key.fileobj)
        return bool(ready)


def terminate(process: subprocess.Popen[bytes], grace: float, pause: Callable[[float], object] = time.sleep) -> None:
    """Ask the group of `process` to end, if that still runs, and wait for it up to `grace` seconds, by `pause`."""
    if not grace or _is_over(process):
        return
    _signal_group(process, signal.SIGTERM)
    end = time.monotonic() + grace
    while not _is_over(process) and time.monotonic() < end:
        pause(TICK)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the group of `process`, and wait for that."""
    # The group's id is not used again before its first process is waited for.
    _signal_group(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    if IS_WINDOWS:
        process.kill()
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _is_over(process: subprocess.Popen[bytes]) -> bool:
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.poll() is not None
    # Its status is left for `kill_group`.
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def inherit(descriptor: int) -> dict[str, tuple[int, ...]]:
    """Return options of Popen by which a process inherits an open file; on Windows no lock is inherited with it."""
    return {} if IS_WINDOWS else {"pass_fds": (descriptor,)}


def find_shell() -> str:
    """Return the POSIX shell: on Windows the one that Git for Windows brings, which need not be on PATH."""
    if not IS_WINDOWS:
        return "sh"
    shell = shutil.which("sh")
    git = shutil.which("git")
    if shell is None and git is not None:
        # git.exe is in `cmd` or `bin` of its folder.
        beside = os.path.join(os.path.dirname(os.path.dirname(git)), "bin")
        shell = shutil.which("sh", path=beside)
    return shell or "sh"


@contextmanager
def start(command: Sequence[str | bytes], **options: Any) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """Start `command` with the `options` of Popen; yield the process and the temporary file of its standard error.

    Standard output goes to that file too, unless `stdout` is given. A file cannot be held open, as a pipe would be by
    what the command leaves running. On exit, wait for the process.
    """
    with _open_errors() as errors:
        options.setdefault("stdout", errors)
        with subprocess.Popen(command, stderr=errors, **options) as process:
            yield process, errors


def read_errors(errors: IO[bytes]) -> bytes:
    errors.seek(0)
    return errors.read(_ERRORS_KEPT)


def _open_errors() -> IO[bytes]:
    """Open a file for a standard error, which is lost if no file can be created."""
    try:
        return tempfile.TemporaryFile()
    except OSError:
        return open(os.devnull, "r+b")


def open_editor(editor: str, path: str, *, directory: str | None = None, terminal: int | None = None) -> int:
    """Open `path` in `editor`, a command for the shell, on the open file `terminal`, and return its status."""
    command = [find_shell(), "-c", f'{editor} "$@"', editor, path]
    with (
        discard_signals(_EDITORS_KEYS, include_ignored=True),
        subprocess.Popen(command, cwd=directory, stdin=terminal, stdout=terminal, stderr=terminal) as process,
    ):
        return process.wait()
