"""Moves HEAD and index together, with undo and recovery: the only place where a split touches what the user has.

One transaction of refs runs while the index is locked by a lock file that already has the new content. If we are killed
after HEAD has moved and before the index is installed, a plain `git commit` would revert everything; but git refuses to
run while the lock exists, and `recover` turns the lock into the index. No step, here or before, writes to the working
tree.

Of git's hooks only `reference-transaction` runs, as for every program that moves a ref, and it may refuse. It has the
caller's environment and sees the new objects. pre-commit, prepare-commit-msg, commit-msg, post-commit and
post-index-change do not run: the commits are created by plumbing, each message has passed the rules before, and a hook
that edits files would invalidate the proof that the last tree is the target.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace

from smartcommit.errors import (
    GitError,
    LockedError,
    SmartcommitError,
    SplitError,
    SplitPlanOutdated,
    describe_error,
)
from smartcommit.git import journal
from smartcommit.git.journal import Journal, SplitRun, alternates, quote_store, sweep
from smartcommit.git.lockfile import TIMEOUT, FileLock, make_lock_error, retry_with_backoff, sync_directory, sync_file
from smartcommit.git.packs import add_packs, release_packs, write_pack
from smartcommit.git.repo import Repository
from smartcommit.git.run import find_reason, popen_git, read_errors
from smartcommit.git.snapshot import Snapshot, check_current
from smartcommit.git.status import read_status
from smartcommit.signals import discard_signals

# The number of splits that can be undone.
KEPT = 10
# Messages that git keeps for the next commit and then deletes: if they stayed, a later commit would get them.
_MESSAGES = ("SQUASH_MSG", "MERGE_MSG")


def publish(snapshot: Snapshot, new: str, backup: str | None, *, count: int, index_tree: str) -> Journal:
    """Move HEAD to the commit `new`, `count` commits further, and install the index.

    `index_tree` is the tree of that index. The commit `backup` reaches the content of the index before and after, the
    latter by its second parent; it is None if the old and the new HEAD reach everything.

    Raise SplitPlanOutdated if HEAD or the index has changed since the snapshot, LockedError if another process holds
    the index, and GitError if git refuses; then HEAD and index have not changed. Raise SplitError if they have, but
    another process changed the index in the meantime.
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

    def check() -> None:
        check_current(snapshot)
        add_packs(run.published, repository.objects, run.note)

    def move() -> None:
        head = f"update HEAD {new} {snapshot.base or repository.null_id}"
        move_refs(repository, [head], note=f"split: {count} commits", owner=run.owner)

    _apply(run, entry, check, move)
    for old in outdated:
        with run.tidying():
            _remove(SplitRun(repository, old.name), old)
    return entry


def undo(repository: Repository) -> tuple[Journal, list[str]]:
    """Restore HEAD and the index as they were before the last split; the working tree does not change.

    Return its journal, and what went wrong after it was undone.

    Raise SplitError if there is none, or if HEAD has moved or something was staged since; otherwise as `publish`.
    """
    check_recovered(repository)
    entries = journal.read_all(repository)
    if not entries:
        raise SplitError("no split to undo")
    entry = entries[-1]
    _check_index_path(repository, entry)
    run = SplitRun(repository, entry.name)
    if not os.path.exists(run.before):  # there was no index yet
        repository.pinned(GIT_INDEX_FILE=run.before).run("read-tree", "--empty")

    def check() -> None:
        _check_unchanged_since(run, entry)
        add_packs(run.backup, repository.objects, run.note)

    def move() -> None:
        head = f"delete HEAD {entry.new}"
        if entry.old:
            head = f"update HEAD {entry.old} {entry.new}"
        move_refs(repository, [head], note="split: undo", owner=run.owner)

    with run.take_over() as free:
        if not free:
            raise LockedError("another process is undoing this split", hint="wait for it to finish")
        _apply(run, replace(entry, state="undoing"), check, move)
    return entry, run.warnings


