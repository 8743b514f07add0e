"""The journal of each split, and its directory below the git directory.

The directory of a run has these files and folders:

- `owner`: locked by the process that runs it, so that a killed run is recognized
- `before`: the user's index, in one file
- `backup`: objects that only that index may refer to
- `work`: what is needed while the run lasts: the quarantine, the objects to publish, and `after`, the new index
- `journal`: written before anything of the user's changes
- `notes`: what whoever makes the run keeps until it is undone
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Literal

from smartcommit import files, state_files
from smartcommit.errors import LockedError, SmartcommitError, SplitError, describe_error
from smartcommit.file_lock import PATIENCE, lock
from smartcommit.git.lockfile import TIMEOUT, sync
from smartcommit.git.repo import Repository
from smartcommit.git.transaction.quarantine import Quarantine, release_packs
from smartcommit.state_files import open_regular, refuse_links, replace_file

VERSION = 3

# A ref by its full name, with its commit before (None: it is created) and after.
RefMove = tuple[str, str | None, str]


@dataclass(frozen=True, slots=True)
class Journal:
    """One run: HEAD moves from `old` (None: no commit yet) to `new`, `count` commits further, and the `refs` with it.

    `branch` is None if HEAD is detached. `index` is the path of the index relative to the git directory, so that a copy
    of the repository has a journal of its own index; it holds `staged_tree` before the move and `index_tree` after it.
    With `keeps_index` the index stays as it is, also when the run is undone: the change was committed before.
    `time` orders the runs, in nanoseconds. In the states `moving` and `undoing` the move may be half done.
    """

    name: str
    old: str | None
    new: str
    branch: str | None
    count: int
    index: str
    staged_tree: str
    index_tree: str
    time: int
    state: Literal["moving", "done", "undoing"] = "moving"
    version: int = VERSION
    refs: Sequence[RefMove] = ()
    keeps_index: bool = False

    def is_in_effect(self, *, complete: bool) -> bool:
        """Whether the split is in effect once this move, or its undo, is `complete`, or else was rolled back."""
        return complete == (self.state == "moving")


def write(run: SplitRun, journal: Journal) -> None:
    """Write the journal to disk, with the indexes it refers to."""
    for path in (run.before, run.after):
        with suppress(FileNotFoundError):
            sync(path)
    replace_file(run.journal, json.dumps(asdict(journal)).encode())
    for directory in (run.path, os.path.dirname(run.path)):
        sync(directory)


def read_all(repository: Repository) -> list[Journal]:
    """Return the journals of this worktree, oldest first. Raise SplitError if one cannot be read."""
    journals = [read(run) for run in all_runs(repository)]
    return sorted((journal for journal in journals if journal), key=lambda journal: journal.time)


def read(run: SplitRun) -> Journal | None:
    """Return the run's journal, or None if it has none. Raise SplitError if it is damaged, or of a later version."""
    try:
        with open(open_regular(run.journal), "rb") as file:
            text = file.read()
    except FileNotFoundError:
        return None
    try:
        entry = Journal(**json.loads(text))
        if entry.version == VERSION:
            return entry
    except (ValueError, TypeError):
        pass
    raise SplitError(
        f"'{run.journal}' is not a valid split journal of this version",
        hint=f"use the version of smartcommit that wrote it, or remove '{run.path}' if no split is running",
    )


