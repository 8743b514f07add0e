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
# Marks of sessions. A shell command has begun, and was not heard of again: some harnesses do not tell the end of one
# that fails.
RUNNING = os.path.join("ledger", "running")
# All files were looked at in this turn of the session: people edit files between its turns.
LOOKED = os.path.join("ledger", "looked")
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


def set_mark(git_dir: str, mark: str, session: str) -> None:
    """Set RUNNING or LOOKED for a session."""
    state_files.save(git_dir, _name_file(mark, session), b"")


def find_mark(git_dir: str, mark: str, session: str) -> int | None:
    """Return when the mark was set, in nanoseconds, or None if it is not set."""
    try:
        return os.lstat(state_files.find_path(git_dir, _name_file(mark, session))).st_mtime_ns
    except OSError:
        return None


def drop_mark(git_dir: str, mark: str, session: str) -> None:
    state_files.drop(git_dir, _name_file(mark, session))


def _name_file(mark: str, session: str) -> str:
    return os.path.join(mark, f"{crc32(session.encode('utf-8', 'surrogatepass')):08x}")
