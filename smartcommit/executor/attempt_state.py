"""The pending attempt on disk, and recovery after the executor was killed.

A commit cannot hold its own id, and writing that into the tree afterwards would leave the tree dirty. What a killed
process was at must be known though the plan's files, as an agent left them, are not to be trusted.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field

from smartcommit import state_files
from smartcommit.errors import LockedError, TaskPlanError
from smartcommit.executor.commit import COMMITTING
from smartcommit.executor.output import CommitMessage
from smartcommit.executor.plan import PlanTask, TaskPlan, read_plan
from smartcommit.executor.plan_dir import PLAN, PlanFolder, read
from smartcommit.executor.process_group import end_marked, wait_for
from smartcommit.git.lockfile import holders
from smartcommit.git.repo import Repository
from smartcommit.git.status import WorktreeStatus

LOCK = "executor.lock"
UNFINISHED, _JOURNAL, _CHECKS = "executor-state", "executor-journal", "executor-checks"
_ASIDE = "executor-plan.json"
# Entries of the journal that are kept.
_KEPT = 1000
# How far an attempt is: the agent is at work; it succeeded, and the commit is being made; it was ended in order.
AGENT, COMMIT, STOPPED = "agent", "commit", "stopped"
# Seconds: for an agent to end when it is asked, and for a commit, which is on its way, to be over with its hooks.
_GRACE = 5.0
_PATIENCE = 120.0


@dataclass(slots=True)
class PendingAttempt:
    """An attempt without its commit: of `plan`, a folder's name, begun on `branch` on top of the commit `parent`.

    `mark` is in the environment of every process of the run. In phase COMMIT `message`, `rejected` and `reason` are the
    parts of the `CommitMessage`, and `changes` tells what is committed, once that is staged. `left` are the paths that
    the attempt left changed, None where it was killed and nobody looked; `dirty` those that were changed before it by
    somebody else, and `inside` the submodules that had changes inside. `plan_json` is the plan as it was written down
    with it. With `astray` the attempt left the branch, or took the commit back. `base` is the commit that its task
    began on, on which agents may have built since.
    """

    plan: str
    task: str
    parent: str | None
    mark: str
    phase: str = AGENT
    message: str = ""
    rejected: str | None = None
    reason: str = ""
    changes: str = ""
    left: list[str] | None = None
    dirty: list[str] = field(default_factory=list)
    plan_json: str = ""
    branch: str | None = None
    astray: bool = False
    base: str | None = None
    inside: list[str] = field(default_factory=list)

    @property
    def commit_message(self) -> CommitMessage:
        """The message that is being committed."""
        return CommitMessage(self.message, self.rejected, self.reason)

    @commit_message.setter
    def commit_message(self, message: CommitMessage) -> None:
        self.message, self.rejected, self.reason = message.text, message.rejected, message.reason

    @property
    def killed(self) -> bool:
        """Whether its run did not come to an end in order."""
        return self.left is None

    @property
    def unsettled(self) -> bool:
        """Whether it is to be gone on with before anything else: it was not ended in order, or lacks its commit."""
        return self.phase != STOPPED or self.astray


def load(git_dir: str) -> PendingAttempt | None:
    """The attempt that is not over, None where there is none."""
    kept = state_files.load(git_dir, UNFINISHED)
    if kept is None:
        return None
    try:
        return PendingAttempt(**json.loads(kept))
    except (ValueError, TypeError):  # of another version
        return None


def save(git_dir: str, unfinished: PendingAttempt) -> None:
    """Keep `unfinished` until it is dropped.

    Raises: TaskPlanError when the git directory cannot be written.
    """
    _save(git_dir, UNFINISHED, json.dumps(asdict(unfinished)).encode())


def drop(git_dir: str) -> None:
    """The attempt is over, and its commit is in the journal."""
    state_files.drop(git_dir, UNFINISHED)


def journal(git_dir: str) -> list[dict[str, str | None]]:
    """The commits that were made here, oldest first: `plan`, `task`, `commit` and `parent`."""
    entries = []
    for line in (state_files.load(git_dir, _JOURNAL) or b"").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            entries.append(entry)
    return entries


def record(git_dir: str, **entry: str | None) -> None:
    """Put a commit into the journal, once.

    Raises: TaskPlanError when the git directory cannot be written.
    """
    entries = journal(git_dir)
    if entry not in entries[-1:]:
        lines = [json.dumps(one) for one in [*entries[1 - _KEPT :], entry]]
        _save(git_dir, _JOURNAL, "".join(f"{line}\n" for line in lines).encode())


def set_aside(git_dir: str, content: bytes) -> str:
    """Keep the last `content` of a plan's file that was not gone on with; returns where.

    Raises: TaskPlanError when the git directory cannot be written.
    """
    _save(git_dir, _ASIDE, content)
    return state_files.path(git_dir, _ASIDE)


def approve(git_dir: str, commands: list[str]) -> None:
    """A person of this clone wants the check `commands` to be run.

    Raises: TaskPlanError when the git directory cannot be written.
    """
    _save(git_dir, _CHECKS, json.dumps(sorted({*approved(git_dir), *commands})).encode())


def approved(git_dir: str) -> set[str]:
    """The commands that were approved."""
    try:
        return set(json.loads(state_files.load(git_dir, _CHECKS) or b"[]"))
    except (ValueError, TypeError):
        return set()


def _save(git_dir: str, name: str, content: bytes) -> None:
    if not state_files.save(git_dir, name, content):
        raise TaskPlanError(f"cannot write '{state_files.path(git_dir, name)}'", hint="make the git directory writable")


def stop_leftover_processes(unfinished: PendingAttempt | None) -> None:
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
    unfinished = load(repository.git_dir)
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
    aside = set_aside(repository.git_dir, content)
    return plan, [f"'{folder.place}' was changed, by the agent or since: it is kept as '{aside}', and not gone on with"]


def plan_of(unfinished: PendingAttempt, folder: PlanFolder, found: TaskPlan) -> TaskPlan:
    """The plan as we wrote it last: the file may be what an agent made of it before it was cut off.

    After a stop in order nobody but a person has changed the plan that is `found` in the file.
    """
    trusted = not (unfinished.killed and unfinished.plan_json)
    plan = found if trusted else read_plan(unfinished.plan_json.encode(), folder.place)
    _task(plan, unfinished)
    return plan


def committed_plan(
    repository: Repository, folder: PlanFolder, unfinished: PendingAttempt, standing: WorktreeStatus
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
    repository: Repository, folder: PlanFolder, unfinished: PendingAttempt, standing: WorktreeStatus
) -> dict[str, str | None] | None:
    """What the journal has of our commit that HEAD stands in the place of, as after `git commit --amend` by a person
    while the run was dead; None where HEAD is anything else.

    It is on the same branch, on the same parent, and still holds the completed task.
    """
    known = (one for one in reversed(journal(repository.git_dir)) if one.get("commit") == unfinished.parent)
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
    begun = _time_of(state_files.path(repository.git_dir, UNFINISHED))
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


def _task(plan: TaskPlan, unfinished: PendingAttempt) -> PlanTask:
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
