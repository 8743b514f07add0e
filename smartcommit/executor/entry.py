"""Whether a run may begin here: nothing else in progress, and nothing in the tree that is not its own."""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.errors import TaskPlanError
from smartcommit.executor import state
from smartcommit.executor.folder import is_metadata
from smartcommit.git.repo import Repository
from smartcommit.git.standing import Standing
from smartcommit.git.state import operation

# Paths that an error names.
_NAMED = 10


def refuse_operation(repository: Repository) -> None:
    """Raises: TaskPlanError in a merge, rebase or the like, and inside a hook of `git commit`."""
    found = operation(repository)
    if found is not None:
        raise TaskPlanError(f"{found[0]} is in progress", hint=f"finish it first: '{found[1]}'")
    if "GIT_INDEX_FILE" in os.environ:
        raise TaskPlanError("a 'git commit' is in progress", hint="run this outside its hooks")


def refuse_foreign(standing: Standing, ours: state.Unfinished | None) -> None:
    """Whatever a killed attempt changed is its own, since it began on a clean tree; of one that ended we know.

    Raises: TaskPlanError, naming the paths, when others are changed too.
    """
    if ours is not None and ours.phase != state.STOPPED:
        return
    left = ours.left if ours is not None else []
    foreign = [path for path in standing.changed if not is_metadata(path) and os.fsdecode(path) not in left]
    if foreign:
        raise TaskPlanError(
            f"the working tree has changes that are not this plan's: {names(foreign)}",
            hint="commit or stash them, or run with '--allow-dirty', which commits nothing",
        )


def names(paths: Sequence[bytes]) -> str:
    """The first paths in quotes, and how many more there are."""
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(f"'{os.fsdecode(path)}'" for path in paths[:_NAMED]) + more
