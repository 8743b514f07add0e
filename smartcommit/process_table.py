"""Which process is which: a number alone is given out again, a number and a start time are not."""

from __future__ import annotations

import os

# A hook's runner, its wrappers and a few shells stand between it and whoever started git.
_DEPTH = 32


def started(pid: int) -> tuple[int, str] | None:
    """The parent of process `pid` and when it started, in the system's own words; None where there is no such process.

    From `/proc` or else from `ps`. Source: proc(5), fields 4 and 22 of `stat`.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The program's name stands in parentheses and may hold anything, so count from the last one.
            fields = file.read().rpartition(b")")[2].split()
        return int(fields[1]), fields[19].decode("ascii")
    except (OSError, ValueError, IndexError):
        return None if os.path.exists("/proc/self/stat") else _ask_ps(pid)


def is_ancestor(pid: int, start: str) -> bool:
    """Whether the process `pid` that began at `start` is one that this process comes from."""
    current = os.getppid()
    for _ in range(_DEPTH):
        found = started(current)
        if found is None:
            return False
        if current == pid:
            return found[1] == start
        current = found[0]
    return False


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


def _ask_ps(pid: int) -> tuple[int, str] | None:
    import subprocess  # where there is no /proc, so a process has to be started anyway

    try:
        done = subprocess.run(
            ["ps", "-o", "ppid=", "-o", "lstart=", "-p", str(pid)],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=False,
        )  # fmt: skip
        parent, _, start = done.stdout.decode("ascii", "replace").strip().partition(" ")
        return int(parent), start.strip()
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
