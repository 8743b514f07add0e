"""Commits the whole working tree with `git commit`, so that all hooks run."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping

from smartcommit.errors import GitError
from smartcommit.git.diff import list_changes
from smartcommit.git.repo import Repository
from smartcommit.git.run import explain_end
from smartcommit.processes.run import kill_group, start, terminate

# Bytes of the output of git and its hooks that are kept: the last ones, which hold the reason.
_OUTPUT_KEPT = 1 << 16
# Seconds that git has to remove its locks.
_GRACE_SECONDS = 5.0
# Parts of git's errors on a file that a checkout would change, by its line endings (core.safecrlf) or its encoding, and
# on a repository in the tree without a commit.
_FILE_AT_FAULT = ("would be replaced by", "failed to encode", "BOM is ", "does not have a commit checked out")


class HookRejected(GitError):
    """A hook rejected the commit; `text` is its output. Nothing was committed, and everything is staged."""

    def __init__(self, text: str, *, status: int) -> None:
        super().__init__("a hook rejected the commit", status=status)
        self.text = text


class UnstageableFile(GitError):
    """A file cannot be staged because of its content; the repository itself is fine."""


def commit_everything(
    repository: Repository,
    message: str,
    *,
    examine: Callable[[], None] = lambda: None,
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> bool:
    """Commit all changes of the working tree; return False if there are none.

    `examine` is called when everything is staged, and may raise. If a hook rejects the commit and has changed tracked
    files, as a formatter does, they are staged and the commit is tried once more. `timeout` is in seconds. Raise
    UnstageableFile if a file is at fault, HookRejected if a hook rejects the commit.
    """
    stage_all(repository)
    if not list_changes(repository, repository.head() or repository.empty_tree, renames=False, counts=False):
        return False
    examine()
    try:
        _commit_staged(repository, message, environment=environment, timeout=timeout)
    except HookRejected:
        edited = repository.ended("diff", "--quiet", "--no-ext-diff", "--ignore-submodules=dirty", expected=(0, 1))
        if not edited.returncode:
            raise
        stage_all(repository)
        _commit_staged(repository, message, environment=environment, timeout=timeout)
    return True


def stage_all(repository: Repository, *pathspecs: str) -> None:
    """Stage everything that is not ignored, or what `pathspecs` limit that to.

    Raise UnstageableFile, with the index unchanged, if a file is at fault.
    """
    try:
        repository.run("--no-literal-pathspecs", "add", "--all", "--", *pathspecs)
    except GitError as error:
        if any(item in str(error) for item in _FILE_AT_FAULT):
            raise UnstageableFile(str(error), status=error.status) from None
        raise


def _commit_staged(
    repository: Repository, message: str, *, environment: Mapping[str, str] | None, timeout: float | None
) -> None:
    """Commit what is staged with `message` in UTF-8, of which only whitespace is cleaned up.

    git runs in its own session: Ctrl-C reaches neither it nor its hooks, and hooks have no terminal to ask on. They
    have the caller's environment, so git's messages may be in any language.
    """
    command = ("git", "-c", "i18n.commitEncoding=UTF-8", "commit", "--cleanup=whitespace", "--file=-")
    environment = {**os.environ, **repository.environment, **(environment or {})}
    with tempfile.TemporaryFile() as text:
        text.write(message.encode("utf-8", "surrogateescape"))
        text.seek(0)
        options = {"cwd": repository.worktree, "env": environment, "stdin": text, "start_new_session": True}
        with start(command, **options) as (process, file):
            try:
                status = process.wait(timeout)
            except subprocess.TimeoutExpired:
                terminate(process, _GRACE_SECONDS)
                kill_group(process)
                raise GitError(f"'git commit' timed out after {timeout:g} s", status=124) from None
            file.seek(max(0, file.seek(0, os.SEEK_END) - _OUTPUT_KEPT))
            output = file.read()
    # It exits with another status if its own work fails, or for the hook of ref transactions.
    if status == 1:
        raise HookRejected(output.decode("utf-8", "replace").strip(), status=status)
    if status:
        raise GitError(f"'git commit' failed: {explain_end(status, output)}", status=status)
