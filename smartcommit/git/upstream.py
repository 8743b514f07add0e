"""What a branch has that its remote has not, and the command that pushes it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from smartcommit.git.repo import Repository

# The branch that `git push` would update, empty if it would refuse, and the remote that the branch follows.
_FORMAT = "%(push:short)%00%(upstream:remotename)"


@dataclass(frozen=True, slots=True)
class Push:
    """A push of a branch: `ahead` counts its commits that `target` has not, `behind` those that it lacks.

    `target` is a branch of the remote, such as `origin/main`, or the remote if `command` makes the branch there.
    """

    command: str
    target: str
    ahead: int
    behind: int = 0


def find_push(repository: Repository, branch: str) -> Push | None:
    """Return what a push of `branch`, which is checked out, is; None if there is no remote; two or three processes."""
    shown = repository.run("for-each-ref", f"--format={_FORMAT}", f"refs/heads/{branch}").decode(errors="replace")
    target, _, remote = shown.rstrip("\n").partition("\0")
    counted = _count(repository, f"{target}...HEAD", "--left-right") if target else None
    if counted is not None:
        behind, ahead = counted
        return Push("git push", target, ahead, behind)
    remotes = repository.run("remote").decode(errors="replace").split("\n")[:-1]
    if remote not in remotes:
        if not remotes:
            return None
        remote = "origin" if "origin" in remotes else remotes[0]
    (ahead,) = _count(repository, "HEAD", "--not", f"--remotes={remote}") or [0]
    return Push(shlex.join(["git", "push", "-u", remote, branch]), remote, ahead)


def _count(repository: Repository, *arguments: str) -> list[int] | None:
    """Return the numbers of commits, None if a branch does not exist."""
    done = repository.ended("rev-list", "--count", *arguments, "--", expected=(0, 128))
    if done.returncode:
        return None
    return list(map(int, done.stdout.split()))