def recover(repository: Repository) -> tuple[list[tuple[Journal, bool]], list[str]]:
    """Finish every interrupted split that has moved HEAD already, and roll back the others; then tidy up.

    Return each with whether it is in effect now, and what could not be tidied up. Locks that are not a split's stay
    (`check_unlocked`).

    Raise LockedError if one is still running, SplitError if the index was changed since.
    """
    found = []
    warnings: list[str] = []
    for unfinished in _list_unfinished(repository):
        run = SplitRun(repository, unfinished.name)
        with ExitStack() as stack:
            try:
                free = stack.enter_context(run.take_over())
            except FileNotFoundError:  # finished in the meantime
                continue
            if not free:
                raise LockedError("a split is still running here", hint="wait for it to finish, then recover")
            entry = journal.read(run)
            if entry is not None and entry.state != "done":
                found.append((entry, _recover_run(run, entry)))
                warnings += run.warnings
    return found, warnings + sweep(repository)


def check_unlocked(repository: Repository) -> None:
    """Raise LockedError, naming each lock, if the index, HEAD, its branch or the packed refs stay locked.

    The owner of one of git's locks is unknown, so the user has to remove those that a killed git left.
    """
    branch = repository.pinned().branch()
    locks = [
        FileLock(repository.index).path,
        os.path.join(repository.git_dir, "HEAD.lock"),
        os.path.join(repository.common_dir, "packed-refs.lock"),
    ]
    if branch:
        locks.append(os.path.join(repository.common_dir, "refs", "heads", f"{branch}.lock"))
    for directory in {os.path.realpath(repository.git_dir), os.path.realpath(repository.common_dir)}:
        locks.append(os.path.join(directory, "reftable", "tables.list.lock"))
    held: list[str] = []
    for _ in retry_with_backoff(TIMEOUT):
        held = list(filter(os.path.exists, locks))
        if not held:
            return
    raise make_lock_error(held)


def check_recovered(repository: Repository) -> None:
    """Raise SplitError if a split was interrupted and not recovered yet."""
    if any(SplitRun(repository, entry.name).is_dead() for entry in _list_unfinished(repository)):
        raise SplitError("an earlier split was interrupted", hint="run 'git smart-commit --recover' first")


def _list_unfinished(repository: Repository) -> list[Journal]:
    return [entry for entry in journal.read_all(repository) if entry.state != "done"]


def _recover_run(run: SplitRun, entry: Journal) -> bool:
    """Finish the run, which we own now, or roll it back; return whether the split is in effect."""
    repository = run.repository
    _check_index_path(repository, entry)
    complete = _is_complete(run, entry)
    # Without its lock the index was installed already, or is open to others: what they staged must not be lost.
    unlocked = complete and not FileLock(repository.index).is_ours(_choose_index(run, entry))
    if unlocked and not _index_holds(run, entry.staged_tree) and not _index_holds(run, entry.index_tree):
        raise SplitError(
            "the index was changed after a split was interrupted",
            hint="run 'git reset' to make it match HEAD, then recover again",
        )
    _finish(run, entry, complete=complete)
    return complete == (entry.state == "moving")


def _apply(run: SplitRun, entry: Journal, check: Callable[[], None], move: Callable[[], None]) -> None:
    """Journal `entry`, lock the index, `check` that HEAD may move, `move` the refs, and install the index.

    Until HEAD has moved a failure rolls everything back. Afterwards only the index must still be installed; what else
    fails is kept in `run.warnings`.
    """
    may_have_moved = False
    # Signals that would kill this process come too late for what takes an instant; a hook of git's still gets them.
    with discard_signals():
        try:
            journal.write(run, entry)
            FileLock(run.repository.index).take(_choose_index(run, entry))
            check()
            may_have_moved = True
            _move(run, entry, move)
        except BaseException:  # whatever it is, the index must not stay locked, nor disagree with HEAD
            # Where nothing was moved HEAD may still be where an undo would move it: the user has reset it.
            _finish(run, entry, complete=may_have_moved and _is_complete(run, entry))
            raise
        done = "undone" if entry.state == "undoing" else "made"
        try:
            valid = _finish(run, entry, complete=True)
        except (OSError, SmartcommitError) as error:
            raise SplitError(
                f"the split was {done}, but the index may not match it yet: {describe_error(error)}",
                hint="run 'git smart-commit --recover'",
            ) from error
        if not valid:
            raise SplitError(
                f"the split was {done}, but another process changed the index in the meantime",
                hint="that change to the index may be lost: check 'git status'",
            )


