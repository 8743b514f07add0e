"""Running jj: arguments as a tuple, no colour, no pager, no editor, no shell."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from itertools import takewhile

from smartcommit.errors import JjError

# Seconds a jj command may take before we give up on it.
PATIENCE = 60.0
# No snapshot of the working copy is taken, and none is updated.
NO_SNAPSHOT = "--ignore-working-copy"


class NoWorkspace(JjError):
    """There is no jj workspace around a directory."""


def run_jj(
    arguments: Sequence[str],
    *,
    repository: str | None = None,
    stdin: bytes = b"",
    patience: float = PATIENCE,
) -> bytes:
    """Standard output of `jj ARGUMENTS`; words on standard error never fail a zero status.

    `repository` is the workspace's root, `patience` is in seconds.

    Raises: JjError when jj is missing, takes too long, or fails.
    """
    where = ("-R", repository) if repository is not None else ()
    try:
        done = subprocess.run(
            ["jj", "--no-pager", "--color", "never", *where, *arguments],
            # Always given: a child of a server must never read the server's own standard input.
            input=stdin,
            capture_output=True,
            env={**os.environ, "JJ_EDITOR": "false"},
            timeout=patience,
            check=False,
        )
    except PermissionError:
        raise JjError("the jj on PATH cannot be run", hint="make it executable, or mend PATH") from None
    except OSError:  # not found, also where an entry of PATH is a file
        raise JjError("jj is not installed or not on PATH", hint="install jj (jj-cli), or mend PATH") from None
    except subprocess.TimeoutExpired:
        raise JjError(
            f"'jj {arguments[0]}' took longer than {patience:g} s",
            hint=f"run 'jj {arguments[0]}' by hand and see what it waits for",
        ) from None
    if done.returncode != 0:
        raise _error(done.stderr, done.returncode)
    return done.stdout


def find_root(directory: str) -> str:
    """The root of the workspace around `directory`, found as jj finds it, without a process.

    Raises: NoWorkspace when there is none; JjError when the directory is gone.
    """
    try:
        path = os.path.abspath(directory)
    except FileNotFoundError:
        raise JjError("the current directory is gone", hint="change to one that exists") from None
    while not is_workspace(path):
        parent = os.path.dirname(path)
        if parent == path:
            raise NoWorkspace(
                f"there is no jj repository in '{directory}'",
                hint="run this inside one, or run 'jj git init' (beside an existing git repository: '--colocate')",
            )
        path = parent
    return path


def is_workspace(path: str) -> bool:
    """Whether `path` is the root of a jj workspace."""
    return os.path.isdir(os.path.join(path, ".jj"))


def shared_directory(root: str) -> str:
    """The directory that all workspaces of the repository share; `.jj/repo` of a second workspace is a file."""
    path = os.path.join(root, ".jj", "repo")
    if not os.path.isfile(path):
        return path
    with open(path, encoding="utf-8") as file:
        return os.path.normpath(os.path.join(root, ".jj", file.read().strip()))


def _error(stderr: bytes, status: int) -> JjError:
    """What jj says went wrong with its causes, past its warnings, and its first hint."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    said = next((line for line in lines if line.lower().startswith(("error", "config error", "internal error"))), None)
    reason = said or next((line for line in lines if not line.startswith("Warning")), f"status {status}")
    # One cause stands behind 'Caused by:', several stand below it with their numbers.
    causes = [line for line in lines if re.match(r"Caused by:|\d+: ", line)]
    text = " ".join([reason.removeprefix("Error: "), *causes])
    return JjError(f"jj failed: {text.rstrip('.')}", hint=_hint(lines))


def _hint(lines: Sequence[str]) -> str | None:
    """jj's first hint with the lines that go on with it: what to run stands in one of its own."""
    start = next((number for number, line in enumerate(lines) if line.startswith("Hint: ")), None)
    if start is None:
        return None
    more = takewhile(lambda line: not line.startswith(("Hint: ", "Warning: ", "Error: ")), lines[start + 1 :])
    return " ".join([lines[start].removeprefix("Hint: "), *more])
