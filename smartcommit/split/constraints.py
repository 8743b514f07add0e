"""Units that must stay in one commit, such as those of a lock file and of its manifest."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar

from smartcommit.errors import SplitError
from smartcommit.git.diff import SUBMODULE_MODE
from smartcommit.git.hunks import Unit

Item = TypeVar("Item")

# The manifests that each lock file is generated from, by their names in lower case.
_MANIFESTS = {
    "package-lock.json": ("package.json",), "npm-shrinkwrap.json": ("package.json",), "yarn.lock": ("package.json",),
    "pnpm-lock.yaml": ("package.json", "pnpm-workspace.yaml"), "bun.lock": ("package.json",),
    "bun.lockb": ("package.json",), "deno.lock": ("deno.json", "deno.jsonc"), "cargo.lock": ("cargo.toml",),
    "go.sum": ("go.mod",), "go.work.sum": ("go.work",), "poetry.lock": ("pyproject.toml",),
    "uv.lock": ("pyproject.toml",), "pdm.lock": ("pyproject.toml",), "pylock.toml": ("pyproject.toml",),
    "pipfile.lock": ("pipfile",), "gemfile.lock": ("gemfile",), "composer.lock": ("composer.json",),
    "mix.lock": ("mix.exs",), "pubspec.lock": ("pubspec.yaml",), "package.resolved": ("package.swift",),
    "flake.lock": ("flake.nix",), "chart.lock": ("chart.yaml",), "gradle.lockfile": ("build.gradle",),
}  # fmt: skip

# The paths of generated files, and those of the files that they are generated from: `a_pb2.py` is from `a.proto`.
_GENERATED = (
    (re.compile(rb"(.+)\.pb(?:\.gw)?\.(?:go|cc|h)"), rb"\1.proto"),
    (re.compile(rb"(.+?)(?:_grpc\.pb\.go|_pb2(?:_grpc)?\.pyi?)"), rb"\1.proto"),
    (re.compile(rb"(.+)\.(?:g|freezed|gr)\.dart"), rb"\1.dart"),
    (re.compile(rb"(.+)\.[Dd]esigner\.cs"), rb"\1.resx"),
    (re.compile(rb"((?:.+/)?)__snapshots__/([^/]+)\.snap"), rb"\1\2"),
)


def find_inseparable(units: Sequence[Unit]) -> list[list[Unit]]:
    """Return `units` in groups that must stay together, ordered by their first units.

    A deleted path stays with new paths above or below it, a submodule with `.gitmodules`, a generated file with its
    source, and a lock file with its manifests: those in the same directory, or else those below it.
    """
    # The first unit with each key, to which the others are linked.
    first_places: dict[Hashable, int] = {}
    pairs = [(first_places.setdefault(key, place), place) for place, key in _list_keys(units)]
    return group_linked(units, pairs)


def group_linked(items: Sequence[Item], pairs: Iterable[tuple[int, int]]) -> list[list[Item]]:
    """Return `items` in groups: those whose positions are linked by a chain of `pairs` are together, in their order."""
    parents = list(range(len(items)))
    for one, other in pairs:
        low, high = sorted((_find_root(parents, one), _find_root(parents, other)))
        parents[high] = low
    groups: dict[int, list[Item]] = {}
    for place, item in enumerate(items):
        groups.setdefault(_find_root(parents, place), []).append(item)
    return list(groups.values())


def check_path_conflicts(groups: Sequence[Sequence[Unit]]) -> None:
    """Raise SplitError if a deleted path and a path that replaces it, above or below, are in different groups."""
    # The group of each path that comes or goes.
    numbers: dict[bytes, int] = {}
    for number, units in enumerate(groups):
        for unit in units:
            numbers.update(dict.fromkeys(_list_new_and_gone(unit), number))
    for path, number in numbers.items():
        for folder in list_parents(path):
            if numbers.get(folder, number) != number:
                raise SplitError(
                    f"cannot separate '{os.fsdecode(folder)}' from '{os.fsdecode(path)}'",
                    hint="keep them in one commit",
                )


def _list_keys(units: Sequence[Unit]) -> Iterator[tuple[int, Hashable]]:
    """Yield the positions of `units` with their keys; units that have a key in common must stay together."""
    new_and_gone = set(chain.from_iterable(_list_new_and_gone(unit) for unit in units))
    paths = {unit.change.path for unit in units}
    sources = paths.intersection(chain.from_iterable(_list_sources(path) for path in paths))
    # The path of each lock file, with itself and its manifests.
    locks = {path: {path, *_find_manifests(path, paths)} for path in paths if _read_name(path) in _MANIFESTS}
    for place, unit in enumerate(units):
        change = unit.change
        is_submodule = SUBMODULE_MODE in (change.old_mode, change.new_mode)
        if b".gitmodules" in paths and (change.path == b".gitmodules" or is_submodule):
            yield place, "submodules"
        for path in unit.paths:
            for folder in new_and_gone.intersection((path, *list_parents(path))):
                yield place, ("place", folder)
        for source in sources.intersection((change.path, *_list_sources(change.path))):
            yield place, ("source", source)
        for lock, together in locks.items():
            if change.path in together:
                yield place, ("lock", lock)


def _list_sources(path: bytes) -> Iterator[bytes]:
    for pattern, source in _GENERATED:
        match = pattern.fullmatch(path)
        if match:
            yield match.expand(source)


def _find_manifests(lock: bytes, paths: Iterable[bytes]) -> set[bytes]:
    directory = posixpath.dirname(lock)
    beside, below = set(), set()
    for path in paths:
        if _read_name(path) not in _MANIFESTS[_read_name(lock)]:
            continue
        if posixpath.dirname(path) == directory:
            beside.add(path)
        elif not directory or path.startswith(directory + b"/"):
            below.add(path)
    return beside or below


def _list_new_and_gone(unit: Unit) -> tuple[bytes, ...]:
    return () if unit.change.status == "M" else unit.paths


def _read_name(path: bytes) -> str:
    return posixpath.basename(path).decode("utf-8", "replace").lower()


def list_parents(path: bytes) -> Iterator[bytes]:
    """Yield the directories that contain `path`, innermost first."""
    while path := posixpath.dirname(path):
        yield path


def _find_root(parents: list[int], position: int) -> int:
    while parents[position] != position:
        parents[position] = parents[parents[position]]
        position = parents[position]
    return position
