"""Processes that a test has started or caused: which are left, and waiting for one to end."""

import os
import time
from collections.abc import Iterator
from pathlib import Path


def gone(pid: int) -> bool:
    state = _stat(pid)[:1]
    return state in ([], ["Z"])


def members(group: int) -> list[int]:
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in numbers if _stat(pid)[2:3] == [str(group)] and not gone(pid)]


def patience() -> Iterator[None]:
    """As often as is worth looking for what comes in a moment: a minute long."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        yield
        time.sleep(0.01)


def _stat(pid: int) -> list[str]:
    """State, parent, group and what follows; nothing where there is no such process. Source: proc(5)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
