"""Cheap git queries for the hooks' hot path.

Importing `subprocess` takes longer than all the work of a hook, so this module starts git with `posix_spawn` and reads
one pipe. It is for short answers and no input; everything else belongs in `smartcommit.git.run`.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def ask(arguments: Sequence[str], *, directory: str | None = None) -> tuple[int, bytes]:
    """Run `git ARGUMENTS` without input and return its status and output; standard error is dropped.

    `directory` is passed to git as `-C`. The environment is not changed: inside a hook, `GIT_INDEX_FILE` names the
    index of the commit being made. If git is not installed, the status is 127.
    """
    command = ["git", *arguments]
    if directory is not None:
        command[1:1] = ["-C", directory]
    if not hasattr(os, "posix_spawnp"):  # Windows
        return _ask_by_subprocess(command)
    reader, writer = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, writer, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        pid = os.posix_spawnp("git", command, os.environ, file_actions=actions)
    except OSError:
        os.close(reader)
        return 127, b""
    finally:
        os.close(writer)
    with open(reader, "rb", buffering=0) as pipe:
        output = pipe.readall()
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), output


def _ask_by_subprocess(command: Sequence[str]) -> tuple[int, bytes]:
    import subprocess  # only where there is no posix_spawn

    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError:
        return 127, b""
    return done.returncode, done.stdout


def locate(directory: str | None = None) -> tuple[str, str] | None:
    """Return the git directory of this worktree and its top level, both absolute; None outside a working tree."""
    # A path can contain a newline, so a known word separates them.
    wanted = ("--show-object-format", "--absolute-git-dir", "--show-object-format", "--show-toplevel")
    status, answer = ask(("rev-parse", *wanted), directory=directory)
    if status != 0:
        return None
    object_format, _, paths = os.fsdecode(answer)[:-1].partition("\n")
    git_dir, _, top = paths.partition(f"\n{object_format}\n")
    return git_dir, top


def parse_config(listing: bytes) -> list[tuple[str, str | None]]:
    """Parse the output of `git config -z --list`, in git's order; a key without a value (`[a] b`) has None.

    Section and variable names are in lower case. Source: git-config(1), `-z`.
    """
    entries: list[tuple[str, str | None]] = []
    for entry in listing.split(b"\0"):
        if entry:
            key, separator, value = entry.partition(b"\n")
            entries.append((os.fsdecode(key), os.fsdecode(value) if separator else None))
    return entries
