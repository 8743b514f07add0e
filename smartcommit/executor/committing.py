"""The executor's one way to commit: everything, looked through, with a proof for our own hook while it is made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from smartcommit import store
from smartcommit.errors import TaskPlanError
from smartcommit.executor.folder import is_metadata
from smartcommit.executor.group import MARK
from smartcommit.executor.runner import AttemptFailed
from smartcommit.executor.screen import screen
from smartcommit.exemption import prove
from smartcommit.git.commit import HookRefused, Staged, commit_staged, edited_since_staging, stage_all, staged
from smartcommit.git.repo import Repository

# Seconds that a commit with all its hooks may take.
PATIENCE = 1800.0
# What a run's mark is to the processes of a commit: these are waited for and not ended.
COMMITTING = ":commit"


def commit(
    repository: Repository,
    message: str,
    *,
    head: str | None,
    mark: str,
    screened: bool = True,
    staged_now: Callable[[str], None] = lambda changes: None,
) -> bool:
    """Commit everything on top of `head`; False where there is nothing to commit.

    `staged_now` is told the fingerprint of what is staged, before the commit. A hook that refuses and has changed
    tracked files, as one that formats does, gets them staged and is asked once more.

    Raises: AttemptFailed with a hook's words where it refuses; GitError when git fails.
    """
    stage_all(repository)
    changes = staged(repository)
    if not changes:
        return False
    if screened:
        screen(repository, changes, base=head)
    staged_now(fingerprint(changes))
    data = message.encode("utf-8", "surrogateescape")
    if not store.save(repository.git_dir, store.PROOF, prove(head, data)):
        raise TaskPlanError("the git directory cannot be written")
    try:
        _commit(repository, message, mark)
    except HookRefused as refusal:
        raise AttemptFailed(f"a hook refused the commit:\n{refusal.text}") from None
    finally:
        store.drop(repository.git_dir, store.PROOF)
    return True


def fingerprint(changes: Sequence[Staged]) -> str:
    """What tells the staged work, the plan's own files left out, from any other."""
    digest = hashlib.sha256()
    for change in changes:
        if not is_metadata(change.path):
            digest.update(b"\0".join([change.path, change.mode.encode(), change.oid.encode(), b""]))
    return digest.hexdigest()


def _commit(repository: Repository, message: str, mark: str) -> None:
    environment = {MARK: mark + COMMITTING}
    try:
        commit_staged(repository, message, environment=environment, timeout=PATIENCE)
    except HookRefused:
        if not edited_since_staging(repository):
            raise
        stage_all(repository)
        commit_staged(repository, message, environment=environment, timeout=PATIENCE)
