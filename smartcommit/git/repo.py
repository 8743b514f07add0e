"""Where a repository is and what its HEAD names."""

from __future__ import annotations

import os

from smartcommit.errors import GitError
from smartcommit.git.run import run


class Repository:
    """A git repository, found once at the entry point and passed down.

    `worktree` is the working tree's top level and `directory` where git is run: the top level. `git_dir` belongs to
    this worktree (index, HEAD, message files), `common_dir` to the whole repository. All are absolute native paths.
    """

    __slots__ = ("common_dir", "git_dir", "object_format", "worktree")

    def __init__(self, *, worktree: str, git_dir: str, common_dir: str, object_format: str) -> None:
        self.worktree = worktree
        self.git_dir = git_dir
        self.common_dir = common_dir
        self.object_format = object_format

    @classmethod
    def find(cls, directory: str | None = None) -> Repository:
        """The repository around `directory` (default: the current one).

        Raises: GitError when there is none, or when it is bare.
        """
        try:
            done = run(
                ("rev-parse", "--is-bare-repository", "--absolute-git-dir", "--git-common-dir", "--show-object-format"),
                directory=directory,
            )
        except GitError as error:
            if "not a git repository" not in str(error):
                raise
            raise GitError(
                "not a git repository", status=error.status, hint="run this inside a repository, or run 'git init'"
            ) from error
        bare, git_dir, common_dir, object_format = os.fsdecode(done.stdout)[:-1].split("\n")
        if bare == "true":
            raise GitError("this repository is bare: it has no working tree", status=128)
        top = os.fsdecode(run(("rev-parse", "--show-toplevel"), directory=directory).stdout)[:-1]
        common_dir = os.path.join(directory or os.getcwd(), common_dir)
        return cls(worktree=top, git_dir=git_dir, common_dir=os.path.normpath(common_dir), object_format=object_format)

    @property
    def empty_tree(self) -> str:
        """The object name of the empty tree, which a first commit is compared with."""
        if self.object_format == "sha256":
            return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
        return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

    def run(self, *arguments: str | bytes, **options: object) -> bytes:
        """Standard output of `git ARGUMENTS` at the top level; options and errors as `smartcommit.git.run.run`."""
        return run(arguments, directory=self.worktree, **options).stdout  # type: ignore[arg-type]

    def head(self) -> str | None:
        """The commit that HEAD names, or None before the first commit."""
        done = run(("rev-parse", "--verify", "--quiet", "HEAD^{commit}"), directory=self.worktree, expected=(0, 1))
        return done.stdout.decode().strip() or None
