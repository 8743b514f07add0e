"""What no commit of the executor may have: secrets, build artifacts, conflict markers, and repositories in it."""

from __future__ import annotations

import os

from smartcommit.executor.run import AttemptFailed
from smartcommit.git.diff import ABSENT, SUBMODULE_MODE, list_changes
from smartcommit.git.repo import Repository
from smartcommit.git.status import list_submodules
from smartcommit.secrets.scan import scan, scan_conflicts


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
            check_content(repository, parent, commit, conflicts=False)
        except AttemptFailed as error:
            raise AttemptFailed(
                f"{error}; it is still in commit {commit[:12]}; run '{back}' to undo that commit first"
            ) from None


def check_content(
    repository: Repository, base: str | None, target: str | None = None, *, conflicts: bool = True
) -> None:
    """Raise AttemptFailed if the commit `target`, or what is staged, has what no commit may have and `base` has not."""
    since = base or repository.empty_tree
    changes = list_changes(repository, since, target, counts=False)
    new = {change.path for change in changes if change.old_mode == ABSENT}
    for finding in scan(repository, since, changes):
        remedy = "remove it"
        if finding.path in new:  # git ignores no file that it tracks
            remedy += ", or list the file in .gitignore"
        raise AttemptFailed(f"'{os.fsdecode(finding.path)}' {finding.reason}; {remedy}")
    for change in changes:
        is_link = change.new_mode == SUBMODULE_MODE != change.old_mode
        if is_link and change.path not in list_submodules(repository):
            raise AttemptFailed(
                f"'{os.fsdecode(change.path)}' is a nested git repository; remove its '.git' and run "
                "'git rm --cached -f' on it if it was added, or add it with 'git submodule add'"
            )
    if conflicts:
        for finding in scan_conflicts(repository, changes):
            raise AttemptFailed(f"'{os.fsdecode(finding.path)}' {finding.reason}; resolve the conflict")
