"""What the executor needs of a plan's backend, and what both backends share."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod

from smartcommit.errors import SmartcommitError
from smartcommit.executor import attempt_state
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.plan_dir import PlanFolder
from smartcommit.executor.progress_log import ProgressLog, redact_reason
from smartcommit.executor.protected_files import ProtectedFiles
from smartcommit.executor.run import AttemptFailed, Run
from smartcommit.executor.task_message import CommitMessage
from smartcommit.git.repo import Trees


class PlanBackend(ABC):
    """A plan, the state of its tasks, and their commits, which change together or not at all.

    `name` is what the user calls the plan, `folder` has its log, `private` what agents print, and `state_directory` the
    pending attempt. Every method raises GitError or JjError if git or jj fails, and TaskPlanError if a file cannot be
    written.
    """

    # What a completed task becomes.
    unit = "commit"

    def __init__(
        self, run: Run, plan: TaskPlan, folder: PlanFolder, *, private: PlanFolder, name: str, state_directory: str
    ) -> None:
        self._run = run
        # With the tasks to pass to the methods.
        self.plan = plan
        self.name = name
        self.private = private
        self._log = ProgressLog(folder, private)
        self._protected = ProtectedFiles(private)
        self._state_directory = state_directory
        self._attempt_started = time.monotonic()
        # The commits of this run, oldest first, each with its message.
        self.commits: list[tuple[str, str]] = []
        # The tasks that this run completed although nothing was changed.
        self.empty_tasks: list[PlanTask] = []

    @abstractmethod
    def open(self) -> list[str]:
        """Recover from an earlier run, and return what was done, in words.

        Raise TaskPlanError if a run cannot start from the present state.
        """

    def last_failure(self, task: PlanTask) -> str:
        """Return why the task failed last, empty if it did not."""
        return self._log.last_failure(task.id)

    def start(self, task: PlanTask) -> None:
        """Start an attempt."""
        task.attempts += 1
        task.status = self.plan.status = "in_progress"
        self._protected = ProtectedFiles.read(self.private, self._list_protected())
        self._protected.save(self._state_directory)
        attempt_state.save(self._state_directory, self._pending(task, attempt_state.AGENT))
        self._save_plan()
        self._log.add("task_started", task_id=task.id, attempt=task.attempts, parent=self._head)
        self._attempt_started = time.monotonic()

    def restore_protected(self) -> list[str]:
        """Put back the configuration and hooks that an agent has changed, and return that in words.

        Raise TaskPlanError if that fails.
        """
        return self._protected.restore()

    @abstractmethod
    def inspect_worktree(self, task: PlanTask) -> None:
        """Check what the agent, which has exited, did to the repository.

        Raise AttemptFailed if its work cannot be committed like this; TaskPlanError if commits or the plan are lost.
        """

    def fail(self, task: PlanTask, reason: str) -> None:
        """End an attempt that failed; its work stays in the tree."""
        task.status = "pending"
        self._log.add(
            "task_failed",
            task_id=task.id,
            attempt=task.attempts,
            duration_ms=self._elapsed(),
            texts={"reason": redact_reason(reason)},
        )
        self._save_plan()
        self._end(task)

    def give_up(self, task: PlanTask) -> None:
        """End the run after the last attempt."""
        task.status = self.plan.status = "failed"
        self._log.add("plan_failed", task_id=task.id, attempts=task.attempts)
        self._save_plan()

    def cancel(self, task: PlanTask) -> None:
        """End an attempt that the user stopped; it does not count."""
        self._log.add("plan_cancelled", last_task_id=task.id, duration_ms=self._elapsed())
        self._uncount(task)
        self._end(task)

    def stop(self, task: PlanTask, reason: str) -> None:
        """End a run that cannot go on for a reason that is not the agent's; the attempt does not count."""
        self._log.add("run_stopped", task_id=task.id, texts={"reason": redact_reason(reason)})
        self._uncount(task)

    @abstractmethod
    def stage(self) -> Trees | None:
        """Return what the next commit would contain, None if none is made."""

    @abstractmethod
    def complete(self, task: PlanTask, message: CommitMessage) -> str | None:
        """Mark the task as completed, commit everything, and return the commit's id, None if there is none.

        Raise AttemptFailed if something must not be committed or a hook rejects it. The task is then not completed,
        nor after any other error before the commit.
        """

    @abstractmethod
    def finish(self) -> None:
        """Complete the plan, whose tasks are all completed. Raise AttemptFailed as `complete`."""

    def list_next_steps(self) -> list[str]:
        """Return what is left uncommitted and what can be pushed, in words with the commands.

        The run is over, and whatever ended it is what the user must hear of: errors are none of this.
        """
        try:
            return [*self._describe_left(), *self._describe_push()]
        except SmartcommitError:
            return []

    @abstractmethod
    def _describe_left(self) -> list[str]:
        """Return what is left uncommitted, as `list_next_steps`."""

    @abstractmethod
    def _describe_push(self) -> list[str]:
        """Return what can be pushed, as `list_next_steps`."""

    @property
    @abstractmethod
    def _head(self) -> str | None:
        """The commit that the next one is made on."""

    @abstractmethod
    def _list_protected(self) -> list[str]:
        """Return the files and directories outside the plan's work that an agent may not change."""

    @abstractmethod
    def _pending(self, task: PlanTask, phase: str) -> attempt_state.PendingAttempt:
        """Return the attempt at `task` as it is saved for a later run."""

    @abstractmethod
    def _save_plan(self) -> None:
        """Save the state of the tasks, where the backend does not have it anyway."""

    def _restore_interrupted(self, unfinished: attempt_state.PendingAttempt | None) -> list[str]:
        """Put back what the agent of an interrupted attempt has changed, and return that in words."""
        if unfinished is None or unfinished.phase != attempt_state.AGENT:
            return []
        self._protected = ProtectedFiles.load(self.private, self._state_directory)
        return self.restore_protected()

    def _end(self, task: PlanTask) -> None:
        """Save an attempt that is over."""
        attempt_state.save(self._state_directory, self._pending(task, attempt_state.STOPPED))

    def _uncount(self, task: PlanTask) -> None:
        task.status = "pending"
        task.attempts = max(0, task.attempts - 1)
        self._save_plan()

    def _elapsed(self) -> int:
        """Return the duration of the attempt in milliseconds."""
        return round(1000 * (time.monotonic() - self._attempt_started))

    def _restart(self, task: PlanTask) -> list[str]:
        """End an attempt that was interrupted, which does not count, and return that in words."""
        self._log.add("task_interrupted", task_id=task.id)
        self._uncount(task)
        self._end(task)
        return [f"task {task.id} was interrupted; starting it again"]

    def _complete_late(self, task: PlanTask, message: CommitMessage) -> list[str]:
        """Commit the work of an attempt that was interrupted, and return that in words."""
        try:
            self.complete(task, message)
        except AttemptFailed as error:
            self.fail(task, str(error))
            return [f"the {self.unit} for task {task.id} was rejected; starting the task again"]
        return [f"created the {self.unit} for task {task.id}, which had been interrupted"]
