"""Moves HEAD and index together, with undo and recovery: the only place where a split touches what the user has.

The lock of the index is held, complete, around one transaction of refs. Being killed with HEAD moved and the index old
would make the user's next plain `git commit` revert everything; with the lock in place git refuses it, and `recover`
turns the lock into the index. The working tree is never written: no step, here or before, opens a file of it for
writing.

Of git's hooks only `reference-transaction` runs, as for every program that moves a ref, and it may refuse. It sees the
caller's environment, and the new objects, which are in the object store by then. pre-commit, prepare-commit-msg,
commit-msg, post-commit and post-index-change do not run: the commits are made by plumbing, each message has passed the
rules before anything moves, and a hook that edits files would break the proof that nothing is lost.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace

from smartcommit.errors import GitError, LockedError, SplitError, SplitPlanOutdated
from smartcommit.git import journal
from smartcommit.git.journal import Journal, SplitRun, alternates, sweep
from smartcommit.git.lockfile import PATIENCE, FileLock, locked, retry_with_backoff, sync_file, sync_folder
from smartcommit.git.packs import add_packs, release_packs, write_pack
from smartcommit.git.repo import Repository
from smartcommit.git.run import reason
from smartcommit.git.snapshot import Snapshot, check
from smartcommit.git.status import read_state
from smartcommit.signals import discard_signals

# As many splits back can be undone.
KEPT = 10
# Messages that git keeps for the next commit, and drops when that is made: without this a later one would get them.
_MESSAGES = ("SQUASH_MSG", "MERGE_MSG")


def publish(snapshot: Snapshot, new: str, backup: str | None, *, count: int, index_tree: str) -> Journal:
    """Move HEAD to the commit `new`, `count` commits further, and install the index.

    `index_tree` is the tree of that index. The commit `backup` reaches what the index holds before and after, the
    latter by its second parent; None where no more is needed than the old and the new HEAD.

    Raises: SplitPlanOutdated when HEAD or the index is no longer the snapshot's; LockedError when another process holds
    the index; GitError when git refuses. Then HEAD and index have not changed. SplitError when they have, but another
    process changed the index in the meantime.
    """
    run = snapshot.run
    repository = run.repository
    wanted = [new]
    if backup is not None:
        wanted.append(f"{backup}^2")
        write_pack(snapshot.repository, run.backup, [backup], [new])
    write_pack(snapshot.repository, run.published, wanted, [snapshot.base] if snapshot.base else [])
    entry = Journal(
        name=run.name,
        old=snapshot.base,
        new=new,
        branch=snapshot.branch,
        count=count,
        index=_relative(repository, snapshot.index),
        staged_tree=snapshot.staged_tree,
        index_tree=index_tree,
        time=time.time_ns(),
    )
    outdated = journal.read_all(repository)[:-KEPT]

    def move() -> None:
        check(snapshot)
        add_packs(run.published, repository.objects, run.note)
        head = f"update HEAD {new} {snapshot.base or repository.null_id}"
        move_refs(repository, [head], note=f"split: {count} commits", owner=run.owner)

    _carry_out(run, entry, move)
    for name in _MESSAGES:
        _move_file(os.path.join(repository.git_dir, name), os.path.join(run.path, name))
    for old in outdated:
        _remove(SplitRun(repository, old.name), old)
    return entry


def undo(repository: Repository) -> Journal:
    """Restore HEAD and the index as they were before the last split; the working tree stays as it is.

    Raises: SplitError when there is none, or when HEAD has moved or something was staged since; otherwise as `publish`.
    """
    check_settled(repository)
    entries = journal.read_all(repository)
    if not entries:
        raise SplitError("no split to undo")
    entry = entries[-1]
    _check_index_path(repository, entry)
    run = SplitRun(repository, entry.name)
    if not os.path.exists(run.before):  # there was no index yet
        repository.pinned(GIT_INDEX_FILE=run.before).run("read-tree", "--empty")

    def move() -> None:
        _check_unchanged_since(run, entry)
        add_packs(run.backup, repository.objects, run.note)
        head = f"update HEAD {entry.old} {entry.new}" if entry.old else f"delete HEAD {entry.new}"
        move_refs(repository, [head], note="split: undo", owner=run.owner)
        for name in _MESSAGES:
            _move_file(os.path.join(run.path, name), os.path.join(repository.git_dir, name))

    with run.taken_over() as free:
        if not free:
            raise LockedError("another process is undoing this split", hint="wait for it to finish")
        _carry_out(run, replace(entry, state="undoing"), move)
    return entry


def recover(repository: Repository) -> list[tuple[Journal, bool]]:
    """Finish every split that was interrupted where HEAD has moved already, and roll it back where it has not.

    Returns each with whether it is in force now. Locks that are not a split's own stay (`check_unlocked`).

    Raises: LockedError when one is still running; SplitError when the index was changed since.
    """
    found = []
    for run in (SplitRun(repository, entry.name) for entry in _unsettled(repository)):
        with ExitStack() as stack:
            try:
                free = stack.enter_context(run.taken_over())
            except FileNotFoundError:  # settled in the meantime
                continue
            if not free:
                raise LockedError("a split is still running here", hint="wait for it to finish, then recover")
            entry = journal.read(run)
            if entry is not None and entry.state != "done":
                found.append((entry, _recovered(run, entry)))
    sweep(repository)
    return found


def check_unlocked(repository: Repository) -> None:
    """Whose a lock of git's own is cannot be known, so a git that was killed has the user remove it.

    Raises: LockedError, naming each, when the index, HEAD, its branch or the packed refs stay locked.
    """
    branch = repository.pinned().ended("symbolic-ref", "--quiet", "HEAD", expected=(0, 1)).stdout.decode().strip()
    names = [
        repository.index,
        os.path.join(repository.git_dir, "HEAD"),
        os.path.join(repository.common_dir, "packed-refs"),
        os.path.join(repository.common_dir, "reftable", "tables.list"),
    ]
    if branch:
        names.append(os.path.join(repository.common_dir, branch))
    held: list[str] = []
    for _ in retry_with_backoff(PATIENCE):
        held = [path for path in (f"{name}.lock" for name in names) if os.path.exists(path)]
        if not held:
            return
    raise locked(held)


def check_settled(repository: Repository) -> None:
    """Raises: SplitError when a split was interrupted and not recovered yet."""
    if any(SplitRun(repository, entry.name).is_dead() for entry in _unsettled(repository)):
        raise SplitError("an earlier split was interrupted", hint="run 'git smart-commit --recover' first")


def _unsettled(repository: Repository) -> list[Journal]:
    return [entry for entry in journal.read_all(repository) if entry.state != "done"]


def _recovered(run: SplitRun, entry: Journal) -> bool:
    """Settle the run, which is ours now; return whether the split is in force."""
    repository = run.repository
    _check_index_path(repository, entry)
    complete = _is_complete(run, entry)
    # Without its lock the index was installed already, or is open to others: what they staged must not be lost.
    unlocked = complete and not FileLock(repository.index).is_ours(_content(run, entry))
    if unlocked and not any(_index_holds(run, tree) for tree in (entry.staged_tree, entry.index_tree)):
        raise SplitError(
            "the index was changed after a split was interrupted",
            hint="run 'git reset' to make it match HEAD, then recover again",
        )
    _settle(run, entry, complete=complete)
    return complete == (entry.state == "moving")


def _carry_out(run: SplitRun, entry: Journal, move: Callable[[], None]) -> None:
    """Journal `entry`, lock the index, `move` the refs, install the index; on an error roll back what was begun."""
    repository = run.repository
    # Signals that would kill this process come too late for what takes an instant; a hook of git's still gets them.
    with discard_signals():
        journal.write(run, entry)
        try:
            FileLock(repository.index).take(_content(run, entry))
            move()
            _sync_head(repository, entry)
        except BaseException:
            _settle(run, entry, complete=_is_complete(run, entry))
            raise
        if not _settle(run, entry, complete=True):
            done = "undone" if entry.state == "undoing" else "made"
            raise SplitError(
                f"the split was {done}, but another process changed the index in the meantime",
                hint="that change to the index may be lost: check 'git status'",
            )


def _settle(run: SplitRun, entry: Journal, *, complete: bool) -> bool:
    """Bring index and journal in line with HEAD, which has moved where the run is `complete`.

    Returns whether the index is what it should be, and nobody else has changed it while it was locked.
    """
    lock = FileLock(run.repository.index)
    ours = lock.is_ours(_content(run, entry))
    sound = True
    if complete:
        wanted = entry.index_tree if entry.state == "moving" else entry.staged_tree
        if ours:
            lock.install()
        elif not _index_holds(run, wanted):
            # Left as it is, it would make the next commit revert the split.
            lock.take(_content(run, entry))
            lock.install()
            sound = False
        sound = sound and _index_holds(run, wanted)
    elif ours:
        lock.release()
    release_packs(run.repository.objects, run.note)
    if complete == (entry.state == "moving"):
        run.tidy()
        journal.write(run, replace(entry, state="done"))
    else:
        _remove(run, entry)
    return sound


def _is_complete(run: SplitRun, entry: Journal) -> bool:
    """Whether HEAD is where the run was to move it."""
    return run.repository.head() == (entry.new if entry.state == "moving" else entry.old)


def _content(run: SplitRun, entry: Journal) -> str:
    return run.after if entry.state == "moving" else run.before


def _index_holds(run: SplitRun, tree: str) -> bool:
    """Whether just `tree` is staged; one process."""
    backup = alternates(run.backup) if os.path.isdir(run.backup) else {}
    repository = run.repository.pinned(GIT_INDEX_FILE=run.repository.index, **backup)
    options = ("--cached", "--ita-invisible-in-index", "--ignore-submodules=none", "--quiet")
    return repository.ended("diff-index", *options, tree, "--", expected=(0, 1)).returncode == 0


def _check_unchanged_since(run: SplitRun, entry: Journal) -> None:
    """Raises: SplitPlanOutdated when HEAD has moved or something was staged since the split."""
    repository = run.repository
    state = read_state(repository.pinned(GIT_INDEX_FILE=repository.index))
    if (state.head, state.branch) != (entry.new, entry.branch):
        place = f"{entry.new[:12]} on {entry.branch}" if entry.branch else entry.new[:12]
        raise SplitPlanOutdated("HEAD has moved since the split", hint=f"check out {place} first, then undo")
    if not _index_holds(run, entry.index_tree):
        raise SplitPlanOutdated("changes were staged since the split", hint="run 'git reset' first, then undo")


def _check_index_path(repository: Repository, entry: Journal) -> None:
    """Raises: SplitError when the index in use is not the one of the split."""
    if _relative(repository, repository.index) != entry.index:
        raise SplitError(
            f"the last split was made with another index: '{entry.index}', seen from '{repository.git_dir}'",
            hint="set GIT_INDEX_FILE to it",
        )


def _relative(repository: Repository, index: str) -> str:
    return os.path.relpath(os.path.realpath(index), os.path.realpath(repository.git_dir))


def _remove(run: SplitRun, entry: Journal) -> None:
    run.remove()
    if entry.backup_ref is not None:
        run.repository.run("update-ref", "-d", entry.backup_ref)


def _sync_head(repository: Repository, entry: Journal) -> None:
    """Wait until HEAD is on disk: git does not by default, and cannot be asked to without its hooks seeing that."""
    ref = os.path.join(repository.git_dir, "HEAD")
    if entry.branch:
        ref = os.path.join(repository.common_dir, "refs", "heads", entry.branch)
    with suppress(FileNotFoundError):  # another ref format, or undone to no commit
        sync_file(ref)
        sync_folder(os.path.dirname(ref))


def _move_file(source: str, target: str) -> None:
    with suppress(FileNotFoundError):
        os.replace(source, target)


def move_refs(repository: Repository, instructions: Sequence[str], *, note: str, owner: int) -> None:
    """Run `instructions` of `git update-ref --stdin` in one transaction, with `note` in the reflog; one process.

    The `reference-transaction` hook runs in the caller's environment, so no `-c` may be given here: git would hand that
    down. git inherits the open file `owner`: should we be killed, a lock on that file is held until git has exited too.

    Raises: GitError when git refuses; then no ref has moved.
    """
    # A file and not a pipe: what a hook leaves running may hold it for long.
    with tempfile.TemporaryFile() as errors:
        done = subprocess.run(
            ("git", "update-ref", "-m", note, "--stdin"),
            cwd=repository.worktree,
            env=_callers_environment(repository),
            input="".join(f"{line}\n" for line in instructions).encode(),
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=(owner,),
            check=False,
        )
        if done.returncode:
            errors.seek(0)
            raise GitError(_explain(errors.read(), done.returncode), status=done.returncode)


def _callers_environment(repository: Repository) -> dict[str, str]:
    """The environment that this process was started with; only what it says of the repository's place is absolute."""
    environment = dict(os.environ)
    if "GIT_DIR" in environment or not os.path.lexists(os.path.join(repository.worktree, ".git")):
        environment["GIT_DIR"] = repository.git_dir
        environment["GIT_WORK_TREE"] = repository.worktree
    return environment


def _explain(stderr: bytes, status: int) -> str:
    text = reason(stderr) or f"status {status}"
    if "but expected" in text:
        return f"HEAD has moved in the meantime: {text}"
    return f"git did not update any ref: {text}"
