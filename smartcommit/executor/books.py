"""What the executor needs of whoever keeps a plan and makes its commits."""

from __future__ import annotations

from typing import Protocol

from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.suggestion import CommitMessage


class PlanBackend(Protocol):
    """A plan with the state of its tasks, and the commits, which move together or not at all."""

    @property
    def plan(self) -> TaskPlan:
        """The plan as it is now; its tasks are the ones to give to the methods."""

    @property
    def commits(self) -> list[tuple[str, str]]:
        """The commits that were made in this run, oldest first, each with its message; it grows with every one."""

    def open(self) -> list[str]:
        """Settle what an earlier run left; returns what was settled, in words."""

    def last_failure(self, task: PlanTask) -> str:
        """Why the task failed last; empty where it has not."""

    def start(self, task: PlanTask) -> None:
        """An attempt begins."""

    def settle(self, task: PlanTask) -> None:
        """The agent is done: see where it left the repository."""

    def fail(self, task: PlanTask, reason: str) -> None:
        """The attempt came to nothing; the run goes on unless it lost what was there."""

    def give_up(self, task: PlanTask) -> None:
        """No attempt is left."""

    def cancel(self, task: PlanTask) -> None:
        """A person stops the run."""

    def stop(self, task: PlanTask, reason: str) -> None:
        """The run cannot go on."""

    def complete(self, task: PlanTask, message: CommitMessage) -> str | None:
        """Mark the task completed and commit everything; the commit's id, None where there is none."""

    def finish(self) -> str | None:
        """All tasks are completed; the commit's id where that took one more."""
