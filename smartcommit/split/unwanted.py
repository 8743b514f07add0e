"""Leaves untracked files that look like secrets or build artifacts out of a split."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from smartcommit.git.diff import list_changes
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_snapshot
from smartcommit.secret_scan import scan


@dataclass(frozen=True, slots=True)
class SuspectFile:
    """A changed file that looks like a secret or a build artifact; `left_out` is whether it stays uncommitted."""

    path: bytes
    reason: str
    left_out: bool


@contextmanager
def take_screened_snapshot(
    repository: Repository, *, staged: bool, apart: Collection[bytes], planned: Collection[str], include_secrets: bool
) -> Iterator[tuple[Snapshot, list[SuspectFile]]]:
    """Yield a snapshot as `take_snapshot` does, and the files that look like secrets or build artifacts.

    Untracked ones are left out of the snapshot, unless they are in `planned` or `include_secrets` is set.
    """
    left_out: dict[bytes, SuspectFile] = {}
    while True:
        with take_snapshot(repository, staged=staged, apart=apart, left_out=left_out) as snapshot:
            changes = list_changes(snapshot.repository, snapshot.since, snapshot.target, counts=False)
            findings = scan(snapshot.repository, changes)
            untracked = frozenset(() if include_secrets else snapshot.untracked)
            excluded = {}
            for finding in findings:
                if finding.path in untracked and os.fsdecode(finding.path) not in planned:
                    excluded[finding.path] = SuspectFile(finding.path, finding.reason, left_out=True)
            if not excluded:
                suspects = list(left_out.values())
                for finding in findings:
                    suspects.append(SuspectFile(finding.path, finding.reason, left_out=False))
                yield snapshot, suspects
                return
        # Take another snapshot: the objects of this one must not get into the object database.
        left_out.update(excluded)
