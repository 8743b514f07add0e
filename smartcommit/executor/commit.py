"""The executor's one way to commit: everything, looked through, with a proof for our own hook while it is made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from smartcommit import state_files
from smartcommit.errors import TaskPlanError
from smartcommit.executor.agents import AttemptFailed
from smartcommit.executor.plan_dir import is_metadata
from smartcommit.executor.process_group import MARK
from smartcommit.executor.screen import scan_staged
from smartcommit.exemption import prove
from smartcommit.git.commit import HookRefused, Staged, Unstageable, commit_everything
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
        proof = prove(head, message.encode("utf-8", "surrogateescape"))
        if not state_files.save(repository.git_dir, state_files.PROOF, proof):
            raise TaskPlanError("the git directory cannot be written")

    try:
        made = commit_everything(
            repository, message, examine=examine, environment={MARK: mark + COMMITTING}, timeout=PATIENCE
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
