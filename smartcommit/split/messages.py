"""A message for each group of a partition."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.git.diff import FileDiff
from smartcommit.git.hunks import Unit
from smartcommit.message.header import Header


def message_for(units: Sequence[Unit]) -> str:
    """The message of one commit, which passes the project's own rules; it ends in one newline."""
    count = len({unit.change.path for unit in units})
    return f"{Header('chore', f'update {count} files')}\n"


def diffs_of(units: Sequence[Unit]) -> list[FileDiff]:
    """What the units change, file by file, as a diff that holds nothing else."""
    found: dict[bytes, FileDiff] = {}
    for unit in units:
        diff = found.setdefault(unit.change.path, FileDiff(unit.change))
        if unit.hunk is not None:
            diff.hunks.append(unit.hunk)
    return list(found.values())
