"""The built-in drafter: writes a conventional message from facts, without a model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import cast

from smartcommit.change.describe import points, summaries
from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History
from smartcommit.change.wording import fitting
from smartcommit.config import Settings
from smartcommit.draft.classify import choose_scope, choose_type
from smartcommit.errors import GitError
from smartcommit.git.diff import SUBMODULE_MODE, FileChange, FileDiff, list_changes, read_diffs
from smartcommit.git.repo import Repository
from smartcommit.git.run import NO_LAZY_FETCH, head_of_output
from smartcommit.message.header import Header
from smartcommit.message.rules import DEFAULT_TYPES

# Bytes of patch that are read; of what lies behind, names and counts of lines are known.
PATCH_LIMIT = 2 << 20
SUBMODULE_COMMITS = 20
SUMMARY_LIMIT = 120
# Longer headers are cut in listings, so a shorter sentence is preferred where there is one.
HEADER_WIDTH = 72
LINE_WIDTH = 72


def draft(repository: Repository, base: str, target: str | None, settings: Settings) -> str | None:
    """A message for the change from tree `base` to tree `target` (None: the index), or None where nothing changed.

    The text is header and, where it helps, a description; it ends with one newline and passes the project's own rules.
    At most four git processes, whatever the size of the change.

    Raises: GitError when git fails.
    """
    diffs, submodules = read(repository, base, target)
    return draft_from(diffs, History.load(repository), settings, submodules=submodules) if diffs else None


def read(repository: Repository, base: str, target: str | None) -> tuple[list[FileDiff], dict[bytes, list[str]]]:
    """What changed, and the subjects of the commits that a moved submodule has gained, by its path.

    Raises: GitError when git fails.
    """
    try:
        # Lines are counted as they are read: to count all of them first would read everything twice.
        changes = list_changes(repository, base, target, counts=False, thorough=False)
        diffs = read_diffs(repository, base, target, changes, limit=PATCH_LIMIT, thorough=False) if changes else []
    except GitError:
        # A partial clone can lack the old content of what changed: its names are known all the same.
        changes = list_changes(repository, base, target, renames=False, counts=False, thorough=False)
        diffs = [FileDiff(change, complete=False) for change in changes]
    return diffs, _gained(repository, changes)


def draft_from(
    diffs: Sequence[FileDiff],
    history: History,
    settings: Settings,
    *,
    submodules: Mapping[bytes, Sequence[str]] | None = None,
) -> str:
    """A message for `diffs`, of which there is at least one, from what was read before: it starts no process.

    `submodules` holds, by path, the subjects of the commits that a moved submodule has gained, the newest first.
    """
    change = ChangeFacts(diffs)
    types = cast("Sequence[str] | None", settings.value("types")) or DEFAULT_TYPES
    scopes = cast("Sequence[str] | None", settings.value("scopes"))
    limit = cast("int | None", settings.value("summary-limit")) or SUMMARY_LIMIT
    header = Header(choose_type(change, history, types), "", scope=choose_scope(change, history, scopes))
    header.summary = fitting(summaries(change, submodules), HEADER_WIDTH - len(str(header)), limit)
    listed = [f"- {fitting(point, LINE_WIDTH - 2, LINE_WIDTH - 2)}" for point in points(change, submodules)]
    return "\n".join([str(header), *(["", *listed] if listed else [])]) + "\n"


def _gained(repository: Repository, changes: Sequence[FileChange]) -> dict[bytes, list[str]]:
    """The subjects of the commits that the one moved submodule has gained, where its repository is there to ask."""
    moved = [change for change in changes if change.old_mode == change.new_mode == SUBMODULE_MODE]
    if len(moved) != 1:
        return {}
    git_dir = os.path.join(repository.worktree, os.fsdecode(moved[0].path), ".git")
    if not os.path.exists(git_dir):
        return {}
    try:
        output, _ = head_of_output(
            ("log", f"-{SUBMODULE_COMMITS}", "--no-merges", "--no-show-signature", "-z", "--format=%s",
             "--encoding=UTF-8", f"{moved[0].old_id}..{moved[0].new_id}", "--"),
            limit=1 << 16,
            directory=repository.worktree,
            # Inside a hook the environment names the superproject.
            environment={"GIT_DIR": git_dir, **NO_LAZY_FETCH},
        )  # fmt: skip
    except GitError:
        return {}
    return {moved[0].path: [line.decode("utf-8", "replace") for line in output.split(b"\0") if line.strip()]}
