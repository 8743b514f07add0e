"""What a killed run left behind: its processes, a commit that was made or not, git's locks."""

from __future__ import annotations

import os
from contextlib import suppress

from smartcommit import store
from smartcommit.errors import LockedError, TaskPlanError
from smartcommit.executor import state
from smartcommit.executor.committing import COMMITTING
from smartcommit.executor.folder import PlanFolder
from smartcommit.executor.group import end_marked, wait_for
from smartcommit.executor.plan import PlanTask, TaskPlan, read_plan
from smartcommit.git.locks import holders
from smartcommit.git.repo import Repository
from smartcommit.git.standing import Standing

# Seconds: for an agent to end when it is asked, and for a commit, which is on its way, to be over with its hooks.
_GRACE = 5.0
_PATIENCE = 120.0


def quieten(unfinished: state.Unfinished | None) -> None:
    """End what the cut off run left at work, but wait for a commit: git is not to be disturbed at that.

    Raises: LockedError when that commit takes too long.
    """
    if unfinished is None:
        return
    end_marked(unfinished.mark, _GRACE)
    if not wait_for(unfinished.mark + COMMITTING, _PATIENCE):
        raise LockedError("the commit of an earlier run is still being made", hint="wait for it, or end its git")


def plan_of(unfinished: state.Unfinished, folder: PlanFolder, found: TaskPlan) -> TaskPlan:
    """The plan as we wrote it last: the file may be what an agent made of it before it was cut off.

    After a stop in order nobody but a person has changed the plan that is `found` in the file.
    """
    killed = unfinished.left is None and unfinished.plan_json
    plan = read_plan(unfinished.plan_json.encode(), folder.place) if killed else found
    _task(plan, unfinished)
    return plan


def committed_plan(
    repository: Repository, folder: PlanFolder, unfinished: state.Unfinished, standing: Standing
) -> TaskPlan | None:
    """The plan as HEAD has it where the commit that was being made is there, else None.

    Where no plan is tracked, a commit on top of the one that it was made on must be it.
    """
    if standing.head is None or standing.head == unfinished.parent:
        return None
    shown = repository.ended("cat-file", "blob", f"HEAD:{folder.place}", expected=(0, 128))
    if shown.returncode == 0:
        plan = read_plan(shown.stdout, folder.place)
        return plan if _task(plan, unfinished).status == "completed" else None
    above = repository.ended("rev-parse", "--verify", "--quiet", "HEAD^1", expected=(0, 1)).stdout.decode().strip()
    if above != (unfinished.parent or ""):
        return None
    plan = plan_of(unfinished, folder, folder.load())
    _task(plan, unfinished).status = "completed"
    return plan


def release_locks(repository: Repository, standing: Standing) -> None:
    """Remove the locks that a killed git of this attempt left: younger than its beginning, and no git is at work.

    Where the system does not tell who is at work, they stay, and git names them.
    """
    begun = _time_of(store.path(repository.git_dir, state.UNFINISHED))
    names = [os.path.join(repository.git_dir, name) for name in ("index.lock", "HEAD.lock")]
    if standing.branch is not None:
        names.append(os.path.join(repository.common_dir, "refs", "heads", f"{standing.branch}.lock"))
    for name in names:
        made = _time_of(name)
        if begun is not None and made is not None and made >= begun and not _is_git_at_work(repository):
            with suppress(FileNotFoundError):
                os.unlink(name)


def _is_git_at_work(repository: Repository) -> bool:
    # Asked for a lock of this working tree, wherever its git directory is.
    return not os.path.isdir("/proc/self") or bool(holders(os.path.join(repository.worktree, ".git", "index.lock")))


def _task(plan: TaskPlan, unfinished: state.Unfinished) -> PlanTask:
    found = next((task for task in plan.tasks if task.id == unfinished.task), None)
    if found is None:
        raise TaskPlanError(f"the plan has no task '{unfinished.task}' any more, which was begun")
    return found


def _time_of(path: str) -> float | None:
    try:
        return os.stat(path).st_mtime
    except FileNotFoundError:
        return None
