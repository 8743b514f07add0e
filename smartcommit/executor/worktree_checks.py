"""Checks of the working tree before a run and after an attempt: what did the agent do to the repository?"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from smartcommit.errors import TaskPlanError
from smartcommit.executor.attempt_state import PendingAttempt
from smartcommit.executor.commit import scan_agent_commits
from smartcommit.executor.run import AttemptFailed
from smartcommit.git.diff import SUBMODULE_MODE, list_changes
from smartcommit.git.repo import Repository
from smartcommit.git.status import (
    WorktreeStatus,
    find_operation,
    is_ancestor,
    list_hidden,
    list_submodules,
    read_stash_note,
    read_worktree_status,
)
from smartcommit.state_files import is_plan_state

Path = TypeVar("Path", str, bytes)
# Number of paths that an error lists.
_PATHS_NAMED = 10


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The repository before an attempt.

    The attempt started on `branch`, None for a detached HEAD, at the commit `head`, None before the first commit. The
    rest is from the start of its task, since earlier attempts may have made commits and stashes: the commit `base`, the
    submodules with uncommitted changes, the number of stashes, and the paths `hidden` from git (`list_hidden`).
    """

    branch: str | None = None
    head: str | None = None
    base: str | None = None
    dirty_submodules: list[bytes] = field(default_factory=list)
    stashes: int = 0
    hidden: list[bytes] = field(default_factory=list)

    def is_left(self, now: WorktreeStatus) -> bool:
        """Whether another branch is checked out."""
        return now.branch != self.branch

    def is_lost(self, repository: Repository, now: WorktreeStatus) -> bool:
        """Whether `head` is no longer in the history of what is checked out."""
        if self.head is None or now.head == self.head:
            return False
        return now.head is None or not is_ancestor(repository, self.head, now.head)

    def find_new_submodules(self, now: WorktreeStatus) -> list[bytes]:
        """Return the submodules with uncommitted changes that had none before."""
        return without(now.inside, self.dirty_submodules)

    def check_branch_and_history(self, repository: Repository, now: WorktreeStatus) -> None:
        """Raise TaskPlanError if another branch is checked out or `head` is lost."""
        if self.is_left(now):
            raise TaskPlanError(
                f"the run started on {name_branch(self.branch)}, but {name_branch(now.branch)} is checked out",
                hint=f"run 'git checkout {self.branch or self.head or 'HEAD'}', then resume",
            )
        if self.is_lost(repository, now):
            raise self.history_error()

    def history_error(self) -> TaskPlanError:
        """Return the error for commits that were removed, with the commands that restore them."""
        head = (self.head or "")[:12]
        # At an older commit our files may be untracked, and in the way of any gentler reset.
        return TaskPlanError(
            f"commits were removed during the run: HEAD was at {head}",
            hint=f"run 'git stash -u' and 'git reset --hard {head}' to restore them, then resume",
        )


