"""Where a run stands in the repository: what it builds on, what in the tree is its own, and what is not."""

from __future__ import annotations

import os
from contextlib import suppress

from smartcommit.executor import attempt_state, recovery
from smartcommit.executor.agents import AttemptFailed
from smartcommit.executor.entry import base_of, check_clean_start, foreign_inside, foreign_paths
from smartcommit.executor.ground import Checkpoint, name_of
from smartcommit.executor.left import check_uncommittable_work
from smartcommit.executor.plan_dir import is_metadata
from smartcommit.executor.screen import scan_agent_commits
from smartcommit.git.repo import Repository
from smartcommit.git.state import operation
from smartcommit.git.status import WorktreeStatus, look, top


class WorktreeGuard:
    """What was found when `repository` was looked at last, and when the run and its task began.

    `standing` is what was found last, and `ground` what must stay in the history. `base` is the commit that the task at
    work began on, and `inside` the submodules that were changed inside then. `dirty` are the paths that were changed
    before the run by somebody else.
    """

    def __init__(self, repository: Repository, *, screened: bool) -> None:
        self._repository = repository
        self._screened = screened
        self.standing = WorktreeStatus()
        # Of the run and not of the attempt: the one before may have left it already.
        self.ground = Checkpoint(None, None)
        self.base: str | None = None
        self.inside: list[bytes] = []
        self._stashes = 0
        # Whether agents have committed what they were told to take out: only those commits may be taken back.
        self._tainted = False
        self.dirty: list[str] = []

    def begin(self, standing: WorktreeStatus, ours: attempt_state.PendingAttempt | None, *, allow_dirty: bool) -> None:
        """The run begins as things are `standing`, after the attempt `ours` where that is not over.

        Raises: TaskPlanError when that attempt's branch or commits are not there, or, unless it is to `allow_dirty`,
        when the tree has changes that are not the plan's.
        """
        # What a person does to the history between two runs is theirs, unless the last one was not put in order.
        if ours is not None and ours.unsettled:
            Checkpoint(ours.branch, ours.parent).refuse_astray(self._repository, standing)
        foreign = foreign_paths(standing, ours)
        if not allow_dirty:
            check_clean_start(foreign)
        self.standing = standing
        self.ground = Checkpoint(standing.branch, standing.head)
        self.base = base_of(standing, ours)
        self.inside = foreign_inside(standing, ours)
        self._stashes = standing.stashes
        self.dirty = [os.fsdecode(path) for path in foreign]
        with suppress(AttemptFailed):
            self.screen_own()

    def look(self) -> WorktreeStatus:
        """What is there now."""
        self.standing = look(self._repository)
        return self.standing

    def settle(self) -> str | None:
        """The agent is done: see where it left the repository; HEAD where it has committed by itself, else None.

        Raises: AttemptFailed when it left something unfinished; TaskPlanError when it lost what was there.
        """
        ground = self.ground
        recovery.release_locks(self._repository, self.standing)
        now = self.look()
        if (place := top(self._repository)) != self._repository.worktree:
            raise AttemptFailed(f"git takes '{place}' for the working tree: run 'git config --unset core.worktree'")
        found = operation(self._repository)
        if found is not None:
            raise AttemptFailed(f"{found[0]} was left in progress: '{found[1]}'")
        if ground.is_left(now):
            raise AttemptFailed(f"{name_of(now.branch)} is checked out instead of {name_of(ground.branch)}")
        if self._floor.is_lost(self._repository, now):
            raise self._floor.taken_back()
        self.ground = Checkpoint(now.branch, now.head)
        return now.head if now.head not in (ground.head, self.base) else None

    def refuse_hidden(self) -> None:
        """Raises: AttemptFailed when, by the last look, the agent left work where no commit here can hold it."""
        check_uncommittable_work(
            self._repository, base=self.base, inside=self.inside, stashes=self._stashes, now=self.standing
        )  # fmt: skip

    def screen_own(self) -> None:
        """Raises: AttemptFailed when agents have committed by themselves what must not be there; the next one may take
        their commits back.
        """
        self._tainted = self._screened and self.standing.head != self.base
        if self._tainted:
            scan_agent_commits(self._repository, self.base)
            self._tainted = False

    def leave(self) -> tuple[list[str], bool]:
        """The attempt is over without a commit: the paths that it left changed, and whether it has left the branch or
        taken a commit back.
        """
        recovery.release_locks(self._repository, self.standing)
        now = self.look()
        inside = [path for path in now.inside if path not in self.inside]
        changed = [os.fsdecode(path) for path in (*now.changed, *inside) if not is_metadata(path)]
        astray = self.ground.is_left(now) or self._floor.is_lost(self._repository, now)
        if not astray:
            self.ground = Checkpoint(now.branch, now.head)
        return [path for path in changed if path not in self.dirty], astray

    def refuse_lost(self) -> None:
        """Raises: TaskPlanError when the attempt, which went astray, took commits back."""
        if not self.ground.is_left(self.standing):
            raise self._floor.taken_back()

    @property
    def _floor(self) -> Checkpoint:
        """What an agent must not go below."""
        return Checkpoint(self.ground.branch, self.base) if self._tainted else self.ground

    def advance(self) -> WorktreeStatus:
        """Everything is committed, and the next task begins here."""
        now = self.look()
        self.ground = Checkpoint(now.branch, now.head)
        self.base, self.inside, self._stashes = now.head, now.inside, now.stashes
        self._tainted = False
        return now
