"""HEAD and index moved together, or neither: the only place where a split touches what the user has.

The lock of the index is held, complete, around one transaction of refs. Dying with HEAD moved and the index old would
make the user's next plain `git commit` revert everything; with the lock in place git refuses it, and `recover` turns
the lock into the index. The working tree is never written: no step, here or before, opens a file of it for writing.

Of git's hooks only `reference-transaction` runs, as for every program that moves a ref, and it may refuse. pre-commit,
prepare-commit-msg, commit-msg, post-commit and post-index-change do not: the commits are made by plumbing, each message
has passed the rules before anything moves, and a hook that edits files would break the proof that nothing is lost.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

from smartcommit.errors import LockedError, SplitError, SplitPlanOutdated
from smartcommit.git import journal, unchanged
from smartcommit.git.journal import Journal
from smartcommit.git.locks import FileLock
from smartcommit.git.reflocks import RefLocks
from smartcommit.git.refs import move_refs
from smartcommit.git.repo import Repository
from smartcommit.git.runs import Run, sweep
from smartcommit.git.snapshot import Snapshot
from smartcommit.git.state import read_state

# As many splits back can be undone; their backup refs keep the objects.
KEPT = 10
# Messages that git keeps for the next commit, and drops when that is made: without this a later one would get them.
_MESSAGES = ("SQUASH_MSG", "MERGE_MSG")
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def plan_refs(snapshot: Snapshot, new: str, backup: str) -> list[str]:
    """The instructions for `git update-ref --stdin` that make `new` the HEAD and keep `backup` for undoing."""
    old = snapshot.base or snapshot.repository.null_id
    # Our own ref first: git locks in this order, and from its lock recovery knows which others are ours.
    return [f"create {journal.BACKUPS}{snapshot.run.name} {backup}", f"update HEAD {new} {old}"]


def publish(snapshot: Snapshot, new: str, backup: str, *, count: int, index_tree: str) -> Journal:
    """Move HEAD to the commit `new`, `count` commits further, and install the index; keep `backup` for undoing.

    `index_tree` is the tree of that index, which `backup` must keep too.

    Raises: SplitPlanOutdated when HEAD or the index is no longer the snapshot's; LockedError when another process holds
    the index; GitError when git refuses. Then nothing has changed.
    """
    repository, run = snapshot.repository, snapshot.run
    entry = Journal(
        name=run.name,
        old=snapshot.base,
        new=new,
        branch=snapshot.branch,
        count=count,
        index=snapshot.index,
        index_tree=index_tree,
        time=time.time_ns(),
    )
    outdated = journal.read_all(repository)[:-KEPT]
    refs = [*plan_refs(snapshot, new, backup), *(f"delete {old.backup}" for old in outdated)]

    def prepared() -> None:
        journal.write(run, replace(entry, locks=_locks(repository, entry).seen()))
        run.quarantine.release()

    def move() -> None:
        unchanged.check(snapshot)
        move_refs(repository, refs, note=f"split: {count} commits", owner=run.owner, prepared=prepared)

    _carry_out(repository, run, entry, move)
    for name in _MESSAGES:
        _move_file(os.path.join(repository.git_dir, name), os.path.join(run.path, name))
    for old in outdated:
        Run(repository, old.name).remove()
    return entry


def undo(repository: Repository) -> Journal:
    """Put HEAD and the index back to what they were before the last split; the working tree stays as it is.

    Raises: SplitError when there is none, or when HEAD has moved or something was staged since.
    """
    entry = _last(repository)
    pinned = repository.pinned(GIT_INDEX_FILE=entry.index)
    state = read_state(pinned)
    if (state.head, state.branch) != (entry.new, entry.branch):
        raise SplitPlanOutdated(
            "HEAD has moved since the split",
            hint=f"go back to {entry.new[:12]}{f' on {entry.branch}' if entry.branch else ''} first, then undo",
        )
    changed = ("diff-index", "--cached", "--ita-invisible-in-index", "--quiet", entry.index_tree, "--")
    if pinned.ended(*changed, expected=(0, 1)).returncode:
        raise SplitPlanOutdated("something was staged since the split", hint="run 'git reset' first, then undo")
    run = Run(repository, entry.name)
    if not os.path.exists(run.before):  # there was no index yet
        repository.pinned(GIT_INDEX_FILE=run.before).run("read-tree", "--empty")
    head = f"update HEAD {entry.old} {entry.new}" if entry.old else f"delete HEAD {entry.new}"
    refs = [f"delete {entry.backup}", head]
    undoing = replace(entry, state="undoing", locks={})

    def prepared() -> None:
        journal.write(run, replace(undoing, locks=_locks(pinned, entry).seen()))

    def move() -> None:
        move_refs(pinned, refs, note="split: undo", owner=run.owner, prepared=prepared)
        for name in _MESSAGES:
            _move_file(os.path.join(run.path, name), os.path.join(repository.git_dir, name))

    with run.taken_over() as free:
        if not free:
            raise LockedError("another process is undoing this split", hint="wait for it to end")
        _carry_out(pinned, run, undoing, move)
    return entry


def recover(repository: Repository) -> list[tuple[Journal, bool]]:
    """Settle every split that was cut off: complete where HEAD has moved already, taken back where it has not.

    Returns each with whether it is in force now. Locks that are not a split's own stay.

    Raises: LockedError when one is still at work.
    """
    found = []
    for run in (Run(repository, entry.name) for entry in _unsettled(repository)):
        with ExitStack() as stack:
            try:
                free = stack.enter_context(run.taken_over())
            except FileNotFoundError:  # settled meanwhile
                continue
            if not free:
                raise LockedError("a split is still at work here", hint="wait for it to end, then recover")
            entry = journal.read(run)
            if entry is not None and entry.state != "done":
                found.append((entry, _recovered(repository, run, entry)))
    sweep(repository)
    return found


def _recovered(repository: Repository, run: Run, entry: Journal) -> bool:
    """Settle the run, which is ours now; return whether the split is in force."""
    _locks(repository, entry).release(entry.locks, entry.new if entry.state == "moving" else entry.old)
    in_force = repository.head() == entry.new
    if not in_force:
        repository.run("update-ref", "-d", entry.backup)
    run.quarantine.discard()
    _settle(run, entry, in_force=in_force)
    return in_force


def check_settled(repository: Repository) -> None:
    """Raises: SplitError when a split was cut off and not recovered yet."""
    if any(Run(repository, entry.name).is_dead() for entry in _unsettled(repository)):
        raise SplitError("a split was cut off", hint="run 'git smart-commit --recover' first")


def _unsettled(repository: Repository) -> list[Journal]:
    return [entry for entry in journal.read_all(repository) if entry.state != "done"]


def _locks(repository: Repository, entry: Journal) -> RefLocks:
    return RefLocks(repository, own=entry.backup, branch=entry.branch)


def _carry_out(repository: Repository, run: Run, entry: Journal, move: Callable[[], None]) -> None:
    """Journal `entry`, lock the index, `move` the refs, install the index; on an error settle what was begun."""
    with _undisturbed():
        journal.write(run, entry)
        try:
            FileLock(entry.index).take(_content(run, entry))
            move()
        except BaseException:
            _settle(run, entry, in_force=repository.head() == entry.new)
            raise
        _settle(run, entry, in_force=entry.state == "moving")


def _settle(run: Run, entry: Journal, *, in_force: bool) -> None:
    """Bring index and journal in line with HEAD: the split is `in_force` where HEAD is its last commit."""
    lock = FileLock(entry.index)
    if lock.is_ours(_content(run, entry)):
        if in_force == (entry.state == "moving"):
            lock.install()
        else:
            lock.release()
    if in_force:
        journal.write(run, replace(entry, state="done"))
        with suppress(FileNotFoundError):
            os.unlink(run.after)
    else:
        run.remove()


def _move_file(source: str, target: str) -> None:
    with suppress(FileNotFoundError):
        os.replace(source, target)


def _content(run: Run, entry: Journal) -> str:
    return run.after if entry.state == "moving" else run.before


def _last(repository: Repository) -> Journal:
    check_settled(repository)
    entries = journal.read_all(repository)
    if not entries:
        raise SplitError("there is no split to undo")
    return entries[-1]


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Signals that would end this process, or a git that it starts, come too late for what takes an instant."""
    if threading.current_thread() is not threading.main_thread():  # there Python changes no handler
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
