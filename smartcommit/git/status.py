"""`git status --porcelain=v2`, parsed, and the operation that is in progress."""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.errors import GitError, SplitError
from smartcommit.git.repo import Repository

# The mode of a link to a commit of another repository.
_LINK = b"160000"
# A left-over REBASE_HEAD means nothing: only these say that an operation is under way. Source: wt-status.c of git.
_OPERATIONS = (
    ("MERGE_HEAD", "a merge", "git merge --abort' or 'git commit"),
    ("rebase-merge", "a rebase", "git rebase --continue' or 'git rebase --abort"),
    ("rebase-apply", "a rebase or 'git am'", "git rebase --continue' or 'git am --continue"),
    ("CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue' or 'git cherry-pick --abort"),
    ("REVERT_HEAD", "a revert", "git revert --continue' or 'git revert --abort"),
    ("sequencer", "a series of picks or reverts", "git cherry-pick --continue' or 'git cherry-pick --abort"),
)


class WorktreeStatus:
    """HEAD and what is not committed, as one `git status` gave them.

    `head` is None before the first commit and `branch` None where HEAD is detached. `changed` holds the paths, below
    the top level, that are staged, modified, unmerged or untracked; `nested` those of them that are repositories of
    their own, untracked or newly staged as a link, and `unmerged` those with conflicts. `inside` names submodules with
    changes that no commit here can hold. `stashes` counts the entries of the stash, which git tells from 2.35 on.
    """

    __slots__ = ("branch", "changed", "head", "inside", "nested", "stashes", "unmerged")

    def __init__(self) -> None:
        self.head: str | None = None
        self.branch: str | None = None
        self.changed: list[bytes] = []
        self.nested: list[bytes] = []
        self.unmerged: list[bytes] = []
        self.inside: list[bytes] = []
        self.stashes = 0


def look(repository: Repository) -> WorktreeStatus:
    """Where things stand; one process, nothing written.

    Raises: GitError when git fails, above all where the git directory is gone.
    """
    found = WorktreeStatus()
    for entry in _status(repository):
        kind, _, rest = entry.partition(b" ")
        if kind == b"#":
            _take_header(found, rest)
        elif kind == b"?":
            found.changed.append(rest)
            if rest.endswith(b"/"):
                found.nested.append(rest.rstrip(b"/"))
        elif kind in (b"1", b"u"):
            _take_tracked(found, entry)
    return found


def _take_header(found: WorktreeStatus, header: bytes) -> None:
    name, _, value = header.partition(b" ")
    if name == b"branch.oid":
        found.head = None if value == b"(initial)" else value.decode()
    elif name == b"branch.head":
        found.branch = None if value == b"(detached)" else os.fsdecode(value)
    elif name == b"stash":
        found.stashes = int(value)


def _take_tracked(found: WorktreeStatus, entry: bytes) -> None:
    """Source: git-status(1), "Porcelain Format Version 2": the path is the last of a fixed number of fields."""
    fields = entry.split(b" ", 8 if entry.startswith(b"1") else 10)
    (state, submodule, old_mode, new_mode), path = fields[1:5], fields[-1]
    if entry.startswith(b"u"):
        found.unmerged.append(path)
    if submodule.startswith(b"S") and not submodule.endswith(b".."):
        found.inside.append(path)
    if state != b".M" or not submodule.startswith(b"S."):
        found.changed.append(path)
    if entry.startswith(b"1") and new_mode == _LINK != old_mode:
        found.nested.append(path)


def _status(repository: Repository) -> list[bytes]:
    try:
        return repository.run(
            "status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--untracked-files=all", "--ignored=no",
            "--no-ahead-behind", "--ignore-submodules=none", "--show-stash",
        ).split(b"\0")  # fmt: skip
    except GitError as error:
        raise _explained(repository, error) from error


def _explained(repository: Repository, error: GitError) -> GitError:
    if "not a git repository" in str(error) or not os.path.isdir(repository.git_dir):
        return GitError(
            f"the git directory '{repository.git_dir}' is gone", status=error.status,
            hint="the work is in the tree; bring the git directory back, from a backup or a clone",
        )  # fmt: skip
    if "must be run in a work tree" in str(error):
        return GitError(str(error), status=error.status, hint="run 'git config core.bare false'")
    return error


def top(repository: Repository) -> str:
    """What git takes for the top level of the working tree now; one process."""
    return os.fsdecode(repository.run("rev-parse", "--show-toplevel"))[:-1]


def submodules(repository: Repository) -> list[bytes]:
    """The paths that `.gitmodules` in the working tree names; one process."""
    listing = repository.ended(
        "config", "--file", ".gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$", expected=(0, 1)
    ).stdout
    return [entry.partition(b"\n")[2] for entry in listing.split(b"\0")[:-1]]


def stashed_on(repository: Repository) -> str:
    """What git noted for the last entry of the stash, as `WIP on main: ...`; one process."""
    noted = repository.run("log", "--walk-reflogs", "-1", "--format=%gs", "refs/stash", "--")
    return noted.decode("utf-8", "surrogateescape").strip()


def contains(repository: Repository, commit: str, head: str) -> bool:
    """Whether the history of `head` holds `commit`; one process."""
    done = repository.ended("merge-base", "--is-ancestor", commit, head, expected=(0, 1, 128))
    return done.returncode == 0


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
    for entry in _read_status(repository):
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


def _read_status(repository: Repository) -> list[bytes]:
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
