"""Tells without git whether the ledger has to look: what was written since the last look, and who runs a command."""

from __future__ import annotations

import os
from binascii import crc32

from smartcommit import state_files

# What the last look at commits, the index and hooks has found.
SEEN = os.path.join("ledger", "seen.json")
# What git writes when it stages or commits.
_WRITTEN = ("index", "HEAD", os.path.join("logs", "HEAD"), os.path.join("reftable", "tables.list"))
# Has a file for each session whose shell command has begun and was not heard of again.
_RUNNING = os.path.join("ledger", "running")
# Bytes of the file by which a linked worktree names its git directory.
_LINK_BYTES = 1 << 12
_LINK = b"gitdir: "


def find_git_dir(top: str) -> str:
    """Return the git directory of the working tree at `top`."""
    path = os.path.join(top, ".git")
    try:
        with open(path, "rb") as file:
            link = file.read(_LINK_BYTES)
    except OSError:  # a directory, as usual
        return path
    return os.path.join(top, os.fsdecode(link.removeprefix(_LINK).strip()))


def may_be_written(top: str, git_dir: str) -> bool:
    """Return whether a file that the ledger of the working tree at `top` knows was written since the last look.

    Too many are named rather than too few: a file that is gone, or as old as its state, counts as written.
    """
    try:
        states = list(os.scandir(os.path.join(git_dir, "smartcommit", "ledger", "paths")))
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
    """Whether git has written its index or moved HEAD since the last look."""
    try:
        last = os.lstat(state_files.path(git_dir, SEEN)).st_mtime_ns
    except OSError:
        return True
    for name in _WRITTEN:
        try:
            if os.lstat(os.path.join(git_dir, name)).st_mtime_ns >= last:
                return True
        except OSError:
            continue
    return False


def note_command(git_dir: str, session: str) -> None:
    """Note that a shell command of `session` begins: some harnesses do not tell the end of one that fails."""
    state_files.save(git_dir, _name(session), b"")


def take_command(git_dir: str, session: str) -> int | None:
    """Return when a shell command of `session` has begun, in nanoseconds, and forget it; None if none has."""
    path = state_files.path(git_dir, _name(session))
    try:
        began = os.lstat(path).st_mtime_ns
        os.unlink(path)
    except OSError:
        return None
    return began


def _name(session: str) -> str:
    return os.path.join(_RUNNING, f"{crc32(session.encode('utf-8', 'surrogatepass')):08x}")
