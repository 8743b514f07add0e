"""Which processes run, by a mark in their environment."""

from __future__ import annotations

import os


def marked(mark: str) -> list[int]:
    """The other processes of this user whose environment holds `mark`, where `/proc` tells."""
    wanted = mark.encode()
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                environment = file.read()
        except OSError:  # ended meanwhile, or somebody else's
            continue
        if wanted in environment.split(b"\0"):
            found.append(int(name))
    return found
