"""`progress.log`, and the state of a run that its events tell.

It is committed with the work, so no event names the commit that holds it: `parent` is the commit before. The file is
replaced as a whole at each event; it stays small, and neither a crash nor an agent that changes it can tear it.
"""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime
from typing import Any

from smartcommit.executor.output import CommitMessage
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.plan_dir import PROGRESS, PlanFolder, read
from smartcommit.secret_scan import redact

Event = dict[str, Any]
# Characters of a reason that are logged: the end, where it stands.
_REASON_LIMIT = 8000


class ProgressLog:
    """The log of the plan in `folder`; what was logged before is kept, also lines that are no events."""

    def __init__(self, folder: PlanFolder) -> None:
        self._folder = folder
        path = folder.path(PROGRESS)
        content = read(path, folder.worktree) if os.path.lexists(path) else b""
        self._lines = content.decode("utf-8", "surrogateescape").split("\n")
        if not self._lines[-1]:
            self._lines.pop()

    def add(self, event: str, **data: object) -> None:
        """Log `event` with its `data`; what is None is left out.

        Raises: TaskPlanError when the log cannot be written.
        """
        entry = {
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "event": event,
            "data": {name: value for name, value in data.items() if value is not None},
        }
        self._lines.append(json.dumps(entry, ensure_ascii=False))
        self._write()

    def take_back(self, *events: str) -> None:
        """Remove the last events, as far as they are of these kinds: what they announced did not happen."""
        while (last := self.last()) is not None and last["event"] in events:
            self._lines.pop()
        self._write()

    def events(self) -> list[Event]:
        """All events, oldest first."""
        return [event for line in self._lines if (event := _event(line)) is not None]

    def last(self) -> Event | None:
        """The last event, None where the last line is none."""
        return _event(self._lines[-1]) if self._lines else None

    def last_failure(self, task_id: str) -> str:
        """Why the task failed last; empty where it did not, or was started over since."""
        for event in reversed(self.events()):
            if event["data"].get("task_id") == task_id and event["event"] in ("task_failed", "task_completed"):
                return str(event["data"].get("reason", "")) if event["event"] == "task_failed" else ""
        return ""

    def message_reason(self, task_id: str) -> str:
        """Why the commit of the task has not the message that the agent suggested; empty where it has."""
        for event in reversed(self.events()):
            if event["data"].get("task_id") == task_id and event["event"] == "task_completed":
                return str(event["data"].get("message_reason", ""))
        return ""

    def _write(self) -> None:
        text = "".join(f"{line}\n" for line in self._lines)
        self._folder.write(PROGRESS, text.encode("utf-8", "surrogateescape"))


def redact_reason(reason: str) -> str:
    """A reason as it may stand in a file that is committed: without secrets, and its end only."""
    return redact(reason[-_REASON_LIMIT:])


def _event(line: str) -> Event | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    known = isinstance(event, dict) and isinstance(event.get("event"), str) and isinstance(event.get("data", {}), dict)
    return {"data": {}, **event} if known else None


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
