"""What the executor needs of a plan's backend, and what both backends share."""

from __future__ import annotations

from abc import ABC, abstractmethod

from smartcommit.executor import attempt_state
from smartcommit.executor.agents import AttemptFailed
from smartcommit.executor.event_log import Records
from smartcommit.executor.output import CommitMessage
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.plan_dir import PlanFolder
from smartcommit.executor.protected_files import ProtectedFiles
from smartcommit.git.repo import Trees


class PlanBackend(ABC):
    """A plan, the state of its tasks, and their commits, which change together or not at all.

    `name` is what the user calls the plan, `records` holds plan and log, `private` what agents print, and
    `state_directory` the pending attempt. `run_id` is in the environment of the run's processes. Every method raises
    GitError or JjError if git or jj fails, and TaskPlanError if a file cannot be written.
    """

    # What a completed task becomes.
    unit = "commit"

    def __init__(self, records: Records, private: PlanFolder, *, name: str, state_directory: str, run_id: str) -> None:
        self.name = name
        self._records = records
        self._private = private
        self._protected: ProtectedFiles | None = None
        self._state_directory = state_directory
        self._run_id = run_id
        # The commits of this run, oldest first, each with its message.
        self.commits: list[tuple[str, str]] = []

    @property
    def plan(self) -> TaskPlan:
        """The plan, with the tasks to pass to the methods."""
        return self._records.plan

    @abstractmethod
    def open(self) -> list[str]:
        """Recover from an earlier run, and return what was done, in words.

        Raise TaskPlanError if a run cannot start from the present state.
        """

    def last_failure(self, task: PlanTask) -> str:
        """Return why the task failed last, empty if it did not."""
        return self._records.last_failure(task)

    def start(self, task: PlanTask) -> None:
        """Start an attempt."""
        task.attempts += 1
        task.status = self.plan.status = "in_progress"
        self._protected = ProtectedFiles(self._list_protected(), self._private)
        self._protected.save(self._state_directory)
        attempt_state.save(self._state_directory, self._pending(task, attempt_state.AGENT))
        self._records.start(task, self._head)

    def restore_protected(self) -> list[str]:
        """Put back the configuration and hooks that an agent has changed, and return that in words.

        Raise TaskPlanError if that fails.
        """
        return self._protected.restore() if self._protected is not None else []

    @abstractmethod
    def inspect_worktree(self, task: PlanTask) -> None:
        """Check what the agent, which has exited, did to the repository.

        Raise AttemptFailed if its work cannot be committed like this; TaskPlanError if commits or the plan are lost.
        """

    def fail(self, task: PlanTask, reason: str) -> None:
        """End an attempt that failed; its work stays in the tree."""
        self._records.fail(task, reason)
        self._end(task)

    def give_up(self, task: PlanTask) -> None:
        """End the run after the last attempt."""
        self._records.give_up(task)

    def cancel(self, task: PlanTask) -> None:
        """End an attempt that the user stopped; it does not count."""
        self._records.cancel(task)
        self._end(task)

    def stop(self, task: PlanTask, reason: str) -> None:
        """End a run that cannot go on for a reason that is not the agent's; the attempt does not count."""
        self._records.stop(task, reason)

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
    def finish(self) -> str | None:
        """Complete the plan, whose tasks are all completed; return the commit's id if that takes one."""

    @abstractmethod
    def _list_protected(self) -> list[str]:
        """Return the files and directories outside the plan's work that an agent may not change."""

    def _restore_interrupted(self, unfinished: attempt_state.PendingAttempt | None) -> list[str]:
        """Put back what the agent of an interrupted attempt has changed, and return that in words."""
        if unfinished is None or unfinished.phase != attempt_state.AGENT:
            return []
        self._protected = ProtectedFiles.load(self._state_directory, self._private)
        return self.restore_protected()

    @property
    @abstractmethod
    def _head(self) -> str | None:
        """The commit that the next one is made on."""

    @abstractmethod
    def _pending(self, task: PlanTask, phase: str) -> attempt_state.PendingAttempt:
        """Return the attempt at `task` as it is saved for a later run."""

    def _end(self, task: PlanTask) -> attempt_state.PendingAttempt:
        """Save and return an attempt that is over."""
        unfinished = self._pending(task, attempt_state.STOPPED)
        attempt_state.save(self._state_directory, unfinished)
        return unfinished

    def _restart(self, task: PlanTask) -> list[str]:
        """End an attempt that was interrupted, and return that in words."""
        self._records.interrupt(task)
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
