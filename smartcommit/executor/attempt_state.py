"""The pending attempt on disk, and recovery after the executor was killed.

It is in the git directory, since writing it to the tree after a commit would leave the tree dirty, and since the plan's
files cannot be trusted after an agent was killed.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from smartcommit import state_files
from smartcommit.errors import LockedError, TaskPlanError
from smartcommit.executor.commit import COMMITTING
from smartcommit.executor.plan import PlanTask, TaskPlan, read_plan
from smartcommit.executor.plan_dir import PLAN, PlanFolder
from smartcommit.executor.task_message import CommitMessage
from smartcommit.git.repo import Repository
from smartcommit.git.status import WorktreeStatus
from smartcommit.processes.group import terminate_run, wait_for_run

LOCK = "executor.lock"
UNFINISHED, _CHECKS = "executor-state", "executor-checks"
# Phases of an attempt: the agent is running; it succeeded and its work is being committed; the attempt is over.
AGENT, COMMIT, STOPPED = "agent", "commit", "stopped"
# Seconds for an agent to exit after SIGTERM, and for a commit in progress to finish with its hooks.
_GRACE_SECONDS = 5.0
_COMMIT_TIMEOUT = 120.0


@dataclass(slots=True)
class PendingAttempt:
    """An attempt without its commit, saved so that a later run can resume or revert it.

    `plan` is the name of the plan's directory, and `run_id` is in the environment of the run's processes. The attempt
    started on `branch` at the commit `parent`, and its task at the commit `base`, since when agents may have committed.
    In phase COMMIT `message`, `rejected` and `reason` are the fields of the `CommitMessage`, and `changes` is the
    fingerprint of what is staged. `left` are the paths that the attempt left changed, None if it was killed. `dirty`
    are those that were changed before it and do not belong to it, `dirty_submodules` the submodules with such changes,
    and `hidden` those whose changes git was told not to look for. In jj `change` is the change id of the plan's commit
    `parent`, and `hidden` are the files that are in no commit.
    `plan_json` is the plan as it was saved at the same time. `left_branch` means that the attempt left the branch, or
    removed the commit `parent`.
    """

    plan: str
    task: str
    parent: str | None
    run_id: str
    phase: str = AGENT
    message: str = ""
    rejected: str | None = None
    reason: str = ""
    changes: str = ""
    left: list[str] | None = None
    dirty: list[str] = field(default_factory=list)
    plan_json: str = ""
    branch: str | None = None
    left_branch: bool = False
    base: str | None = None
    dirty_submodules: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    change: str = ""

    @property
    def commit_message(self) -> CommitMessage:
        """The message of the commit that is being made."""
        return CommitMessage(self.message, self.rejected, self.reason)

    @commit_message.setter
    def commit_message(self, message: CommitMessage) -> None:
        self.message, self.rejected, self.reason = message.text, message.rejected, message.reason

    @property
    def killed(self) -> bool:
        """Whether its run was killed."""
        return self.left is None

    @property
    def unsettled(self) -> bool:
        """Whether it must be recovered before anything else: it was killed, lacks its commit, or left the branch."""
        return self.phase != STOPPED or self.left_branch


def load(git_dir: str) -> PendingAttempt | None:
    """Return the pending attempt, None if there is none."""
    return state_files.load_json(git_dir, UNFINISHED, lambda fields: PendingAttempt(**fields))


def save(git_dir: str, unfinished: PendingAttempt) -> None:
    """Save the pending attempt. Raise TaskPlanError, like all below, if the git directory cannot be written."""
    _save(git_dir, UNFINISHED, asdict(unfinished))


def drop(git_dir: str) -> None:
    """Forget the pending attempt, which is over."""
    state_files.drop(git_dir, UNFINISHED)


def approve(git_dir: str, commands: list[str]) -> None:
    """Allow the check `commands` to be run in this clone."""
    _save(git_dir, _CHECKS, sorted({*read_approved(git_dir), *commands}))


def read_approved(git_dir: str) -> set[str]:
    """Return the approved commands."""
    return state_files.load_json(git_dir, _CHECKS, set) or set()


def _save(git_dir: str, name: str, content: object) -> None:
    if not state_files.save_json(git_dir, name, content):
        raise TaskPlanError(f"cannot write '{state_files.path(git_dir, name)}'", hint="make the git directory writable")


def stop_leftover_processes(unfinished: PendingAttempt | None) -> None:
    """Terminate processes left by an interrupted run, but wait for a commit in progress to finish.

    Raise LockedError if that times out.
    """
    if unfinished is None:
        return
    terminate_run(unfinished.run_id, _GRACE_SECONDS)
    if not wait_for_run(unfinished.run_id + COMMITTING, _COMMIT_TIMEOUT):
        raise LockedError("an earlier run is still committing", hint="wait for it to finish, or stop its git process")


def load_plan(repository: Repository, folder: PlanFolder) -> tuple[TaskPlan, list[str]]:
    """Return the plan in `folder`, and in words whether it had to be restored.

    After a kill the plan is the one that we saved last. If the file was deleted it is restored; if it has another plan,
    the agent or the user may have written that, and the user has to decide.

    Raise TaskPlanError if that is so, there is no plan, or it cannot be written.
    """
    unfinished = load(repository.git_dir)
    if unfinished is None or unfinished.plan != folder.name or not (unfinished.unsettled and unfinished.plan_json):
        return folder.load(), []
    plan = read_plan(unfinished.plan_json.encode(), folder.place)
    if not folder.has(PLAN):
        folder.save(plan)
        return plan, [f"'{folder.place}' was deleted; restored it"]
    if not unfinished.killed:
        return folder.load(), []
    content = folder.read(PLAN)
    if _without_progress(content, folder) != _without_progress(plan.to_bytes(), folder):
        raise TaskPlanError(
            f"'{folder.place}' was changed by the agent, or since its run was killed",
            hint="move it away and resume: it is restored as smartcommit last wrote it",
        )
    return plan, []


def committed_plan(
    repository: Repository, place: str, plan: TaskPlan, *, unfinished: PendingAttempt, now: WorktreeStatus
) -> TaskPlan | None:
    """Return the plan at `place` in HEAD if the commit that was being made exists, else None.

    If the plan is not tracked, any commit on top of the attempt's parent is taken for it, and `plan` is returned.
    """
    if now.head is None or now.head == unfinished.parent:
        return None
    tracked = repository.ended("cat-file", "blob", f"HEAD:{place}", expected=(0, 128))
    if tracked.returncode == 0:
        committed = read_plan(tracked.stdout, place)
        return committed if find_task(committed, unfinished).status == "completed" else None
    done = repository.ended("rev-parse", "--verify", "--quiet", "HEAD^1", expected=(0, 1))
    if done.stdout.decode().strip() != (unfinished.parent or ""):
        return None
    find_task(plan, unfinished).status = "completed"
    return plan


def find_task(plan: TaskPlan, unfinished: PendingAttempt) -> PlanTask:
    """Return the task of the attempt. Raise TaskPlanError if it is not in the plan any more."""
    task = plan.find(unfinished.task)
    if task is None:
        raise TaskPlanError(f"task '{unfinished.task}' was started, but is not in the plan any more")
    return task


def _without_progress(content: bytes, folder: PlanFolder) -> object:
    """Return what a plan's file says apart from progress, None if it is not a plan."""
    try:
        plan = read_plan(content, folder.place)
    except TaskPlanError:
        return None
    return plan.model_dump(exclude={"status": True, "tasks": {"__all__": {"status", "attempts"}}})
