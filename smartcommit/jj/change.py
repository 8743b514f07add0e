"""jj's working-copy commit: reading it, and giving it a description that was made from what was read."""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from dataclasses import dataclass

from smartcommit.errors import JjError
from smartcommit.jj.run import NO_SNAPSHOT, run, shared_directory
from smartcommit.locks import hold

_FLAGS = ("empty", "conflict", "divergent", "immutable")
_FIELDS = ("commit_id", "change_id", "description", *_FLAGS)
# Methods, for a user's template aliases can stand for keywords.
_TEMPLATE = '"{" ++ ' + ' ++ "," ++ '.join(f'"\\"{name}\\":" ++ json(self.{name}())' for name in _FIELDS) + ' ++ "}"'


class ChangeMoved(JjError):
    """The working-copy commit is no longer the one that was read; nothing was written."""


@dataclass(slots=True, frozen=True)
class Change:
    """The working-copy commit of one workspace, as jj told it.

    `description` ends with a line feed unless it is empty. `empty` is as of the last snapshot. The ids are in full.
    """

    commit_id: str
    change_id: str
    description: str
    empty: bool
    conflict: bool
    divergent: bool
    immutable: bool


def read(root: str, *, snapshot: bool) -> Change:
    """The working-copy commit of the workspace at `root`; one process.

    With `snapshot` jj looks at the working copy first, which it refuses where that is stale; the caller holds the lock.

    Raises: JjError when jj fails or says something else.
    """
    said = run(
        ("log", *(() if snapshot else (NO_SNAPSHOT,)), "-r", "@", "--no-graph", "-T", _TEMPLATE), repository=root
    )
    try:
        return Change(**json.loads(said))
    except (ValueError, TypeError):
        raise JjError(
            "jj printed something else than the change", hint="run 'jj log -r @' and look for template aliases"
        ) from None


def describe(root: str, change: Change, description: str) -> None:
    """Give the working-copy commit `description` if it still is `change`; one process, no snapshot.

    jj itself compares: the revset names the commit that was read, and is an error where that is not the working copy's.
    Where jj fails and the description is there all the same, it is written.

    Raises: ChangeMoved when it is another commit by now; JjError when jj fails or the change is immutable.
    """
    if change.immutable:
        raise JjError("the working-copy commit is immutable", hint="run 'jj new' for a change of your own")
    revset = f"exactly(@ & {change.commit_id}, 1)"
    try:
        run(("describe", NO_SNAPSHOT, "-r", revset, "--stdin"), repository=root, stdin=description.encode())
    except JjError:
        now = read(root, snapshot=False)
        if now.change_id == change.change_id and now.description == description:
            return  # jj ended badly behind the write: made anew, the edit would be made twice
        if now.commit_id != change.commit_id:
            raise ChangeMoved(
                "the working-copy commit was changed by somebody else meanwhile", hint="look at it and try again"
            ) from None
        raise


def new(root: str) -> None:
    """Begin a new change on top of the working-copy commit, after a snapshot.

    Raises: JjError when jj fails.
    """
    with lock(root):
        run(("new",), repository=root)


def lock(root: str) -> AbstractContextManager[None]:
    """The lock of the repository around `root`, for reading with a snapshot and for writing.

    One for all workspaces: rewriting a commit rewrites its descendants, which can be another workspace's.
    """
    return hold(os.path.join(shared_directory(root), "smartcommit.lock"))
