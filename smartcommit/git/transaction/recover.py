"""Recovers from a split that was interrupted, by finishing it or rolling it back."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import NamedTuple

from smartcommit.errors import LockedError, SplitError
from smartcommit.git.lockfile import TIMEOUT, FileLock, make_lock_error, retry_with_backoff
from smartcommit.git.repo import Repository
from smartcommit.git.transaction import journal, move
from smartcommit.git.transaction.journal import Journal, SplitRun, sweep


class RecoveredSplit(NamedTuple):
    """A split that was interrupted; now it is in effect, or rolled back."""

    name: str
    is_in_effect: bool


def recover(repository: Repository) -> tuple[list[RecoveredSplit], list[str]]:
    """Finish every interrupted split that has moved HEAD already, and roll back the others; then tidy up.

    Return these splits, and what could not be tidied up. Locks that are not a split's stay (`check_unlocked`).

    Raise LockedError if one is still running, SplitError if the index was changed since.
    """
    recovered = []
    warnings: list[str] = []
    for unfinished in _list_unfinished(repository):
        run = SplitRun(repository, unfinished.name)
        with ExitStack() as stack:
            try:
                is_ours = stack.enter_context(run.take_over())
            except FileNotFoundError:  # finished in the meantime
                continue
            if not is_ours:
                raise LockedError("a split is still running here", hint="wait for it to finish, then recover")
            entry = journal.read(run)
            if entry is not None and entry.state != "done":
                recovered.append(RecoveredSplit(entry.name, _recover_run(run, entry)))
                warnings += run.warnings
    return recovered, warnings + sweep(repository)


def check_unlocked(repository: Repository) -> None:
    """Raise LockedError, naming each lock, if the index, HEAD, its branch, the packed refs or a run's refs stay locked.

    The owner of one of git's locks is unknown, so the user has to remove those that a killed git left.
    """
    names = []
    for entry in _list_unfinished(repository):
        names += [name for name, _, _ in entry.refs]
    locks = [FileLock(repository.index).path, *move.list_ref_locks(repository, names)]
    held: list[str] = []
    for _ in retry_with_backoff(TIMEOUT):
        held = [lock for lock in locks if os.path.exists(lock)]
        if not held:
            return
    raise make_lock_error(held)


def refuse_if_interrupted(repository: Repository) -> None:
    """Raise SplitError if a split was interrupted and not recovered yet."""
    if any(SplitRun(repository, entry.name).is_dead() for entry in _list_unfinished(repository)):
        recovering = "git smart-commit recover"
        raise SplitError("an earlier split was interrupted", hint=f"run '{recovering}' first", following=[recovering])


def _list_unfinished(repository: Repository) -> list[Journal]:
    return [entry for entry in journal.read_all(repository) if entry.state != "done"]


def _recover_run(run: SplitRun, entry: Journal) -> bool:
    """Finish the run, which we own now, or roll it back; return whether the split is in effect."""
    repository = run.repository
    move.check_index_path(repository, entry)
    complete = move.is_complete(run, entry)
    # Without its lock the index was installed already, or is open to others: what they staged must not be lost.
    is_unlocked = complete and not FileLock(repository.index).was_taken_with(move.choose_index(run, entry))
    if is_unlocked and not move.index_holds(run, entry.staged_tree) and not move.index_holds(run, entry.index_tree):
        raise SplitError(
            "the index was changed after a split was interrupted",
            hint="run 'git reset' to make it match HEAD, then recover again",
        )
    move.finish(run, entry, complete=complete)
    return entry.is_in_effect(complete=complete)
