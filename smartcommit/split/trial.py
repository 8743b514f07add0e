"""A check of the user's own, run on each commit of a split before anything of theirs has changed."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress

from smartcommit import store
from smartcommit.errors import SplitError
from smartcommit.git.chain import Written
from smartcommit.git.repo import Repository
from smartcommit.git.scratch import Scratch, scratch
from smartcommit.split.execute import Prepared
from smartcommit.terminal import printable

# What passed is remembered of so many trees.
_REMEMBERED = 1000
_FILE = "checked-trees"
# Lines and bytes of a failing check that are shown.
_LINES, _BYTES = 20, 1 << 14


def check_commits(prepared: Prepared, command: str, tell: Callable[[str], None]) -> None:
    """Run `command` in the shell on each commit, checked out in a folder of its own, and `tell` how each one ends.

    A tree that passed the same command before is not checked again.

    Raises: SplitError when it fails on one; GitError.
    """
    snapshot = prepared.snapshot
    failed = []
    passed = _Passed(snapshot.repository, command)
    total = len(prepared.commits)
    with scratch(snapshot.repository, snapshot.run.quarantine.folders) as folder:
        for number, (made, planned) in enumerate(zip(prepared.commits, prepared.plan.commits, strict=True), start=1):
            name = f"{number}/{total} {printable(planned.subject)}"
            if made.tree in passed:
                tell(f"{name}: passed before")
                continue
            status, said = _run(folder, made, command)
            tell(f"{name}: {'passes' if status == 0 else f'fails with status {status}'}")
            if status == 0:
                passed.add(made.tree)
            else:
                failed.append(f"{name}{said}")
    if failed:
        raise SplitError(
            f"'{printable(command)}' fails on {len(failed)} of {total} commits:\n" + "\n".join(failed),
            hint="nothing was changed; merge the commits that need each other, or leave '--exec' out",
        )


class _Passed:
    """The trees that passed `command`, kept between runs."""

    def __init__(self, repository: Repository, command: str) -> None:
        self._git_dir = repository.git_dir
        self._command = command
        self._keys = (store.load(self._git_dir, _FILE) or b"").decode("ascii", "replace").split()

    def __contains__(self, tree: str) -> bool:
        return self._key(tree) in self._keys

    def add(self, tree: str) -> None:
        """Remember `tree`, where the git directory can be written."""
        self._keys = [*self._keys, self._key(tree)][-_REMEMBERED:]
        store.save(self._git_dir, _FILE, "\n".join(self._keys).encode())

    def _key(self, tree: str) -> str:
        return hashlib.sha256(f"{tree} {self._command}".encode("utf-8", "surrogateescape")).hexdigest()


def _run(folder: Scratch, made: Written, command: str) -> tuple[int, str]:
    """The status of `command` on a commit, and the end of what it printed, to be shown below a line."""
    folder.show(made.commit)
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, shell=True, cwd=folder.path, env=folder.environment, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            status = process.wait()
        finally:
            with suppress(ProcessLookupError):  # what it left running would hold the folder
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(max(0, output.seek(0, os.SEEK_END) - _BYTES))
        lines = output.read().decode("utf-8", "replace").splitlines()[-_LINES:]
    return status, "".join(f"\n  {printable(line)}" for line in lines)
