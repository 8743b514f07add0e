"""A snapshot without the files that nobody may have meant to commit: secrets, artifacts, conflicts."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

from smartcommit.git.diff import FileChange, list_changes
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Compose, Snapshot, take_snapshot
from smartcommit.secrets.files import is_any_above
from smartcommit.secrets.passwords import find_passwords
from smartcommit.secrets.scan import Finding, scan, scan_conflicts, scan_names
from smartcommit.split.byproducts import find_byproducts
from smartcommit.split.plan import SuspectFile


@contextmanager
def take_screened_snapshot(
    repository: Repository,
    *,
    staged: bool,
    apart: Collection[bytes],
    planned: Collection[str],
    include_secrets: bool,
    compose: Compose | None = None,
) -> Iterator[tuple[Snapshot, list[SuspectFile]]]:
    """Yield a snapshot as `take_snapshot` does, and its suspect files.

    All are to be left out, except for those in `planned`, or if `include_secrets` is set. Untracked ones are not in the
    snapshot then; what is in a folder that a program made is not even read.
    """
    left_out: dict[bytes, SuspectFile] = {}
    is_meant = _choose_meant(planned, include_all=include_secrets)

    def leave_out(head: str | None, untracked: Sequence[bytes]) -> Collection[bytes]:
        if not include_secrets:
            for finding in scan_names(repository, head or repository.empty_tree, untracked):
                # A file may have been renamed, which only a snapshot shows.
                if finding.path.endswith(b"/") and not is_meant(finding.path):
                    left_out[finding.path] = SuspectFile(finding.path, finding.reason, left_out=True)
        return left_out

    while True:
        with take_snapshot(repository, staged=staged, apart=apart, leave_out=leave_out, compose=compose) as snapshot:
            suspects = find_suspects(snapshot, planned, include_all=include_secrets)
            untracked = frozenset(snapshot.untracked)
            excluded = [suspect for suspect in suspects if suspect.left_out and suspect.path in untracked]
            if not excluded:
                yield snapshot, [*left_out.values(), *suspects]
                return
        # Take another snapshot: the objects of this one must not get into the object database.
        left_out.update((suspect.path, suspect) for suspect in excluded)


def find_suspects(snapshot: Snapshot, planned: Collection[str], *, include_all: bool) -> list[SuspectFile]:
    """Return the suspect files of `snapshot`; all are to be left out but those in `planned`, unless `include_all`."""
    is_meant = _choose_meant(planned, include_all=include_all)
    changes = list_changes(snapshot.repository, snapshot.since, snapshot.target, counts=False)
    suspects = []
    for finding in _scan(snapshot, changes):
        suspects.append(SuspectFile(finding.path, finding.reason, left_out=not is_meant(finding.path)))
    return suspects


def _choose_meant(planned: Collection[str], *, include_all: bool) -> Callable[[bytes], bool]:
    """Return whether a path is meant to be committed."""
    meant = set(map(os.fsencode, planned))

    def is_meant(path: bytes) -> bool:
        return include_all or path in meant or any(is_any_above(each, [path]) for each in meant)

    return is_meant


def _scan(snapshot: Snapshot, changes: Sequence[FileChange]) -> list[Finding]:
    """Return one finding for each suspect file among the `changes` of `snapshot`."""
    findings = scan(snapshot.repository, snapshot.since, changes)
    known = {finding.path for finding in findings}
    clean = [change for change in changes if not is_any_above(change.path, known)]
    findings += scan_conflicts(snapshot.repository, clean)
    found = chain(
        find_byproducts(snapshot.repository, snapshot.since, snapshot.target, clean),
        find_passwords(snapshot.repository, clean),
    )
    known = {finding.path for finding in findings}
    return findings + [finding for finding in found if finding.path not in known]
