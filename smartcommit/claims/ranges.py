"""Reads what to compare messages with: the change of each commit, of a range as a whole, or that is staged."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from smartcommit.claims.evidence import OPTIONS, ChangeEvidence, EvidenceReader
from smartcommit.errors import GitError
from smartcommit.git.query import make_log_command
from smartcommit.git.run import NO_LAZY_FETCH, explain_end, make_environment
from smartcommit.processes.run import read_errors, start

# Bytes of one line that are read: the rest is data, and `EvidenceReader` would keep still less.
_LINE_BYTES = 1 << 16
_UNQUOTED = ("git", "--no-pager", "-c", "core.quotePath=false")


def read_changes(
    *revisions: str, environment: Mapping[str, str] = MappingProxyType({})
) -> Iterator[tuple[str, ChangeEvidence]]:
    """Yield each commit of `revisions` with what it changed, newest first as `git.objects.read_messages` does.

    Merges have no change. `environment` is added to git's. One process; memory does not grow with their number.
    Raise GitError if git fails, for example because a partial clone lacks contents.
    """
    # No line of a patch begins with a NUL, as that of a commit does here.
    command = make_log_command("%x00%H", *OPTIONS, revisions=revisions, with_nul=False)
    commit, reader = "", EvidenceReader()
    for line in _read_lines((*_UNQUOTED, *command), " ".join(revisions), environment):
        if line.startswith(b"\0"):
            if commit:
                yield commit, reader.evidence
            commit, reader = line[1:].decode("ascii").strip(), EvidenceReader()
        else:
            reader.read_line(line)
    if commit:
        yield commit, reader.evidence


def read_whole_change(revisions: str) -> ChangeEvidence:
    """Return what the range `A..B` changes as a whole, since its ends parted. Raise GitError if git fails."""
    base, dots, head = revisions.replace("...", "..").partition("..")
    if not dots:
        raise GitError(f"'{revisions}' is not a range", status=1, hint="name one such as main..HEAD")
    command = ("diff", *OPTIONS, "--end-of-options", f"{base or 'HEAD'}...{head or 'HEAD'}", "--")
    return EvidenceReader().read(_read_lines((*_UNQUOTED, *command), revisions))


def read_staged_change() -> ChangeEvidence:
    command = ("diff", "--cached", "--ita-invisible-in-index", *OPTIONS, "--")
    return EvidenceReader().read(_read_lines((*_UNQUOTED, *command), "the index"))


def _read_lines(
    command: tuple[str | bytes, ...], what: str, environment: Mapping[str, str] = MappingProxyType({})
) -> Iterator[bytes]:
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    with start(command, env=make_environment({**NO_LAZY_FETCH, **environment}), **streams) as (process, errors):
        assert process.stdout is not None
        is_start = True
        while line := process.stdout.readline(_LINE_BYTES):
            if is_start:
                yield line
            is_start = line.endswith(b"\n")
        status, stderr = process.wait(), read_errors(errors)
    if status != 0:
        hint = None
        if b"promisor" in stderr:  # the remote of a partial clone, which promised the rest
            hint = "a partial clone lacks contents: run 'git fetch --refetch --no-filter'"
        raise GitError(f"cannot read the change of '{what}': {explain_end(status, stderr)}", status=status, hint=hint)
