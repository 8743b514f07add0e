"""The executor's commits, and the scan for secrets, artifacts and conflict markers before them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Sequence

from smartcommit import state_files
from smartcommit.check import EXECUTION, proof_of
from smartcommit.errors import TaskPlanError
from smartcommit.executor.agents import AttemptFailed
from smartcommit.executor.plan_dir import OUTPUT, is_metadata
from smartcommit.git.commit import HookRefused, Staged, Unstageable, commit_everything
from smartcommit.git.diff import FileChange, list_changes
from smartcommit.git.objects import find_added
from smartcommit.git.repo import Repository
from smartcommit.jj.run import NO_SNAPSHOT, run_jj
from smartcommit.secret_scan import scan

# Seconds that a commit with all its hooks may take.
PATIENCE = 1800.0
# What a run's mark is to the processes of a commit: these are waited for and not ended.
COMMITTING = ":commit"
# Commits of an agent's own for one task that are looked through.
_OWN = 100
# The first and last line of a conflict, as git and jj write it. A line of `=======` alone can be an underline.
_CONFLICT_MARKER = re.compile(rb"^(?:<{7}|>{7})(?=[ \r\n]|\Z)", re.MULTILINE)


def commit(
    repository: Repository,
    message: str,
    *,
    head: str | None,
    base: str | None,
    mark: str,
    screened: bool = True,
    staged_now: Callable[[str], None] = lambda changes: None,
) -> bool:
    """Commit everything on top of `head`; False where there is nothing to commit.

    What has changed since the commit `base` is checked, its content only where it is to be `screened`.
    `staged_now` is told the fingerprint of what is staged, before the commit.

    Raises: AttemptFailed when something must not be committed, and with a hook's words where it refuses; GitError when
    git fails.
    """

    def examine(changes: Sequence[Staged]) -> None:
        scan_staged(repository, base, content=screened)
        staged_now(fingerprint(changes))
        proof = proof_of(execution, message.encode("utf-8", "surrogateescape"))
        if not state_files.save(repository.git_dir, state_files.PROOF, proof):
            raise TaskPlanError("the git directory cannot be written")

    execution = mark + COMMITTING
    try:
        made = commit_everything(
            repository, message, examine=examine, environment={EXECUTION: execution}, timeout=PATIENCE
        )
    except Unstageable as error:
        raise AttemptFailed(f"{error}; mend the file, or what .gitattributes says of it") from None
    except HookRefused as refusal:
        raise AttemptFailed(f"a hook refused the commit:\n{refusal.text}") from None
    finally:
        state_files.drop(repository.git_dir, state_files.PROOF)
    if not made and head != base:
        scan_staged(repository, base, content=screened)
    return made


def fingerprint(changes: Sequence[Staged]) -> str:
    """What tells the staged work, the plan's own files left out, from any other."""
    digest = hashlib.sha256()
    for change in changes:
        if not is_metadata(change.path):
            digest.update(b"\0".join([change.path, change.mode.encode(), change.oid.encode(), b""]))
    return digest.hexdigest()


def scan_staged(repository: Repository, base: str | None, *, content: bool) -> None:
    """Check what is staged on top of the commit `base`, commits between them included. Without `content` only our own
    raw output is looked for.

    Raises: AttemptFailed, naming the file and what to do.
    """
    changes = list_changes(repository, base or repository.empty_tree, counts=False)
    added = [change.path for change in changes if change.status == "A"]
    for path in added:
        if is_metadata(path) and os.path.basename(path) == OUTPUT.encode():
            raise AttemptFailed(f"'{os.fsdecode(path)}' is raw output of agents: run 'git rm --cached -f' on it")
    if content:
        _refuse(_leaks(repository, changes) + _conflicts(repository, changes))


def scan_agent_commits(repository: Repository, base: str | None) -> None:
    """Look through the commits that agents have made by themselves on top of the commit `base`: what a later one takes
    out stays in the history.

    Raises: AttemptFailed as `screen`, with the way to take the commits back.
    """
    wanted = ("HEAD", *(("--not", base) if base else ()), f"--max-count={_OWN}", "--")
    for line in repository.run("rev-list", "--first-parent", "--parents", *wanted).decode().splitlines():
        commit, *parents = line.split()
        changes = list_changes(repository, parents[0] if parents else repository.empty_tree, commit, counts=False)
        try:
            _refuse(_leaks(repository, changes))
        except AttemptFailed as error:
            back = f"git reset --soft {base[:12]}" if base else "git update-ref -d HEAD"
            raise AttemptFailed(
                f"{error}; the commit {commit[:12]} made by the agent keeps it: '{back}' takes such commits back first"
            ) from None


def screen_change(root: str, commit: str) -> None:
    """Check the jj commit `commit` in the workspace at `root` as `screen` checks what is staged.

    jj keeps commits in a git repository, where they are compared with their parents: what a merge takes over from one
    of these is not new.

    Raises: AttemptFailed, naming the file and what to do; JjError, GitError.
    """
    git_dir = os.fsdecode(run_jj(("git", "root", NO_SNAPSHOT), repository=root)).rstrip("\n")
    repository = Repository(
        worktree=root, git_dir=git_dir, common_dir=git_dir, object_format="sha1", environment={"GIT_DIR": git_dir}
    )
    _, *parents = repository.run("rev-list", "--parents", "--max-count=1", commit, "--").decode().split()
    problems: list[list[str]] = []
    for parent in parents or [repository.empty_tree]:
        changes = list_changes(repository, parent, commit, counts=False)
        problems.append(_leaks(repository, changes) + _conflicts(repository, changes))
    _refuse([problem for problem in problems[0] if all(problem in others for others in problems)])


def _leaks(repository: Repository, changes: Sequence[FileChange]) -> list[str]:
    return [
        f"'{os.fsdecode(finding.path)}' {finding.reason}; remove it, or list the file in .gitignore"
        for finding in scan(repository, changes)
    ]


def _conflicts(repository: Repository, changes: Sequence[FileChange]) -> list[str]:
    """A file that had conflict markers before, as an example or test data, may have more of them."""
    found = find_added(repository, changes, _has_conflict_marker)
    return [f"'{os.fsdecode(path)}' contains conflict markers; resolve the conflict" for path, _ in found]


def _has_conflict_marker(content: bytes) -> list[bool]:
    return [True] if _CONFLICT_MARKER.search(content) else []


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        raise AttemptFailed(problems[0])
