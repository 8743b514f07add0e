"""`git status --porcelain=v2`, parsed, and the operation that is in progress."""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.errors import GitError, SplitError
from smartcommit.files import IS_WINDOWS
from smartcommit.git.diff import SUBMODULE_MODE
from smartcommit.git.query import list_kept
from smartcommit.git.repo import Repository
from smartcommit.record import Record


class Operation(Record):
    """What git has begun and not ended, as `a merge`, and the commands that end it, between their outer quotes."""

    name: str
    commands: str


# By files that exist only while the operation is in progress, unlike REBASE_HEAD. Source: wt-status.c of git.
_OPERATIONS = {
    "MERGE_HEAD": Operation("a merge", "git merge --abort' or 'git commit"),
    "rebase-merge": Operation("a rebase", "git rebase --continue' or 'git rebase --abort"),
    "rebase-apply": Operation("a rebase or 'git am'", "git rebase --continue' or 'git am --continue"),
    "CHERRY_PICK_HEAD": Operation("a cherry-pick", "git cherry-pick --continue' or 'git cherry-pick --abort"),
    "REVERT_HEAD": Operation("a revert", "git revert --continue' or 'git revert --abort"),
    "sequencer": Operation(
        "a cherry-pick or revert sequence", "git cherry-pick --continue' or 'git cherry-pick --abort"
    ),
}
# What git says of a folder, or of a tracked file, that it goes on without; on Windows it is the second form.
_OVERLONG = (b": File name too long", b": Filename too long")
_UNREAD = b"warning: could not open directory '"
# Without that setting of Git for Windows a path has up to 259 characters there; on macOS it has 1,023 bytes.
SHORTEN = "run 'git config core.longPaths true'" if IS_WINDOWS else "move it nearer to the top level"
# The options of the status that `parse_status` reads.
STATUS = ("status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--ignored=no", "--no-ahead-behind")


class WorktreeStatus:
    """HEAD and what is not committed, from one `git status`. Paths are relative to the top level.

    `head` is None before the first commit, and `branch` None if HEAD is detached. `changed` has the paths that are
    staged, modified, unmerged or untracked; `staged` those that the index has otherwise than HEAD, with the object
    name; `untracked` those that git does not track, where a nested repository ends in a slash, also one that has
    replaced a tracked file; `unmerged` the paths with conflicts; `intended` those only announced by `git add -N`;
    `removed` those that HEAD has and the index has not, untracked or gone. `inside` has submodules with changes that no
    commit here can record. `overlong` has the files and folders that git cannot read, as their paths are too long.
    `stashes` counts the entries of the stash, if `--show-stash` was given; git has it since 2.35.
    """

    def __init__(self, head: str | None = None, branch: str | None = None, changed: Sequence[bytes] = ()) -> None:
        self.head = head
        self.branch = branch
        self.changed = list(changed)
        self.staged: dict[bytes, str] = {}
        self.untracked: list[bytes] = []
        self.unmerged: list[bytes] = []
        self.intended: list[bytes] = []
        self.removed: list[bytes] = []
        self.inside: list[bytes] = []
        self.overlong: list[bytes] = []
        self.stashes = 0


def read_worktree_status(repository: Repository) -> WorktreeStatus:
    """Read the status with submodules and the stash; nothing is written."""
    try:
        return _read_status(repository, "--ignore-submodules=none", "--show-stash")
    except GitError as error:
        if "not a git repository" in str(error) or not os.path.isdir(repository.git_dir):
            raise GitError(
                f"the git directory '{repository.git_dir}' no longer exists", status=error.status,
                hint="the work is still in the working tree; restore the git directory from a backup or a clone",
            ) from error  # fmt: skip
        raise


def read_status(repository: Repository, *, untracked: bool = True) -> WorktreeStatus:
    """Read the status without submodules; raise SplitError if HEAD must not be moved now."""
    refuse_operations(repository)
    status = _read_status(repository, "--ignore-submodules=all", untracked=untracked)
    if status.unmerged:
        path = os.fsdecode(status.unmerged[0])
        raise SplitError(f"'{path}' has unresolved conflicts", hint="resolve them and run 'git add', then split again")
    return status


def _read_status(repository: Repository, *options: str, untracked: bool = True) -> WorktreeStatus:
    done = repository.ended(*STATUS, f"--untracked-files={'all' if untracked else 'no'}", *options)
    status = parse_status(done.stdout)
    status.overlong = list_overlong(done.stderr)
    return status


