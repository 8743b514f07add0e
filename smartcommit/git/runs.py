"""Directories of splits that are running or can be undone, below the worktree's git directory.

Each holds `owner` (locked by the process whose run it is, so that the remains of a killed one are known as such),
`before` (the user's index, in one file), `backup` (an object directory with what only that index may refer to), `work`
(what is needed while the run lasts: the quarantine, the objects to publish and `after`, the index that belongs to the
result) and, from the moment that anything of the user's may change, `journal` (`smartcommit.git.journal`).
"""

from __future__ import annotations

import fcntl
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from smartcommit.git.lockfile import PATIENCE, retry_with_backoff
from smartcommit.git.quarantine import Quarantine
from smartcommit.git.repo import Repository


class SplitRun:
    """One split's directory and the paths in it; `name` is random.

    `repository` is the user's, and `note` marks files that the run creates outside its directory. `owner` is the
    descriptor of the open file that makes this process the run's owner, while it is that.
    """

    __slots__ = (
        "after", "backup", "before", "journal", "name", "note", "owner", "path", "published", "quarantine",
        "repository", "work",
    )  # fmt: skip

    def __init__(self, repository: Repository, name: str) -> None:
        self.repository = repository.pinned()
        self.name = name
        self.note = f"smartcommit split {name}\n"
        self.path = os.path.join(_folder(repository), name)
        self.before = os.path.join(self.path, "before")
        self.backup = os.path.join(self.path, "backup")
        self.work = os.path.join(self.path, "work")
        self.after = os.path.join(self.work, "after")
        self.published = os.path.join(self.work, "published")
        self.journal = os.path.join(self.path, "journal")
        self.quarantine = Quarantine(repository, os.path.join(self.work, "quarantine"))
        self.owner = -1

    def tidy(self) -> None:
        """Remove what only a run at work needs."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.work)

    def remove(self) -> None:
        """Remove the directory, if it is there."""
        with suppress(FileNotFoundError):
            os.unlink(self.journal)  # first: without it the rest is litter that any later run sweeps up
        with suppress(FileNotFoundError):
            shutil.rmtree(self.path)

    def is_dead(self) -> bool:
        """Whether the process whose run it is has exited, with every git that it made an owner too."""
        with suppress(FileNotFoundError), self.taken_over(patience=0) as free:
            return free
        return True

    @contextmanager
    def taken_over(self, *, patience: float = PATIENCE) -> Iterator[bool]:
        """Own the run of a process that has exited, or does within `patience` seconds; yields whether it is ours now.

        Raises: FileNotFoundError when there is no such run any more.
        """
        with open(os.path.join(self.path, "owner"), "rb") as owner:
            free = any(_try_to_lock(owner.fileno()) for _ in retry_with_backoff(patience))
            self.owner = owner.fileno()
            try:
                yield free
            finally:
                if free:
                    _unlock(owner.fileno())


@contextmanager
def new_split_run(repository: Repository) -> Iterator[SplitRun]:
    """A new run with an empty quarantine. When it ends without a journal, nothing of it is kept."""
    sweep(repository)
    run = SplitRun(repository, uuid.uuid4().hex[:12])
    with _guarded(repository):
        os.mkdir(run.path)
        run.owner = os.open(os.path.join(run.path, "owner"), os.O_WRONLY | os.O_CREAT, 0o666)
        fcntl.flock(run.owner, fcntl.LOCK_EX)
    try:
        run.quarantine.create()
        yield run
    finally:
        if not os.path.exists(run.journal):
            run.remove()
        _unlock(run.owner)
        os.close(run.owner)


def all_runs(repository: Repository) -> list[SplitRun]:
    """The runs of this worktree that have a directory, in no order."""
    with suppress(FileNotFoundError):
        return [SplitRun(repository, name) for name in os.listdir(_folder(repository))]
    return []


def sweep(repository: Repository) -> None:
    """Remove what runs left that were killed before anything of the user's could change."""
    with _guarded(repository):
        for run in all_runs(repository):
            if not os.path.exists(run.journal) and run.is_dead():
                run.remove()


@contextmanager
def _guarded(repository: Repository) -> Iterator[None]:
    """Held while a run is created or swept up: one that has no locked `owner` yet must not be taken for dead."""
    os.makedirs(_folder(repository), exist_ok=True)
    guard = os.open(_folder(repository), os.O_RDONLY)
    try:
        fcntl.flock(guard, fcntl.LOCK_EX)
        yield
    finally:
        os.close(guard)


def _try_to_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unlock(descriptor: int) -> None:
    # Closing is not enough: what a hook left running has inherited the descriptor from git.
    fcntl.flock(descriptor, fcntl.LOCK_UN)


def _folder(repository: Repository) -> str:
    return os.path.join(repository.git_dir, "smartcommit", "split")
