"""What the executor needs of a plan's backend, for git and for jj."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress

from smartcommit.errors import GitError
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.plan_dir import PlanFolder, ProgressLog, private_folder
from smartcommit.executor.protected_files import list_protected, read_protected
from smartcommit.executor.run import AGENT, COMMIT, ENDED, PendingAttempt, Run, check_protected, save
from smartcommit.executor.task_message import CommitMessage
from smartcommit.git.repo import Repository, Trees


class PlanBackend(ABC):
    """A plan, the state of its tasks, and their commits, which change together or not at all.

    `folder` has the state of the tasks and the log; `state_directory` the pending attempt, which is `unfinished` if an
    earlier run left it. An agent may not change the configuration and hooks of `repository`, where the commits are.

    Every method raises GitError or JjError if git or jj fails, and TaskPlanError if a file cannot be written.
    """

    def __init__(
        self,
        run: Run,
        plan: TaskPlan,
        name: str,
        repository: Repository,
        *,
        folder: PlanFolder,
        state_directory: str,
        unfinished: PendingAttempt | None,
    ) -> None:
        self._run = run
        self.plan = plan
        # What the user calls the plan.
        self.name = name
        # For what agents print.
        self.private = private_folder(state_directory, name)
        self._folder = folder
        self._log = ProgressLog(folder)
        self._attempt = PendingAttempt(name, "", None, run.id)
        self._unfinished = unfinished
        if unfinished is not None:
            self._attempt.task, self._attempt.failure = unfinished.task, unfinished.failure
        self._repository = repository
        self._state_directory = state_directory
        # The number of stashes before the task.
        self._stashes = 0
        # Further files that an agent may not change.
        self._settings: list[str] = []
        # The commits of this run, oldest first, each with its subject.
        self.commits: list[tuple[str, str]] = []
        # The tasks that this run completed although nothing was changed.
        self.empty_tasks: list[PlanTask] = []

    @abstractmethod
    def open(self) -> list[str]:
        """Recover from an earlier run and say so; raise TaskPlanError if a run cannot start from the present state."""

    def start(self, task: PlanTask) -> None:
        task.attempts += 1
        task.status = self.plan.status = "in_progress"
        attempt = self._attempt
        attempt.failure = self.last_failure(task)
        attempt.task = task.id
        attempt.left = None
        if self._run.allow_dirty:  # what is changed while nothing may be committed never belongs to the plan
            attempt.left = []
        attempt.protected = read_protected([*list_protected(self._repository), *self._settings])
        self._save_attempt(AGENT)
        self._folder.save(self.plan)
        self._log.add("task_started", task_id=task.id, attempt=task.attempts)

    def last_failure(self, task: PlanTask) -> str:
        if task.id == self._attempt.task:
            return self._attempt.failure
        return ""

    def check_protected(self) -> None:
        """Raise ProtectedFileChanged if configuration or hooks were changed; neither git nor jj is run."""
        check_protected(self._state_directory, self._attempt)

    @abstractmethod
    def inspect(self, task: PlanTask) -> None:
        """Check what the agent did; raise AttemptFailed if it cannot be committed, TaskPlanError if work is lost."""

    @abstractmethod
    def stage(self) -> Trees | None:
        """Return what the next commit would contain, None if none is made."""

    @abstractmethod
    def complete(self, task: PlanTask, message: CommitMessage) -> str | None:
        """Mark the task as completed, commit everything, and return the commit's id; or raise AttemptFailed."""

    def fail(self, task: PlanTask, reason: str, *, is_last: bool = False) -> None:
        """End an attempt that failed, which may be the last one; its work stays in the tree."""
        task.status = "pending"
        self._log.add("task_failed", task_id=task.id, attempt=task.attempts)
        self._attempt.failure = reason
        if is_last:
            task.status = self.plan.status = "failed"
            self._log.add("plan_failed", task_id=task.id, attempts=task.attempts)
        self._folder.save(self.plan)
        self._save_attempt(ENDED)

    def stop(self, task: PlanTask, event: str) -> None:
        """End an attempt that is over for a reason that is not the agent's, and does not count; log it as `event`."""
        self._log.add(event, task_id=task.id)
        task.status = "pending"
        task.attempts = max(0, task.attempts - 1)
        self._folder.save(self.plan)
        # If git cannot read the status, the attempt stays pending, as after a kill; so does what jj may have split off.
        if self._attempt.phase != COMMIT:
            with suppress(GitError):
                self._save_attempt(ENDED)

    def _save_attempt(self, phase: str) -> None:
        if phase != AGENT:
            self._attempt.protected = {}
        self._attempt.phase = phase
        self._attempt.plan_json = self.plan.to_bytes().decode()
        save(self._state_directory, self._attempt)

    def _restart(self, task: PlanTask) -> list[str]:
        """Start a task again that was interrupted, and say so; its work stays in the tree."""
        self.stop(task, "task_interrupted")
        return [f"task {task.id} was interrupted; starting it again"]
