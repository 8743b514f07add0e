"""What the executor needs of a plan's backend, for git and for jj."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from contextlib import suppress

from smartcommit.errors import GitError
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.plan_dir import PlanFolder
from smartcommit.executor.progress_log import ProgressLog, redact_reason
from smartcommit.executor.protected_files import list_protected, read_protected
from smartcommit.executor.run import (
    AGENT,
    COMMIT,
    DUE,
    FAILED,
    STOPPED,
    AttemptFailed,
    PendingAttempt,
    Run,
    check_protected,
    save,
)
from smartcommit.executor.task_message import CommitMessage
from smartcommit.git.repo import Repository, Trees


class PlanBackend(ABC):
    """A plan, the state of its tasks, and their commits, which change together or not at all.

    `name` is what the user calls the plan, `folder` has its log, `private` what agents print, and `state_directory` the
    pending `attempt`. An agent may not change the configuration and hooks of `repository`, where the commits are.

    Every method raises GitError or JjError if git or jj fails, and TaskPlanError if a file cannot be written.
    """

    # What a completed task becomes.
    unit = "commit"

    def __init__(
        self,
        run: Run,
        plan: TaskPlan,
        attempt: PendingAttempt,
        repository: Repository,
        *,
        folder: PlanFolder,
        private: PlanFolder,
        state_directory: str,
    ) -> None:
        self._run = run
        # With the tasks to pass to the methods.
        self.plan = plan
        self.name = attempt.plan
        self.private = private
        self.log = ProgressLog(folder, private)
        self._attempt = attempt
        self._repository = repository
        self._state_directory = state_directory
        # Further files that an agent may not change.
        self._settings: list[str] = []
        # The commits of this run, oldest first, each with its message.
        self.commits: list[tuple[str, str]] = []
        # The tasks that this run completed although nothing was changed.
        self.empty_tasks: list[PlanTask] = []

    @abstractmethod
    def open(self) -> list[str]:
        """Recover from an earlier run, and return what was done, in words.

        Raise TaskPlanError if a run cannot start from the present state.
        """

    def start(self, task: PlanTask) -> None:
        """Start an attempt."""
        task.attempts += 1
        task.status = self.plan.status = "in_progress"
        attempt = self._attempt
        attempt.task, attempt.message, attempt.changes = task.id, None, ""
        # What is changed while nothing may be committed never belongs to the plan.
        attempt.left = [] if self._run.allow_dirty else None
        attempt.protected = read_protected([*list_protected(self._repository), *self._settings])
        self._save_attempt(AGENT)
        self._save_plan()
        self.log.add("task_started", task_id=task.id, attempt=task.attempts, parent=attempt.head)
        self.log.started = time.monotonic()

    def check_protected(self) -> None:
        """Raise ProtectedFileChanged if configuration or hooks were changed; neither git nor jj is run."""
        check_protected(self._state_directory, self._attempt)

    @abstractmethod
    def inspect(self, task: PlanTask) -> None:
        """Check what the agent, which has exited, did to the repository.

        Raise AttemptFailed if its work cannot be committed like this; TaskPlanError if commits or the plan are lost.
        """

    @abstractmethod
    def stage(self) -> Trees | None:
        """Return what the next commit would contain, None if none is made."""

    @abstractmethod
    def complete(self, task: PlanTask | None, message: CommitMessage) -> str | None:
        """Mark the task as completed, commit everything, and return the commit's id, None if there is none.

        With the last task the plan is completed, or without one if all are. Raise AttemptFailed if something must not
        be committed or a hook rejects it. The task is then not completed, nor after any other error before the commit.
        """

    def fail(self, task: PlanTask, reason: str, *, is_last: bool = False) -> None:
        """End an attempt that failed, which may be the last one; its work stays in the tree."""
        task.status = "pending"
        data = {"task_id": task.id, "attempt": task.attempts}
        self.log.add("task_failed", **data, is_timed=True, texts={"reason": redact_reason(reason)})
        if is_last:
            task.status = self.plan.status = "failed"
            self.log.add("plan_failed", task_id=task.id, attempts=task.attempts)
        self._save_plan()
        self._save_attempt(FAILED)

    def stop(self, task: PlanTask, event: str, reason: str = "") -> None:
        """End an attempt that is over for a reason that is not the agent's, and does not count; log it as `event`."""
        self.log.add(event, task_id=task.id, texts={"reason": redact_reason(reason)} if reason else None)
        task.status = "pending"
        task.attempts = max(0, task.attempts - 1)
        self._save_plan()
        # If git cannot even read the status, the attempt stays pending, as after a kill.
        with suppress(GitError):
            self._save_attempt(DUE if self._attempt.phase == COMMIT else STOPPED)

    @abstractmethod
    def list_next_steps(self) -> list[str]:
        """Return what is left uncommitted and what can be pushed, in words with the commands."""

    @abstractmethod
    def _save_plan(self) -> None:
        """Save the state of the tasks, where the backend does not have it anyway."""

    def _save_attempt(self, phase: str) -> None:
        """Save the attempt in this phase for a later run."""
        if phase != AGENT:
            self._attempt.protected = {}
        self._attempt.phase = phase
        self._attempt.plan_json = self.plan.to_bytes().decode()
        save(self._state_directory, self._attempt)

    def _resume(self, task: PlanTask, message: CommitMessage | None) -> list[str]:
        """Go on with a task that was interrupted, and say how: commit it if there is a `message`, else begin again."""
        self._attempt.task, self._attempt.phase = task.id, AGENT
        if message is None:
            self.stop(task, "task_interrupted")
            return [f"task {task.id} was interrupted; starting it again"]
        try:
            self.complete(task, message)
        except AttemptFailed as error:
            self.fail(task, str(error))
            return [f"the {self.unit} for task {task.id} was rejected; starting the task again"]
        return [f"created the {self.unit} for task {task.id}, which had been interrupted"]
