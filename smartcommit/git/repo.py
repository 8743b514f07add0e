"""A repository: where it is, what its HEAD names, and the two trees of a change in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from smartcommit.errors import GitError
from smartcommit.files import read_content
from smartcommit.git.query import Place, is_found_from, locate
from smartcommit.git.run import read_file, read_head, run
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess


# What HEAD is in the files of git, and in a repository whose references are in tables.
_BRANCH = b"ref: refs/heads/"
_REFTABLE = b"ref: refs/heads/.invalid"
# Bytes of a reflog that are read: whoever has made more commits on a branch has made one.
_LOG_BYTES = 1 << 16


class Repository(Record):
    """A git repository, found once at the entry point and passed down.

    `worktree` is the top level of the working tree, where git runs. `git_dir` belongs to this worktree (index, HEAD,
    message files), `common_dir` to the whole repository. All are absolute native paths. `environment` is added to that
    of every git process, and `run` and `ended` pass `options` to git before the command.
    """

    worktree: str
    git_dir: str
    common_dir: str
    object_format: str
    environment: Mapping[str, str] = MappingProxyType({})
    options: tuple[str, ...] = ()

    @classmethod
    def find(cls, directory: str | None = None) -> Repository:
        """Find the repository around `directory` (default: the current one); raise as `find_place` does."""
        return cls.at(find_place(directory))

    @classmethod
    def at(cls, place: Place) -> Repository:
        repository = cls(place.worktree, place.git_dir, place.common_dir, place.object_format)
        return repository if is_found_from(place.worktree, place.git_dir) else repository.pinned()

    def pinned(self, **environment: str) -> Repository:
        """Return this repository with its paths and `environment` passed to git, whatever `GIT_*` the caller has."""
        return self.extended(GIT_DIR=self.git_dir, GIT_WORK_TREE=self.worktree, **environment)

    def confined(self) -> Repository:
        """Return this repository and never one around it: if its git directory is missing, every git fails.

        Source: git(1), GIT_CEILING_DIRECTORIES.
        """
        ceilings = [os.path.dirname(self.worktree)]
        if os.environ.get("GIT_CEILING_DIRECTORIES"):
            ceilings.append(os.environ["GIT_CEILING_DIRECTORIES"])
        return self.extended(GIT_CEILING_DIRECTORIES=os.pathsep.join(ceilings))

    def extended(self, *options: str, **environment: str) -> Repository:
        """Return this repository with more options and variables for git."""
        changed = {"environment": {**self.environment, **environment}, "options": (*self.options, *options)}
        return Repository(**{**self.as_dict(), **changed})

    def make_caller_environment(self) -> dict[str, str]:
        """Return the environment that this process was started with, with absolute paths to the repository."""
        environment = dict(os.environ)
        if "GIT_DIR" in environment or not is_found_from(self.worktree, self.git_dir):
            environment["GIT_DIR"] = self.git_dir
            environment["GIT_WORK_TREE"] = self.worktree
        return environment

    @property
    def index(self) -> str:
        """The index in use: `GIT_INDEX_FILE`, relative to the top level as for git, or the worktree's own."""
        return os.path.join(self.worktree, os.environ.get("GIT_INDEX_FILE") or os.path.join(self.git_dir, "index"))

    @property
    def objects(self) -> str:
        return os.path.join(
            self.worktree, os.environ.get("GIT_OBJECT_DIRECTORY") or os.path.join(self.common_dir, "objects")
        )

    @property
    def null_id(self) -> str:
        return "0" * (64 if self.object_format == "sha256" else 40)

    @property
    def empty_tree(self) -> str:
        if self.object_format == "sha256":
            return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
        return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

    def run(self, *arguments: str | bytes, **options: object) -> bytes:
        """Return the output of `git ARGUMENTS` at the top level; options and errors as `smartcommit.git.run.run`."""
        return self.ended(*arguments, **options).stdout

    def ended(self, *arguments: str | bytes, **options: object) -> subprocess.CompletedProcess[bytes]:
        command = (*self.options, *arguments)
        return run(command, directory=self.worktree, environment=self.environment, **options)  # type: ignore[arg-type]

    def read_head(self, arguments: Sequence[str | bytes], *, limit: int, **bounds: object) -> tuple[bytes, bool]:
        """Return the start of what `git ARGUMENTS` prints at the top level, as `smartcommit.git.run.read_head`."""
        directory, environment = self.worktree, self.environment
        return read_head(arguments, limit=limit, directory=directory, environment=environment, **bounds)  # type: ignore[arg-type]

    def hooks_path(self) -> str:
        """Return the directory in which git looks for hooks; one process."""
        # For an empty core.hooksPath git names the current directory, but runs hooks of the root.
        path = os.fsdecode(self.run("rev-parse", "--git-path", "hooks/commit-msg")).removesuffix("\n")
        return os.path.join(self.worktree, os.path.dirname(path).replace("/", os.sep))

    def head(self) -> str | None:
        # A draft asks too, and the import of `subprocess` would cost it more than git.
        command = ("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        answer, _ = self.read_head(command, limit=1 << 16, expected=(0, 1))
        return answer.decode().strip() or None

    def branch(self) -> str | None:
        """Return the branch that HEAD names, whether or not it has a commit, or None if HEAD is detached.

        No process is started if references are in files. Source: gitrepository-layout(5).
        """
        path = os.path.join(self.git_dir, "HEAD")
        content = (read_file(path) or b"").rstrip(b"\n")
        if os.path.islink(path) or content == _REFTABLE:
            answer = self.ended("symbolic-ref", "--quiet", "HEAD", expected=(0, 1)).stdout
            return os.fsdecode(answer.rstrip(b"\n")).removeprefix("refs/heads/") or None
        return os.fsdecode(content.removeprefix(_BRANCH)) if content.startswith(_BRANCH) else None

    def branch_at_work(self) -> str:
        """Return the branch that HEAD names, or the one that is being rebased; an empty string if there is neither.

        A rebase detaches HEAD. Source: wt-status.c of git 2.55.
        """
        branch = self.branch()
        for folder in ("rebase-merge", "rebase-apply"):
            ref = read_file(os.path.join(self.git_dir, folder, "head-name")) or b""
            if branch is None and ref.startswith(b"refs/heads/"):
                branch = os.fsdecode(ref.rstrip(b"\n")).removeprefix("refs/heads/")
        return branch or ""

    def has_own_commits(self, branch: str) -> bool:
        """Whether `branch` is known to have commits that were not there when it was created.

        It is not known if the repository keeps no reflogs, or not in files. Source: git-reflog(1).
        """
        log = os.path.join(self.common_dir, "logs", "refs", "heads", branch)
        for line in read_content(log, _LOG_BYTES).split(b"\n"):
            _, _, action = line.partition(b"\t")
            # A branch that follows another one of its name has the commits that were pushed there.
            if action.startswith(b"commit") or action.endswith(b"/" + os.fsencode(branch)):
                return True
        return False


def find_place(directory: str | None = None, *, with_head: bool = False) -> Place:
    """Return where the repository around `directory` is, as `locate` does; GitError if there is none, or a bare one."""
    place = locate(directory, with_head=with_head)
    if place is not None:
        return place
    try:
        run(("rev-parse", "--show-toplevel"), directory=directory)
    except GitError as error:
        if "not a git repository" in str(error):
            hint = "run this inside a repository, or run 'git init'"
            raise GitError("not a git repository", status=error.status, hint=hint) from None
        bare = run(("rev-parse", "--is-bare-repository"), directory=directory, expected=(0, 128)).stdout
        if bare == b"true\n":
            raise GitError("this repository is bare: it has no working tree", status=128) from None
        raise
    raise GitError("cannot tell where the repository is", status=0, hint="update git")


class Trees(Record):
    """The two trees of a change that is drafted for; the `target` None is the index."""

    repository: Repository
    base: str
    target: str | None = None