def _move(run: SplitRun, entry: Journal, move: Callable[[], None]) -> None:
    """Call `move`; if it fails although HEAD has moved, for example because git was killed, that is a warning."""
    try:
        move()
    except (OSError, GitError) as error:
        if not _is_complete(run, entry):
            raise
        run.warnings.append(describe_error(error))


def _finish(run: SplitRun, entry: Journal, *, complete: bool) -> bool:
    """Make the index agree with HEAD, which has moved if the run is `complete`, and tidy up.

    Return whether the index has the right content, and no other process changed it while it was locked.
    """
    lock = FileLock(run.repository.index)
    if not complete:
        with run.tidying():
            lock.release(_choose_index(run, entry))
            _tidy_up(run, entry, complete=False)
        return True
    with run.tidying():
        _sync_head(run.repository, entry)
    valid = _install_index(run, entry, lock)
    with run.tidying():
        lock.sync()
    _tidy_up(run, entry, complete=True)
    return valid


def _install_index(run: SplitRun, entry: Journal, lock: FileLock) -> bool:
    """Install the index of the run; return whether no other process changed it while it was locked."""
    content = _choose_index(run, entry)
    tree = entry.index_tree if entry.state == "moving" else entry.staged_tree
    valid = True
    if lock.is_ours(content):
        lock.install()
    elif not _index_holds(run, tree):
        # If it stayed, the next commit would revert the split.
        lock.take(content)
        lock.install()
        valid = False
    return valid and _index_holds(run, tree)


def _tidy_up(run: SplitRun, entry: Journal, *, complete: bool) -> None:
    """Remove what is no longer needed, and note that the run has ended; `sweep` or `recover` does what fails here."""
    in_effect = complete == (entry.state == "moving")
    with run.tidying():
        if complete:
            _move_messages(run, entry)
        release_packs(run.repository.objects, run.note)
        if in_effect:
            run.remove_work()
        else:
            _remove(run, entry)
    if in_effect:
        with run.tidying():
            journal.write(run, replace(entry, state="done"))


def _is_complete(run: SplitRun, entry: Journal) -> bool:
    """Whether HEAD is where the run moves it."""
    return run.repository.head() == (entry.new if entry.state == "moving" else entry.old)


def _choose_index(run: SplitRun, entry: Journal) -> str:
    """Return the path of the index that the run installs."""
    return run.after if entry.state == "moving" else run.before


def _index_holds(run: SplitRun, tree: str) -> bool:
    """Whether exactly `tree` is staged; one process."""
    repository = run.repository.pinned(GIT_INDEX_FILE=run.repository.index)
    if os.path.isdir(run.backup):
        repository = repository.pinned(**alternates([quote_store(run.backup)]))
    options = ("--cached", "--ita-invisible-in-index", "--ignore-submodules=none", "--quiet")
    return repository.ended("diff-index", *options, tree, "--", expected=(0, 1)).returncode == 0


def _check_unchanged_since(run: SplitRun, entry: Journal) -> None:
    """Raise SplitPlanOutdated if HEAD has moved or changes were staged since the split."""
    repository = run.repository
    state = read_status(repository.pinned(GIT_INDEX_FILE=repository.index))
    if (state.head, state.branch) != (entry.new, entry.branch):
        hint = _say_how_to_return(entry, state.branch)
        raise SplitPlanOutdated("HEAD has moved since the split", hint=hint)
    if not _index_holds(run, entry.index_tree):
        raise SplitPlanOutdated("changes were staged since the split", hint="run 'git reset' first, then undo")
    # The old index has the old flags: git would take files that a sparse checkout has removed since for deleted ones.
    if _list_flagged(repository, repository.index) != _list_flagged(repository, run.before):
        raise SplitPlanOutdated(
            "the sparse checkout, or which files git takes for unchanged, was changed since the split",
            hint="change that back first, then undo",
        )


