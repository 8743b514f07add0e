"""The message of a task's commit: the agent's where our own rules accept it, else one that names the task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from smartcommit.executor.output import OutputCapture
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.message.characters import printable
from smartcommit.secret_scan import certain_secrets

PREFIX = "[rafa]"
# Why `commit-msg` would refuse a text; empty where it would accept it.
Judge = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A message to commit with; `rejected` is what the agent suggested where that could not be used, and `reason` says
    why, in one line that may quote the agent.
    """

    text: str
    rejected: str | None = None
    reason: str = ""


def get_commit_message(task: PlanTask, output: OutputCapture, *, judge: Judge, prefix: str = PREFIX) -> CommitMessage:
    """The message for `task`: what the agent suggested where `judge` accepts it and it holds no secret.

    Agents end with words of their own: where the whole suggestion is refused, its first line may be accepted.
    """
    suggested = output.extract_commit_message()
    if not suggested.strip():
        return CommitMessage(default_message(task, prefix), reason="the agent suggested no commit message")
    refusal = _refusal(suggested, judge)
    if not refusal:
        return CommitMessage(suggested)
    first = suggested.partition("\n")[0]
    if first != suggested and not _refusal(first, judge):
        reason = f"only the first line of the suggested message was used: {refusal}"
        return CommitMessage(first, rejected=suggested, reason=reason)
    reason = f"the suggested message was not used: {refusal}"
    return CommitMessage(default_message(task, prefix), rejected=suggested, reason=reason)


def default_message(task: PlanTask, prefix: str = PREFIX) -> str:
    """The message where none was suggested."""
    return f"{prefix} Complete task {printable(task.id)}: {printable(task.title)}"


def _refusal(text: str, judge: Judge) -> str:
    if not text.strip():
        return "it is empty"
    if certain_secrets(text):
        return "it contains a secret"
    return judge(text)


def plan_message(plan: TaskPlan, prefix: str = PREFIX) -> str:
    """The message of a commit that holds nothing but the plan's completion."""
    return f"{prefix} Complete plan: {printable(plan.name)} ({len(plan.tasks)} tasks)"
