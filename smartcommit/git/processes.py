"""Which git processes are at work in a repository, as far as this machine tells."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from smartcommit.git.repo import Repository

# What the clocks of files and processes may differ by, in seconds.
_COARSE = 0.05


def a_git_is_older(repository: Repository, moment: float) -> bool | None:
    """Whether a git that was started before `moment`, a time of the file system, may be at work in `repository`.

    It may be where it runs inside one of its folders, was told of a repository by name, or does not let us look. None
    where nothing tells.
    """
    if not os.path.isdir("/proc/self"):
        return None
    age = time.time() - moment - _COARSE
    folders = _folders(repository)
    return any(lived > age and _may_be_in(pid, folders) for pid, lived in _gits())


def _gits() -> Iterator[tuple[str, float]]:
    """Each git that has not ended, with the seconds since it was started."""
    now, ticks = time.clock_gettime(time.CLOCK_BOOTTIME), os.sysconf("SC_CLK_TCK")
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                # The name stands between parentheses and may hold any byte. Source: proc(5).
                head, _, rest = file.read().rpartition(b")")
        except OSError:  # ended meanwhile
            continue
        fields = rest.split()
        if head.partition(b"(")[2].startswith(b"git") and fields[0] not in (b"Z", b"X"):
            yield pid, now - int(fields[19]) / ticks


def _folders(repository: Repository) -> tuple[str, ...]:
    """The top levels of all worktrees and the folder of the repository, each with a slash at its end."""
    tops = [repository.worktree, repository.common_dir, os.path.dirname(repository.common_dir)]
    linked = os.path.join(repository.common_dir, "worktrees")
    for name in os.listdir(linked) if os.path.isdir(linked) else ():
        with open(os.path.join(linked, name, "gitdir"), encoding="utf-8", errors="surrogateescape") as file:
            tops.append(os.path.dirname(file.read().rstrip("\n")))
    return tuple(os.path.join(os.path.realpath(top), "") for top in tops)


def _may_be_in(pid: str, folders: tuple[str, ...]) -> bool:
    try:
        told = [_read(f"/proc/{pid}/environ"), _read(f"/proc/{pid}/cmdline")]
        place = os.readlink(f"/proc/{pid}/cwd")
    except FileNotFoundError:  # ended meanwhile
        return False
    except OSError:
        return True
    return os.path.join(place, "").startswith(folders) or any(
        b"GIT_DIR=" in text or b"--git-dir" in text for text in told
    )


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
