"""What a run builds on: its branch, and the commit that must stay in that branch's history, whatever an agent does."""

from __future__ import annotations

from dataclasses import dataclass

from smartcommit.errors import TaskPlanError
from smartcommit.git.repo import Repository
from smartcommit.git.status import WorktreeStatus, contains


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`branch` is None where HEAD is detached, and `head` before the first commit."""

    branch: str | None
    head: str | None

    def is_left(self, now: WorktreeStatus) -> bool:
        """Whether something else is checked out."""
        return now.branch != self.branch

    def is_lost(self, repository: Repository, now: WorktreeStatus) -> bool:
        """Whether `head` is no more in the history of what is checked out."""
        if self.head is None or now.head == self.head:
            return False
        return now.head is None or not contains(repository, self.head, now.head)

    def refuse_astray(self, repository: Repository, now: WorktreeStatus) -> None:
        """Raises: TaskPlanError, with the way back, when it is left or lost."""
        if self.is_left(now):
            raise TaskPlanError(
                f"the run began on {name_of(self.branch)}, and {name_of(now.branch)} is checked out",
                hint=f"'git checkout {self.branch or self.head or 'HEAD'}' goes back; then resume",
            )
        if self.is_lost(repository, now):
            raise self.taken_back()

    def taken_back(self) -> TaskPlanError:
        """The error that says so, and how to bring them back."""
        head = (self.head or "")[:12]
        # Before that commit our own files may be untracked, and in the way of any gentler reset.
        return TaskPlanError(
            f"commits were taken back in the run: HEAD was {head}",
            hint=f"'git stash -u' and 'git reset --hard {head}' bring them back; then resume",
        )


def name_of(branch: str | None) -> str:
    """What an error calls it."""
    return "a detached HEAD" if branch is None else f"the branch '{branch}'"
