"""Which processes run, by a mark in their environment."""

from __future__ import annotations

import os

# The environment variable that names a run of the executor and the commit that it is making.
EXECUTION = "SMARTCOMMIT_EXECUTION"


def find_marked(mark: str) -> list[int]:
    """Return the other processes of this user whose environment contains `mark`; none if there is no `/proc`."""
    wanted = mark.encode()
    found: list[int] = []
    if not os.path.isdir("/proc/self"):
        return found
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                environment = file.read()
        except OSError:  # it has exited in the meantime, or belongs to another user
            continue
        if wanted in environment.split(b"\0"):
            found.append(int(name))
    return found
