"""Checks of the working tree before a run and after an attempt: what did the agent do to the repository?"""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.errors import TaskPlanError
from smartcommit.executor.run import AttemptFailed, PendingAttempt
from smartcommit.git.diff import SUBMODULE_MODE, list_changes
from smartcommit.git.repo import Repository
from smartcommit.git.status import (
    WorktreeStatus,
    is_ancestor,
    list_hidden,
    list_submodules,
    read_stash_note,
)
from smartcommit.state_files import is_plan_state

# Number of paths that an error lists.
_PATHS_NAMED = 10


def check_branch_and_history(repository: Repository, attempt: PendingAttempt, now: WorktreeStatus) -> None:
    """Raise TaskPlanError if another branch is checked out than in the attempt, or its commit is lost."""
    if now.branch != attempt.branch:
        raise TaskPlanError(
            f"the run started on {name_branch(attempt.branch)}, but {name_branch(now.branch)} is checked out",
            hint=f"run 'git checkout {attempt.branch or attempt.head or 'HEAD'}', then resume",
        )
    if is_lost(repository, attempt.head, now):
        raise explain_history(attempt.head)


def is_lost(repository: Repository, commit: str | None, now: WorktreeStatus) -> bool:
    """Whether `commit` is no longer in the history of HEAD."""
    if commit is None or now.head == commit:
        return False
    return now.head is None or not is_ancestor(repository, commit, now.head)


def explain_history(commit: str | None) -> TaskPlanError:
    """Return the error for commits that were removed, with the commands that restore them."""
    head = (commit or "")[:12]
    # At an older commit our files may be untracked, and in the way of any gentler reset.
    return TaskPlanError(
        f"commits were removed during the run: HEAD was at {head}",
        hint=f"run 'git stash -u' and 'git reset --hard {head}' to restore them, then resume",
    )


def check_clean(now: WorktreeStatus, unfinished: PendingAttempt | None) -> None:
    """Raise TaskPlanError, naming them, if there are changes that the attempt `unfinished` did not leave."""
    changed = without_plan_state([*now.changed, *now.inside])
    if unfinished is not None:
        # What a killed attempt left is not known, but it started in a clean tree.
        left = changed if unfinished.left is None else list(map(os.fsencode, unfinished.left))
        changed = [path for path in changed if path not in left]
    if changed:
        raise TaskPlanError(
            f"the working tree has changes that do not belong to this plan: {quote(changed)}",
            hint="commit or stash them (in a submodule: there), or run with '--allow-dirty', which commits nothing",
        )


def check_uncommittable_work(
    repository: Repository, attempt: PendingAttempt, now: WorktreeStatus, *, stashes: int
) -> None:
    """Raise AttemptFailed, naming it, if there is work that no commit here can contain; `stashes` were there before."""
    _check_nested(repository, attempt, now)
    if now.unmerged:
        raise AttemptFailed(f"unmerged paths: {quote(now.unmerged)}; resolve the conflicts and run 'git add'")
    if now.inside:
        raise AttemptFailed(f"uncommitted changes in submodule {quote(now.inside)}; commit them there")
    if now.stashes > stashes and _is_of(now, read_stash_note(repository)):
        raise AttemptFailed("changes were stashed; run 'git stash pop' to restore them")
    hidden = [path for path in list_hidden(repository) if os.fsdecode(path) not in attempt.hidden]
    if hidden:
        raise AttemptFailed(
            f"git was told to ignore changes of {quote(hidden)}; run 'git update-index --no-assume-unchanged' and "
            "'git update-index --no-skip-worktree' on each of them"
        )


def _check_nested(repository: Repository, attempt: PendingAttempt, now: WorktreeStatus) -> None:
    nested = now.nested
    if now.head != attempt.base:  # agents have committed
        nested = list(dict.fromkeys([*nested, *_added_links(repository, attempt.base)]))
    if not nested:
        return
    submodules = list_submodules(repository)
    foreign = [path for path in nested if path not in submodules]
    if foreign:
        raise AttemptFailed(
            f"{quote(foreign)} is a nested git repository; remove its '.git' (and run 'git rm --cached -f' if it was "
            "added), or add it with 'git submodule add'"
        )


def _added_links(repository: Repository, base: str | None) -> list[bytes]:
    """Return the paths in the index that link to a commit of another repository, and do not in the commit `base`."""
    changes = list_changes(repository, base or repository.empty_tree, renames=False, counts=False)
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


def without_plan_state(paths: Sequence[bytes]) -> list[bytes]:
    """Return the paths that are none of the plans' own files."""
    return [path for path in paths if not is_plan_state(path)]


def quote(paths: Sequence[bytes]) -> str:
    """Return the first paths in quotes, and the number of the others."""
    text = ", ".join(f"'{os.fsdecode(path)}'" for path in paths[:_PATHS_NAMED])
    if len(paths) > _PATHS_NAMED:
        text += f" and {len(paths) - _PATHS_NAMED} more"
    return text
