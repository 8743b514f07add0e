"""The commit message of a task: what its agent suggests if that is acceptable, or a default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.message.characters import printable
from smartcommit.secrets.scan import find_certain_secrets

# What the messages begin with where an agent suggests none.
PREFIX = "[rafa]"
# Returns why `commit-msg` would reject a text, empty if it would not.
MessageCheck = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A commit message. `rejected` is the agent's suggestion if it was not used as it was, and `reason` says why."""

    text: str
    rejected: str | None = None
    reason: str = ""


def choose_message(
    task: PlanTask,
    suggested: str,
    *,
    judge: MessageCheck,
    complete: Callable[[str], str | None] = lambda text: None,
) -> CommitMessage:
    """Return the message for `task`: what its agent `suggested` if `judge` accepts it and it contains no secret.

    `complete` returns a text with the type and scope that it lacks. If only the first line is acceptable, that is used,
    since agents may print more text after a message.
    """
    if not suggested.strip():
        return CommitMessage(default_message(task), reason="the agent suggested no commit message")
    refusal = _refusal(suggested, judge)
    if not refusal:
        return CommitMessage(suggested)
    completed = None if find_certain_secrets(suggested) else complete(suggested)
    if completed is not None and not _refusal(completed, judge):
        reason = f"the header of the suggested message was completed: {refusal}"
        return CommitMessage(completed, rejected=suggested, reason=reason)
    first = (completed or suggested).partition("\n")[0]
    if first != suggested and not _refusal(first, judge):
        reason = f"only the first line of the suggested message was used: {refusal}"
        return CommitMessage(first, rejected=suggested, reason=reason)
    reason = f"the suggested message was not used: {refusal}"
    return CommitMessage(default_message(task), rejected=suggested, reason=reason)


def default_message(task: PlanTask) -> str:
    """Return the message for a task without a suggestion."""
    return f"{PREFIX} Complete task {printable(task.id)}: {printable(task.title)}"


def _refusal(text: str, judge: MessageCheck) -> str:
    if not text.strip():
        return "it is empty"
    if find_certain_secrets(text):
        return "it contains a secret"
    return judge(text)


def plan_message(plan: TaskPlan) -> str:
    """Return the message of a commit that only completes the plan."""
    return f"{PREFIX} Complete plan: {printable(plan.name)} ({len(plan.tasks)} tasks)"
