"""Drafting for jj: a description for the working-copy commit, which jj never asks a hook for."""

from __future__ import annotations

import os
from collections.abc import Mapping

from smartcommit import policy
from smartcommit.config import Settings
from smartcommit.draft.engine import Draft, draft, patience_of
from smartcommit.errors import ConfigError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run as run_git
from smartcommit.jj.change import JjChange, describe, lock, read_change
from smartcommit.jj.run import NO_SNAPSHOT, find_root, run_jj
from smartcommit.terminal import Terminal
from smartcommit.waiting import Deadline


def describe_change(
    directory: str, arguments: Mapping[str, object], *, wish: str, terminal: Terminal | None = None
) -> Draft:
    """Describe the working-copy commit of the workspace around `directory` by the engine that `arguments` choose.

    Raises: SmartcommitError when it has a description, conflicts or no modifications, when somebody changes it while
    the engine works, or when jj or git fails.
    """
    root = find_root(directory)
    with lock(root):
        change = read_change(root, snapshot=True)
    if change.description.strip():
        raise SmartcommitError("the change is described already", hint="run 'jj describe' to edit its description")
    if change.conflict:
        raise SmartcommitError("the change has conflicts", hint="run 'jj resolve' first")
    made = _draft(root, change, policy.load(root, arguments=arguments), wish=wish, terminal=terminal)
    if not made.changed:
        raise SmartcommitError("the change is empty: there is nothing to draft a description for")
    if made.text is None:
        raise ConfigError(made.reason or "there is no message that passes the rules")
    # A model takes its time, and nobody else has to wait for it: jj compares when the description is written.
    with lock(root):
        describe(root, change, made.text)
    return made


def _draft(root: str, change: JjChange, settings: Settings, *, wish: str, terminal: Terminal | None) -> Draft:
    """A message from the commit that jj keeps in git's object store, compared with its first parent."""
    store = os.fsdecode(run_jj(("git", "root", NO_SNAPSHOT), repository=root)).rstrip("\n")
    # Beside a git repository git is run at its top level; the store of any other is bare.
    place = root if os.path.realpath(store) == os.path.realpath(os.path.join(root, ".git")) else store
    repository = Repository(worktree=place, git_dir=store, common_dir=store, object_format="sha1")
    shown = run_git(("log", "-1", "--no-show-signature", "--format=%T %P", change.commit_id), directory=place).stdout
    tree, _, parents = shown.decode().strip().partition(" ")
    base = parents.split(" ")[0] or repository.empty_tree
    patience = Deadline(patience_of(settings))
    return draft(repository, base, tree, settings, deadline=patience, terminal=terminal, wish=wish)
