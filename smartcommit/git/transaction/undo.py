"""Undoes a split: restores HEAD and the index as they were before it, without changing the working tree."""

from __future__ import annotations

import os
import shlex
import shutil
from contextlib import suppress
from dataclasses import replace

from smartcommit.errors import LockedError, NothingToUndo, SplitPlanOutdated
from smartcommit.git.repo import Repository
from smartcommit.git.status import read_status
from smartcommit.git.transaction import journal
from smartcommit.git.transaction.journal import Journal, SplitRun
from smartcommit.git.transaction.move import apply, check_index_path, index_holds, list_unmoved
from smartcommit.git.transaction.quarantine import add_packs
from smartcommit.git.transaction.recover import refuse_if_interrupted


def undo(repository: Repository, *, name: str | None = None) -> tuple[Journal, list[str]]:
    """Restore HEAD and the index as they were before the last split; the working tree does not change.

    If commits were split, the index had nothing to do with that, and stays as it is. Return the journal of the split,
    and what went wrong after it was undone.

    Raise NothingToUndo if there is none, SplitPlanOutdated if HEAD has moved or something was staged since, or if the
    last split is not the run `name`; otherwise as `publish`.
    """
    refuse_if_interrupted(repository)
    entries = journal.read_all(repository)
    if not entries:
        raise NothingToUndo("nothing to undo")
    entry = entries[-1]
    if name not in (None, entry.name):
        raise SplitPlanOutdated("there has been another split in the meantime", hint="run the command again")
    check_index_path(repository, entry)
    run = SplitRun(repository, entry.name)

    def prepare_move() -> None:
        _check_unchanged_since(run, entry)
        add_packs(run.backup, repository.objects, run.note)

    with run.take_over() as free:
        if not free:
            raise LockedError("another process is undoing this split", hint="wait for it to finish")
        with suppress(FileNotFoundError):
            # Of git, where an earlier undo was killed; nobody else uses the copies of a run.
            os.unlink(f"{run.before}.lock")
        if entry.keeps_index:  # the index of now is restored
            with suppress(FileNotFoundError):
                shutil.copy2(repository.index, run.before)
            tree = repository.pinned(GIT_INDEX_FILE=run.before).run("write-tree").decode().strip()
            entry = replace(entry, staged_tree=tree, index_tree=tree)
        if not os.path.exists(run.before):  # there was no index yet
            repository.pinned(GIT_INDEX_FILE=run.before).run("read-tree", "--empty")
        undoing = replace(entry, state="undoing")
        unmoved = list_unmoved(repository, undoing)
        for move in undoing.refs:
            if tuple(move) not in unmoved:
                run.warnings.append(f"'{move[0]}' was moved since, or a worktree uses it: it stays where it is")
        apply(run, replace(undoing, refs=unmoved), prepare_move, note="split: undo")
    return entry, run.warnings


def _check_unchanged_since(run: SplitRun, entry: Journal) -> None:
    repository = run.repository
    state = read_status(repository.pinned(GIT_INDEX_FILE=repository.index))
    if (state.head, state.branch) != (entry.new, entry.branch):
        commit = entry.new[:12]
        hint = f"to keep the commits since, run 'git branch NAME'; then run 'git reset --keep {commit}', and undo"
        if entry.branch is None:
            hint = f"run 'git checkout --detach {commit}' first, then undo"
        elif state.branch != entry.branch:
            hint = f"run 'git checkout {shlex.quote(entry.branch)}' first, then undo"
        raise SplitPlanOutdated("HEAD has moved since the split", hint=hint)
    if not index_holds(run, entry.index_tree):
        if entry.keeps_index:
            raise SplitPlanOutdated("changes were staged in the meantime", hint="run the command again")
        raise SplitPlanOutdated("changes were staged since the split", hint="run 'git reset' first, then undo")
    # The old index has the old flags: files that a sparse checkout has removed since would seem deleted.
    old, now = read_flags(repository, run.before), read_flags(repository, repository.index)
    # A path in one of them alone came or went with the split, as where a folder stood in the place of a file.
    if any(old[path] != now[path] for path in old.keys() & now.keys()):
        raise SplitPlanOutdated(
            "the sparse checkout or assume-unchanged flags were changed since the split",
            hint="change that back first, then undo",
        )


def read_flags(repository: Repository, index: str) -> dict[bytes, bytes]:
    """Return the letter of `git ls-files -v` for each path of `index`."""
    listing = repository.pinned(GIT_INDEX_FILE=index).run("ls-files", "-v", "-z")
    return {entry[2:]: entry[:1] for entry in listing.split(b"\0")[:-1]}
