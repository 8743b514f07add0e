"""The branch that HEAD names and the commits that its reflog lists, read from files: a hook has no time for processes.

Source: gitrepository-layout(5), git-reflog(1).
"""

from __future__ import annotations

import os

from smartcommit.git.repo import Repository

# Bytes of a reflog that are read: whoever has made more commits on a branch has made one.
_LOG_BYTES = 1 << 16
_PREFIX = b"ref: refs/heads/"


def read_branch(repository: Repository) -> str:
    """Return the branch that HEAD names, or an empty string if HEAD is detached.

    One process is started if refs are not kept in files.
    """
    path = os.path.join(repository.git_dir, "HEAD")
    try:
        with open(path, "rb") as file:
            content = file.read(_LOG_BYTES).rstrip(b"\n")
    except OSError:
        content = b""
    name = content.removeprefix(_PREFIX)
    if os.path.islink(path) or name == b".invalid":
        # An old repository has a link there, and one with reftables names no branch.
        return repository.branch() or ""
    return os.fsdecode(name) if content.startswith(_PREFIX) else ""


def has_own_commits(repository: Repository, branch: str) -> bool:
    """Whether `branch` is known to have commits that were not there when it was created.

    It is not known if the repository keeps no reflogs, or not in files.
    """
    try:
        with open(os.path.join(repository.common_dir, "logs", "refs", "heads", branch), "rb") as file:
            lines = file.read(_LOG_BYTES).split(b"\n")
    except (OSError, ValueError):
        return False
    for line in lines:
        _, _, action = line.partition(b"\t")
        # A branch that follows another one of its name has the commits that were pushed there.
        if action.startswith(b"commit") or action.endswith(b"/" + os.fsencode(branch)):
            return True
    return False
