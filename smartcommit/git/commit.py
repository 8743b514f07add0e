"""Committing everything there is, through git's own commit and so through every hook."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from smartcommit.errors import GitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import environment_of, reason

# Bytes of what git and its hooks say that are kept: the last ones, where the reason stands.
_SAID = 1 << 16

# What git says of a file that it would not give back as it is: for its line ends (core.safecrlf), or its encoding.
_AT_FAULT = ("would be replaced by", "failed to encode", "BOM is ")


class HookRefused(GitError):
    """A hook refused the commit; `text` is what it said. Nothing was committed, and everything is staged."""

    def __init__(self, text: str, *, status: int) -> None:
        super().__init__("a hook refused the commit", status=status)
        self.text = text


class Unstageable(GitError):
    """A file cannot be staged as it is; nothing is wrong with the repository."""


@dataclass(frozen=True, slots=True)
class Staged:
    """A path that differs from HEAD in the index; `mode` and `oid` are the new ones, zeros where it is deleted."""

    path: bytes
    status: str
    mode: str
    oid: str


def commit_all(directory: str, message: str) -> str | None:
    """Commit all changes of the working tree around `directory`; None, and no commit, when there are none.

    Returns the commit's object name.

    Raises: HookRefused; GitError when git fails otherwise.
    """
    repository = Repository.find(directory)
    return repository.head() if commit_everything(repository, message) else None


def commit_everything(
    repository: Repository,
    message: str,
    *,
    examine: Callable[[Sequence[Staged]], None] = lambda changes: None,
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> bool:
    """As `commit_all`; False when there is nothing to commit.

    `examine` sees what is staged before it is committed, and may raise. A hook that refuses and has changed tracked
    files, as one that formats does, gets them staged and is asked once more. `timeout` is in seconds, for one commit.
    """
    stage_all(repository)
    changes = staged(repository)
    if not changes:
        return False
    examine(changes)
    try:
        commit_staged(repository, message, environment=environment, timeout=timeout)
    except HookRefused:
        if not edited_since_staging(repository):
            raise
        stage_all(repository)
        commit_staged(repository, message, environment=environment, timeout=timeout)
    return True


def stage_all(repository: Repository) -> None:
    """Stage everything that is not ignored.

    Raises: Unstageable when a file is at fault, GitError when git cannot otherwise; then the index is as it was.
    """
    try:
        repository.run("add", "--all")
    except GitError as error:
        if any(words in str(error) for words in _AT_FAULT):
            raise Unstageable(str(error), status=error.status) from None
        raise


def staged(repository: Repository) -> list[Staged]:
    """What is staged, in the order of paths; nothing is a status of 0, an error of git is none.

    Raises: GitError when git fails.
    """
    command = ("diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=dirty")
    fields = repository.run(*command).split(b"\0")
    found = []
    for description, path in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, oid, status = description.decode("ascii").removeprefix(":").split(" ")
        found.append(Staged(path, status, mode, oid))
    return found


def edited_since_staging(repository: Repository) -> bool:
    """Whether a tracked file differs from the index, as after a hook that formats."""
    done = repository.ended("diff", "--quiet", "--no-ext-diff", "--ignore-submodules=dirty", expected=(0, 1))
    return done.returncode == 1


def commit_staged(
    repository: Repository,
    message: str,
    *,
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> None:
    """Commit what is staged with `message` in UTF-8, which is cleaned of blanks only; `timeout` is in seconds.

    git runs in a session of its own: Ctrl-C reaches neither it nor its hooks, and these find no terminal to ask at.

    Raises: HookRefused when a hook did, GitError when git fails otherwise.
    """
    arguments = ("-c", "i18n.commitEncoding=UTF-8", "commit", "--cleanup=whitespace", "--file=-")
    with tempfile.TemporaryFile() as text, tempfile.TemporaryFile() as said:
        text.write(message.encode("utf-8", "surrogateescape"))
        text.seek(0)
        with subprocess.Popen(
            ("git", *arguments),
            cwd=repository.worktree,
            env={**environment_of(repository.environment), **(environment or {})},
            stdin=text,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            status = _wait(process, timeout)
        said.seek(max(0, said.seek(0, os.SEEK_END) - _SAID))
        output = said.read()
    # git ends with 1 when a hook says no, and with 128 when its own work fails; but for the hook of the ref's move.
    if status == 1 or (status == 128 and b"aborted by hook" in output):
        raise HookRefused(output.decode("utf-8", "replace").strip(), status=status)
    if status:
        told = reason(output) or f"status {status}"
        raise GitError(f"'git commit' {told if timeout and status < 0 else f'failed: {told}'}", status=status)


def _wait(process: subprocess.Popen[bytes], timeout: float | None) -> int:
    """How git ended; one that takes longer than `timeout` is asked to, with its hooks, so that it removes its locks."""
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    raise GitError(f"'git commit' took longer than {timeout:g} s", status=124)
