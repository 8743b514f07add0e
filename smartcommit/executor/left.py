"""What an agent left where no commit here can hold it: in a repository of its own, a submodule, or the stash."""

from __future__ import annotations

import os

from smartcommit.executor.entry import names
from smartcommit.executor.runner import AttemptFailed
from smartcommit.git.repo import Repository
from smartcommit.git.standing import Standing, stashed_on, submodules


def refuse_hidden(repository: Repository, *, first: Standing, before: Standing, now: Standing) -> None:
    """Compare where things stand `now` with when the attempt began (`before`), and its task (`first`).

    Raises: AttemptFailed, naming what is hidden and what to do.
    """
    _refuse_nested(repository, now)
    inside = [path for path in now.inside if path not in first.inside]
    if inside:
        raise AttemptFailed(f"there are changes inside the submodule {names(inside)}: commit them there")
    if now.stashes > before.stashes and _is_of(now, stashed_on(repository)):
        raise AttemptFailed("work was put into the stash: 'git stash pop' brings it back")


def _refuse_nested(repository: Repository, now: Standing) -> None:
    if not now.nested:
        return
    known = submodules(repository)
    foreign = [path for path in now.nested if path not in known]
    if foreign:
        raise AttemptFailed(
            f"{names(foreign)} is a repository of its own: remove its '.git' (and run 'git rm --cached -f' on it where "
            "it was added), or add it by 'git submodule add'"
        )


def _is_of(now: Standing, noted: str) -> bool:
    """Whether the stash, which all worktrees share, got its last entry on the branch of this one."""
    branch = "(no branch)" if now.branch is None else os.fsencode(now.branch).decode("utf-8", "surrogateescape")
    return noted.startswith((f"WIP on {branch}: ", f"On {branch}: "))
