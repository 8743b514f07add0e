"""Hints about which files belong together that are not in the change: what is staged, and modification times."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from smartcommit.git.diff import list_changes
from smartcommit.git.hunks import ChangeUnits
from smartcommit.git.snapshot import Snapshot

# What the hints add to the log-odds of a pair. History records neither, so these weights are not fitted.
_STAGED = 1.0
_MODIFIED = 0.5
# Seconds between two modifications of one working session.
_SESSION = 2 * 3600


@dataclass(frozen=True, slots=True)
class Hints:
    """What the index and the working tree say about how the user worked.

    `staged` are the paths whose content in the index is that of the working tree, and `modified` has the modification
    times of files in seconds.
    """

    staged: Collection[bytes] = ()
    modified: Mapping[bytes, float] = field(default_factory=dict)

    def describe(self, paths: Sequence[bytes]) -> list[str]:
        """Return names for the hints that distinguish some of `paths` from others."""
        found = []
        staged = sum(path in self.staged for path in paths)
        if 0 < staged < len(paths):
            found.append("what is staged")
        times = [self.modified[path] for path in paths if path in self.modified]
        if times and max(times) - min(times) > _SESSION:
            found.append("when files were modified")
        return found

    def weight(self, one: bytes, other: bytes) -> float:
        """Return what the hints add to the log-odds that two paths belong to one commit."""
        weight = 0.0
        staged = (one in self.staged) + (other in self.staged)
        if staged == 1:
            weight -= _STAGED
        elif staged == 2:
            weight += _STAGED
        known = one in self.modified and other in self.modified
        if known and abs(self.modified[one] - self.modified[other]) > _SESSION:
            weight -= _MODIFIED
        return weight


def read_hints(snapshot: Snapshot, change: ChangeUnits) -> Hints:
    """Return the hints for `change`, none if only staged changes are split; one process if some are staged.

    Raise GitError if git fails.
    """
    if snapshot.staged:
        return Hints()
    modified = {}
    for diff in change.diffs:
        path = os.path.join(os.fsencode(snapshot.repository.worktree), diff.change.path)
        with suppress(OSError):  # a deleted file has no time
            modified[diff.change.path] = os.lstat(path).st_mtime
    return Hints(_find_staged(snapshot, change), modified)


def _find_staged(snapshot: Snapshot, change: ChangeUnits) -> set[bytes]:
    """Return the paths that are staged as they are in the working tree; none if everything is."""
    if snapshot.staged_tree == snapshot.target:
        return set()
    blobs = {diff.change.path: diff.change.new_id for diff in change.diffs}
    staged = set()
    for entry in list_changes(snapshot.repository, snapshot.since, snapshot.staged_tree, renames=False, counts=False):
        if blobs.get(entry.path) == entry.new_id:
            staged.add(entry.path)
    return staged
