"""Running git where its errors matter: arguments as a tuple, bytes in and out, no shell."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO

from smartcommit.errors import GitError

# Every diff we parse is asked for with these, so that no setting of the user's changes its form.
DIFF_OPTIONS = (
    "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=none",
)  # fmt: skip

# Looking never waits for a network: in a partial clone what is missing stays missing. git before 2.45 knows no switch
# for it, but cannot fetch where every protocol is forbidden.
NO_LAZY_FETCH = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}

# Variables of the caller that would change what git reads or prints whatever the options say: GIT_DIFF_OPTS outranks
# `-U`, and git refuses any other pathspec setting beside the literal one. Source: git(1), "Environment variables".
_DISTURBING = (
    "GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
    "GIT_LITERAL_PATHSPECS",
)  # fmt: skip

# Bytes of git's standard error that are read for its reason.
_SAID = 1 << 16
# Bytes of output that are read at a time, and seconds between two calls of `watch` while none come.
_PIECE = 1 << 16
_TICK = 0.05


def environment_of(added: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment git is started with: the caller's without what disturbs, optional locks off, and `added`."""
    inherited = {name: value for name, value in os.environ.items() if name not in _DISTURBING}
    return {**inherited, "GIT_OPTIONAL_LOCKS": "0", **(added or {})}


def run(
    arguments: Sequence[str | bytes],
    *,
    directory: str | None = None,
    stdin: bytes = b"",
    expected: Sequence[int] = (0,),
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run `git ARGUMENTS` and return its status and output; `timeout` is in seconds.

    `environment` is added to the caller's. Optional locks are off, so that looking never writes.

    Raises: GitError when git is missing, takes longer than `timeout`, or ends with a status not in `expected`.
    """
    command = [
        "git", "--literal-pathspecs", "--no-pager", *(("-C", directory) if directory is not None else ()), *arguments,
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            env=environment_of(environment),
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitError("git is not installed or not on PATH", status=127, hint="install git") from error
    except subprocess.TimeoutExpired as error:
        raise GitError(f"'git {_name(arguments)}' took longer than {timeout:g} s", status=124) from error
    if done.returncode not in expected:
        raise _failure(arguments, done.returncode, done.stderr)
    return done


def head_of_output(
    arguments: Sequence[str | bytes],
    *,
    limit: int,
    directory: str | None = None,
    environment: Mapping[str, str] | None = None,
    expected: Sequence[int] = (0,),
    timeout: float | None = None,
    memory: int | None = None,
    watch: Callable[[], None] = lambda: None,
) -> tuple[bytes, bool]:
    """The first `limit` bytes of what `git ARGUMENTS` prints, and whether that was all of it.

    git is killed when it has more to say or after `timeout` seconds, so memory and time stay bounded however large the
    answer is. `memory` limits the bytes that git itself may allocate, on systems that can limit another process.
    `watch` is called several times a second and may raise, which kills git too. `environment` is added to the caller's.

    Raises: GitError when git ends by itself with a status not in `expected`; whatever `watch` raises.
    """
    command = ["git", "--literal-pathspecs", "--no-pager", *(("-C", directory) if directory else ()), *arguments]
    with (
        _errors() as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment_of(environment),
        ) as process,
    ):
        if memory is not None:
            _limit_memory(process.pid, memory)
        assert process.stdout is not None
        complete = False
        try:
            output, complete = _read_head(process.stdout, limit, timeout, watch)
        finally:
            if not complete:
                process.kill()
        process.wait()
        errors.seek(0)
        said = errors.read(_SAID)
    if process.returncode == -signal.SIGKILL:
        complete = False
    if complete and process.returncode not in expected:
        raise _failure(arguments, process.returncode, said)
    return output, complete


def _read_head(stream: IO[bytes], limit: int, timeout: float | None, watch: Callable[[], None]) -> tuple[bytes, bool]:
    """The first `limit` bytes of `stream` that come within `timeout` seconds, and whether it ended there."""
    end = None if timeout is None else time.monotonic() + timeout
    pieces: list[bytes] = []
    length = 0
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while end is None or time.monotonic() < end:
            watch()
            if not selector.select(_TICK):
                continue
            piece = os.read(stream.fileno(), _PIECE)
            if not piece:
                return b"".join(pieces), True
            pieces.append(piece)
            length += len(piece)
            if length > limit:
                break
    return b"".join(pieces)[:limit], False


def _limit_memory(pid: int, size: int) -> None:
    """Let the process `pid` allocate at most `size` bytes, where the system can limit another process (Linux).

    The limit is on allocations, not on address space: git maps packs, which may be larger than any such limit.
    """
    try:
        from resource import RLIMIT_DATA, prlimit
    except ImportError:
        return
    # git may have ended already, or have a lower limit from our caller.
    with suppress(OSError, ValueError):
        prlimit(pid, RLIMIT_DATA, (size, size))


def _errors() -> IO[bytes]:
    """A file for git's standard error; what it says is lost where the disk takes no file, and nothing else is."""
    try:
        return tempfile.TemporaryFile()
    except OSError:
        return open(os.devnull, "r+b")


def read_file(path: str) -> bytes | None:
    """The content of one of git's own files, None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def reason(stderr: bytes) -> str:
    """What git's standard error says went wrong: its first lines with `fatal:` or `error:`, without these words."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    told = [line.partition(": ")[2] for line in lines if line.startswith(("fatal: ", "error: "))]
    # Which of them names the file depends on the command.
    return "; ".join(list(dict.fromkeys(told))[:3]) or (lines[-1] if lines else "")


def _failure(arguments: Sequence[str | bytes], status: int, stderr: bytes) -> GitError:
    return GitError(f"'git {_name(arguments)}' failed: {reason(stderr) or f'status {status}'}", status=status)


def _name(arguments: Sequence[str | bytes]) -> str:
    words = map(os.fsdecode, arguments)
    for word in words:
        if word == "-c":
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""