class SplitRun:
    """The directory of one split and the paths in it; `name` is random.

    `repository` is the user's, and `note` marks files that the run creates outside its directory. `owner` is the
    descriptor of the locked file by which this process owns the run, if it does. `warnings` says what went wrong
    without changing what the run does.
    """

    def __init__(self, repository: Repository, name: str) -> None:
        self.repository = repository.pinned()
        self.name = name
        self.note = f"smartcommit split {name}\n"
        self.path = os.path.join(_find_runs_directory(repository), name)
        self.before = os.path.join(self.path, "before")
        self.backup = os.path.join(self.path, "backup")
        self.notes = os.path.join(self.path, "notes")
        self.work = os.path.join(self.path, "work")
        self.after = os.path.join(self.work, "after")
        self.published = os.path.join(self.work, "published")
        self.journal = os.path.join(self.path, "journal")
        self.quarantine = Quarantine(self.repository, os.path.join(self.work, "quarantine"))
        self.owner = -1
        self.warnings: list[str] = []

    def remove_work(self) -> None:
        """Remove what is needed only while the run lasts, and a journal that a killed process was writing."""
        for name in os.listdir(self.path):
            if name.startswith("journal."):
                files.remove(os.path.join(self.path, name))
        _remove_directory(self.work)

    def remove(self) -> None:
        with suppress(FileNotFoundError):
            files.remove(self.journal)  # first: without it any later run sweeps up the rest
        if files.IS_WINDOWS:
            self.disown()  # nobody can delete a file that is open
        _remove_directory(self.path)

    @contextmanager
    def tidying(self) -> Iterator[None]:
        """Turn an error of a block that only tidies up into one of the `warnings`."""
        try:
            yield
        except (OSError, SmartcommitError) as error:
            hint = "once the cause is gone, 'git smart-commit recover' tidies up"
            self.warnings.append(f"cannot tidy up: {describe_error(error)}; {hint}")

    def is_dead(self) -> bool:
        """Whether the process that owns the run has exited, with every git that inherited the ownership."""
        with suppress(FileNotFoundError), self.take_over(timeout=0) as free:
            return free
        return True

    @contextmanager
    def take_over(self, *, timeout: float = TIMEOUT) -> Iterator[bool]:
        """Own the run of a process that exits within `timeout` seconds, or has; yield whether it is ours now.

        Raise FileNotFoundError if the run no longer exists.
        """
        self.owner = open_regular(os.path.join(self.path, "owner"))
        try:
            yield lock(self.owner, patience=timeout)
        finally:
            self.disown()

    def disown(self) -> None:
        """Release `owner`, if this process has locked it."""
        if self.owner >= 0:
            # Closing is not enough: what a hook leaves running has inherited the descriptor from git.
            files.unlock(self.owner)
            os.close(self.owner)
            self.owner = -1


@contextmanager
def make_split_run(repository: Repository) -> Iterator[SplitRun]:
    """Yield a new run with an empty quarantine. If it ends without a journal, it is removed."""
    swept = sweep(repository)
    run = SplitRun(repository, uuid.uuid4().hex[:12])
    run.warnings += swept
    with _lock_runs(repository):
        os.mkdir(run.path)
        run.owner = os.open(os.path.join(run.path, "owner"), os.O_WRONLY | os.O_CREAT, 0o666)
        lock(run.owner, patience=0)
    try:
        run.quarantine.create()
        yield run
    finally:
        if not os.path.exists(run.journal):
            with run.tidying():  # or the next run does
                run.remove()
        run.disown()


def all_runs(repository: Repository) -> list[SplitRun]:
    directory = _find_runs_directory(repository)
    with suppress(FileNotFoundError):
        entries = list(os.scandir(directory))
        return [SplitRun(repository, entry.name) for entry in entries if entry.is_dir(follow_symlinks=False)]
    return []


def sweep(repository: Repository) -> list[str]:
    """Remove what runs have left that were killed or could not tidy up; return what cannot be removed now either.

    A run that was killed before anything of the user's could change is removed as a whole. One that `recover` has to
    finish stays.
    """
    warnings: list[str] = []
    with _lock_runs(repository):
        for run in all_runs(repository):
            with run.tidying(), suppress(FileNotFoundError):
                if os.path.exists(run.journal):
                    with run.take_over(timeout=0) as free:
                        entry = read(run) if free else None
                        if entry is not None and entry.state == "done":
                            release_packs(run.repository.objects, run.note)
                            run.remove_work()
                elif run.is_dead():
                    run.remove()
            warnings += run.warnings
    return warnings


def _remove_directory(path: str) -> None:
    """Remove the directory `path`, if it is there; an error names it, and not only a file somewhere in it."""
    try:
        files.remove_tree(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


@contextmanager
def _lock_runs(repository: Repository) -> Iterator[None]:
    """Lock out other processes while runs are created or swept: one without a locked `owner` yet must not look dead."""
    directory = _find_runs_directory(repository)
    refuse_links(directory)
    os.makedirs(directory, exist_ok=True)
    guard = files.open_directory_lock(directory)
    try:
        if not lock(guard, patience=PATIENCE):
            raise LockedError("another split is starting", hint="wait for it, or stop it, and try again")
        yield
    finally:
        os.close(guard)


def _find_runs_directory(repository: Repository) -> str:
    return state_files.find_path(repository.git_dir, "split")
