"""The executor's commits, and the scan for secrets, artifacts and conflict markers before them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence

from smartcommit import state_files
from smartcommit.errors import TaskPlanError
from smartcommit.executor.run import COMMITTING, AttemptFailed, Run
from smartcommit.git.commit import HookRejected, UnstageableFile, commit_everything
from smartcommit.git.diff import FileChange, list_changes
from smartcommit.git.repo import Repository
from smartcommit.jj.store import list_bases
from smartcommit.processes import EXECUTION
from smartcommit.secrets.scan import ARTIFACT_SIZE, scan, scan_conflicts
from smartcommit.verdict import make_proof

OnStaged = Callable[[str], None]
# Time limit of a commit with all its hooks, in seconds.
PATIENCE = 1800.0
# Maximum number of an agent's own commits for one task, since each is scanned.
_COMMITS_SCANNED = 100


def commit(
    repository: Repository, message: str, run: Run, *, head: str | None, base: str | None, on_staged: OnStaged
) -> bool:
    """Commit everything on top of `head`, and return False if there is nothing to commit.

    Changes since the commit `base` are scanned. `on_staged` is called with the fingerprint of the staged changes before
    the commit.

    Raise AttemptFailed if something must not be committed, or with the output of a hook that rejects the commit;
    GitError if git fails.
    """

    def examine(changes: Sequence[FileChange]) -> None:
        if run.screened:
            _reject(_find_problems(repository, base))
        on_staged(fingerprint(changes))
        proof = make_proof(execution, message.encode("utf-8", "surrogateescape"))
        if not state_files.save(repository.git_dir, state_files.PROOF, proof):
            raise TaskPlanError("cannot write to the git directory")

    execution = run.id + COMMITTING
    environment = {EXECUTION: execution}
    try:
        made = commit_everything(repository, message, examine=examine, environment=environment, timeout=PATIENCE)
    except UnstageableFile as error:
        raise AttemptFailed(f"{error}; fix the file or its .gitattributes entry") from None
    except HookRejected as refusal:
        raise AttemptFailed(f"a hook rejected the commit:\n{refusal.text}") from None
    finally:
        state_files.drop(repository.git_dir, state_files.PROOF)
    if not made and run.screened and head != base:
        _reject(_find_problems(repository, base))
    return made


def fingerprint(changes: Sequence[FileChange]) -> str:
    """Return a hash of the staged changes without the plan's files."""
    digest = hashlib.sha256()
    for change in changes:
        if not state_files.is_plan_state(change.path):
            digest.update(b"\0".join([change.path, change.new_mode.encode(), change.new_id.encode(), b""]))
    return digest.hexdigest()


def check_sizes(repository: Repository, untracked: Sequence[bytes]) -> None:
    """Raise AttemptFailed if an untracked file is as large as only an artifact is, before git reads all of it.

    A file that a filter replaces, as git-lfs does, is scanned when it is staged.
    """
    large = []
    for path in untracked:
        place = os.path.join(os.fsencode(repository.worktree), path)
        if os.path.isfile(place) and not os.path.islink(place) and os.path.getsize(place) > ARTIFACT_SIZE:
            large.append(path)
    if not large:
        return
    attributes = repository.run("check-attr", "-z", "filter", "--", *large).split(b"\0")
    for path, value in zip(attributes[::3], attributes[2::3], strict=False):
        if value in (b"unspecified", b"unset"):
            size = os.path.getsize(os.path.join(os.fsencode(repository.worktree), path)) >> 20
            reason = f"is {size} MiB and looks like a build artifact; remove it, or list the file in .gitignore"
            raise AttemptFailed(f"'{os.fsdecode(path)}' {reason}")


def scan_agent_commits(repository: Repository, base: str | None) -> None:
    """Scan each commit that agents have made on top of the commit `base`: what one adds stays in the history.

    Raise AttemptFailed, naming the file and the command that undoes the commits.
    """
    options = ["--first-parent", "--parents", f"--max-count={_COMMITS_SCANNED}", "HEAD"]
    if base:
        options += ["--not", base]
    for line in repository.run("rev-list", *options, "--").decode().split("\n")[:-1]:
        # A root commit is compared with the empty tree.
        commit, parent, *_ = [*line.split(), repository.empty_tree]
        try:
            _reject(_find_problems(repository, parent, commit, conflicts=False))
        except AttemptFailed as error:
            back = f"git reset --soft {base[:12]}" if base else "git update-ref -d HEAD"
            raise AttemptFailed(
                f"{error}; it is still in commit {commit[:12]}, made by the agent; run '{back}' to undo that commit "
                "first"
            ) from None


def scan_jj_commit(repository: Repository, commit: str) -> None:
    """Scan the jj commit `commit`, as git has it, against each parent: what a merge takes from one of them is not new.

    Raise AttemptFailed, naming the file and what to do.
    """
    common, *others = [_find_problems(repository, parent, commit) for parent in list_bases(repository, commit)]
    for known in others:
        common = [problem for problem in common if problem in known]
    _reject(common)


def _find_problems(
    repository: Repository, base: str | None, target: str | None = None, *, conflicts: bool = True
) -> list[str]:
    """Return the problems with secrets, artifacts and, if wanted, conflict markers, each with what to do.

    They are those of the commit `target`, or of what is staged, that are not in the commit `base`.
    """
    since = base or repository.empty_tree
    changes = list_changes(repository, since, target, counts=False)
    problems = []
    for finding in scan(repository, since, changes):
        problems.append(f"'{os.fsdecode(finding.path)}' {finding.reason}; remove it, or list the file in .gitignore")
    for finding in scan_conflicts(repository, changes) if conflicts else ():
        problems.append(f"'{os.fsdecode(finding.path)}' {finding.reason}; resolve the conflict")
    return problems


def _reject(problems: Sequence[str]) -> None:
    if problems:
        raise AttemptFailed(problems[0])
