"""The embedded splitter."""

from __future__ import annotations

import posixpath

from smartcommit.git.hunks import Pieces, Unit

STRATEGIES = ("auto", "file", "directory")


def partition(pieces: Pieces, *, strategy: str = "auto", count: int | None = None) -> list[list[Unit]]:
    groups: dict[object, list[Unit]] = {}
    for unit in pieces.units:
        key = unit.change.path if strategy == "file" else posixpath.dirname(unit.change.path)
        groups.setdefault(key, []).append(unit)
    return list(groups.values())
