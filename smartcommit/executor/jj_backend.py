"""Plan backend for jj: marks tasks in the description and creates a change per task.

`jj split` moves everything out of the working-copy commit in one operation and leaves the plan on the remaining one;
then the task is marked. Log, output and pending attempt are in `.jj`, outside the working copy.
"""

from __future__ import annotations

import os

from smartcommit.errors import TaskPlanError
from smartcommit.executor import attempt_state
from smartcommit.executor.agents import AttemptFailed
from smartcommit.executor.backend import PlanBackend
from smartcommit.executor.commit import scan_jj_commit
from smartcommit.executor.event_log import Records, get_rejection
from smartcommit.executor.output import CommitMessage
from smartcommit.executor.plan import PlanTask, TaskPlan, make_plan
from smartcommit.executor.plan_dir import PlanFolder
from smartcommit.executor.process_group import terminate_run
from smartcommit.jj.models import identify_tasks
from smartcommit.jj.run import JjChange, run_jj
from smartcommit.jj.tools import Tools
from smartcommit.message.parse import Message
from smartcommit.message.sections import slug

# The plan in the working-copy commit on a command line, as jj names that commit.
NAME = "@"
_GRACE = 5.0
# The description at the start of the last attempt, in the directory of log and output.
_DESCRIPTION = "description"


def state_directory(root: str) -> str:
    """Return the executor's directory in the workspace at `root`, in place of a git directory."""
    return os.path.join(root, ".jj")


def state_folder(root: str) -> PlanFolder:
    """Return the directory of log and output of the workspace's plans."""
    return PlanFolder(root, "execution", home=".jj/smartcommit")


