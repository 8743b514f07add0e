"""Runs git commands: argument tuples, bytes in and out, no shell."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from smartcommit.errors import GitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import IO, Any

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

# git's messages are parsed, so they are in English. Whatever git starts keeps the user's language, which `LC_ALL` would
# change. Source: git_setup_gettext of git, which does nothing if this is not a directory.
_ENGLISH = {"GIT_TEXTDOMAINDIR": os.devnull}

# Bytes of git's standard error that are searched for the reason of a failure.
_ERROR_LIMIT = 1 << 16
# Bytes of output that are read at a time, and milliseconds between two calls of `watch` while there is no output.
_CHUNK = 1 << 16
_TICK = 50
# The same number everywhere; the module `signal` would be loaded for it alone.
_SIGKILL = 9


def make_environment(added: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment to run git in: the caller's without `_DISTURBING`, no optional locks, and `added`.

    git's messages are in English.
    """
    inherited = {name: value for name, value in os.environ.items() if name not in _DISTURBING}
    return {**inherited, **_ENGLISH, "GIT_OPTIONAL_LOCKS": "0", **(added or {})}


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
    import subprocess

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
        raise _missing() from error
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
    import subprocess

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
    import tempfile

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
    timeout: float | None = None,
    memory: int | None = None,
    watch: Callable[[], None] = lambda: None,
) -> tuple[bytes, bool]:
    """Return the first `limit` bytes that `git ARGUMENTS` prints, and whether that was all.

    git is killed when it prints more or after `timeout` seconds, so time and memory are bounded however large the
    output is. `memory` limits the bytes that git itself may allocate, on systems that can limit another process.
    `watch` is called several times a second; if it raises, git is killed too. `environment` is added to the caller's.

    Raise GitError if git is not installed, or exits with a status not in `expected`.
    """
    if not hasattr(os, "posix_spawnp"):  # Windows: the output is read whole, and nothing else is bounded
        done = run(arguments, directory=directory, environment=environment, expected=expected, timeout=timeout)
        return done.stdout[:limit], len(done.stdout) <= limit
    with _spawn(_command(arguments, directory), make_environment(environment)) as process:
        if memory is not None:
            _limit_memory(process.pid, memory)
        output, complete = process.read_head(limit, timeout, watch)
        if not complete:
            process.kill()
        status = process.wait()
        errors = process.read_errors()
    if status == -_SIGKILL:
        complete = False
    if complete and status not in expected:
        raise _failure(arguments, status, errors)
    return output, complete


class _Process:
    """A process, started without `subprocess`: importing that takes longer than most of what a hook asks git.

    `output` and `error` are descriptors to read its standard output and its standard error from.
    """

    def __init__(self, pid: int, output: int, error: int) -> None:
        self.pid = pid
        self._output = output
        self._error = error
        self._errors = b""
        self._status: int | None = None

    def read_head(self, limit: int, timeout: float | None, watch: Callable[[], None]) -> tuple[bytes, bool]:
        """Return the first `limit` bytes of output that arrive within `timeout` seconds, and whether it ended there."""
        end = None if timeout is None else time.monotonic() + timeout
        chunks: list[bytes] = []
        length = 0
        poll = select.poll()
        poll.register(self._output, select.POLLIN)
        poll.register(self._error, select.POLLIN)
        while length <= limit and (end is None or time.monotonic() < end):
            watch()
            for stream, _ in poll.poll(_TICK):
                chunk = os.read(stream, _CHUNK)
                if stream == self._error:
                    self._add_errors(chunk)
                    if not chunk:
                        poll.unregister(stream)
                elif chunk:
                    chunks.append(chunk)
                    length += len(chunk)
                else:
                    return b"".join(chunks), True
        return b"".join(chunks)[:limit], False

    def read_errors(self) -> bytes:
        """Return the start of what the process, which has ended, wrote to its standard error."""
        # A process that it started may go on and keep the stream open, so only what has been written is read.
        poll = select.poll()
        poll.register(self._error, select.POLLIN)
        while poll.poll(0):
            chunk = os.read(self._error, _CHUNK)
            if not chunk:
                break
            self._add_errors(chunk)
        return self._errors

    def _add_errors(self, chunk: bytes) -> None:
        self._errors += chunk[: _ERROR_LIMIT - len(self._errors)]

    def kill(self) -> None:
        """Kill the process, if it is still there."""
        if self._status is None:
            os.kill(self.pid, _SIGKILL)

    def wait(self) -> int:
        """Return the exit status, or the negative number of the signal that ended the process."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status

    def close(self) -> None:
        """Kill the process unless it has ended, and close the descriptors."""
        self.kill()
        self.wait()
        os.close(self._output)
        os.close(self._error)


@contextmanager
def _spawn(command: Sequence[str | bytes], environment: Mapping[str, str]) -> Iterator[_Process]:
    """Start `command` without input, and end it with the block; raise GitError if there is no such program."""
    output, output_writer = os.pipe()
    error, error_writer = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, output_writer, 1),
        (os.POSIX_SPAWN_DUP2, error_writer, 2),
    ]
    try:
        pid = os.posix_spawnp(command[0], list(command), environment, file_actions=actions)
    except OSError as failure:
        os.close(output)
        os.close(error)
        if isinstance(failure, FileNotFoundError):
            raise _missing() from failure
        raise
    finally:
        os.close(output_writer)
        os.close(error_writer)
    process = _Process(pid, output, error)
    try:
        yield process
    finally:
        process.close()


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


def _missing() -> GitError:
    return GitError("git is not installed or not on PATH", status=127, hint="install git")


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