def _say_how_to_return(entry: Journal, branch: str | None) -> str:
    """Return how to move HEAD, which is on `branch`, back to where the split left it."""
    commit = entry.new[:12]
    if entry.branch is None:
        return f"run 'git checkout --detach {commit}' first, then undo"
    if branch != entry.branch:
        return f"run 'git checkout {shlex.quote(entry.branch)}' first, then undo"
    return f"to keep the commits since, run 'git branch NAME'; then run 'git reset --keep {commit}', and undo"


def _list_flagged(repository: Repository, index: str) -> set[bytes]:
    """Return the paths that are not plain entries of `index`, each after the letter of `git ls-files -v`."""
    listing = repository.pinned(GIT_INDEX_FILE=index).run("ls-files", "-v", "-z")
    return {entry for entry in listing.split(b"\0") if not entry.startswith(b"H ")}


def _check_index_path(repository: Repository, entry: Journal) -> None:
    """Raise SplitError if the index in use is not the one of the split."""
    if _relative(repository, repository.index) != entry.index:
        raise SplitError(
            f"the last split used another index: '{entry.index}', seen from '{repository.git_dir}'",
            hint="set GIT_INDEX_FILE to it",
        )


def _relative(repository: Repository, index: str) -> str:
    return os.path.relpath(os.path.realpath(index), os.path.realpath(repository.git_dir))


def _remove(run: SplitRun, entry: Journal) -> None:
    run.remove()
    if entry.backup_ref is not None:
        run.repository.run("update-ref", "-d", entry.backup_ref)


def _sync_head(repository: Repository, entry: Journal) -> None:
    """Wait until HEAD is on disk: git does not by default, and a setting for it would be visible to its hooks."""
    directory = repository.common_dir if entry.branch else repository.git_dir
    tables = os.path.join(directory, "reftable")
    if os.path.isdir(tables):
        paths = [os.path.join(tables, name) for name in os.listdir(tables)]
    elif entry.branch:
        paths = [os.path.join(directory, "refs", "heads", entry.branch)]
    else:
        paths = [os.path.join(directory, "HEAD")]
    # Undone to no commit, tables that git has merged since, or refs in another place.
    with suppress(FileNotFoundError, NotADirectoryError):
        for path in paths:
            sync_file(path)
        sync_directory(os.path.dirname(paths[0]))


def _move_messages(run: SplitRun, entry: Journal) -> None:
    """Put git's messages for the next commit aside, or back if the run undoes a split."""
    source, target = run.repository.git_dir, run.path
    if entry.state == "undoing":
        source, target = target, source
    for name in _MESSAGES:
        with suppress(FileNotFoundError):
            os.replace(os.path.join(source, name), os.path.join(target, name))


def move_refs(repository: Repository, instructions: Sequence[str], *, note: str, owner: int) -> None:
    """Run `instructions` of `git update-ref --stdin` in one transaction, with `note` in the reflog; one process.

    The `reference-transaction` hook runs in the caller's environment, so no `-c` may be used here: git would pass it
    on. git inherits the open file `owner`: if we are killed, a lock on that file is held until git has exited too.

    Raise GitError if git refuses; then no ref has moved.
    """
    command = ("git", "update-ref", "-m", note, "--stdin")
    environment = repository.caller_environment()
    files = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "pass_fds": (owner,)}
    # Errors go to a file and not to a pipe, which a process that a hook leaves running could hold open for long.
    with popen_git(command, cwd=repository.worktree, env=environment, **files) as (process, errors):
        process.communicate("".join(f"{line}\n" for line in instructions).encode())
        if process.returncode:
            raise GitError(_explain(read_errors(errors), process.returncode), status=process.returncode)


def _explain(stderr: bytes, status: int) -> str:
    text = find_reason(stderr) or f"status {status}"
    if "but expected" in text:
        return f"HEAD has moved in the meantime: {text}"
    return f"'git update-ref' failed: {text}"
