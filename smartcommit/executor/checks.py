"""Checks before a run, after an attempt and before a commit: what did the agent do to the repository?"""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.errors import TaskPlanError
from smartcommit.executor.run import AttemptFailed, PendingAttempt
from smartcommit.git.diff import SUBMODULE_MODE, list_changes
from smartcommit.git.repo import Repository
from smartcommit.git.status import WorktreeStatus, is_ancestor, list_submodules
from smartcommit.secrets.scan import scan, scan_conflicts
from smartcommit.state_files import is_plan_state

# Number of paths that an error lists.
_PATHS_NAMED = 10


def check_branch_and_history(repository: Repository, attempt: PendingAttempt, now: WorktreeStatus) -> None:
    if now.branch != attempt.branch:
        raise TaskPlanError(
            f"the run started on {name_branch(attempt.branch)}, but {name_branch(now.branch)} is checked out",
            hint=f"run 'git checkout {attempt.branch or attempt.head or 'HEAD'}', then resume",
        )
    if is_lost(repository, attempt.base, now):
        raise explain_history(attempt.base)


def is_lost(repository: Repository, commit: str | None, now: WorktreeStatus) -> bool:
    if commit is None or now.head == commit:
        return False
    return now.head is None or not is_ancestor(repository, commit, now.head)


def explain_history(commit: str | None) -> TaskPlanError:
    head = (commit or "")[:12]
    # At an older commit our files may be untracked, and in the way of any gentler reset.
    return TaskPlanError(
        f"commits were removed during the run: HEAD was at {head}",
        hint=f"run 'git stash -u' and 'git reset --hard {head}' to restore them, then resume",
    )


def check_clean(now: WorktreeStatus, unfinished: PendingAttempt | None) -> None:
    changed = without_plan_state([*now.changed, *now.inside])
    if unfinished is not None:
        # What a killed attempt left is not known, but it started in a clean tree.
        left = changed
        if unfinished.left is not None:
            left = list(map(os.fsencode, unfinished.left))
        changed = [path for path in changed if path not in left]
    if changed:
        raise TaskPlanError(
            f"the working tree has changes that do not belong to this plan: {quote(changed)}",
            hint="commit or stash them (in a submodule: there), or run with '--allow-dirty', which commits nothing",
        )


def check_uncommittable_work(now: WorktreeStatus, *, stashes: int) -> None:
    """Raise AttemptFailed, naming it, if there is work that no commit here can contain; `stashes` were there before."""
    if now.inside:
        raise AttemptFailed(f"uncommitted changes in submodule {quote(now.inside)}; commit them there")
    if now.stashes > stashes:
        raise AttemptFailed("changes were stashed; run 'git stash pop' to restore them")


def name_branch(branch: str | None) -> str:
    if branch is None:
        return "a detached HEAD"
    return f"the branch '{branch}'"


def without_plan_state(paths: Sequence[bytes]) -> list[bytes]:
    return [path for path in paths if not is_plan_state(path)]


def quote(paths: Sequence[bytes]) -> str:
    text = ", ".join(f"'{os.fsdecode(path)}'" for path in paths[:_PATHS_NAMED])
    if len(paths) > _PATHS_NAMED:
        text += f" and {len(paths) - _PATHS_NAMED} more"
    return text


def scan_agent_commits(repository: Repository, base: str | None) -> None:
    """Scan each commit of agents upon `base`, since what one adds stays in the history; raise AttemptFailed."""
    options = ["--first-parent", "--parents", "HEAD"]
    back = "git update-ref -d HEAD"
    if base:
        options += ["--not", base]
        back = f"git reset --soft {base[:12]}"
    for line in repository.run("rev-list", *options, "--").decode().split("\n")[:-1]:
        # A root commit is compared with the empty tree.
        commit, parent, *_ = [*line.split(), repository.empty_tree]
        try:
            reject(find_problems(repository, parent, commit, conflicts=False))
        except AttemptFailed as error:
            raise AttemptFailed(
                f"{error}; it is still in commit {commit[:12]}; run '{back}' to undo that commit first"
            ) from None


def find_problems(
    repository: Repository, base: str | None, target: str | None = None, *, conflicts: bool = True
) -> list[str]:
    """Return the problems in the commit `target`, or in what is staged, that are not in the commit `base`."""
    since = base or repository.empty_tree
    changes = list_changes(repository, since, target, counts=False)
    problems = []
    for finding in scan(repository, since, changes):
        problems.append(f"'{os.fsdecode(finding.path)}' {finding.reason}; remove it, or list the file in .gitignore")
    for change in changes:
        is_link = change.new_mode == SUBMODULE_MODE != change.old_mode
        if is_link and change.path not in list_submodules(repository):
            problems.append(
                f"'{os.fsdecode(change.path)}' is a nested git repository; remove its '.git' and run "
                "'git rm --cached -f' on it, or add it with 'git submodule add'"
            )
    if conflicts:
        for finding in scan_conflicts(repository, changes):
            problems.append(f"'{os.fsdecode(finding.path)}' {finding.reason}; resolve the conflict")
    return problems


def reject(problems: Sequence[str]) -> None:
    if problems:
        raise AttemptFailed(problems[0])
