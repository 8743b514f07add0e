"""The embedded splitter: which units belong together, from the change alone, at once and without a model.

The same change is always split in the same way. A change that belongs together stays one commit.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Hashable, Sequence

from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.split.cluster import average_link
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.messages import diffs_of
from smartcommit.split.ordering import ordered
from smartcommit.split.traits import SimilarityModel, extract_features

STRATEGIES = ("auto", "hunk", "file", "directory")

# Where joining stops. Higher values tell more folded commits apart (0.55 does it best), lower ones leave more single
# commits whole.
_THRESHOLD = 0.5
# Comparing costs the square of the parts: beyond this many those of one folder are looked at as one.
_PARTS = 150

Group = list[Unit]


def partition(pieces: ChangeUnits, *, strategy: str = "auto", count: int | None = None) -> list[Group]:
    """The units of `pieces` in the groups, and the order, that their commits are made in.

    With `hunk` each unit is a group of its own; with `file` and `directory` those of a file, or of the files in one
    folder, form one. `count` is how many groups to make, as far as there are so many that can be parted.
    """
    bundles = find_inseparable(pieces.units)
    if strategy == "directory":
        bundles = _merged(bundles, _folder)
    elif strategy == "file":
        bundles = _merged(bundles, lambda unit: unit.change.path)
    if strategy == "auto" or (count is not None and count < len(bundles)):
        bundles = _clustered(_coarse(bundles), count)
    return ordered(bundles)


def _clustered(parts: Sequence[Group], count: int | None) -> list[Group]:
    judge = SimilarityModel([extract_features(diffs_of(part)) for part in parts])
    groups = average_link(len(parts), judge.probability, threshold=_THRESHOLD, count=count)
    return [[unit for position in group for unit in parts[position]] for group in groups]


def _coarse(parts: list[Group]) -> list[Group]:
    """`parts`, joined by folder and then by the folders above until there are few enough to compare."""
    depth = max((unit.change.path.count(b"/") for part in parts for unit in part), default=0)
    while len(parts) > _PARTS and depth >= 0:
        limit = depth
        parts = _merged(parts, lambda unit: b"/".join(_folder(unit).split(b"/")[:limit]))  # noqa: B023
        depth -= 1
    return parts


def _merged(parts: Sequence[Group], key: Callable[[Unit], Hashable]) -> list[Group]:
    """`parts`, those together whose first units have the same key, in the order of the first of each."""
    merged: dict[Hashable, Group] = {}
    for part in parts:
        merged.setdefault(key(part[0]), []).extend(part)
    return list(merged.values())


def _folder(unit: Unit) -> bytes:
    return posixpath.dirname(unit.change.path)
