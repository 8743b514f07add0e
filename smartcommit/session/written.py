"""Tells without git whether a known file was written since the ledger looked at it."""

from __future__ import annotations

import os

# Bytes of the file by which a linked worktree names its git directory.
_LINK_BYTES = 1 << 12
_LINK = b"gitdir: "


def may_be_written(top: str) -> bool:
    """Return whether a file that the ledger of the working tree at `top` knows was written since the last look.

    Too many are named rather than too few: a file that is gone, or as old as its state, counts as written.
    """
    folder = os.path.join(_find_git_dir(top), "smartcommit", "ledger", "paths")
    try:
        states = list(os.scandir(folder))
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


def _find_git_dir(top: str) -> str:
    """Return the git directory of the working tree at `top`."""
    path = os.path.join(top, ".git")
    try:
        with open(path, "rb") as file:
            link = file.read(_LINK_BYTES)
    except OSError:  # a directory, as usual
        return path
    return os.path.join(top, os.fsdecode(link.removeprefix(_LINK).strip()))
