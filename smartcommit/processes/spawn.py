"""Starts short processes without `subprocess`, whose import takes longer than most of what a hook asks git.

They get no input. Other processes are for `smartcommit.processes.run`, or for the standard library.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from smartcommit.record import Record

# Windows has no such call, so `subprocess` is used there.
AVAILABLE = hasattr(os, "posix_spawnp")
# Bytes of a standard error that are kept.
_ERRORS_KEPT = 1 << 16
# Bytes of output that are read at a time, and milliseconds between two calls of `watch` while there is no output.
_CHUNK = 1 << 16
_TICK = 50
# The same number everywhere; the module `signal` would be loaded for it alone.
_SIGKILL = 9


def run_and_read(command: Sequence[str | bytes]) -> tuple[int, bytes]:
    """Run `command` and return its exit status and output; standard error is dropped. OSError if it cannot be run."""
    if not AVAILABLE:
        import subprocess

        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return done.returncode, done.stdout
    pid, output, _ = _spawn(command, os.environ, errors=False)
    with open(output, "rb", buffering=0) as pipe:
        printed = pipe.readall()
    return _wait(pid), printed


class ProcessEnd(Record):
    """How a process ended: its exit status, which is negative if a signal ended it, and the heads of what it printed.

    `is_complete` is whether `output` is all of its output.
    """

    status: int
    output: bytes
    errors: bytes
    is_complete: bool


def read_head(
    command: Sequence[str | bytes],
    environment: Mapping[str, str],
    *,
    limit: int,
    timeout: float | None,
    memory: int | None,
    watch: Callable[[], None],
) -> ProcessEnd:
    """Run `command`, bounded as in `smartcommit.git.run.read_head`. Raise OSError if it cannot be run."""
    import select
    import time

    pid, output, errors = _spawn(command, environment, errors=True)
    end = None if timeout is None else time.monotonic() + timeout
    printed: dict[int, bytearray] = {output: bytearray(), errors: bytearray()}
    poll = select.poll()
    poll.register(output, select.POLLIN)
    poll.register(errors, select.POLLIN)
    complete = False
    try:
        if memory is not None:
            _limit_memory(pid, memory)
        while not complete and len(printed[output]) <= limit and (end is None or time.monotonic() < end):
            watch()
            for stream, _ in poll.poll(_TICK):
                chunk = os.read(stream, _CHUNK)
                printed[stream] += chunk
                if not chunk:
                    poll.unregister(stream)
                    complete = complete or stream == output
            del printed[errors][_ERRORS_KEPT:]
    finally:
        if not complete:
            os.kill(pid, _SIGKILL)
        status = _wait(pid)
        os.close(output)
        # What it has started may keep the pipe open, so only what is there already is read.
        os.set_blocking(errors, False)
        with open(errors, "rb", buffering=0) as pipe:
            printed[errors] += pipe.read(_ERRORS_KEPT) or b""
    return ProcessEnd(status, bytes(printed[output][:limit]), bytes(printed[errors]), complete)


def _spawn(command: Sequence[str | bytes], environment: Mapping[str, str], *, errors: bool) -> tuple[int, int, int]:
    """Start `command`; return its process id, and the descriptors to read its output and its `errors` from."""
    pipes = [os.pipe()]
    if errors:
        pipes.append(os.pipe())
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    for descriptor, (_, writer) in enumerate(pipes, start=1):
        actions.append((os.POSIX_SPAWN_DUP2, writer, descriptor))
    try:
        pid = os.posix_spawnp(command[0], list(command), environment, file_actions=actions)
    except OSError:
        for reader, _ in pipes:
            os.close(reader)
        raise
    finally:
        for _, writer in pipes:
            os.close(writer)
    return pid, pipes[0][0], pipes[-1][0]


def _wait(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _limit_memory(pid: int, size: int) -> None:
    """Limit what `pid` may allocate on Linux, not its address space: git maps packs larger than any such limit."""
    try:
        from resource import RLIMIT_DATA, prlimit

        prlimit(pid, RLIMIT_DATA, (size, size))
    except (ImportError, OSError, ValueError):  # another system; git has exited, or has inherited a lower limit
        return
