"""Runs a program and all that it starts on Windows, in a job that ends with this process."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import IO, Any

from smartcommit.processes import CHUNK, DRAIN_TIMEOUT, TICK, Feed

# The status of a program that cannot be run, as in a shell.
_CANNOT_RUN = 127
# Source: winnt.h.
_KILL_ON_JOB_CLOSE = 0x2000
_EXTENDED_LIMIT_INFORMATION = 9
_NEW_PROCESS_GROUP = 0x200


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("per_process_time", ctypes.c_int64), ("per_job_time", ctypes.c_int64), ("flags", ctypes.c_uint32),
        ("minimum", ctypes.c_size_t), ("maximum", ctypes.c_size_t), ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t), ("priority", ctypes.c_uint32), ("scheduling", ctypes.c_uint32),
    )  # fmt: skip


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("basic", _BasicLimits), ("counters", ctypes.c_uint64 * 6), ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t), ("peak_process", ctypes.c_size_t), ("peak_job", ctypes.c_size_t),
    )  # fmt: skip


class _Job:
    """What is in a job is killed when its last handle is closed: by `end`, or by the end of this process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
        self._kernel.CreateJobObjectW.restype = ctypes.c_void_p
        self._handle = ctypes.c_void_p(self._kernel.CreateJobObjectW(None, None))
        limits = _ExtendedLimits()
        limits.basic.flags = _KILL_ON_JOB_CLOSE
        self._kernel.SetInformationJobObject(
            self._handle, _EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
        )
        self._kernel.AssignProcessToJobObject(self._handle, ctypes.c_void_p(int(process._handle)))  # type: ignore[attr-defined,unused-ignore]

    def end(self) -> None:
        self._kernel.TerminateJobObject(self._handle, 1)
        self._kernel.CloseHandle(self._handle)


def run_in_job(
    command: Sequence[str],
    *,
    directory: str,
    environment: Mapping[str, str],
    feed: Feed,
    feed_errors: Feed | None,
    stdin: bytes,
    watch: Callable[[], object],
    finish: Callable[[], object],
) -> int:
    """Do as `processes.run.run_in_session`."""
    errors = subprocess.STDOUT if feed_errors is None else subprocess.PIPE
    program = shutil.which(command[0], path=environment.get("PATH")) or command[0]
    with tempfile.TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        try:
            process = subprocess.Popen(
                [program, *command[1:]], cwd=directory, env=environment, stdin=file, stdout=subprocess.PIPE,
                stderr=errors, creationflags=_NEW_PROCESS_GROUP,
            )  # fmt: skip
        except OSError as error:
            (feed_errors or feed)(f"cannot run '{command[0]}': {error.strerror}\n".encode())
            return _CANNOT_RUN
    job = _Job(process)
    # Pipes cannot be waited for here, so a thread reads each.
    chunks: SimpleQueue[tuple[Feed, bytes]] = SimpleQueue()
    readers = []
    for stream, receiver in ((process.stdout, feed), (process.stderr, feed_errors or feed)):
        if stream is not None:
            readers.append(threading.Thread(target=_read, args=(stream, receiver, chunks), daemon=True))
            readers[-1].start()
    try:
        while process.poll() is None:
            _pass_on(chunks, TICK)
            watch()
        finish()
    finally:
        job.end()
        process.wait()
    end = time.monotonic() + DRAIN_TIMEOUT
    while time.monotonic() < end and (_pass_on(chunks, 0) or any(reader.is_alive() for reader in readers)):
        pass
    return process.returncode


def _read(stream: IO[bytes], receiver: Feed, chunks: SimpleQueue[tuple[Feed, bytes]]) -> None:
    with stream:
        while chunk := os.read(stream.fileno(), CHUNK):
            chunks.put((receiver, chunk))


def _pass_on(chunks: SimpleQueue[tuple[Feed, bytes]], timeout: float) -> bool:
    """Pass on output that arrives within `timeout` seconds; return whether there was any."""
    try:
        receiver, chunk = chunks.get(timeout=max(timeout, 0.001))
    except Empty:
        return False
    receiver(chunk)
    return True
