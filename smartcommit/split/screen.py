"""Leaves untracked files that look like secrets or build artifacts out of a split."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from smartcommit.git.diff import list_changes
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_snapshot
from smartcommit.secret_scan import Finding, scan


@dataclass(frozen=True, slots=True)
class SuspectFile:
    """A changed file that looks like a secret or a build artifact; `left_out` tells whether it stays uncommitted."""

    path: bytes
    reason: str
    left_out: bool


@contextmanager
def screened(
    repository: Repository,
    *,
    staged: bool,
    apart: Collection[bytes],
    planned: Collection[str] = (),
    include_secrets: bool = False,
) -> Iterator[tuple[Snapshot, list[SuspectFile]]]:
    """A snapshot as `smartcommit.git.snapshot.taken` gives it, and the files that look like secrets or artifacts.

    Those that are untracked are not in the snapshot, unless a plan names them (`planned`) or with `include_secrets`.

    Raises: as `taken`.
    """
    left_out: dict[bytes, Finding] = {}
    while True:
        with take_snapshot(repository, staged=staged, apart=apart, left_out=left_out) as snapshot:
            changes = list_changes(snapshot.repository, snapshot.since, snapshot.target, counts=False)
            findings = scan(snapshot.repository, changes)
            untracked = frozenset(() if include_secrets else snapshot.untracked)
            excluded = {}
            for finding in findings:
                if finding.path in untracked and os.fsdecode(finding.path) not in planned:
                    excluded[finding.path] = finding
            if not excluded:
                suspects = [SuspectFile(finding.path, finding.reason, True) for finding in left_out.values()]
                suspects += [SuspectFile(finding.path, finding.reason, False) for finding in findings]
                yield snapshot, suspects
                return
        # Another snapshot, and not this one without these files: what is left out must not get into the object store.
        left_out.update(excluded)
