"""Whether HEAD and index are still those that a snapshot was taken of."""

from __future__ import annotations

import os
import re

from smartcommit.errors import SplitPlanOutdated
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file
from smartcommit.git.snapshot import Snapshot, read_head_file

# What `git status` brings up to date whenever it runs; flags stay.
_STAT_DATA = re.compile(
    rb"  ctime: \d+:\d+\n  mtime: \d+:\d+\n  dev: \d+\tino: \d+\n  uid: \d+\tgid: \d+\n  size: \d+\tflags: (\w+)"
)
# How git remembers, in memory, that an entry is in the shared index. Source: CE_UPDATE_IN_BASE of git.
_SHARED = 1 << 27


def check(snapshot: Snapshot) -> None:
    """Compare the index, which must be locked, and the branch that HEAD names with the snapshot's.

    No process as a rule. Whether that branch has moved is for the ref transaction to say.

    Raises: SplitPlanOutdated when either differs.
    """
    if read_head_file(snapshot.repository) != snapshot.head_file:
        raise SplitPlanOutdated("another branch was checked out in the meantime", hint="run the command again")
    if read_file(snapshot.index) == read_file(snapshot.run.before):
        return
    # An editor that runs `git status` rewrites the index without changing what is staged.
    if _entries(snapshot.repository, snapshot.index) != _entries(snapshot.repository, snapshot.run.before):
        raise SplitPlanOutdated("changes were staged in the meantime", hint="run the command again")


def _entries(repository: Repository, index: str) -> bytes:
    listing = repository.pinned(GIT_INDEX_FILE=os.path.abspath(index)).run(
        "ls-files", "--stage", "-v", "-f", "--debug", "-z"
    )
    return _STAT_DATA.sub(_flags, listing)


def _flags(entry: re.Match[bytes]) -> bytes:
    return b"%x" % (int(entry[1], 16) & ~_SHARED)
