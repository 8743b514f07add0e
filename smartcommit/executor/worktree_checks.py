"""Checks of the working tree before a run and after an attempt: what did the agent do to the repository?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from smartcommit.errors import TaskPlanError
from smartcommit.executor import attempt_state
from smartcommit.executor.agents import AttemptFailed
from smartcommit.executor.attempt_state import release_locks
from smartcommit.executor.commit import scan_agent_commits
from smartcommit.executor.plan_dir import is_metadata
from smartcommit.git.diff import SUBMODULE_MODE, list_changes
from smartcommit.git.repo import Repository
from smartcommit.git.status import WorktreeStatus, contains, look, operation, stashed_on, submodules, top

# Paths that an error names.
_NAMED = 10


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
        release_locks(self._repository, self.standing)
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
        release_locks(self._repository, self.standing)
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


def check_uncommittable_work(
    repository: Repository, *, base: str | None, inside: Sequence[bytes], stashes: int, now: WorktreeStatus
) -> None:
    """Compare where things stand `now` with when the task began: on the commit `base`, with changes `inside`
    submodules and so many `stashes`.

    Raises: AttemptFailed, naming what is hidden and what to do.
    """
    _refuse_nested(repository, base, now)
    if now.unmerged:
        raise AttemptFailed(f"{names(now.unmerged)} is not merged: resolve it, and run 'git add' on it")
    changed = [path for path in now.inside if path not in inside]
    if changed:
        raise AttemptFailed(f"there are changes inside the submodule {names(changed)}: commit them there")
    if now.stashes > stashes and _is_of(now, stashed_on(repository)):
        raise AttemptFailed("work was put into the stash: 'git stash pop' brings it back")


def _refuse_nested(repository: Repository, base: str | None, now: WorktreeStatus) -> None:
    nested = now.nested
    if now.head != base:  # agents have committed by themselves
        nested = list(dict.fromkeys([*nested, *_links(repository, base)]))
    if not nested:
        return
    known = submodules(repository)
    foreign = [path for path in nested if path not in known]
    if foreign:
        raise AttemptFailed(
            f"{names(foreign)} is a repository of its own: remove its '.git' (and run 'git rm --cached -f' on it where "
            "it was added), or add it by 'git submodule add'"
        )


def _links(repository: Repository, base: str | None) -> list[bytes]:
    """The paths in the index that are links to a commit of another repository, and were not in `base`."""
    changes = list_changes(repository, base or repository.empty_tree, renames=False, counts=False)
    return [change.path for change in changes if change.new_mode == SUBMODULE_MODE != change.old_mode]


def _is_of(now: WorktreeStatus, noted: str) -> bool:
    """Whether the stash, which all worktrees share, got its last entry on the branch of this one."""
    branch = "(no branch)" if now.branch is None else os.fsencode(now.branch).decode("utf-8", "surrogateescape")
    return noted.startswith((f"WIP on {branch}: ", f"On {branch}: "))


def refuse_operation(repository: Repository) -> None:
    """Raises: TaskPlanError in a merge, rebase or the like, and inside a hook of `git commit`."""
    found = operation(repository)
    if found is not None:
        raise TaskPlanError(f"{found[0]} is in progress", hint=f"finish it first: '{found[1]}'")
    if "GIT_INDEX_FILE" in os.environ:
        raise TaskPlanError("a 'git commit' is in progress", hint="run this outside its hooks")


def refuse_other(unfinished: attempt_state.PendingAttempt | None, plan: str) -> None:
    """Raises: TaskPlanError when another plan than `plan` is to be settled first: this one's commits would hold it."""
    if unfinished is not None and unfinished.plan != plan and unfinished.unsettled:
        raise TaskPlanError(
            f"the plan '{unfinished.plan}' was cut off",
            hint=f"run 'smartcommit execute resume {unfinished.plan}' first",
        )


def foreign_paths(standing: WorktreeStatus, ours: attempt_state.PendingAttempt | None) -> list[bytes]:
    """What is changed and not by the plan, whose attempt `ours` is not over.

    Of one that ended we know what it left; whatever a killed one changed is its own, but for what was so before it.
    """
    return _foreign([path for path in standing.changed if not is_metadata(path)], ours, ours.dirty if ours else [])


def foreign_inside(standing: WorktreeStatus, ours: attempt_state.PendingAttempt | None) -> list[bytes]:
    """The submodules with changes inside that are not the plan's, as `foreign_paths`."""
    return _foreign(standing.inside, ours, ours.inside if ours else [])


def _foreign(paths: list[bytes], ours: attempt_state.PendingAttempt | None, before: Sequence[str]) -> list[bytes]:
    if ours is None:
        return paths
    if ours.left is not None:
        return [path for path in paths if os.fsdecode(path) not in ours.left]
    return [path for path in paths if os.fsdecode(path) in before]


def base_of(standing: WorktreeStatus, ours: attempt_state.PendingAttempt | None) -> str | None:
    """The commit that the task at work began on, where the attempt `ours` is not over: what agents have committed by
    themselves since is looked through with the rest. Who moves HEAD after a stop in order is a person, who may.
    """
    if ours is None or not (ours.unsettled or standing.head == ours.parent):
        return standing.head
    return ours.base


def check_clean_start(foreign: Sequence[bytes]) -> None:
    """Raises: TaskPlanError, naming the paths, when there are any."""
    if foreign:
        raise TaskPlanError(
            f"the working tree has changes that are not this plan's: {names(foreign)}",
            hint="commit or stash them, or run with '--allow-dirty', which commits nothing",
        )


def names(paths: Sequence[bytes]) -> str:
    """The first paths in quotes, and how many more there are."""
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(f"'{os.fsdecode(path)}'" for path in paths[:_NAMED]) + more
