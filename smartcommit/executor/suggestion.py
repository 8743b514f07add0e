"""The message of a task's commit: the agent's where our own rules accept it, else one that names the task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from smartcommit.executor.output import OutputCapture
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.message.characters import printable
from smartcommit.secret_scan import certain_secrets

PREFIX = "[rafa]"
Passes = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A message to commit with; `rejected` is what the agent suggested where that could not be used."""

    text: str
    rejected: str | None = None


def get_commit_message(task: PlanTask, output: OutputCapture, *, passes: Passes, prefix: str = PREFIX) -> CommitMessage:
    """The message for `task`; `passes` tells whether `commit-msg` would accept a text, which must hold no secret.

    Agents end with words of their own: where the whole suggestion does not pass, its first line may.
    """
    suggested = output.extract_commit_message()
    for text in dict.fromkeys((suggested, suggested.partition("\n")[0])):
        if text.strip() and not certain_secrets(text) and passes(text):
            return CommitMessage(text, rejected=suggested if text != suggested else None)
    return CommitMessage(default_message(task, prefix), rejected=suggested or None)


def default_message(task: PlanTask, prefix: str = PREFIX) -> str:
    """The message where none was suggested."""
    return f"{prefix} Complete task {printable(task.id)}: {printable(task.title)}"


def plan_message(plan: TaskPlan, prefix: str = PREFIX) -> str:
    """The message of a commit that holds nothing but the plan's completion."""
    return f"{prefix} Complete plan: {printable(plan.name)} ({len(plan.tasks)} tasks)"
