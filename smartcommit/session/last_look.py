"""Tells without git whether the ledger has to look: what was written since the last look, and who runs a command."""

from __future__ import annotations

import os
from collections.abc import Iterator
from zlib import crc32

from smartcommit import state_files
from smartcommit.git.run import read_file

# What the last look at commits, the index and hooks has found.
SEEN = os.path.join("ledger", "seen.json")
# What git writes when it stages or commits.
_WRITTEN = ("index", "HEAD", os.path.join("logs", "HEAD"), os.path.join("reftable", "tables.list"))
# Has a file for each session whose shell command has begun and was not heard of again.
_RUNNING = os.path.join("ledger", "running")
# Has a file for each session of which a command has been looked at in this turn.
_LOOKED = os.path.join("ledger", "looked")
# Bytes of the file by which a linked worktree names its git directory.
_LINK_BYTES = 1 << 12
_LINK = b"gitdir: "


def find_git_dir(top: str) -> str:
    path = os.path.join(top, ".git")
    try:
        with open(path, "rb") as file:
            link = file.read(_LINK_BYTES)
    except OSError:  # a directory, as usual
        return path
    return os.path.join(top, os.fsdecode(link.removeprefix(_LINK).strip()))


def find_common_dir(git_dir: str) -> str:
    named = read_file(os.path.join(git_dir, "commondir"))
    if named is None:
        return git_dir
    return os.path.realpath(os.path.join(git_dir, os.fsdecode(named.strip())))


def may_be_written(top: str, git_dir: str) -> bool:
    """Whether a file that the ledger knows may have been written since: one that is gone, too."""
    try:
        states = list(os.scandir(state_files.find_path(git_dir, os.path.join("ledger", "paths"))))
    except OSError:
        return False
    for state in states:
        try:
            file = os.lstat(os.path.join(os.fsencode(top), bytes.fromhex(state.name)))
            if max(file.st_mtime_ns, file.st_ctime_ns) >= state.stat().st_mtime_ns:
                return True
        except (OSError, ValueError):  # a long name is a hash
            return True
    return False


def is_moved(git_dir: str) -> bool:
    """Whether git has written its index, HEAD or a branch since the last look, or somebody a hook or configuration."""
    try:
        last = os.lstat(state_files.find_path(git_dir, SEEN)).st_mtime_ns
    except OSError:
        return True
    for path in _list_written(git_dir):
        try:
            if os.lstat(path).st_mtime_ns >= last:
                return True
        except OSError:
            continue
    return False


def list_config_files(git_dir: str, common_dir: str) -> list[str]:
    home = os.path.expanduser("~")
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return [
        os.path.join(common_dir, "config"), os.path.join(git_dir, "config.worktree"),
        os.path.join(home, ".gitconfig"), os.path.join(folder, "git", "config"),
    ]  # fmt: skip


def _list_written(git_dir: str) -> Iterator[str]:
    """Yield what is newer once something is done; the directory of a branch is written with it."""
    common_dir = find_common_dir(git_dir)
    for name in _WRITTEN:
        yield os.path.join(git_dir, name)
    yield from list_config_files(git_dir, common_dir)
    hooks = os.path.join(common_dir, "hooks")
    yield hooks
    if os.path.isdir(hooks):
        for name in os.listdir(hooks):
            yield os.path.join(hooks, name)
    for folder, _, _ in os.walk(os.path.join(common_dir, "refs", "heads")):
        yield folder


def note_command(git_dir: str, session: str) -> None:
    """Note that a shell command of `session` begins: some harnesses do not tell the end of one that fails."""
    state_files.save(git_dir, _name(_RUNNING, session), b"")


def find_command(git_dir: str, session: str) -> int | None:
    try:
        return os.lstat(state_files.find_path(git_dir, _name(_RUNNING, session))).st_mtime_ns
    except OSError:
        return None


def forget_command(git_dir: str, session: str) -> None:
    state_files.drop(git_dir, _name(_RUNNING, session))


def note_look(git_dir: str, session: str) -> None:
    """Note that all files were looked at in this turn of `session`: people edit files between its turns."""
    state_files.save(git_dir, _name(_LOOKED, session), b"")


def was_looked(git_dir: str, session: str) -> bool:
    return os.path.lexists(state_files.find_path(git_dir, _name(_LOOKED, session)))


def forget_look(git_dir: str, session: str) -> None:
    state_files.drop(git_dir, _name(_LOOKED, session))


def _name(folder: str, session: str) -> str:
    return os.path.join(folder, f"{crc32(session.encode('utf-8', 'surrogatepass')):08x}")
