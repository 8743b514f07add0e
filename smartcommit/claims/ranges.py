"""Reads what to compare messages with: the change of each commit, of a range as a whole, or that is staged."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from smartcommit.claims.evidence import MAX_BYTES, OPTIONS, ChangeEvidence, read_evidence
from smartcommit.errors import GitError
from smartcommit.git.query import make_log_command
from smartcommit.git.run import NO_LAZY_FETCH, explain_end, make_environment
from smartcommit.processes.run import read_errors, start

# Bytes of output that are read at once, up to the end of a line.
_CHUNK_BYTES = 1 << 16


def read_changes(
    *revisions: str, environment: Mapping[str, str] = MappingProxyType({})
) -> Iterator[tuple[str, ChangeEvidence]]:
    """Yield each commit of `revisions` with what it changed, newest first as `git.objects.read_messages` does.

    Merges have no change. `environment` is added to git's. One process; memory does not grow with their number.
    Raise GitError if git fails, for example because a partial clone lacks contents.
    """
    # A path may have all else that follows a line break, and a patch has no line that begins so.
    mark = b"\0\0\0"
    command = make_log_command("%x00%x00%x00%H%n", *OPTIONS, revisions=revisions)
    commit, printed = "", bytearray()
    is_start = True
    for part in _read_parts(command, " ".join(revisions), environment):
        if is_start and part.startswith(mark):
            if commit:
                yield commit, read_evidence(bytes(printed))
            commit, printed = part.strip(b"\0\n").decode("ascii"), bytearray()
        elif len(printed) <= MAX_BYTES:
            printed += part
        is_start = part.endswith(b"\n")
    if commit:
        yield commit, read_evidence(bytes(printed))


def read_whole_change(revisions: str) -> ChangeEvidence:
    """Return what the range `A..B` changes as a whole, since its ends parted. Raise GitError if git fails."""
    base, dots, head = revisions.replace("...", "..").partition("..")
    if not dots:
        raise GitError(f"'{revisions}' is not a range", status=1, hint="name one such as main..HEAD")
    command = ("diff", *OPTIONS, "--end-of-options", f"{base or 'HEAD'}...{head or 'HEAD'}", "--")
    return _read_change(command, revisions)


def read_staged_change() -> ChangeEvidence:
    command = ("diff", "--cached", "--ita-invisible-in-index", *OPTIONS, "--")
    return _read_change(command, "the index")


def _read_change(command: Sequence[str | bytes], what: str) -> ChangeEvidence:
    printed = bytearray()
    for part in _read_parts(command, what):
        if len(printed) <= MAX_BYTES:
            printed += part
    return read_evidence(bytes(printed))


def _read_parts(
    command: Sequence[str | bytes], what: str, environment: Mapping[str, str] = MappingProxyType({})
) -> Iterator[bytes]:
    """Yield what git prints line by line, and long lines in parts."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    environment = make_environment({**NO_LAZY_FETCH, **environment})
    with start(("git", "--no-pager", *command), env=environment, **streams) as (process, errors):
        assert process.stdout is not None
        while part := process.stdout.readline(_CHUNK_BYTES):
            yield part
        status, stderr = process.wait(), read_errors(errors)
    if status != 0:
        hint = None
        if b"promisor" in stderr:  # the remote of a partial clone, which promised the rest
            hint = "a partial clone lacks contents: run 'git fetch --refetch --no-filter'"
        raise GitError(f"cannot read the change of '{what}': {explain_end(status, stderr)}", status=status, hint=hint)