class WorktreeGuard:
    """Compares the working tree `now`, as of the last status, with what it was `before` the attempt.

    `dirty` are the paths that were changed before the run and do not belong to the plan.
    """

    def __init__(self, repository: Repository, *, screened: bool) -> None:
        self._repository = repository
        self._screened = screened
        # Whether agents made commits that they were told to undo: only those may they remove.
        self._tainted = False
        self.now = WorktreeStatus()
        self.before = Checkpoint()
        self.dirty: list[str] = []

    def begin(self, now: WorktreeStatus, ours: PendingAttempt | None, *, allow_dirty: bool) -> None:
        """Start a run, after the pending attempt `ours` of the same plan.

        Raise TaskPlanError if that attempt's branch or commits are missing, or, without `allow_dirty`, if the tree has
        changes that do not belong to the plan.
        """
        # Between runs the user may change the history, unless an attempt has to be recovered.
        if ours is not None and ours.unsettled:
            Checkpoint(ours.branch, ours.parent).check_branch_and_history(self._repository, now)
        foreign = without_plan_state(now.changed)
        submodules = now.inside
        base = now.head
        if ours is None:
            hidden = list_hidden(self._repository)
        else:
            foreign = _without_own(foreign, ours, ours.dirty)
            submodules = _without_own(submodules, ours, ours.dirty_submodules)
            hidden = list(map(os.fsencode, ours.hidden))
            if ours.unsettled or now.head == ours.parent:
                base = ours.base
        if not allow_dirty:
            _check_clean_start(self._repository.worktree, foreign)
        self.now = now
        self.before = Checkpoint(now.branch, now.head, base, submodules, now.stashes, hidden)
        self.dirty = list(map(os.fsdecode, foreign))
        with suppress(AttemptFailed):
            self.scan_commits()

    def look(self) -> WorktreeStatus:
        """Read and return the status."""
        self.now = read_worktree_status(self._repository)
        return self.now

    def inspect(self) -> str | None:
        """Check the repository after the agent has exited; return HEAD if the agent has committed, else None.

        Raise AttemptFailed if it left something unfinished, TaskPlanError if it removed commits.
        """
        before, now = self.before, self.look()
        found = find_operation(self._repository)
        if found is not None:
            raise AttemptFailed(f"{found[0]} was left in progress; run '{found[1]}'")
        if before.is_left(now):
            raise AttemptFailed(f"{name_branch(now.branch)} is checked out instead of {name_branch(before.branch)}")
        if self._protected.is_lost(self._repository, now):
            raise self._protected.history_error()
        self.before = replace(before, head=now.head)
        if now.head in (before.head, before.base):
            return None
        return now.head

    def scan_commits(self) -> None:
        """Raise AttemptFailed if agents have committed what must not be committed; the next one may undo that."""
        self._tainted = self._screened and self.now.head != self.before.base
        if self._tainted:
            scan_agent_commits(self._repository, self.before.base)
            self._tainted = False

    def leave(self) -> tuple[list[str], bool]:
        """End an attempt without a commit; return the paths that it left changed, and whether it left the branch or
        removed commits.
        """
        now = self.look()
        new = self.before.find_new_submodules(now)
        left_branch = self.before.is_left(now) or self._protected.is_lost(self._repository, now)
        if not left_branch:
            self.before = replace(self.before, head=now.head)
        changed = map(os.fsdecode, without_plan_state([*now.changed, *new]))
        return without(changed, self.dirty), left_branch

    def check_history(self) -> None:
        """Raise TaskPlanError if the attempt, which is over, removed commits of the branch that is checked out."""
        if not self.before.is_left(self.now) and self._protected.is_lost(self._repository, self.now):
            raise self._protected.history_error()

    def advance(self) -> WorktreeStatus:
        """Start the next task after a commit of everything, and return the status."""
        now = self.look()
        self.before = Checkpoint(now.branch, now.head, now.head, now.inside, now.stashes, self.before.hidden)
        self._tainted = False
        return now

    @property
    def _protected(self) -> Checkpoint:
        """The checkpoint with the commit that agents must not remove."""
        if self._tainted:
            return replace(self.before, head=self.before.base)
        return self.before


def check_uncommittable_work(repository: Repository, before: Checkpoint, now: WorktreeStatus) -> None:
    """Raise AttemptFailed, naming it, if there is work `now` that no commit here can contain and was not `before`."""
    _check_nested(repository, before, now)
    if now.unmerged:
        raise AttemptFailed(f"unmerged paths: {quote(now.unmerged)}; resolve the conflicts and run 'git add'")
    changed = before.find_new_submodules(now)
    if changed:
        raise AttemptFailed(f"uncommitted changes in submodule {quote(changed)}; commit them there")
    if now.stashes > before.stashes and _is_of(now, read_stash_note(repository)):
        raise AttemptFailed("changes were stashed; run 'git stash pop' to restore them")
    hidden = without(list_hidden(repository), before.hidden)
    if hidden:
        raise AttemptFailed(
            f"git was told to ignore changes of {quote(hidden)}; run 'git update-index --no-assume-unchanged' and "
            "'git update-index --no-skip-worktree' on each of them"
        )


