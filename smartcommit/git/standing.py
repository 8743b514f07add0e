"""Where HEAD is and which paths differ from it: what must hold before and after a commit of everything."""

from __future__ import annotations

import os

from smartcommit.errors import GitError
from smartcommit.git.repo import Repository


class Standing:
    """HEAD and what is not committed, as one `git status` gave them.

    `head` is None before the first commit and `branch` None where HEAD is detached. `changed` holds the paths, below
    the top level, that are staged, modified, unmerged or untracked.
    """

    __slots__ = ("branch", "changed", "head")

    def __init__(self, *, head: str | None, branch: str | None, changed: list[bytes]) -> None:
        self.head = head
        self.branch = branch
        self.changed = changed


def look(repository: Repository) -> Standing:
    """Where things stand; one process, nothing written.

    Changes inside a submodule do not count: no commit here can hold them.

    Raises: GitError when git fails, above all where the git directory is gone.
    """
    head = branch = None
    changed = []
    for entry in _status(repository):
        if entry.startswith(b"# branch.oid "):
            oid = entry[13:].decode()
            head = None if oid == "(initial)" else oid
        elif entry.startswith(b"# branch.head "):
            name = os.fsdecode(entry[14:])
            branch = None if name == "(detached)" else name
        elif entry.startswith((b"1 ", b"u ", b"? ")):
            # Source: git-status(1), "Porcelain Format Version 2": the path is the last of a fixed number of fields.
            changed.append(entry.split(b" ", {b"1": 8, b"u": 10, b"?": 1}[entry[:1]])[-1])
    return Standing(head=head, branch=branch, changed=changed)


def _status(repository: Repository) -> list[bytes]:
    try:
        return repository.run(
            "status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--untracked-files=all", "--ignored=no",
            "--no-ahead-behind", "--ignore-submodules=dirty",
        ).split(b"\0")  # fmt: skip
    except GitError as error:
        if "not a git repository" not in str(error):
            raise
        raise GitError(
            f"the git directory '{repository.git_dir}' is gone", status=error.status,
            hint="the work is in the tree; bring the git directory back, from a backup or a clone",
        ) from error  # fmt: skip


def contains(repository: Repository, commit: str, head: str) -> bool:
    """Whether the history of `head` holds `commit`; one process."""
    done = repository.ended("merge-base", "--is-ancestor", commit, head, expected=(0, 1, 128))
    return done.returncode == 0
