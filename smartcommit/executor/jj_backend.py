"""The books of a plan in a jj description: leaf tasks are marked there, and each one's work becomes a change below it.

`jj split` takes everything out of the working-copy commit in one operation and leaves the plan on what remains; then
the task is marked. Log, output and the attempt that is not over are in `.jj`, outside the working copy.
"""

from __future__ import annotations

import os
import time

from smartcommit.errors import TaskPlanError
from smartcommit.executor import attempt_state
from smartcommit.executor.agents import AttemptFailed
from smartcommit.executor.commit import screen_change
from smartcommit.executor.event_log import ProgressLog, logged, redact_reason
from smartcommit.executor.output import CommitMessage
from smartcommit.executor.plan import PlanTask, TaskPlan, make_plan
from smartcommit.executor.plan_dir import PlanFolder
from smartcommit.executor.process_group import end_marked
from smartcommit.jj.models import identify_tasks
from smartcommit.jj.run import JjChange, run_jj
from smartcommit.jj.tools import Tools
from smartcommit.message.parse import Message
from smartcommit.message.sections import slug

# What stands for the plan in the working-copy commit on a command line, as jj itself calls that commit.
NAME = "@"
_GRACE = 5.0
# The description as it was when the last attempt began, in the folder of log and output.
_DESCRIPTION = "description"


def own_directory(root: str) -> str:
    """Where the executor keeps what is of the workspace at `root`, in place of a git directory."""
    return os.path.join(root, ".jj")


def own_folder(root: str) -> PlanFolder:
    """Where log and output of the workspace's plans are kept."""
    return PlanFolder(root, "execution", home=".jj/smartcommit")


