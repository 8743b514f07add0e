"""Hunks as units of a change: ids, fingerprints, and the content of a file with only some of them.

A unit is a hunk of text, a change of mode, or a whole file (added, deleted, renamed, of another type, binary, a link,
a submodule, or anything that cannot be put together again line by line).

The content of a file with some of its hunks is made from its two blobs, never by applying a patch: a hunk is a choice
between lines of the base and lines of the target. So any subset in any order has exactly one result, without context,
offsets or fuzz.
"""

from __future__ import annotations

import hashlib
import os
import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Literal, NamedTuple

from smartcommit.git.diff import ABSENT, REGULAR, FileChange, FileDiff, Hunk, LineNumbers, read_change
from smartcommit.git.objects import read_objects
from smartcommit.git.repo import Repository

Kind = Literal["file", "text", "mode"]
# The base and target of files, by their paths.
Contents = Mapping[bytes, tuple[bytes, bytes]]
# A fingerprint, and where the hunks are.
UnitKey = tuple[str, tuple[LineNumbers, ...]]
# Maximum bytes of the patch that are read; later files are not divided.
PATCH_LIMIT = 256 << 20


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit. `id` is `path::n`, n counting from 1 in each file: valid for one snapshot.

    `hunks` has one hunk for text and none for a mode; for a file it has all that were read, and `complete` says whether
    these are all. `fingerprint` is made from the content: it is the same in every snapshot with this unit. A part of a
    hunk has the fingerprint of the whole hunk, and differs from the other parts in its range.
    """

    id: str
    kind: Kind
    change: FileChange
    hunks: tuple[Hunk, ...]
    fingerprint: str
    complete: bool = True

    @property
    def key(self) -> UnitKey:
        """What no other unit of the change has."""
        return self.fingerprint, tuple(hunk.numbers for hunk in self.hunks)

    @property
    def paths(self) -> tuple[bytes, ...]:
        old = self.change.old_path
        return (self.change.path,) if old is None else (old, self.change.path)


class FileUnits(NamedTuple):
    """A changed file with its units, in order; with its `text` it can be committed in parts."""

    diff: FileDiff
    units: Sequence[Unit]
    text: Text | None = None


class ChangeUnits:
    """The files of a change by their paths, in order, and the units of all."""

    def __init__(self, files: Mapping[bytes, FileUnits] | None = None) -> None:
        self.files = dict(files or {})
        self.units: list[Unit] = []
        for file in self.files.values():
            self.units += file.units

    @property
    def diffs(self) -> list[FileDiff]:
        return [file.diff for file in self.files.values()]

    @property
    def texts(self) -> dict[bytes, Text]:
        return {path: file.text for path, file in self.files.items() if file.text is not None}

    def select(self, paths: Container[bytes]) -> ChangeUnits:
        return ChangeUnits({path: file for path, file in self.files.items() if path in paths})

    def choose(self, units: Iterable[Unit]) -> ChangeUnits:
        """Return this change with no other units than these."""
        files = {}
        for path, chosen in group_by_path(units).items():
            files[path] = self.files[path]._replace(units=chosen)
        return ChangeUnits(files)

    def join(self, other: ChangeUnits) -> ChangeUnits:
        """Return this change with the files of `other`, in the places of those that are in both."""
        return ChangeUnits({**self.files, **other.files})


def read_units(repository: Repository, since: str, target: str, *, cut: bool) -> ChangeUnits:
    """Read the change from tree `since` to tree `target`; with `cut`, each hunk of a text file is a unit.

    A file that cannot be put together again from its hunks stays whole. One process, two to cut.
    """
    change = keep_whole(read_change(repository, since, target, limit=PATCH_LIMIT))
    return cut_files(change, read_contents(repository, change.diffs)) if cut else change


def read_contents(repository: Repository, diffs: Iterable[FileDiff]) -> Contents:
    """Return the base and target of each of `diffs` that has hunks between texts, by its path; one process."""
    chosen = [diff for diff in diffs if diff.change.status in "MRC" and has_text(diff)]
    oids: list[str] = []
    for diff in chosen:
        oids += (diff.change.old_id, diff.change.new_id)
    blobs = read_objects(repository, oids)
    return {diff.change.path: (next(blobs), next(blobs)) for diff in chosen}


def cut_files(change: ChangeUnits, contents: Contents, paths: Container[bytes] | None = None) -> ChangeUnits:
    """Return `change` with its files as hunks, or only those at `paths`, and all others whole.

    A file that cannot be put together again from its hunks in `change` stays whole, and so does one without `contents`.
    """
    files = {}
    for path, file in change.files.items():
        text = None
        if path in contents and can_be_cut(file.diff) and (paths is None or path in paths):
            text = Text(*contents[path], file.diff.hunks)
        files[path] = divide_file(file.diff, text if text is not None and text.is_exact() else None)
    return ChangeUnits(files)


def keep_whole(diffs: Iterable[FileDiff]) -> ChangeUnits:
    """Return the change of `diffs`, in which each file is one unit."""
    return ChangeUnits({diff.change.path: divide_file(diff) for diff in diffs})


def divide_file(diff: FileDiff, text: Text | None = None) -> FileUnits:
    """Return a file with its hunks as units if it has a `text`, else as one unit."""
    parts: list[tuple[Kind, Sequence[Hunk]]] = []
    if text is not None:
        parts += [("text", [hunk]) for hunk in diff.hunks]
        if diff.change.old_mode != diff.change.new_mode:
            parts.append(("mode", []))
    if len(parts) < 2:  # one hunk is the whole file
        parts = [("file", diff.hunks)]
    name = os.fsdecode(diff.change.path)
    seen: Counter[str] = Counter()
    units = []
    for number, (kind, hunks) in enumerate(parts, start=1):
        fingerprint = _fingerprint(kind, diff.change, hunks)
        # The order distinguishes equal edits of one file.
        seen[fingerprint] += 1
        numbered = f"{fingerprint[:20]}-{seen[fingerprint]}"
        units.append(Unit(f"{name}::{number}", kind, diff.change, tuple(hunks), numbered, diff.complete))
    return FileUnits(diff, units, text)


def can_be_cut(diff: FileDiff) -> bool:
    """Whether the hunks of a file can be committed separately: its text was modified, on the same path."""
    return diff.change.status == "M" and has_text(diff)


def has_text(diff: FileDiff) -> bool:
    """Whether nothing changes in a file but lines of text, which were all read, and its mode."""
    change = diff.change
    is_text = diff.complete and not change.binary
    return bool(diff.hunks) and is_text and change.old_mode in REGULAR and change.new_mode in REGULAR


def _fingerprint(kind: Kind, change: FileChange, hunks: Sequence[Hunk]) -> str:
    digest = hashlib.sha256()
    fields: list[bytes] = [kind.encode(), change.old_path or b"", change.path]
    if kind == "text":
        (hunk,) = hunks
        fields += [b"-" + line for line in hunk.removed]
        fields += [b"+" + line for line in hunk.added]
    else:
        fields += [change.old_mode.encode(), change.new_mode.encode()]
        if kind == "file":
            fields += [change.old_id.encode(), change.new_id.encode()]
    for field in fields:
        digest.update(b"%d:%s," % (len(field), field))
    return digest.hexdigest()


class _Replacement(NamedTuple):
    """Replaces the bytes of a content from `start` to `end` by `new`."""

    start: int
    end: int
    new: bytes


class Text:
    """The base and target content of one file, and the hunks between them in their order."""

    __slots__ = ("base", "replacements", "target")

    def __init__(self, base: bytes, target: bytes, hunks: Sequence[Hunk]) -> None:
        self.base = base
        self.target = target
        self.replacements = []
        old, new = _find_line_starts(base), _find_line_starts(target)
        for hunk in hunks:
            start, end = _find_bytes(old, hunk.old_lines)
            first, last = _find_bytes(new, hunk.new_lines)
            self.replacements.append(_Replacement(start, end, target[first:last]))

    def compose(self, chosen: Collection[int], beside: Text | None = None) -> bytes:
        """Return the content with the hunks at the positions `chosen`.

        `beside` has the same base: its hunks are included too, except those that touch a chosen one.
        """
        replacements = [self.replacements[number] for number in sorted(chosen)]
        if beside is not None:
            replacements += list(_exclude_touching(beside.replacements, replacements))
            replacements.sort(key=lambda replacement: replacement.start)
        parts: list[bytes] = []
        position = 0
        for start, end, new in replacements:
            parts += (self.base[position:start], new)
            position = end
        return b"".join([*parts, self.base[position:]])

    def keeps(self, chosen: Collection[int], beside: Text) -> bool:
        """Whether `compose` includes every hunk of `beside`: one that touches a chosen hunk is the same."""
        replacements = [self.replacements[number] for number in sorted(chosen)]
        all_replacements = {*replacements, *_exclude_touching(beside.replacements, replacements)}
        return all_replacements.issuperset(beside.replacements)

    def is_exact(self) -> bool:
        """Whether all hunks together give the target: only then may the file be divided."""
        return self.compose(range(len(self.replacements))) == self.target


def read_texts_at(repository: Repository, since: str, target: str, paths: Collection[bytes]) -> dict[bytes, Text]:
    """Read the text of each file at `paths` that can be cut from tree `since` to tree `target`; two processes."""
    if not paths:
        return {}
    all_diffs = read_change(repository, since, target, limit=PATCH_LIMIT, renames=False)
    diffs = [diff for diff in all_diffs if diff.change.path in paths]
    return cut_files(keep_whole(diffs), read_contents(repository, diffs)).texts


def _find_line_starts(content: bytes) -> array[int]:
    """Return where each line of `content` starts, and where the last one ends. Only newlines end lines, as in git."""
    starts = array("Q", [0])
    starts.extend(newline.end() for newline in re.finditer(b"\n", content))
    if starts[-1] < len(content):
        starts.append(len(content))
    return starts


def _find_bytes(starts: array[int], lines: range) -> tuple[int, int]:
    last = len(starts) - 1
    return starts[min(lines.start, last)], starts[min(lines.stop, last)]


def _exclude_touching(replacements: Iterable[_Replacement], others: Sequence[_Replacement]) -> Iterator[_Replacement]:
    """Yield the `replacements` that neither overlap nor meet one of `others`, so that their order does not matter."""
    ends = [other.end for other in others]
    for replacement in replacements:
        near = bisect_left(ends, replacement.start)
        if near == len(others) or others[near].start > replacement.end:
            yield replacement


def group_by_path(units: Iterable[Unit]) -> dict[bytes, list[Unit]]:
    """Return the units of each file by its path, files and units in the order of `units`."""
    files: dict[bytes, list[Unit]] = {}
    for unit in units:
        files.setdefault(unit.change.path, []).append(unit)
    return files


def group_by_file(units: Iterable[Unit]) -> list[FileDiff]:
    """Return a diff for each file that `units` change, in their order, with these units alone."""
    return [_merge_units(file) for file in group_by_path(units).values()]


def _merge_units(units: Sequence[Unit]) -> FileDiff:
    first, change = units[0], units[0].change
    if first.kind == "file":
        return FileDiff(change, list(first.hunks), complete=first.complete)
    merged = copy(change)
    merged.new_id = change.old_id
    if change.old_mode != ABSENT:
        merged.new_mode = change.old_mode
    hunks: list[Hunk] = []
    for unit in units:
        hunks += unit.hunks
        if unit.kind == "mode":
            merged.new_mode = change.new_mode
    if hunks:
        merged.new_id = change.new_id
    merged.added = sum(hunk.new_count for hunk in hunks)
    merged.deleted = sum(hunk.old_count for hunk in hunks)
    return FileDiff(merged, hunks)
