"""Moves HEAD and the index together: the only place where a split, or its undo, changes the user's repository.

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

import glob
import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from smartcommit import files
from smartcommit.errors import GitError, SmartcommitError, SplitError, describe_error
from smartcommit.git.lockfile import FileLock, make_lock_error, sync
from smartcommit.git.repo import Repository
from smartcommit.git.run import explain_end, read_file
from smartcommit.git.transaction import journal
from smartcommit.git.transaction.journal import Journal, RefMove, SplitRun
from smartcommit.git.transaction.quarantine import alternates, quote_store, release_packs
from smartcommit.processes.run import inherit, read_errors, start
from smartcommit.signals import discard_signals

# Messages that git keeps for the next commit and then deletes: if they stayed, a later commit would get them.
_MESSAGES = ("SQUASH_MSG", "MERGE_MSG")
# For `git for-each-ref`: a ref, its object, and `used` if a worktree has it checked out. A path may have line ends.
_WITH_USE = "%(refname) %(objectname) %(if)%(worktreepath)%(then)used%(end)"
# Where a worktree's git directory has the refs that a rebase or a bisection will move, or go back to.
_REFS_AT_WORK = ("rebase-merge/head-name", "rebase-merge/update-refs", "rebase-apply/head-name", "BISECT_START")


def apply(run: SplitRun, entry: Journal, prepare_move: Callable[[], None], *, note: str) -> None:
    """Journal `entry`, lock the index, call `prepare_move`, move HEAD, and install the index.

    `prepare_move` raises unless HEAD may move; `note` is for the reflog. Until HEAD has moved a failure rolls all
    back. Afterwards only the index must still be installed; what else fails is kept in `run.warnings`.
    """
    may_have_moved = False
    # Signals that would kill this process come too late for what takes an instant; a hook of git's still gets them.
    with discard_signals():
        try:
            journal.write(run, entry)
            FileLock(run.repository.index).take(choose_index(run, entry))
            prepare_move()
            may_have_moved = True
            moves = [("HEAD", entry.old, entry.new), *entry.refs]
            instructions = _list_instructions(moves, entry, null=run.repository.null_id)
            try:
                move_refs(run.repository, instructions, note=note, owner=run.owner)
            except (OSError, GitError) as error:
                # git may fail although HEAD has moved, for example because it was killed.
                if not is_complete(run, entry):
                    raise
                run.warnings.append(describe_error(error))
        except BaseException:  # whatever it is, the index must not stay locked, nor disagree with HEAD
            # If HEAD was not moved by this run, it may still have the new position, because the user has reset it.
            finish(run, entry, complete=may_have_moved and is_complete(run, entry))
            raise
        done = "undone" if entry.state == "undoing" else "made"
        try:
            valid = finish(run, entry, complete=True)
        except (OSError, SmartcommitError) as error:
            raise SplitError(
                f"the split was {done}, but the index may not match it yet: {describe_error(error)}",
                hint="run 'git smart-commit recover'", following=["git smart-commit recover"],
            ) from error  # fmt: skip
        if not valid:
            raise SplitError(
                f"the split was {done}, but another process changed the index in the meantime",
                hint="that change to the index may be lost: check 'git status'",
            )


def _list_instructions(moves: Iterable[RefMove], entry: Journal, *, null: str) -> list[str]:
    """Return the instructions of `git update-ref --stdin` for `moves`, or for taking them back if `entry` is undone."""
    instructions = []
    for name, old, new in moves:
        if entry.state == "moving":
            instructions.append(f"update {name} {new} {old or null}")
        elif old is None:
            instructions.append(f"delete {name} {new}")
        else:
            instructions.append(f"update {name} {old} {new}")
    return instructions


def list_unmoved(repository: Repository, entry: Journal) -> list[RefMove]:
    """Return those of the entry's refs that are where they were before its move, and that no worktree uses."""
    names = [name for name, _, _ in entry.refs]
    if not names:
        return []
    refs = read_refs(repository, *names)
    unmoved = []
    for name, old, new in entry.refs:
        before = old if entry.state == "moving" else new
        expected = None if before is None else (before, "")
        if refs.get(name) == expected:
            unmoved.append((name, old, new))
    return unmoved


