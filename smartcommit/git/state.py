"""What a repository is in the middle of, and whether its HEAD can be moved now."""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.errors import SplitError
from smartcommit.git.repo import Repository

# A left-over REBASE_HEAD means nothing: only these say that an operation is under way. Source: wt-status.c of git.
_OPERATIONS = (
    ("MERGE_HEAD", "a merge", "git merge --abort' or 'git commit"),
    ("rebase-merge", "a rebase", "git rebase --continue' or 'git rebase --abort"),
    ("rebase-apply", "a rebase or 'git am'", "git rebase --continue' or 'git am --continue"),
    ("CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue' or 'git cherry-pick --abort"),
    ("REVERT_HEAD", "a revert", "git revert --continue' or 'git revert --abort"),
    ("sequencer", "a series of picks or reverts", "git cherry-pick --continue' or 'git cherry-pick --abort"),
)


def operation(repository: Repository) -> tuple[str, str] | None:
    """What is in progress here, as `a merge`, and the commands that end it; None where nothing is."""
    for name, what, command in _OPERATIONS:
        if os.path.exists(os.path.join(repository.git_dir, name)):
            return what, command
    return None


class State:
    """HEAD and what is not tracked, as one `git status` gave them.

    `head` is None before the first commit and `branch` None where HEAD is detached. `untracked` holds paths below the
    top level; one that ends in a slash is a repository of its own. `intended` are those that are only marked as to be
    added. `removed` are those that only HEAD has, not the index; they may be untracked.
    """

    __slots__ = ("branch", "head", "intended", "removed", "untracked")

    def __init__(
        self,
        *,
        head: str | None,
        branch: str | None,
        untracked: list[bytes],
        intended: Sequence[bytes] = (),
        removed: Sequence[bytes] = (),
    ) -> None:
        self.head = head
        self.branch = branch
        self.intended = intended
        self.removed = removed
        self.untracked = untracked


def read_state(repository: Repository) -> State:
    """Where HEAD is and what is untracked; one process, nothing written.

    Raises: SplitError when HEAD must not be moved now: in a merge, rebase, cherry-pick or revert, with unmerged paths,
    or inside a running `git commit`.
    """
    _refuse_operations(repository)
    head = branch = None
    untracked, intended, removed = [], [], []
    for entry in _status(repository):
        if entry.startswith(b"# branch.oid "):
            oid = entry[13:].decode()
            head = None if oid == "(initial)" else oid
        elif entry.startswith(b"# branch.head "):
            name = os.fsdecode(entry[14:])
            branch = None if name == "(detached)" else name
        elif entry.startswith(b"u "):
            path = os.fsdecode(entry.split(b" ", 10)[10])
            raise SplitError(f"'{path}' is not merged yet", hint="resolve it and run 'git add' on it, then split")
        elif entry.startswith(b"1 .A"):
            intended.append(entry.split(b" ", 8)[8])
        elif entry.startswith(b"1 D"):
            removed.append(entry.split(b" ", 8)[8])
        elif entry.startswith(b"? "):
            untracked.append(entry[2:])
    return State(head=head, branch=branch, untracked=untracked, intended=intended, removed=removed)


def _status(repository: Repository) -> list[bytes]:
    return repository.run(
        "status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--untracked-files=all", "--ignored=no",
        "--no-ahead-behind", "--ignore-submodules=all",
    ).split(b"\0")  # fmt: skip


def _refuse_operations(repository: Repository) -> None:
    found = operation(repository)
    if found is not None:
        raise SplitError(f"{found[0]} is in progress", hint=f"finish it first: '{found[1]}'")
    # `git commit -a` and `git commit -- path` give their hooks an index that is still a lock.
    if repository.index.endswith(".lock"):
        raise SplitError("a 'git commit' is in progress", hint="run 'git smart-commit' outside its hooks")