class JjPlanBackend(PlanBackend):
    """The plan in the working-copy commit that `tools` work on; `mark` is the run's id.

    With `allow_dirty` tasks are marked, but no change is made of their work; with `screened` the content of a change is
    scanned first.
    """

    unit = "change"

    def __init__(self, tools: Tools, *, mark: str, allow_dirty: bool = False, screened: bool = True) -> None:
        self._tools = tools
        self._root = tools.root
        self._allow_dirty = allow_dirty
        self._screened = screened
        self._change, message = self._read()
        folder = state_folder(self._root)
        records = Records(folder, plan_of(message), private=folder, saves_plan=False)
        super().__init__(records, folder, state_directory(self._root), mark)

    def open(self) -> list[str]:
        unfinished = attempt_state.load(self._state_directory)
        if unfinished is not None:
            terminate_run(unfinished.run_id, _GRACE)
            self._change, _ = self._read()
        if unfinished is None or unfinished.plan != self.plan.name:
            if not (self._change.empty or self._allow_dirty):
                raise TaskPlanError(
                    "the working-copy commit has changes that do not belong to this plan",
                    hint="run 'jj split' to move them out; the plan stays",
                )
            self._records.log.add("plan_started", plan_id=self.plan.name)
            return []
        task = next((one for one in self.plan.tasks if one.id == unfinished.task), None)
        if task is None or unfinished.phase == attempt_state.STOPPED:
            return []
        return self._recover(task, unfinished)

    def start(self, task: PlanTask) -> None:
        state_folder(self._root).write(_DESCRIPTION, self._change.description.encode())
        super().start(task)

    def inspect_worktree(self, task: PlanTask) -> None:
        snapshot = self._tools.take_snapshot()
        message = snapshot.reading.message
        if message is None or not message.tasks or task.id not in [one.id for one in plan_of(message).tasks]:
            path = os.path.relpath(state_folder(self._root).path(_DESCRIPTION), self._root)
            raise TaskPlanError(
                f"the plan with the task '{task.id}' is no longer in the working-copy commit's description",
                hint=f"run 'jj describe --stdin < {path}' at the top of the workspace to put it back, then "
                "'smartcommit execute resume @'; 'jj op log' shows what the agent did",
            )
        self._change = snapshot.change

    def complete(self, task: PlanTask, message: CommitMessage) -> str | None:
        commit = None
        if not (self._change.empty or self._allow_dirty):
            if self._has_new_conflict():
                raise AttemptFailed("the change has unresolved conflicts: resolve them")
            if self._screened:
                scan_jj_commit(self._root, self._change.commit_id)
            unfinished = self._pending(task, attempt_state.COMMIT)
            unfinished.commit_message = message
            unfinished.changes = self._change.commit_id
            attempt_state.save(self._state_directory, unfinished)
            run_jj(("split", f"--message={message.text}", "all()"), repository=self._root)
            commit = self._read_parent("self.commit_id()")
            self.commits.append((commit, message.text))
        self._mark_done(task, commit, message)
        return commit

    def finish(self) -> None:
        """Do nothing: all tasks are marked, and the user says when the job is done (`smartcommit plan finish`)."""

    def _list_protected(self) -> list[str]:
        return []

    @property
    def _head(self) -> str | None:
        return self._change.commit_id

    def _pending(self, task: PlanTask, phase: str) -> attempt_state.PendingAttempt:
        return attempt_state.PendingAttempt(self.plan.name, task.id, None, self._run_id, phase)

    def _recover(self, task: PlanTask, unfinished: attempt_state.PendingAttempt) -> list[str]:
        committing = unfinished.phase == attempt_state.COMMIT
        if committing and self._change.empty and self._is_described(unfinished.message):
            self._mark_done(task, self._read_parent("self.commit_id()"), unfinished.commit_message)
            return [f"the change for task {task.id} already exists"]
        if committing and self._change.commit_id == unfinished.changes:
            return self._complete_late(task, unfinished.commit_message)
        return self._restart(task)

    def _mark_done(self, task: PlanTask, commit: str | None, message: CommitMessage) -> None:
        response = self._tools.mark_task(task.id, completed=True)
        if response.status == "error":
            raise TaskPlanError(f"cannot mark the task: {response.action_taken}")
        task.status = "completed"
        self._records.log.add("task_completed", task_id=task.id, commit=commit, texts=get_rejection(message))
        attempt_state.drop(self._state_directory)
        self._change, _ = self._read()

    def _has_new_conflict(self) -> bool:
        """Whether the change has conflicts that its parents do not have."""
        return self._change.conflict and "true" not in self._read_parent('self.conflict() ++ " "').split()

    def _is_described(self, text: str) -> bool:
        return self._read_parent("self.description()").strip().startswith(text.strip())

    def _read_parent(self, template: str) -> str:
        """Return what `template` says of the parents: with methods, since a user's aliases can replace keywords."""
        output = run_jj(("log", "-r", "@-", "--no-graph", "-T", template), repository=self._root)
        return output.decode("utf-8", "replace")

    def _read(self) -> tuple[JjChange, Message]:
        snapshot = self._tools.take_snapshot()
        message = snapshot.reading.message
        if message is None or not message.tasks:
            raise TaskPlanError(
                "no plan with tasks in the working-copy commit's description",
                hint="run 'smartcommit plan show', and 'smartcommit plan tasks FILE'",
            )
        return snapshot.change, message


def plan_of(message: Message) -> TaskPlan:
    """Return the plan in a description as tasks for agents: the leaf tasks, each with what stands above it.

    Raise TaskPlanError if there is no task.
    """
    assert message.header is not None
    texts = [str(message.header), message.description]
    texts += [f"Constraint: {constraint}" for constraint in message.constraints or []]
    tasks = []
    for name, task in identify_tasks(message.tasks or []):
        if not task.children:
            status = "completed" if task.completed else "pending"
            tasks.append({"id": name, "title": task.summary, "description": task.details, "status": status})
    return make_plan(
        {
            "id": "jj",
            "name": slug(message.header.summary)[:60].strip("-") or "plan",
            "description": "\n\n".join(filter(None, texts)),
            "tasks": tasks,
        }
    )