def _check_nested(repository: Repository, before: Checkpoint, now: WorktreeStatus) -> None:
    nested = now.nested
    if now.head != before.base:  # agents have committed
        nested = list(dict.fromkeys([*nested, *_added_links(repository, before)]))
    if not nested:
        return
    foreign = without(nested, list_submodules(repository))
    if foreign:
        raise AttemptFailed(
            f"{quote(foreign)} is a nested git repository; remove its '.git' (and run 'git rm --cached -f' if it was "
            "added), or add it with 'git submodule add'"
        )


def _added_links(repository: Repository, before: Checkpoint) -> list[bytes]:
    """Return the paths in the index that link to a commit of another repository, and did not `before`."""
    changes = list_changes(repository, before.base or repository.empty_tree, renames=False, counts=False)
    return [change.path for change in changes if change.new_mode == SUBMODULE_MODE != change.old_mode]


def _is_of(now: WorktreeStatus, message: str) -> bool:
    """Whether the last stash, whose reflog has `message`, is from this branch: all worktrees share the stash."""
    branch = "(no branch)"
    if now.branch is not None:
        branch = os.fsencode(now.branch).decode("utf-8", "surrogateescape")
    return message.startswith((f"WIP on {branch}: ", f"On {branch}: "))


def name_branch(branch: str | None) -> str:
    """Return what an error calls a branch."""
    return "a detached HEAD" if branch is None else f"the branch '{branch}'"


def check_no_operation(repository: Repository) -> None:
    """Raise TaskPlanError during a merge, rebase or the like, and inside a hook of `git commit`."""
    found = find_operation(repository)
    if found is not None:
        raise TaskPlanError(f"{found[0]} is in progress", hint=f"finish it first: '{found[1]}'")
    if "GIT_INDEX_FILE" in os.environ:
        raise TaskPlanError("a 'git commit' is in progress", hint="run this outside its hooks")


def check_other_plan(unfinished: PendingAttempt | None, plan: str) -> None:
    """Raise TaskPlanError if another plan must be recovered first, since our commits would contain its work."""
    if unfinished is not None and unfinished.plan != plan and unfinished.unsettled:
        raise TaskPlanError(
            f"a run of plan '{unfinished.plan}' was interrupted",
            hint=f"run 'smartcommit execute resume {unfinished.plan}' first",
        )


def _without_own(paths: list[bytes], ours: PendingAttempt, before: Sequence[str]) -> list[bytes]:
    """Return the paths that the attempt `ours` did not leave; if it was killed, those that were changed `before`."""
    if ours.left is None:
        return without(paths, without(paths, list(map(os.fsencode, before))))
    return without(paths, list(map(os.fsencode, ours.left)))


def _check_clean_start(worktree: str, foreign: Sequence[bytes]) -> None:
    """Raise TaskPlanError, naming the paths, if there are any."""
    for path in foreign:
        if _is_output(os.path.join(os.fsencode(worktree), path)):
            raise TaskPlanError(
                f"the output of this run goes to '{os.fsdecode(path)}', which is in the working tree",
                hint="redirect it to a file outside of the tree, or list the file in .gitignore",
            )
    if foreign:
        raise TaskPlanError(
            f"the working tree has changes that do not belong to this plan: {quote(foreign)}",
            hint="commit or stash them, or run with '--allow-dirty', which commits nothing",
        )


def _is_output(path: bytes) -> bool:
    """Whether our standard output or standard error goes to the file at `path`, as below `nohup`."""
    for descriptor in (1, 2):
        with suppress(OSError):
            if os.path.samestat(os.stat(path), os.fstat(descriptor)):
                return True
    return False


def without(paths: Iterable[Path], known: Container[Path]) -> list[Path]:
    """Return the paths that are not known."""
    return [path for path in paths if path not in known]


def without_plan_state(paths: Sequence[bytes]) -> list[bytes]:
    """Return the paths that are none of the plans' own files."""
    return [path for path in paths if not is_plan_state(path)]


def quote(paths: Sequence[bytes]) -> str:
    """Return the first paths in quotes, and the number of the others."""
    text = ", ".join(f"'{os.fsdecode(path)}'" for path in paths[:_PATHS_NAMED])
    if len(paths) > _PATHS_NAMED:
        text += f" and {len(paths) - _PATHS_NAMED} more"
    return text
