"""A check of the user's own, run on each commit of a split before anything of theirs has changed."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable

from smartcommit import state_files
from smartcommit.errors import GitError, SplitError
from smartcommit.git.fast_import import Written
from smartcommit.git.repo import Repository
from smartcommit.git.scratch import Scratch, scratch
from smartcommit.signals import own_session
from smartcommit.split.apply import Prepared
from smartcommit.terminal import printable

# What passed is remembered of so many trees.
_REMEMBERED = 1000
_FILE = "checked-trees"
# Lines and bytes of a failing check that are shown.
_LINES, _BYTES = 20, 1 << 14
_DAMAGED = "nothing was changed; see that the command leaves '.git' in the folder it runs in alone"

Tell = Callable[[str], None]


def check_commits(prepared: Prepared, command: str, *, tell: Tell, complain: Tell) -> None:
    """Run `command` in the shell on each commit, checked out in a folder of its own.

    `tell` hears of each that passes, and `complain` of each that fails and of what was printed there. A tree that
    passed the same command before is not checked again.

    Raises: SplitError when it fails on one; GitError.
    """
    snapshot = prepared.snapshot
    failed = ran = 0
    passed = _Passed(snapshot.repository, command)
    total = len(prepared.commits)
    with scratch(snapshot.repository, snapshot.run.quarantine.folders) as folder:
        for number, (made, planned) in enumerate(zip(prepared.commits, prepared.plan.commits, strict=True), start=1):
            name = f"{number}/{total} {printable(planned.subject)}"
            if made.tree in passed:
                tell(f"{name}: passed before")
                continue
            _show(folder, made, command, damaged=bool(ran))
            ran += 1
            status, said = _run(folder, command)
            if status == 0:
                passed.add(made.tree)
                tell(f"{name}: passes")
            else:
                failed += 1
                complain("\n".join([f"{name}: fails with status {status}", *said]))
    if failed:
        raise SplitError(
            f"'{command}' fails on {failed} of {total} commits",
            hint="nothing was changed; merge the commits that need each other, or leave '--exec' out",
        )


class _Passed:
    """The trees that passed `command`, kept between runs."""

    def __init__(self, repository: Repository, command: str) -> None:
        self._git_dir = repository.git_dir
        self._command = command
        self._keys = (state_files.load(self._git_dir, _FILE) or b"").decode("ascii", "replace").split()

    def __contains__(self, tree: str) -> bool:
        return self._key(tree) in self._keys

    def add(self, tree: str) -> None:
        """Remember `tree`, where the git directory can be written."""
        self._keys = [*self._keys, self._key(tree)][-_REMEMBERED:]
        state_files.save(self._git_dir, _FILE, "\n".join(self._keys).encode())

    def _key(self, tree: str) -> str:
        return hashlib.sha256(f"{tree} {self._command}".encode("utf-8", "surrogateescape")).hexdigest()


def _show(folder: Scratch, made: Written, command: str, *, damaged: bool) -> None:
    """Check a commit out in the folder, which the command may have `damaged` before."""
    try:
        folder.show(made.commit)
    except GitError as error:
        hint = _DAMAGED if damaged else "nothing was changed"
        raise SplitError(f"no commit can be checked out for '{command}': {error}", hint=hint) from None


def _run(folder: Scratch, command: str) -> tuple[int, list[str]]:
    """The status of `command` there, and the end of what it printed, as lines that are safe to show."""
    with tempfile.TemporaryFile() as output:
        # At its end whatever the command left running is ended too: it would hold the folder.
        with own_session(
            ["sh", "-c", command], directory=folder.path, environment=folder.environment, output=output
        ) as process:
            status = process.wait()
        output.seek(max(0, output.seek(0, os.SEEK_END) - _BYTES))
        lines = output.read().decode("utf-8", "replace").splitlines()[-_LINES:]
    return status, [f"  {printable(line)}" for line in lines]