def list_overlong(errors: bytes) -> list[bytes]:
    """Return the paths that git could not read because they are too long, as it says in `errors`."""
    files, folders = [], []
    for line in errors.split(b"\n"):
        path, _, _ = line.rpartition(b": ")
        if line.endswith(_OVERLONG) and path.startswith(_UNREAD):
            folders.append(path.removeprefix(_UNREAD).removesuffix(b"'"))
        elif line.endswith(_OVERLONG):
            files.append(path)
    return [*folders, *(path for path in files if not path.startswith(tuple(folders)))]


def parse_status(output: bytes) -> WorktreeStatus:
    status = WorktreeStatus()
    for entry in output.split(b"\0"):
        kind, _, rest = entry.partition(b" ")
        if kind == b"#":
            name, _, value = rest.partition(b" ")
            if name == b"branch.oid" and value != b"(initial)":
                status.head = value.decode()
            elif name == b"branch.head" and value != b"(detached)":
                status.branch = os.fsdecode(value)
            elif name == b"stash":
                status.stashes = int(value)
        elif kind == b"?":
            status.changed.append(rest)
            status.untracked.append(rest)
        elif kind in (b"1", b"u"):
            _parse_tracked(status, kind, rest)
    return status


def _parse_tracked(status: WorktreeStatus, kind: bytes, entry: bytes) -> None:
    """Source: git-status(1), "Porcelain Format Version 2": the path is the last of a fixed number of fields."""
    fields = entry.split(b" ", 7 if kind == b"1" else 9)
    (state, submodule, _, new_mode, worktree_mode), path = fields[:5], fields[-1]
    if kind == b"1" and not state.startswith(b"."):
        status.staged[path] = fields[6].decode()
    if submodule.startswith(b"S") and not submodule.endswith(b".."):
        status.inside.append(path)
    if state != b".M" or not submodule.startswith(b"S."):
        status.changed.append(path)
    if kind == b"u":
        status.unmerged.append(path)
        return
    link = SUBMODULE_MODE.encode()
    if worktree_mode == link != new_mode:
        status.untracked.append(path + b"/")
    if state == b".A":
        status.intended.append(path)
    elif state.startswith(b"D"):
        status.removed.append(path)


def list_hidden(repository: Repository) -> dict[str, list[bytes]]:
    """Return the tracked paths whose changes git does not look for, by the flag that says so; one process.

    What a sparse checkout leaves out of the working tree is none of them. Source: git-ls-files(1), -t and -v.
    """
    sparse = os.path.exists(os.path.join(repository.git_dir, "info", "sparse-checkout"))
    hidden: dict[str, list[bytes]] = {"assume-unchanged": [], "skip-worktree": []}
    for entry in repository.run("ls-files", "-v", "-z").split(b"\0")[:-1]:
        tag, path = entry[:1], entry[2:]
        if tag.islower():
            hidden["assume-unchanged"].append(path)
        if tag in b"Ss" and not (sparse and not os.path.lexists(os.path.join(os.fsencode(repository.worktree), path))):
            hidden["skip-worktree"].append(path)
    return hidden


def list_submodules(repository: Repository) -> list[bytes]:
    """Return the paths in `.gitmodules` of the working tree."""
    listing = repository.ended(
        "config", "--file", ".gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$", expected=(0, 1)
    ).stdout
    return [entry.partition(b"\n")[2] for entry in listing.split(b"\0")[:-1]]


def is_ancestor(repository: Repository, commit: str, head: str) -> bool:
    done = repository.ended("merge-base", "--is-ancestor", commit, head, expected=(0, 1, 128))
    return done.returncode == 0


def find_operation(repository: Repository) -> Operation | None:
    names = list_kept(repository.git_dir, list(_OPERATIONS))
    return next((operation for name, operation in _OPERATIONS.items() if name in names), None)


def refuse_operations(repository: Repository) -> None:
    operation = find_operation(repository)
    if operation is not None:
        raise SplitError(f"{operation.name} is in progress", hint=f"finish it first: '{operation.commands}'")
    # `git commit -a` and `git commit -- path` give their hooks an index that is still a lock.
    if repository.index.endswith(".lock"):
        raise SplitError("a 'git commit' is in progress", hint="run this outside its hooks")
