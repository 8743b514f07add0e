"""Runs git commands: argument tuples, bytes in and out, no shell."""

from __future__ import annotations

import math
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any

from smartcommit.errors import GitError

# Options of every diff that is parsed, so that no setting of the user changes its format.
DIFF_OPTIONS = (
    "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=none",
)  # fmt: skip

# Reading never waits for a network: what is missing from a partial clone stays missing. git before 2.45 has no switch
# for it, but cannot fetch if every protocol is forbidden.
NO_LAZY_FETCH = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}

# Inherited variables that make git use another repository, or settings from `git -c`.
REPOSITORY_VARIABLES = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_CONFIG_PARAMETERS",
)  # fmt: skip
# Inherited variables that change what git reads or prints whatever the options are: GIT_DIFF_OPTS overrides `-U`, and
# git rejects other pathspec settings next to the literal one. Source: git(1), "Environment variables".
_DISTURBING = (
    "GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
    "GIT_LITERAL_PATHSPECS",
)  # fmt: skip

# Bytes of git's standard error that are searched for the reason of a failure.
_ERROR_LIMIT = 1 << 16
# Bytes of output that are read at a time, and seconds between two calls of `watch` while there is no output.
_CHUNK = 1 << 16
_TICK = 0.05


def make_environment(added: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment to run git in: the caller's without `_DISTURBING`, no optional locks, and `added`."""
    inherited = {name: value for name, value in os.environ.items() if name not in _DISTURBING}
    return {**inherited, "GIT_OPTIONAL_LOCKS": "0", **(added or {})}


def scrub_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return `inherited` without our variables and git's repository, and with our settings for git emptied."""
    environment = dict(inherited)
    for name, value in inherited.items():
        if name.startswith("SMARTCOMMIT_") or name in REPOSITORY_VARIABLES:
            del environment[name]
        # Numbered settings, none of which may be missing. Source: git-config(1), GIT_CONFIG_COUNT.
        elif name.startswith("GIT_CONFIG_KEY_") and value.lower().startswith("smartcommit."):
            environment[f"GIT_CONFIG_VALUE_{name.removeprefix('GIT_CONFIG_KEY_')}"] = ""
    return environment


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

    `environment` is added to the caller's. Optional locks are off, so that reading never writes.

    Raise GitError if git is not installed, times out, or exits with a status not in `expected`.
    """
    try:
        done = subprocess.run(
            _command(arguments, directory),
            input=stdin,
            capture_output=True,
            env=make_environment(environment),
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitError("git is not installed or not on PATH", status=127, hint="install git") from error
    except subprocess.TimeoutExpired as error:
        raise GitError(f"'git {_name(arguments)}' timed out after {timeout:g} s", status=124) from error
    if done.returncode not in expected:
        raise _failure(arguments, done.returncode, done.stderr)
    return done


@contextmanager
def popen_git(command: Sequence[str | bytes], **options: Any) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """Start `command` with the `options` of Popen; yield the process and the temporary file of its standard error.

    Standard output goes to that file too, unless `stdout` is given. On exit, wait for the process.
    """
    with _open_errors() as errors:
        options.setdefault("stdout", errors)
        with subprocess.Popen(command, stderr=errors, **options) as process:
            yield process, errors


def read_errors(errors: IO[bytes]) -> bytes:
    """Return the start of what an exited process wrote to the file `errors`."""
    errors.seek(0)
    return errors.read(_ERROR_LIMIT)


def _open_errors() -> IO[bytes]:
    """Open a file for git's standard error, which is lost if no file can be created."""
    try:
        return tempfile.TemporaryFile()
    except OSError:
        return open(os.devnull, "r+b")


def read_head(
    arguments: Sequence[str | bytes],
    *,
    limit: int,
    directory: str | None = None,
    environment: Mapping[str, str] | None = None,
    expected: Sequence[int] = (0,),
    timeout: float = math.inf,
    memory: int | None = None,
    watch: Callable[[], None] = lambda: None,
) -> tuple[bytes, bool]:
    """Return the first `limit` bytes that `git ARGUMENTS` prints, and whether that was all.

    git is killed when it prints more or after `timeout` seconds, so time and memory are bounded however large the
    output is. `memory` limits the bytes that git itself may allocate, on systems that can limit another process.
    `watch` is called several times a second; if it raises, git is killed too. `environment` is added to the caller's.

    Raise GitError if git exits with a status not in `expected`.
    """
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    with popen_git(_command(arguments, directory), env=make_environment(environment), **pipes) as (process, errors):
        if memory is not None:
            _limit_memory(process.pid, memory)
        assert process.stdout is not None
        complete = False
        try:
            output, complete = _read_head(process.stdout, limit, timeout, watch)
        finally:
            if not complete:
                process.kill()
        status = process.wait()
        stderr = read_errors(errors)
    if status == -signal.SIGKILL:
        complete = False
    if complete and status not in expected:
        raise _failure(arguments, status, stderr)
    return output, complete


def _read_head(stream: IO[bytes], limit: int, timeout: float, watch: Callable[[], None]) -> tuple[bytes, bool]:
    """Return the first `limit` bytes of `stream` that arrive within `timeout` seconds, and whether it ended there."""
    end = time.monotonic() + timeout
    chunks: list[bytes] = []
    length = 0
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while length <= limit and time.monotonic() < end:
            watch()
            if not selector.select(_TICK):
                continue
            chunk = os.read(stream.fileno(), _CHUNK)
            if not chunk:
                return b"".join(chunks), True
            chunks.append(chunk)
            length += len(chunk)
    return b"".join(chunks)[:limit], False


def _limit_memory(pid: int, size: int) -> None:
    """Limit what the process `pid` may allocate to `size` bytes, if the system can limit another process (Linux).

    The limit is on allocations, not on address space: git maps packs, which may be larger than any such limit.
    """
    try:
        from resource import RLIMIT_DATA, prlimit
    except ImportError:
        return
    # git may have exited already, or have inherited a lower limit.
    with suppress(OSError, ValueError):
        prlimit(pid, RLIMIT_DATA, (size, size))


def read_file(path: str) -> bytes | None:
    """Return the content of one of git's own files, or None if there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def find_reason(stderr: bytes) -> str:
    """Return why git failed: the first lines of `stderr` with `fatal:` or `error:`, without these words."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    errors: dict[str, None] = {}
    for line in lines:
        prefix, _, text = line.partition(": ")
        if prefix in ("fatal", "error"):
            errors[text] = None
    # Which of them names the file depends on the command.
    return "; ".join(list(errors)[:3] or lines[-1:])


def _command(arguments: Sequence[str | bytes], directory: str | None) -> list[str | bytes]:
    command: list[str | bytes] = ["git", "--literal-pathspecs", "--no-pager"]
    if directory:
        command += ["-C", directory]
    return [*command, *arguments]


def _failure(arguments: Sequence[str | bytes], status: int, stderr: bytes) -> GitError:
    return GitError(f"'git {_name(arguments)}' failed: {find_reason(stderr) or f'status {status}'}", status=status)


def _name(arguments: Sequence[str | bytes]) -> str:
    words = map(os.fsdecode, arguments)
    for word in words:
        if word == "-c":
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""
