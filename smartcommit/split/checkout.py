"""A temporary checkout of the commits of a split, for programs that run on each: a check, and hooks on messages.

It is a repository of its own that borrows objects and settings, so that the user's repository has no worktree, ref or
lock of it, even if this process is killed. Submodules stay empty there.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from smartcommit.errors import GitError, SplitError
from smartcommit.git.isolation import switch_hooks_off
from smartcommit.git.repo import Repository
from smartcommit.git.run import REPOSITORY_VARIABLES, quote_path
from smartcommit.git.snapshot import Snapshot
from smartcommit.message.characters import printable
from smartcommit.processes.run import find_shell, run_in_session
from smartcommit.split.apply import Prepared
from smartcommit.split.outcome import Out

# Lines at the end of a program's output that are shown: what a coding agent reads fills its context.
_LINES_KEPT = 12
# Bytes of these.
_BYTES_KEPT = 1 << 14
# Variables that tie git to the repository of its caller. Source: `git rev-parse --local-env-vars`.
_LOCAL = (
    *REPOSITORY_VARIABLES, "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
)  # fmt: skip

# Settings of the checkout that outweigh the user's: no hook runs, and all files are there.
_CHECKOUT_SETTINGS = (
    f"[core]\n\thooksPath = {os.devnull}\n\tsparseCheckout = false\n\tfsmonitor = false\n"
    "[submodule]\n\trecurse = false\n"
)


class Checkout:
    """Runs programs in a temporary checkout; `path` is its top level, and `environment` what they get."""

    def __init__(self, repository: Repository) -> None:
        self.path = repository.worktree
        self.environment = {name: value for name, value in os.environ.items() if name not in _LOCAL}
        self.repository = repository

    def run(self, command: Sequence[str]) -> tuple[int, list[str]]:
        """Return the exit status of `command`, and the end of its output in lines that are safe to print."""
        output = bytearray()

        def keep_end(printed: bytes) -> None:
            output.extend(printed)
            del output[:-_BYTES_KEPT]

        # Processes that the command leaves running are killed, since they would keep the directory busy.
        status = run_in_session(command, directory=self.path, environment=self.environment, feed=keep_end)
        lines = output.decode("utf-8", "replace").splitlines()[-_LINES_KEPT:]
        return status, [f"  {printable(line)}" for line in lines]


@contextmanager
def make_temporary_checkout(snapshot: Snapshot) -> Iterator[Repository]:
    """Yield the repository of a checkout that is removed in the end, with the objects that `snapshot` has."""
    user = snapshot.repository
    with tempfile.TemporaryDirectory(prefix="smartcommit-", ignore_cleanup_errors=True) as folder:
        top = os.path.join(os.path.realpath(folder), "tree")
        git_dir = os.path.join(top, ".git")
        os.mkdir(top)
        environment = {
            "GIT_INDEX_FILE": os.path.join(git_dir, "index"),
            "GIT_OBJECT_DIRECTORY": os.path.join(git_dir, "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": "",
        }
        private = Repository(top, git_dir, git_dir, user.object_format).pinned(**environment)
        repository = switch_hooks_off(private, snapshot.config)
        repository.run("init", "--quiet", "--template=", f"--object-format={user.object_format}")
        os.makedirs(os.path.join(git_dir, "objects", "info"), exist_ok=True)
        with open(os.path.join(git_dir, "objects", "info", "alternates"), "wb") as file:
            file.write(os.fsencode("\n".join([*snapshot.run.quarantine.stores, ""])))
        # Filters and line endings are the user's. Later values win, so those of this repository come last.
        included = os.fsencode(quote_path(os.path.join(user.common_dir, "config")))
        with open(os.path.join(git_dir, "config"), "r+b") as file:
            initial = file.read()
            file.seek(0)
            file.write(b"[include]\n\tpath = %s\n%s%s" % (included, initial, _CHECKOUT_SETTINGS.encode()))
        yield repository


def check_commits(prepared: Prepared, command: str, *, report: Out, complain: Out) -> None:
    """Run the shell `command` on each commit, and `report` or `complain`; raise SplitError if it fails on one."""
    failed = 0
    total = len(prepared.commits)
    with make_temporary_checkout(prepared.snapshot) as repository:
        checkout = Checkout(repository)
        for number, (written, title) in enumerate(zip(prepared.commits, prepared.titles, strict=True), start=1):
            name = f"{number}/{total} {printable(title)}"
            try:
                repository.run("checkout", "--quiet", "--force", "--detach", written.commit)
                # Ignored files stay, for example for the next build.
                repository.run("clean", "--quiet", "-ffd")
            except GitError as error:
                raise SplitError(
                    f"cannot check out a commit for '{command}': {error}",
                    hint="nothing was changed; this also happens if the command modifies '.git' in its working "
                    "directory",
                ) from None
            status, output = checkout.run([find_shell(), "-c", command])
            if status == 0:
                report(f"{name}: passed")
            else:
                failed += 1
                complain("\n".join([f"{name}: failed with status {status}", *output]))
    if failed:
        raise SplitError(
            f"'{command}' failed on {failed} of {total} commits",
            hint="nothing was changed; merge commits that depend on each other, or run without '--exec'",
        )
