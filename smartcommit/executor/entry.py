"""Whether a run may begin here: nothing else in progress, and nothing in the tree that is not its own."""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.errors import TaskPlanError
from smartcommit.executor import attempt_state
from smartcommit.executor.plan_dir import is_metadata
from smartcommit.git.repo import Repository
from smartcommit.git.state import operation
from smartcommit.git.status import WorktreeStatus

# Paths that an error names.
_NAMED = 10


def refuse_operation(repository: Repository) -> None:
    """Raises: TaskPlanError in a merge, rebase or the like, and inside a hook of `git commit`."""
    found = operation(repository)
    if found is not None:
        raise TaskPlanError(f"{found[0]} is in progress", hint=f"finish it first: '{found[1]}'")
    if "GIT_INDEX_FILE" in os.environ:
        raise TaskPlanError("a 'git commit' is in progress", hint="run this outside its hooks")


def refuse_other(unfinished: attempt_state.PendingAttempt | None, plan: str) -> None:
    """Raises: TaskPlanError when another plan than `plan` is to be settled first: this one's commits would hold it."""
    if unfinished is not None and unfinished.plan != plan and unfinished.unsettled:
        raise TaskPlanError(
            f"the plan '{unfinished.plan}' was cut off",
            hint=f"run 'smartcommit execute resume {unfinished.plan}' first",
        )


def foreign_paths(standing: WorktreeStatus, ours: attempt_state.PendingAttempt | None) -> list[bytes]:
    """What is changed and not by the plan, whose attempt `ours` is not over.

    Of one that ended we know what it left; whatever a killed one changed is its own, but for what was so before it.
    """
    return _foreign([path for path in standing.changed if not is_metadata(path)], ours, ours.dirty if ours else [])


def foreign_inside(standing: WorktreeStatus, ours: attempt_state.PendingAttempt | None) -> list[bytes]:
    """The submodules with changes inside that are not the plan's, as `foreign_paths`."""
    return _foreign(standing.inside, ours, ours.inside if ours else [])


def _foreign(paths: list[bytes], ours: attempt_state.PendingAttempt | None, before: Sequence[str]) -> list[bytes]:
    if ours is None:
        return paths
    if ours.left is not None:
        return [path for path in paths if os.fsdecode(path) not in ours.left]
    return [path for path in paths if os.fsdecode(path) in before]


def base_of(standing: WorktreeStatus, ours: attempt_state.PendingAttempt | None) -> str | None:
    """The commit that the task at work began on, where the attempt `ours` is not over: what agents have committed by
    themselves since is looked through with the rest. Who moves HEAD after a stop in order is a person, who may.
    """
    if ours is None or not (ours.unsettled or standing.head == ours.parent):
        return standing.head
    return ours.base


def check_clean_start(foreign: Sequence[bytes]) -> None:
    """Raises: TaskPlanError, naming the paths, when there are any."""
    if foreign:
        raise TaskPlanError(
            f"the working tree has changes that are not this plan's: {names(foreign)}",
            hint="commit or stash them, or run with '--allow-dirty', which commits nothing",
        )


def names(paths: Sequence[bytes]) -> str:
    """The first paths in quotes, and how many more there are."""
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(f"'{os.fsdecode(path)}'" for path in paths[:_NAMED]) + more
