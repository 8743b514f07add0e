"""Drafting for jj: a description for the working-copy commit, which jj never asks a hook for."""

from __future__ import annotations

import os

from smartcommit import policy
from smartcommit.change.history import History
from smartcommit.draft import embedded
from smartcommit.errors import SmartcommitError
from smartcommit.git.diff import list_changes, read_diffs
from smartcommit.git.repo import Repository
from smartcommit.git.run import run as run_git
from smartcommit.jj.change import Change, describe, lock, read
from smartcommit.jj.run import NO_SNAPSHOT, find_root, run


def describe_change(directory: str) -> str:
    """Describe the working-copy commit of the workspace around `directory`; the text that it has now.

    Raises: SmartcommitError when it has a description, conflicts or no modifications, or when jj or git fails.
    """
    root = find_root(directory)
    with lock(root):
        change = read(root, snapshot=True)
        if change.description.strip():
            raise SmartcommitError("the change is described already", hint="run 'jj describe' to edit its description")
        if change.conflict:
            raise SmartcommitError("the change has conflicts", hint="run 'jj resolve' first")
        message = None if change.empty else _draft(root, change)
        if message is None:
            raise SmartcommitError("the change is empty: there is nothing to draft a description for")
        describe(root, change, message)
    return message


def _draft(root: str, change: Change) -> str | None:
    """A message from the commit that jj keeps in git's object store, compared with its first parent."""
    store = os.fsdecode(run(("git", "root", NO_SNAPSHOT), repository=root)).rstrip("\n")
    # Beside a git repository git is run at its top level; the store of any other is bare.
    place = root if os.path.realpath(store) == os.path.realpath(os.path.join(root, ".git")) else store
    repository = Repository(worktree=place, git_dir=store, common_dir=store, object_format="sha1")
    parent = run_git(
        ("rev-parse", "--verify", "--quiet", f"{change.commit_id}^1"), directory=place, expected=(0, 1)
    ).stdout.decode()
    base = parent.strip() or repository.empty_tree
    changes = list_changes(repository, base, change.commit_id, counts=False)
    if not changes:
        return None
    diffs = read_diffs(repository, base, change.commit_id, changes, limit=embedded.PATCH_LIMIT)
    return embedded.draft_from(diffs, History.load(repository, base), policy.load(root))
