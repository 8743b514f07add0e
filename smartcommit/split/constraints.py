"""Units that must stay in one commit."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Hashable, Iterable, Iterator, Sequence

from smartcommit.errors import SplitError
from smartcommit.git.diff import SUBMODULE_MODE
from smartcommit.git.hunks import Unit

# Which manifests a lock file follows, by their names in lower case.
_LOCKED = {
    "package-lock.json": ("package.json",), "npm-shrinkwrap.json": ("package.json",), "yarn.lock": ("package.json",),
    "pnpm-lock.yaml": ("package.json", "pnpm-workspace.yaml"), "bun.lock": ("package.json",),
    "bun.lockb": ("package.json",), "deno.lock": ("deno.json", "deno.jsonc"), "cargo.lock": ("cargo.toml",),
    "go.sum": ("go.mod",), "go.work.sum": ("go.work",), "poetry.lock": ("pyproject.toml",),
    "uv.lock": ("pyproject.toml",), "pdm.lock": ("pyproject.toml",), "pylock.toml": ("pyproject.toml",),
    "pipfile.lock": ("pipfile",), "gemfile.lock": ("gemfile",), "composer.lock": ("composer.json",),
    "mix.lock": ("mix.exs",), "pubspec.lock": ("pubspec.yaml",), "package.resolved": ("package.swift",),
    "flake.lock": ("flake.nix",), "chart.lock": ("chart.yaml",), "gradle.lockfile": ("build.gradle",),
}  # fmt: skip


def find_inseparable(units: Sequence[Unit]) -> list[list[Unit]]:
    """`units` in bundles that stay together, in the order of their first units.

    A path that goes away stays with what comes above or below it, a submodule with `.gitmodules`, a lock file with the
    manifests it follows: those beside it, else those below it.
    """
    bonds = _Bonds(units)
    first: dict[Hashable, int] = {}
    pairs = [(first.setdefault(key, place), place) for place, unit in enumerate(units) for key in bonds.keys(unit)]
    return [[units[place] for place in places] for places in union_find(len(units), pairs)]


def union_find(size: int, pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The places 0 to `size` - 1, those together that a chain of `pairs` links, in ascending order."""
    parents = list(range(size))
    for one, other in pairs:
        low, high = sorted((_find(parents, one), _find(parents, other)))
        parents[high] = low
    found: dict[int, list[int]] = {}
    for place in range(size):
        found.setdefault(_find(parents, place), []).append(place)
    return list(found.values())


def check_path_conflicts(groups: Sequence[Sequence[Unit]]) -> None:
    """Raises: SplitError when a path that goes away is in another group than what takes its place, above or below."""
    moved = {path: number for number, units in enumerate(groups) for unit in units for path in _moved(unit)}
    for path, number in moved.items():
        for folder in parent_folders(path):
            if moved.get(folder, number) != number:
                raise SplitError(
                    f"'{os.fsdecode(folder)}' and '{os.fsdecode(path)}' cannot be parted", hint="keep them together"
                )


class _Bonds:
    """What binds the units of one change: units with an equal key stay together."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._moved = {path for unit in units for path in _moved(unit)}
        self._has_gitmodules = any(unit.change.path == b".gitmodules" for unit in units)
        paths = {unit.change.path for unit in units}
        # For each lock file itself and the manifests that it follows.
        self._locks = {path: {path, *_followed(path, paths)} for path in paths if _name(path) in _LOCKED}

    def keys(self, unit: Unit) -> Iterator[Hashable]:
        change = unit.change
        if self._has_gitmodules and (change.path == b".gitmodules" or _is_submodule(unit)):
            yield "submodules"
        for path in unit.paths:
            if path in self._moved:
                yield ("place", path)
            yield from (("place", folder) for folder in parent_folders(path) if folder in self._moved)
        for lock, together in self._locks.items():
            if change.path in together:
                yield ("lock", lock)


def _followed(lock: bytes, paths: Iterable[bytes]) -> set[bytes]:
    """The manifests among `paths` that the lock file follows."""
    folder = posixpath.dirname(lock)
    followed = {path for path in paths if _name(path) in _LOCKED[_name(lock)]}
    beside = {path for path in followed if posixpath.dirname(path) == folder}
    return beside or {path for path in followed if not folder or path.startswith(folder + b"/")}


def _moved(unit: Unit) -> tuple[bytes, ...]:
    """The paths that the unit makes or takes away."""
    return unit.paths if unit.change.status != "M" else ()


def _name(path: bytes) -> str:
    return posixpath.basename(path).decode("utf-8", "replace").lower()


def parent_folders(path: bytes) -> Iterator[bytes]:
    """The folders that `path` is in, the nearest first."""
    while path := posixpath.dirname(path):
        yield path


def _is_submodule(unit: Unit) -> bool:
    return SUBMODULE_MODE in (unit.change.old_mode, unit.change.new_mode)


def _find(parents: list[int], position: int) -> int:
    while parents[position] != position:
        parents[position] = parents[parents[position]]
        position = parents[position]
    return position
