"""The folder that each split has below the worktree's git directory while it runs and as long as it can be undone.

It holds `owner` (locked by the process whose run it is, so that the remains of one that was killed are known as such),
`before` (the user's index, byte for byte), `after` (the index that belongs to the result) and, from the moment that
anything of the user's may change, `journal` (`smartcommit.git.journal`).
"""

from __future__ import annotations

import fcntl
import glob
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from smartcommit.git.locks import PATIENCE, moments
from smartcommit.git.quarantine import Quarantine
from smartcommit.git.repo import Repository

# The ref that commits are written under; it never comes to exist.
WORK_REF = b"refs/split/work"


class Run:
    """One split's folder and the paths in it; `name` is random and good for a ref.

    `owner` is the descriptor of the open file that makes this process the run's owner, while it is that.
    """

    __slots__ = ("after", "before", "journal", "name", "owner", "path", "quarantine")

    def __init__(self, repository: Repository, name: str) -> None:
        self.name = name
        self.path = os.path.join(_folder(repository), name)
        self.before = os.path.join(self.path, "before")
        self.after = os.path.join(self.path, "after")
        self.journal = os.path.join(self.path, "journal")
        self.quarantine = Quarantine(repository, name)
        self.owner = -1

    def remove(self) -> None:
        """Remove the folder and the quarantine, if they are there."""
        self.quarantine.discard()
        with suppress(FileNotFoundError):
            os.unlink(self.journal)  # first: without it the rest is litter that any later run sweeps up
        with suppress(FileNotFoundError):
            shutil.rmtree(self.path)

    def is_dead(self) -> bool:
        """Whether the process whose run it is has ended, with every git that it made an owner too."""
        with suppress(FileNotFoundError), self.taken_over(patience=0) as free:
            return free
        return True

    @contextmanager
    def taken_over(self, *, patience: float = PATIENCE) -> Iterator[bool]:
        """Own the run of a process that has ended, or ends within `patience` seconds; tells whether it is ours now.

        Raises: FileNotFoundError when there is no such run any more.
        """
        with open(os.path.join(self.path, "owner"), "rb") as owner:
            free = any(_try_to_lock(owner.fileno()) for _ in moments(patience))
            self.owner = owner.fileno()
            yield free


@contextmanager
def started(repository: Repository) -> Iterator[Run]:
    """A new run with an empty quarantine. When it ends without a journal, nothing of it is kept."""
    sweep(repository)
    run = Run(repository, uuid.uuid4().hex[:12])
    # Whoever sweeps meanwhile must not find the folder without its locked file.
    nursery = f"{run.path}.new"
    os.makedirs(nursery)
    with open(os.path.join(nursery, "owner"), "wb") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX)
        os.rename(nursery, run.path)
        run.owner = owner.fileno()
        try:
            run.quarantine.create()
            yield run
        finally:
            run.quarantine.discard()
            if not os.path.exists(run.journal):
                run.remove()


def all_runs(repository: Repository) -> list[Run]:
    """The runs of this worktree that have a folder, in no order."""
    with suppress(FileNotFoundError):
        return [Run(repository, name) for name in os.listdir(_folder(repository)) if "." not in name]
    return []


def sweep(repository: Repository) -> None:
    """Remove what runs left that were killed before anything of the user's could change."""
    for run in all_runs(repository):
        if not os.path.exists(run.journal) and run.is_dead():
            run.remove()
            _remove_crash_reports(repository)


def _try_to_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _remove_crash_reports(repository: Repository) -> None:
    """Remove what fast-import wrote when its input was cut off by the death of a run; it lists our ref as its last."""
    for path in glob.iglob(os.path.join(glob.escape(repository.git_dir), "fast_import_crash_*")):
        with open(path, "rb") as file:
            ours = WORK_REF in file.read()
        if ours:
            os.unlink(path)


def _folder(repository: Repository) -> str:
    return os.path.join(repository.git_dir, "smartcommit", "split")
