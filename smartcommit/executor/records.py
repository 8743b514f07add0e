"""What the files of a plan say of it: the state of its tasks, and the log of its runs, which tell the same."""

from __future__ import annotations

import time

from smartcommit.executor.event_log import ProgressLog, redact_reason
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.plan_dir import PlanFolder
from smartcommit.executor.suggestion import CommitMessage


class Records:
    """The `plan` in `folder`, with its log; whatever is told is in the files when a method returns.

    Raises, in every method: TaskPlanError when they cannot be written.
    """

    def __init__(self, folder: PlanFolder, plan: TaskPlan) -> None:
        self._folder = folder
        self._log = ProgressLog(folder)
        self._begun = self._attempt_begun = time.monotonic()
        self.plan = plan

    def open(self) -> None:
        """A run begins; a task that has used up its attempts, or failed, gets all of them again."""
        for task in self.plan.tasks:
            if task.status == "failed":
                task.attempts = 0
            if task.status != "completed":
                task.status = "pending"
        if self.plan.status == "failed":
            self.plan.status = "in_progress"
        if self.plan.status == "not_started":
            self._log.add("plan_started", plan_id=self.plan.id)

    def last_failure(self, task: PlanTask) -> str:
        """Why the task failed last; empty where it has not."""
        return self._log.last_failure(task.id)

    def start(self, task: PlanTask, parent: str | None) -> None:
        """The attempt that `task` counts already begins on the commit `parent`."""
        self._folder.save(self.plan)
        self._log.add("task_started", task_id=task.id, attempt=task.attempts, parent=parent)
        self._attempt_begun = time.monotonic()

    def agent_committed(self, task: PlanTask, head: str) -> None:
        """The agent has committed by itself, up to `head`."""
        self._log.add("agent_committed", task_id=task.id, head=head)

    def fail(self, task: PlanTask, reason: str) -> None:
        """The attempt came to nothing."""
        task.status = "pending"
        self._log.add(
            "task_failed",
            task_id=task.id,
            attempt=task.attempts,
            reason=redact_reason(reason),
            duration_ms=self._elapsed(),
        )
        self._folder.save(self.plan)

    def give_up(self, task: PlanTask) -> None:
        """No attempt is left."""
        task.status = self.plan.status = "failed"
        self._log.add("plan_failed", task_id=task.id, attempts=task.attempts, reason=self.last_failure(task))
        self._folder.save(self.plan)

    def cancel(self, task: PlanTask) -> None:
        """A person stops the run; the attempt does not count."""
        self._log.add("plan_cancelled", last_task_id=task.id, duration_ms=self._elapsed())
        self._uncount(task)

    def stop(self, task: PlanTask, reason: str) -> None:
        """The run cannot go on for a reason that is no agent's; the attempt does not count."""
        self._log.add("run_stopped", task_id=task.id, reason=redact_reason(reason))
        self._uncount(task)

    def interrupt(self, task: PlanTask) -> None:
        """The attempt was cut off; it does not count."""
        self._log.add("task_interrupted", task_id=task.id)
        self._uncount(task)

    def complete(self, task: PlanTask, message: CommitMessage, parent: str | None) -> None:
        """The task is completed, and with the last one the plan; `message` is for a commit on top of `parent`."""
        self._log.add(
            "task_completed", task_id=task.id, attempt=task.attempts, duration_ms=self._elapsed(), parent=parent,
            **logged(message),
        )  # fmt: skip
        task.status = "completed"
        if self.plan.completed == len(self.plan.tasks):
            self.finish()
        else:
            self._folder.save(self.plan)

    def finish(self) -> None:
        """The plan is completed."""
        self.plan.status = "completed"
        self._log.add(
            "plan_completed",
            total_tasks=len(self.plan.tasks),
            succeeded_tasks=self.plan.completed,
            duration_ms=round(1000 * (time.monotonic() - self._begun)),
        )
        self._folder.save(self.plan)

    def take_back(self, task: PlanTask | None = None) -> None:
        """The commit failed that was to hold the completion of `task`, or of the plan alone."""
        self._log.take_back(*(() if task is None else ("task_completed",)), "plan_completed")
        self.plan.status = "in_progress"
        if task is not None:
            task.status = "in_progress"
        self._folder.save(self.plan)

    def _uncount(self, task: PlanTask) -> None:
        task.status = "pending"
        task.attempts = max(0, task.attempts - 1)
        self._folder.save(self.plan)

    def _elapsed(self) -> int:
        return round(1000 * (time.monotonic() - self._attempt_begun))


def logged(message: CommitMessage) -> dict[str, str]:
    """What the log keeps of a suggestion that was not used, or not whole."""
    kept = {"rejected_message": redact_reason(message.rejected or ""), "message_reason": redact_reason(message.reason)}
    return {name: text for name, text in kept.items() if text}