class JjPlanBackend:
    """The plan in the working-copy commit that `tools` work on; `mark` names this run to its processes.

    With `allow_dirty` tasks are marked, and no change is made of their work; with `screened` the content of a change is
    checked first.
    """

    def __init__(self, tools: Tools, *, mark: str, allow_dirty: bool = False, screened: bool = True) -> None:
        self._tools = tools
        self._root = tools.root
        self._mark = mark
        self._allow_dirty = allow_dirty
        self._screened = screened
        self._log = ProgressLog(own_folder(self._root))
        self._begun = time.monotonic()
        self._change, message = self._read()
        self.plan: TaskPlan = plan_of(message)
        self.commits: list[tuple[str, str]] = []

    def open(self) -> list[str]:
        """Settle what an earlier run left; returns what was settled, in words.

        Raises: TaskPlanError when the change has work that is not this plan's; JjError.
        """
        unfinished = attempt_state.load(own_directory(self._root))
        if unfinished is not None:
            end_marked(unfinished.mark, _GRACE)
            self._change, _ = self._read()
        if unfinished is None or unfinished.plan != self.plan.name:
            if not (self._change.empty or self._allow_dirty):
                raise TaskPlanError(
                    "the working-copy commit has changes that are not this plan's",
                    hint="'jj split' takes them out, and leaves the plan",
                )
            self._log.add("plan_started", plan_id=self.plan.name)
            return []
        task = next((one for one in self.plan.tasks if one.id == unfinished.task), None)
        if task is None or unfinished.phase == attempt_state.STOPPED:
            return []
        return self._settle(task, unfinished)

    def last_failure(self, task: PlanTask) -> str:
        """Why the task failed last; empty where it has not."""
        return self._log.last_failure(task.id)

    def start(self, task: PlanTask) -> None:
        """An attempt begins."""
        task.attempts += 1
        task.status = "in_progress"
        self._begun = time.monotonic()
        self._keep(task, attempt_state.AGENT)
        own_folder(self._root).write(_DESCRIPTION, self._change.description.encode())
        self._log.add("task_started", task_id=task.id, attempt=task.attempts, parent=self._change.commit_id)

    def settle(self, task: PlanTask) -> None:
        """The agent is done: the plan must still be where it was.

        Raises: TaskPlanError when it is not, as after a commit of the agent's own.
        """
        look = self._tools.take_snapshot()
        message = look.reading.message
        if message is None or not message.tasks or task.id not in [one.id for one in plan_of(message).tasks]:
            path = os.path.relpath(own_folder(self._root).path(_DESCRIPTION), self._root)
            raise TaskPlanError(
                f"the plan with the task '{task.id}' is no longer in the working-copy commit's description",
                hint=f"run 'jj describe --stdin < {path}' at the top of the workspace to put it back, then "
                "'smartcommit execute resume @'; 'jj op log' shows what the agent did",
            )
        self._change = look.change

    def fail(self, task: PlanTask, reason: str) -> None:
        """The attempt came to nothing."""
        task.status = "pending"
        self._log.add("task_failed", task_id=task.id, attempt=task.attempts, reason=redact_reason(reason))
        self._keep(task, attempt_state.STOPPED)

    def give_up(self, task: PlanTask) -> None:
        """No attempt is left."""
        task.status = "failed"
        self._log.add("plan_failed", task_id=task.id, attempts=task.attempts)

    def cancel(self, task: PlanTask) -> None:
        """A person stops the run."""
        self._log.add("plan_cancelled", last_task_id=task.id)
        self._keep(task, attempt_state.STOPPED)

    def stop(self, task: PlanTask, reason: str) -> None:
        """The run cannot go on."""
        self._log.add("run_stopped", task_id=task.id, reason=redact_reason(reason))

    def complete(self, task: PlanTask, message: CommitMessage) -> str | None:
        """Make a change of the work and mark the task; the new commit's id, None where nothing was changed.

        Raises: AttemptFailed when something must not be committed; JjError when jj fails, TaskPlanError when the task
        cannot be marked.
        """
        commit = None
        if not (self._change.empty or self._allow_dirty):
            if self._has_new_conflict():
                raise AttemptFailed("the change has unresolved conflicts: resolve them")
            if self._screened:
                screen_change(self._root, self._change.commit_id)
            self._keep(task, attempt_state.COMMIT, message)
            run_jj(("split", f"--message={message.text}", "all()"), repository=self._root)
            commit = self._parent()
            self.commits.append((commit, message.text))
        self._mark_done(task, commit, message)
        return commit

    def finish(self) -> str | None:
        """All tasks are marked; that the whole job is done is a person's to say (`smartcommit plan finish`)."""
        return None

    def _settle(self, task: PlanTask, unfinished: attempt_state.PendingAttempt) -> list[str]:
        committing = unfinished.phase == attempt_state.COMMIT
        if committing and self._change.empty and self._described(unfinished.message):
            self._mark_done(task, self._parent(), unfinished.commit_message)
            return [f"the change of task {task.id} was made already"]
        if committing and self._change.commit_id == unfinished.changes:
            return self._complete_late(task, unfinished.commit_message)
        self._log.add("task_interrupted", task_id=task.id)
        return [f"task {task.id} was cut off and is begun again"]

    def _complete_late(self, task: PlanTask, message: CommitMessage) -> list[str]:
        try:
            self.complete(task, message)
        except AttemptFailed as error:
            self.fail(task, str(error))
            return [f"the change of task {task.id} was refused, and it is begun again"]
        return [f"the change of task {task.id}, which was cut off, was made now"]

    def _mark_done(self, task: PlanTask, commit: str | None, message: CommitMessage) -> None:
        response = self._tools.mark_task(task.id, completed=True)
        if response.status == "error":
            raise TaskPlanError(f"cannot mark the task: {response.action_taken}")
        task.status = "completed"
        self._log.add("task_completed", task_id=task.id, commit=commit, **logged(message))
        attempt_state.drop(own_directory(self._root))
        self._change, _ = self._read()

    def _has_new_conflict(self) -> bool:
        """Whether the change has conflicts that it did not take over from its parents."""
        if not self._change.conflict:
            return False
        # Methods, here and below, for a user's template aliases can stand for keywords.
        said = run_jj(("log", "-r", "@-", "--no-graph", "-T", 'self.conflict() ++ " "'), repository=self._root)
        return b"true" not in said.split()

    def _described(self, text: str) -> bool:
        said = run_jj(("log", "-r", "@-", "--no-graph", "-T", "self.description()"), repository=self._root)
        return said.decode("utf-8", "replace").strip().startswith(text.strip())

    def _parent(self) -> str:
        return run_jj(("log", "-r", "@-", "--no-graph", "-T", "self.commit_id()"), repository=self._root).decode()

    def _read(self) -> tuple[JjChange, Message]:
        look = self._tools.take_snapshot()
        if look.reading.message is None or not look.reading.message.tasks:
            raise TaskPlanError(
                "the working-copy commit's description holds no plan with tasks",
                hint="run 'smartcommit plan show', and 'smartcommit plan tasks FILE'",
            )
        return look.change, look.reading.message

    def _keep(self, task: PlanTask, phase: str, message: CommitMessage | None = None) -> None:
        unfinished = attempt_state.PendingAttempt(self.plan.name, task.id, None, self._mark, phase)
        if message is not None:
            unfinished.commit_message = message
            unfinished.changes = self._change.commit_id
        attempt_state.save(own_directory(self._root), unfinished)


def plan_of(message: Message) -> TaskPlan:
    """The plan that a description holds, as tasks for agents: its leaves, each with what stands above it.

    Raises: TaskPlanError when there is no task.
    """
    assert message.header is not None
    about = [str(message.header), message.description]
    about += [f"Constraint: {constraint}" for constraint in message.constraints or []]
    tasks = [
        {
            "id": name,
            "title": task.summary,
            "description": task.details,
            "status": "completed" if task.completed else "pending",
        }
        for name, task in identify_tasks(message.tasks or [])
        if not task.children
    ]
    return make_plan(
        {
            "id": "jj",
            "name": slug(message.header.summary)[:60].strip("-") or "plan",
            "description": "\n\n".join(filter(None, about)),
            "tasks": tasks,
        }
    )
