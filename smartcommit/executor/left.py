"""What an agent left that no commit here can hold: conflicts, or work in another repository or in the stash."""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.executor.agents import AttemptFailed
from smartcommit.executor.entry import names
from smartcommit.git.diff import SUBMODULE_MODE, list_changes
from smartcommit.git.repo import Repository
from smartcommit.git.status import WorktreeStatus, stashed_on, submodules


def check_uncommittable_work(
    repository: Repository, *, base: str | None, inside: Sequence[bytes], stashes: int, now: WorktreeStatus
) -> None:
    """Compare where things stand `now` with when the task began: on the commit `base`, with changes `inside`
    submodules and so many `stashes`.

    Raises: AttemptFailed, naming what is hidden and what to do.
    """
    _refuse_nested(repository, base, now)
    if now.unmerged:
        raise AttemptFailed(f"{names(now.unmerged)} is not merged: resolve it, and run 'git add' on it")
    changed = [path for path in now.inside if path not in inside]
    if changed:
        raise AttemptFailed(f"there are changes inside the submodule {names(changed)}: commit them there")
    if now.stashes > stashes and _is_of(now, stashed_on(repository)):
        raise AttemptFailed("work was put into the stash: 'git stash pop' brings it back")


def _refuse_nested(repository: Repository, base: str | None, now: WorktreeStatus) -> None:
    nested = now.nested
    if now.head != base:  # agents have committed by themselves
        nested = list(dict.fromkeys([*nested, *_links(repository, base)]))
    if not nested:
        return
    known = submodules(repository)
    foreign = [path for path in nested if path not in known]
    if foreign:
        raise AttemptFailed(
            f"{names(foreign)} is a repository of its own: remove its '.git' (and run 'git rm --cached -f' on it where "
            "it was added), or add it by 'git submodule add'"
        )


def _links(repository: Repository, base: str | None) -> list[bytes]:
    """The paths in the index that are links to a commit of another repository, and were not in `base`."""
    changes = list_changes(repository, base or repository.empty_tree, renames=False, counts=False)
    return [change.path for change in changes if change.new_mode == SUBMODULE_MODE != change.old_mode]


def _is_of(now: WorktreeStatus, noted: str) -> bool:
    """Whether the stash, which all worktrees share, got its last entry on the branch of this one."""
    branch = "(no branch)" if now.branch is None else os.fsencode(now.branch).decode("utf-8", "surrogateescape")
    return noted.startswith((f"WIP on {branch}: ", f"On {branch}: "))
