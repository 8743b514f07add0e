"""The built-in drafter: writes a conventional message from facts, without a model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History
from smartcommit.change.recurring import find_recurring
from smartcommit.change.wording import choose_fitting
from smartcommit.config import Settings, follows_history
from smartcommit.draft.corrections import Corrections
from smartcommit.draft.embedded.classify import choose_scope, choose_type, score_verbs
from smartcommit.draft.embedded.describe import points
from smartcommit.draft.embedded.summarize import choose_summaries
from smartcommit.draft.guidance import NO_BODY, SHORT, SHORT_BODY
from smartcommit.errors import GitError
from smartcommit.git.diff import SUBMODULE_MODE, FileChange, FileDiff, list_changes, read_diffs
from smartcommit.git.log import log_command
from smartcommit.git.repo import Repository
from smartcommit.git.run import NO_LAZY_FETCH, read_head
from smartcommit.message.header import Header
from smartcommit.message.rules import DEFAULT_TYPES

# Bytes of patch that are read; of the files after that only names are known.
PATCH_LIMIT = 2 << 20
SUBMODULE_COMMITS = 20
SUMMARY_LIMIT = 120
# Longer headers are cut in listings, so a shorter sentence is preferred where there is one.
HEADER_WIDTH = 72
LINE_WIDTH = 72


def draft(repository: Repository, base: str, target: str | None, settings: Settings) -> str | None:
    """Draft a message for the change from tree `base` to tree `target` (None: the index), or None if nothing changed.

    The text has a header and, if it helps, a description; it ends with one newline and passes the project's own rules.
    Runs at most four git processes, whatever the size of the change.

    Raise GitError if git fails.
    """
    diffs, submodules = read(repository, base, target)
    if not diffs:
        return None
    return draft_from(ChangeFacts(diffs), History.load(repository), settings, submodules=submodules)


def read(repository: Repository, base: str, target: str | None) -> tuple[list[FileDiff], dict[bytes, list[str]]]:
    """Read what changed, and by its path the subjects of the commits that an updated submodule has gained.

    Raise GitError if git fails.
    """
    try:
        # Lines are counted as they are read: to count all of them first would read everything twice.
        changes = list_changes(repository, base, target, counts=False, thorough=False)
        if not changes:
            return [], {}
        diffs = read_diffs(repository, base, target, changes, limit=PATCH_LIMIT, thorough=False)
    except GitError:
        # A partial clone can lack the old contents of changed files, but not their names.
        changes = list_changes(repository, base, target, renames=False, counts=False, thorough=False)
        diffs = [FileDiff(change, [], complete=False) for change in changes]
    return diffs, _read_gained_commits(repository, changes)


def draft_from(
    change: ChangeFacts,
    history: History,
    settings: Settings,
    *,
    submodules: Mapping[bytes, Sequence[str]] | None = None,
    corrections: Corrections | None = None,
) -> str:
    """Draft a message for `change`, which has a file, from what was read before, without starting a process.

    `submodules` holds, by path, the subjects of the commits that an updated submodule has gained, the newest first.
    `corrections` are what this person made of earlier drafts.
    """
    corrections = corrections or Corrections()
    limit = settings.number("summary-limit") or settings.number("header-limit") or SUMMARY_LIMIT
    types = settings.words("types") or DEFAULT_TYPES
    if follows_history(settings):
        types = tuple(dict.fromkeys((*DEFAULT_TYPES, *history.types)))
    header = Header(choose_type(change, history, types), "")
    header.scope = choose_scope(change, history, settings.words("scopes") or None, chosen_type=header.type)
    if header.scope and follows_history(settings):
        header.scope = history.spell_scope(header.scope, change.paths)
    corrections.correct(header, types)
    recurring = find_recurring(change, history)
    if recurring is not None and recurring.type in types and len(recurring.summary) <= limit:
        header.type, header.summary = recurring.type, recurring.summary
        if follows_history(settings) or recurring.scope in settings.words("scopes"):
            header.scope = recurring.scope
        return f"{header}\n"
    verbs = score_verbs(change, header.type, history)
    corrections.prefer_verbs(verbs)
    sentences = choose_summaries(change, history, header, verbs=verbs, submodules=submodules)
    sentences = corrections.replace_verbs(sentences)
    header.summary = choose_fitting(sentences, HEADER_WIDTH - len(str(header)), limit)
    text = f"{header}\n"
    for number, point in enumerate(_choose_points(list(points(change, submodules)), settings.words("style"))):
        if number == 0:
            text += "\n"
        text += f"- {choose_fitting(point, LINE_WIDTH - 2, LINE_WIDTH - 2)}\n"
    return text


def _choose_points(found: list[Sequence[str]], style: Sequence[str]) -> list[Sequence[str]]:
    """Return as many points as the style of the project's descriptions allows."""
    if NO_BODY in style:
        return []
    return found[:SHORT] if SHORT_BODY in style else found


def _read_gained_commits(repository: Repository, changes: Sequence[FileChange]) -> dict[bytes, list[str]]:
    """Return the subjects of the commits that the only updated submodule has gained, if its repository is present."""
    moved = [change for change in changes if change.old_mode == change.new_mode == SUBMODULE_MODE]
    if len(moved) != 1:
        return {}
    git_dir = os.path.join(repository.worktree, os.fsdecode(moved[0].path), ".git")
    if not os.path.exists(git_dir):
        return {}
    gained = f"{moved[0].old_id}..{moved[0].new_id}"
    try:
        output, _ = read_head(
            log_command("%s", "--no-merges", last=SUBMODULE_COMMITS, revisions=[gained]),
            limit=1 << 16,
            directory=repository.worktree,
            # Inside a hook the environment names the superproject.
            environment={"GIT_DIR": git_dir, **NO_LAZY_FETCH},
        )  # fmt: skip
    except GitError:
        return {}
    return {moved[0].path: [line.decode("utf-8", "replace") for line in output.split(b"\0") if line.strip()]}