def read_refs(repository: Repository, *patterns: str) -> dict[str, tuple[str, str]]:
    """Return the object of each ref that matches, and what a worktree does with it, in words: empty if none does.

    Source: prepare_checked_out_branches in branch.c of git 2.55; `%(worktreepath)` knows no rebase.
    """
    at_work: set[str] = set()
    others = glob.glob(os.path.join(glob.escape(repository.common_dir), "worktrees", "*"))
    for directory in (repository.common_dir, *others):
        for name in _REFS_AT_WORK:
            for line in os.fsdecode(read_file(os.path.join(directory, name)) or b"").split("\n"):
                at_work.update((line, f"refs/heads/{line}"))  # a bisection has the name without its folder
    refs = {}
    for line in os.fsdecode(repository.run("for-each-ref", f"--format={_WITH_USE}", *patterns)).split("\n")[:-1]:
        name, oid, use = line.split(" ")
        if use:
            use = "a worktree has it checked out"
        elif name in at_work:
            use = "a worktree is rebasing or bisecting it"
        refs[name] = (oid, use)
    return refs


def _settle_refs(run: SplitRun, entry: Journal, *, complete: bool) -> None:
    """Move those of the run's refs that a git which failed half-way has left behind HEAD, or moved before it."""
    wanted = entry
    if not complete:
        wanted = replace(entry, state="undoing" if entry.state == "moving" else "moving")
    unmoved = list_unmoved(run.repository, wanted)
    if not unmoved:
        return
    instructions = _list_instructions(unmoved, wanted, null=run.repository.null_id)
    move_refs(run.repository, instructions, note="split: recover", owner=run.owner)


def list_ref_locks(repository: Repository, names: Iterable[str]) -> list[str]:
    """Return the paths of git's locks for HEAD, its branch, the refs `names` and the packed refs, there or not."""
    branch = repository.pinned().branch()
    refs = {"HEAD", *names}
    if branch:
        refs.add(f"refs/heads/{branch}")
    locks = [os.path.join(repository.common_dir, "packed-refs.lock")]
    for name in sorted(refs):
        directory = repository.git_dir if name == "HEAD" else repository.common_dir
        locks.append(os.path.join(directory, f"{name}.lock"))
    for directory in {os.path.realpath(repository.git_dir), os.path.realpath(repository.common_dir)}:
        locks.append(os.path.join(directory, "reftable", "tables.list.lock"))
    return locks


def finish(run: SplitRun, entry: Journal, *, complete: bool) -> bool:
    """Make the other refs and the index agree with HEAD, which has moved if the run is `complete`, and tidy up.

    Return whether the index has the right content, and no other process has changed it although it was locked. If a ref
    cannot be moved, the run still has to be recovered.
    """
    lock = FileLock(run.repository.index)
    content = choose_index(run, entry)
    if not complete:
        with run.tidying():
            lock.release(content)
            _settle_refs(run, entry, complete=False)
            _tidy_up(run, entry, complete=False)
        return True
    _settle_refs(run, entry, complete=True)
    with run.tidying():
        _sync_refs(run.repository, entry)
    tree = entry.index_tree if entry.state == "moving" else entry.staged_tree
    valid = True
    if lock.was_taken_with(content):
        lock.install()
    elif not index_holds(run, tree):
        # If it stayed, the next commit would revert the split.
        lock.take(content)
        lock.install()
        valid = False
    valid = valid and index_holds(run, tree)
    with run.tidying():
        lock.sync()
    _tidy_up(run, entry, complete=True)
    return valid


