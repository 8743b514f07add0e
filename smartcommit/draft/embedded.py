"""The embedded drafter: a conventional message from the facts of a change, at once and without a model."""

from __future__ import annotations

from smartcommit.config import Settings
from smartcommit.git.diff import list_changes
from smartcommit.git.repo import Repository
from smartcommit.message.header import Header


def draft(repository: Repository, base: str, target: str | None, settings: Settings) -> str | None:
    """A message for the change from tree `base` to tree `target` (None: the index), or None where nothing changed.

    The text is header and, where it helps, a description; it ends with one newline and passes the project's own rules.

    Raises: GitError when git fails.
    """
    changes = list_changes(repository, base, target)
    if not changes:
        return None
    return f"{Header('chore', f'update {len(changes)} files')}\n"
