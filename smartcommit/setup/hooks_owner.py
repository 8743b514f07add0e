"""Where git looks for the hooks of a repository, and whose directory that is."""

from __future__ import annotations

import os
from typing import NamedTuple

from smartcommit import DOCS
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository

# A directory in the git directory is for this clone alone, one in the working tree is tracked and shared with others.
OWN, TRACKED, FOREIGN = "own", "tracked", "foreign"


class HooksPath(NamedTuple):
    """The directory in which git looks for hooks, without links, whose it is, and the usual one of the repository."""

    path: str
    owner: str
    usual: str


def find_hooks_path(repository: Repository) -> HooksPath:
    """Return where git looks for the hooks of `repository`; one process."""
    path = os.path.realpath(repository.hooks_path())
    common = os.path.realpath(repository.common_dir)
    owner = FOREIGN
    if is_below(path, common):
        owner = OWN
    elif is_below(path, os.path.realpath(repository.worktree)):
        owner = TRACKED
    return HooksPath(path, owner, usual=os.path.join(common, "hooks"))


def explain_path(repository: Repository, found: HooksPath) -> str:
    """Return why git looks for hooks outside the usual directory."""
    if repository.run("config", "--get", "core.hooksPath", expected=(0, 1)):
        return f"core.hooksPath is set to '{found.path}'"
    return f"'{os.path.join(repository.common_dir, 'hooks')}' is a symbolic link to '{found.path}'"


def refuse_folder(repository: Repository, found: HooksPath) -> None:
    """Raise SmartcommitError if git looks for hooks in a directory that is not for this clone alone."""
    if found.owner == TRACKED:
        raise SmartcommitError(
            f"{explain_path(repository, found)}, in the working tree, where hooks for this machine alone do not belong",
            hint="run 'smartcommit install --add-lines' to add lines for everybody to the hooks there",
        )
    if found.owner == FOREIGN:
        raise SmartcommitError(
            f"{explain_path(repository, found)}, which is not this repository's",
            hint=f"add these lines to the hooks there: {DOCS}/installing.md#lines-for-everybody",
        )


def is_below(path: str, directory: str) -> bool:
    """Whether `path` is `directory` or in it; both are absolute, without links."""
    return os.path.commonpath([path, directory]) == directory
