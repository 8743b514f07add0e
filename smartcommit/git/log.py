"""Recorded messages, read by one `git log` however many there are."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from smartcommit.errors import GitError
from smartcommit.git.run import reason, run

_CHUNK = 1 << 16


@dataclass(slots=True)
class Recorded:
    """A commit's object name, the number of its parents, and its message in UTF-8 bytes."""

    commit: str
    parents: int
    message: bytes


def messages(revisions: str) -> Iterator[Recorded]:
    """The messages of `revisions` (as git log takes them), newest first; memory does not grow with their number.

    Raises: GitError when git does not know the revisions.
    """
    command = ["git", "--no-pager", "log", "-z", "--no-show-signature", "--encoding=UTF-8", "--format=%H %P%n%B"]
    with subprocess.Popen(
        [*command, "--end-of-options", revisions, "--"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        rest = b""
        while chunk := process.stdout.read(_CHUNK):
            *entries, rest = (rest + chunk).split(b"\0")
            for entry in entries:
                yield _parse(entry)
        if rest:
            yield _parse(rest)
        said = process.stderr.read()
    if process.returncode != 0:
        raise GitError(
            f"cannot read '{revisions}': {reason(said)}",
            status=process.returncode,
            hint="name commits that are here; a shallow clone has them after 'git fetch --unshallow'",
        )


def subjects(commits: Iterable[str]) -> dict[str, str]:
    """The subject of each of `commits`, object names, that exists; one process."""
    names = "".join(f"{commit}\n" for commit in commits)
    if not names:
        return {}
    done = run(
        ("log", "-z", "--no-walk=unsorted", "--ignore-missing", "--stdin", "--encoding=UTF-8", "--format=%H %s"),
        stdin=names.encode(),
    )
    entries = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return dict(entry.split(" ", 1) for entry in entries if " " in entry)


def _parse(entry: bytes) -> Recorded:
    head, _, message = entry.partition(b"\n")
    commit, *parents = head.decode("ascii").split()
    return Recorded(commit, len(parents), message)
