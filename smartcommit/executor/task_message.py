"""The commit message of a task: what its agent suggests if that is acceptable, or a default.

In a history the form of a default proves nothing, since anybody can type it. The commit must also change a plan's file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from smartcommit.executor.plan import PlanTask
from smartcommit.git.repo import Repository
from smartcommit.secrets.redaction import find_certain_secrets
from smartcommit.state_files import PLANS

# Returns why `commit-msg` would reject a text, empty if it would not.
MessageCheck = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A commit message; `reason` says why the agent's suggestion was not used as it was."""

    text: str
    reason: str = ""

    @property
    def subject(self) -> str:
        return self.text.partition("\n")[0]


def choose_message(
    task: PlanTask,
    suggested: str,
    *,
    judge: MessageCheck,
    complete: Callable[[str], str | None],
    default: Callable[[PlanTask], str],
) -> CommitMessage:
    """Return what the agent `suggested`, its first line or a corrected text if `judge` accepts one, or a default."""
    if not suggested.strip():
        return CommitMessage(default(task), "the agent suggested no commit message")
    refusal = _make_refusal(suggested, judge)
    if not refusal:
        return CommitMessage(suggested)
    whole = suggested
    if not find_certain_secrets(suggested):
        whole = complete(suggested) or suggested
    for text, change in (
        (whole, "the header of the suggested message was corrected"),
        (whole.partition("\n")[0], "only the first line of the suggested message was used"),
    ):
        if not _make_refusal(text, judge):
            return CommitMessage(text, f"{change}: {refusal}")
    return CommitMessage(default(task), f"the suggested message was not used: {refusal}")


def _make_refusal(text: str, judge: MessageCheck) -> str:
    if not text.strip():
        return "it is empty"
    if find_certain_secrets(text):
        return "it contains a secret"
    return judge(text)


def changes_plan(repository: Repository, commit: str) -> bool:
    """Whether `commit` changes a file of a plan, as the executor's commits do; one process."""
    options = ("diff-tree", "--root", "-r", "--name-only", "--no-commit-id")
    return bool(repository.run(*options, commit, "--", PLANS))
