"""Publishes the commits of a split: HEAD moves to them, unless the change is different by now."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from smartcommit.errors import SplitPlanOutdated
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file
from smartcommit.git.snapshot import Snapshot
from smartcommit.git.transaction import journal
from smartcommit.git.transaction.journal import Journal, RefMove, SplitRun
from smartcommit.git.transaction.move import apply, name_index
from smartcommit.git.transaction.quarantine import add_packs, write_pack

# The number of splits that can be undone.
KEPT = 10


def publish(
    snapshot: Snapshot, new: str, backup: str, *, count: int, index_tree: str, refs: Sequence[RefMove] = ()
) -> Journal:
    """Move HEAD to the commit `new`, `count` commits further, and install the index.

    `index_tree` is the tree of that index. The commit `backup` reaches the old HEAD and the content of the index before
    and after, the latter by its second parent. The `refs` move too, as in the journal.

    Raise SplitPlanOutdated if HEAD or the index has changed since the snapshot, LockedError if another process holds
    the index, and GitError if git refuses; then HEAD and index have not changed. Raise SplitError if they have, but
    another process changed the index in the meantime.
    """
    run = snapshot.run
    repository = run.repository
    # In the user's repository the indexes of other worktrees would count. A partial clone may lack what it promises.
    quarantine = run.quarantine.repository.extended("-c", "remote.origin.promisor=true", GIT_INDEX_FILE=run.before)
    write_pack(quarantine, run.backup, [backup], [new], index=True)
    wanted, known = [new, f"{backup}^2"], [snapshot.head]
    for _, before, after in refs:
        wanted.append(after)
        known.append(before)
    write_pack(snapshot.repository, run.published, wanted, [item for item in known if item])
    entry = Journal(
        name=run.name,
        old=snapshot.head,
        new=new,
        branch=snapshot.branch,
        count=count,
        index=name_index(repository, snapshot.index),
        staged_tree=snapshot.staged_tree,
        index_tree=index_tree,
        time=time.time_ns(),
        refs=refs,
        keeps_index=snapshot.is_committed,
    )
    outdated = [*journal.read_all(repository), entry][:-KEPT]

    def prepare_move() -> None:
        _check_current(snapshot)
        add_packs(run.published, repository.objects, run.note)

    apply(run, entry, prepare_move, note=f"split: {count} commits")
    for old in outdated:
        with run.tidying():
            SplitRun(repository, old.name).remove()
    return entry


def _check_current(snapshot: Snapshot) -> None:
    """Raise SplitPlanOutdated if the index, which must be locked, or HEAD or its branch is not the snapshot's.

    Another rewrite that began in the same second may have made the very same commits: then HEAD would seem to be where
    this one moves it, even though it was refused.
    """
    if snapshot.repository.branch() != snapshot.branch:
        raise SplitPlanOutdated("another branch was checked out in the meantime", hint="run the command again")
    if snapshot.run.repository.head() != snapshot.head:
        raise SplitPlanOutdated("HEAD has moved in the meantime", hint="run the command again")
    # An editor that runs `git status` rewrites the index without changing what is staged.
    before, now = snapshot.run.before, snapshot.index
    is_same = read_file(now) == read_file(before)
    if not is_same and _list_entries(snapshot.repository, now) != _list_entries(snapshot.repository, before):
        raise SplitPlanOutdated("changes were staged in the meantime", hint="run the command again")


def _list_entries(repository: Repository, index: str) -> bytes:
    return repository.pinned(GIT_INDEX_FILE=os.path.abspath(index)).run("ls-files", "--stage", "-v", "-f", "-z")
