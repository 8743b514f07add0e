"""What a killed run left behind: its processes, a commit that was made or not, git's locks."""

from __future__ import annotations

import os
from contextlib import suppress

from smartcommit import state_files
from smartcommit.errors import LockedError, TaskPlanError
from smartcommit.executor import attempt_state
from smartcommit.executor.commit import COMMITTING
from smartcommit.executor.plan import PlanTask, TaskPlan, read_plan
from smartcommit.executor.plan_dir import PLAN, PlanFolder, read
from smartcommit.executor.process_group import end_marked, wait_for
from smartcommit.git.lockfile import holders
from smartcommit.git.repo import Repository
from smartcommit.git.status import WorktreeStatus

# Seconds: for an agent to end when it is asked, and for a commit, which is on its way, to be over with its hooks.
_GRACE = 5.0
_PATIENCE = 120.0


def stop_leftover_processes(unfinished: attempt_state.PendingAttempt | None) -> None:
    """End what the cut off run left at work, but wait for a commit: git is not to be disturbed at that.

    Raises: LockedError when that commit takes too long.
    """
    if unfinished is None:
        return
    end_marked(unfinished.mark, _GRACE)
    if not wait_for(unfinished.mark + COMMITTING, _PATIENCE):
        raise LockedError("the commit of an earlier run is still being made", hint="wait for it, or end its git")


def load_plan(repository: Repository, folder: PlanFolder) -> tuple[TaskPlan, list[str]]:
    """The plan in `folder`, and in words what had to be done for it.

    What a killed run left in the file may be an agent's or a person's: the plan is the one that we wrote last, and a
    file with another one is set aside. A folder that is gone is made again.

    Raises: TaskPlanError when there is no plan, or it cannot be written.
    """
    unfinished = attempt_state.load(repository.git_dir)
    if unfinished is None or unfinished.plan != folder.name or not (unfinished.unsettled and unfinished.plan_json):
        return folder.load(), []
    plan = read_plan(unfinished.plan_json.encode(), folder.place)
    if not os.path.lexists(folder.path(PLAN)):
        folder.save(plan)
        return plan, [f"'{folder.place}' was gone and is there again"]
    if not unfinished.killed:
        return folder.load(), []
    content = read(folder.path(PLAN), folder.worktree)
    if _texts(content, folder) == _texts(plan.to_bytes(), folder):
        return plan, []
    aside = attempt_state.set_aside(repository.git_dir, content)
    return plan, [f"'{folder.place}' was changed, by the agent or since: it is kept as '{aside}', and not gone on with"]


def plan_of(unfinished: attempt_state.PendingAttempt, folder: PlanFolder, found: TaskPlan) -> TaskPlan:
    """The plan as we wrote it last: the file may be what an agent made of it before it was cut off.

    After a stop in order nobody but a person has changed the plan that is `found` in the file.
    """
    trusted = not (unfinished.killed and unfinished.plan_json)
    plan = found if trusted else read_plan(unfinished.plan_json.encode(), folder.place)
    _task(plan, unfinished)
    return plan


def committed_plan(
    repository: Repository, folder: PlanFolder, unfinished: attempt_state.PendingAttempt, standing: WorktreeStatus
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
    if _below_head(repository) != unfinished.parent:
        return None
    plan = plan_of(unfinished, folder, folder.load())
    _task(plan, unfinished).status = "completed"
    return plan


def replaced(
    repository: Repository, folder: PlanFolder, unfinished: attempt_state.PendingAttempt, standing: WorktreeStatus
) -> dict[str, str | None] | None:
    """What the journal has of our commit that HEAD stands in the place of, as after `git commit --amend` by a person
    while the run was dead; None where HEAD is anything else.

    It is on the same branch, on the same parent, and still holds the completed task.
    """
    known = (
        one for one in reversed(attempt_state.journal(repository.git_dir)) if one.get("commit") == unfinished.parent
    )
    made = next(known, None)
    if made is None or not unfinished.killed or standing.branch != unfinished.branch or standing.head is None:
        return None
    if standing.head == unfinished.parent or _below_head(repository) != made.get("parent"):
        return None
    shown = repository.ended("cat-file", "blob", f"HEAD:{folder.place}", expected=(0, 128))
    tasks = read_plan(shown.stdout, folder.place).tasks if shown.returncode == 0 else []
    return made if any(task.id == made.get("task") and task.status == "completed" for task in tasks) else None


def release_locks(repository: Repository, standing: WorktreeStatus) -> None:
    """Remove the locks that a killed git of this attempt left: younger than its beginning, and no git is at work.

    Where the system does not tell who is at work, they stay, and git names them.
    """
    begun = _time_of(state_files.path(repository.git_dir, attempt_state.UNFINISHED))
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


def _below_head(repository: Repository) -> str | None:
    """The first parent of HEAD."""
    done = repository.ended("rev-parse", "--verify", "--quiet", "HEAD^1", expected=(0, 1))
    return done.stdout.decode().strip() or None


def _task(plan: TaskPlan, unfinished: attempt_state.PendingAttempt) -> PlanTask:
    found = next((task for task in plan.tasks if task.id == unfinished.task), None)
    if found is None:
        raise TaskPlanError(f"the plan has no task '{unfinished.task}' any more, which was begun")
    return found


def _texts(content: bytes, folder: PlanFolder) -> object:
    """What a plan's file says but for how far it is; None where it is no plan."""
    try:
        plan = read_plan(content, folder.place)
    except TaskPlanError:
        return None
    return plan.model_dump(exclude={"status": True, "tasks": {"__all__": {"status", "attempts"}}})


def _time_of(path: str) -> float | None:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return None