def _tidy_up(run: SplitRun, entry: Journal, *, complete: bool) -> None:
    """Remove what is no longer needed, and note that the run has ended; `sweep` or `recover` does what fails here."""
    in_effect = entry.is_in_effect(complete=complete)
    with run.tidying():
        if complete and not entry.keeps_index:
            # Put aside, or back if the run undoes a split.
            source, target = run.repository.git_dir, run.path
            if entry.state == "undoing":
                source, target = target, source
            for name in _MESSAGES:
                with suppress(FileNotFoundError):
                    files.replace(os.path.join(source, name), os.path.join(target, name))
        release_packs(run.repository.objects, run.note)
        if in_effect:
            run.remove_work()
        else:
            run.remove()
    if in_effect:
        with run.tidying():
            journal.write(run, replace(entry, state="done"))


def is_complete(run: SplitRun, entry: Journal) -> bool:
    """Whether HEAD is where the move, or its undo, takes it."""
    return run.repository.head() == (entry.new if entry.state == "moving" else entry.old)


def choose_index(run: SplitRun, entry: Journal) -> str:
    """Return the file with the index that the move, or its undo, installs."""
    return run.after if entry.state == "moving" else run.before


def index_holds(run: SplitRun, tree: str) -> bool:
    """Whether the staged content is exactly this tree."""
    repository = run.repository.pinned(GIT_INDEX_FILE=run.repository.index)
    if os.path.isdir(run.backup):
        repository = repository.pinned(**alternates([quote_store(run.backup)]))
    options = ("--cached", "--ita-invisible-in-index", "--ignore-submodules=none", "--quiet")
    return repository.ended("diff-index", *options, tree, "--", expected=(0, 1)).returncode == 0


def check_index_path(repository: Repository, entry: Journal) -> None:
    if name_index(repository, repository.index) != entry.index:
        raise SplitError(
            f"the last split used another index: '{entry.index}', seen from '{repository.git_dir}'",
            hint="set GIT_INDEX_FILE to it",
        )


def name_index(repository: Repository, index: str) -> str:
    return os.path.relpath(os.path.realpath(index), os.path.realpath(repository.git_dir))


def _sync_refs(repository: Repository, entry: Journal) -> None:
    """Wait until HEAD and the other refs are on disk: git does not by default, and its hooks would see a setting."""
    directory = repository.common_dir if entry.branch else repository.git_dir
    tables = os.path.join(directory, "reftable")
    if os.path.isdir(tables):
        paths = [os.path.join(tables, name) for name in os.listdir(tables)]
    elif entry.branch:
        paths = [os.path.join(directory, "refs", "heads", entry.branch)]
    else:
        paths = [os.path.join(directory, "HEAD")]
    paths += [os.path.join(repository.common_dir, name) for name, _, _ in entry.refs]
    for path in paths:
        # Undone to no commit, tables that git has merged since, or refs in another place.
        with suppress(FileNotFoundError, NotADirectoryError):
            sync(path)
            sync(os.path.dirname(path))


def move_refs(repository: Repository, instructions: Sequence[str], *, note: str, owner: int) -> None:
    """Run `instructions` of `git update-ref --stdin` as one transaction, with `note` in the reflog.

    The `reference-transaction` hook runs in the caller's environment, so no `-c` may be used here: git would pass it
    on. git inherits the open file `owner`: if we are killed, a lock on that file is held until git has exited too.
    Raise LockedError if a ref is locked, GitError if git refuses for another reason.
    """
    command = ("git", "update-ref", "-m", note, "--stdin")
    environment = repository.make_caller_environment()
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, **inherit(owner)}
    # Errors go to a file and not to a pipe, which a process that a hook leaves running could hold open for long.
    with start(command, cwd=repository.worktree, env=environment, **streams) as (process, errors):
        process.communicate(os.fsencode("\n".join([*instructions, ""])))
        status = process.returncode
        if status:
            text = explain_end(status, read_errors(errors))
            what = "'git update-ref' failed"
            if "but expected" in text:
                name = "HEAD" if "ref 'HEAD'" in text else "a branch"
                what = f"{name} has moved in the meantime"
            elif ".lock'" in text:
                names = [line.split(" ")[1] for line in instructions]
                held = [path for path in list_ref_locks(repository, names) if os.path.exists(path)]
                if held:
                    raise make_lock_error(held)
            raise GitError(f"{what}: {text}", status=status)
