"""Commits checked out one after the other in a folder of their own, far from the user's repository.

The folder holds a repository that borrows objects and settings, so that nothing is registered with the user's: no
worktree, no ref, no lock, whatever becomes of this process. Submodules stay empty there.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from smartcommit.git.repo import Repository

# What ties a git to the repository of its caller. Source: `git rev-parse --local-env-vars`.
_LOCAL = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS",
    "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)  # fmt: skip

_OWN = (
    f"[core]\n\thooksPath = {os.devnull}\n\tsparseCheckout = false\n\tfsmonitor = false\n"
    "[submodule]\n\trecurse = false\n"
)


class Scratch:
    """The folder; `path` is its top level, and `environment` what a program in it is to be started with."""

    def __init__(self, repository: Repository) -> None:
        self.path = repository.worktree
        self.environment = {name: value for name, value in os.environ.items() if name not in _LOCAL}
        self._repository = repository

    def show(self, commit: str) -> None:
        """Make the folder hold `commit`: what is untracked goes, what is ignored stays, say for the next build.

        Raises: GitError when git fails.
        """
        self._repository.run("checkout", "--quiet", "--force", "--detach", commit)
        self._repository.run("clean", "--quiet", "-ffd")


@contextmanager
def scratch(repository: Repository, stores: Sequence[str]) -> Iterator[Scratch]:
    """A folder that is removed in the end, with the objects of the folders `stores`.

    Raises: GitError when git fails.
    """
    with tempfile.TemporaryDirectory(prefix="smartcommit-", ignore_cleanup_errors=True) as folder:
        top = os.path.join(os.path.realpath(folder), "tree")
        git_dir = os.path.join(top, ".git")
        os.mkdir(top)
        borrowing = Repository(
            worktree=top,
            git_dir=git_dir,
            common_dir=git_dir,
            object_format=repository.object_format,
            environment={
                "GIT_DIR": git_dir,
                "GIT_WORK_TREE": top,
                "GIT_INDEX_FILE": os.path.join(git_dir, "index"),
                "GIT_OBJECT_DIRECTORY": os.path.join(git_dir, "objects"),
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": "",
            },
        )
        borrowing.run("init", "--quiet", "--template=", f"--object-format={repository.object_format}")
        _borrow(git_dir, stores, os.path.join(repository.common_dir, "config"))
        yield Scratch(borrowing)


def _borrow(git_dir: str, stores: Sequence[str], config: str) -> None:
    os.makedirs(os.path.join(git_dir, "objects", "info"), exist_ok=True)
    with open(os.path.join(git_dir, "objects", "info", "alternates"), "wb") as file:
        file.writelines(os.fsencode(store) + b"\n" for store in stores)
    # Filters and line ends as the user's. Later values win, so git's own for this folder come last.
    path = os.path.join(git_dir, "config")
    with open(path, "rb") as file:
        own = file.read()
    quoted = os.fsencode(config).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    with open(path, "wb") as file:
        file.write(b'[include]\n\tpath = "%s"\n%s%s' % (quoted, own, _OWN.encode()))
