"""Hunks as units of a change: ids, fingerprints, and the content that chosen hunks make.

A unit is a hunk of text, a change of mode, or a whole file (added, deleted, renamed, of another type, binary, a link,
a submodule, or anything that cannot be put together again line by line).

The content of a file with some of its hunks is made from its two blobs, never by applying a patch: a hunk stands for a
choice between lines of the base and lines of the target. So any subset in any order has exactly one result, without
context, offsets or fuzz.
"""

from __future__ import annotations

import hashlib
import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from smartcommit.errors import GitError
from smartcommit.git.diff import FileChange, FileDiff, Hunk, list_changes, read_diffs
from smartcommit.git.repo import Repository

Kind = Literal["file", "text", "mode"]
REGULAR = ("100644", "100755")
# Bytes of patch that are read; files behind that stay whole.
PATCH_LIMIT = 256 << 20


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit. `id` is `path::n`, n counting from 1 in each file: good for one snapshot.

    `hunks` is one hunk for text and none for a mode; for a file all that are known, `complete` telling whether they are
    all there are. `fingerprint` names the content instead: it is the same in every snapshot that holds this unit.
    """

    id: str
    kind: Kind
    change: FileChange
    hunks: tuple[Hunk, ...]
    fingerprint: str
    complete: bool = True

    @property
    def paths(self) -> tuple[bytes, ...]:
        """The paths whose content this unit changes: two for a rename."""
        old = self.change.old_path
        return (self.change.path,) if old is None else (old, self.change.path)


@dataclass(frozen=True, slots=True)
class ChangeUnits:
    """A change in all its units, and the text of every file that can be committed in parts, by its path."""

    diffs: list[FileDiff]
    units: list[Unit]
    texts: dict[bytes, Text]


def read_units(repository: Repository, since: str, target: str, *, cut: bool) -> ChangeUnits:
    """The change from tree `since` to tree `target`; with `cut` the hunks of a text file are units of their own.

    Two processes, three to cut. A file whose hunks do not put together again what it was and is stays whole.

    Raises: GitError when git fails.
    """
    changes = list_changes(repository, since, target)
    diffs = read_diffs(repository, since, target, changes, limit=PATCH_LIMIT) if changes else []
    texts = read_texts(repository, (diff for diff in diffs if cut and can_be_cut(diff) and diff.hunks))
    texts = {path: text for path, text in texts.items() if text.is_exact()}
    return ChangeUnits(diffs, list_units(diffs, texts), texts)


def list_units(diffs: Iterable[FileDiff], cut: Container[bytes]) -> list[Unit]:
    """The units of `diffs`, in their order; the files at the paths in `cut` come in parts."""
    units = []
    for diff in diffs:
        parts = _parts(diff) if diff.change.path in cut else []
        if len(parts) < 2:  # one hunk is the whole file: nothing to put together
            parts = [("file", diff.hunks)]
        name = os.fsdecode(diff.change.path)
        seen: dict[str, int] = {}
        for number, (kind, hunks) in enumerate(parts, start=1):
            fingerprint = _fingerprint(kind, diff.change, hunks)
            # Equal edits of one file are told apart by their order.
            seen[fingerprint] = seen.get(fingerprint, 0) + 1
            units.append(
                Unit(
                    id=f"{name}::{number}",
                    kind=kind,
                    change=diff.change,
                    hunks=tuple(hunks),
                    fingerprint=f"{fingerprint[:20]}-{seen[fingerprint]}",
                    complete=diff.complete,
                )
            )
    return units


def can_be_cut(diff: FileDiff) -> bool:
    """Whether the parts of a file can be committed apart: its text was modified, on the same path."""
    change = diff.change
    return (
        change.status == "M"
        and diff.complete
        and not change.binary
        and change.old_mode in REGULAR
        and change.new_mode in REGULAR
    )


def _parts(diff: FileDiff) -> list[tuple[Kind, Sequence[Hunk]]]:
    if not can_be_cut(diff):
        return []
    parts: list[tuple[Kind, Sequence[Hunk]]] = [("text", [hunk]) for hunk in diff.hunks]
    if diff.change.old_mode != diff.change.new_mode:
        parts.append(("mode", []))
    return parts


def _fingerprint(kind: Kind, change: FileChange, hunks: Sequence[Hunk]) -> str:
    digest = hashlib.sha256()
    fields: list[bytes] = [kind.encode(), change.old_path or b"", change.path]
    if kind == "text":
        fields += [b"-" + line for hunk in hunks for line in hunk.removed]
        fields += [b"+" + line for hunk in hunks for line in hunk.added]
    else:
        fields += [change.old_mode.encode(), change.new_mode.encode()]
        if kind == "file":
            fields += [change.old_id.encode(), change.new_id.encode()]
    for field in fields:
        digest.update(b"%d:%s," % (len(field), field))
    return digest.hexdigest()


class Replacement(NamedTuple):
    """The bytes of a content from `start` to `end`, and the `new` ones that come in their place."""

    start: int
    end: int
    new: bytes

    @property
    def growth(self) -> int:
        """The bytes by which the content gets longer, negative where it gets shorter."""
        return len(self.new) - (self.end - self.start)


class Text:
    """The base and target content of one file, and the hunks between them in their order."""

    __slots__ = ("base", "replacements", "target")

    def __init__(self, base: bytes, target: bytes, hunks: Sequence[Hunk]) -> None:
        self.base = base
        self.target = target
        self.replacements = list(_replacements(base, target, hunks))

    def cut_into(self, hunks: Sequence[Hunk]) -> Text:
        """The same text with smaller `hunks`."""
        return Text(self.base, self.target, hunks)

    def compose(self, chosen: Collection[int], beside: Text | None = None) -> bytes:
        """The content with the hunks whose positions are in `chosen`.

        `beside` has the same base: those of its hunks come in as well that touch none of the chosen ones.
        """
        replacements = [self.replacements[number] for number in sorted(chosen)]
        if beside is not None:
            replacements += list(_untouched(beside.replacements, replacements))
            replacements.sort(key=lambda replacement: replacement.start)
        parts: list[bytes] = []
        position = 0
        for start, end, new in replacements:
            parts += (self.base[position:start], new)
            position = end
        return b"".join([*parts, self.base[position:]])

    def is_exact(self) -> bool:
        """Whether all hunks together give the target: only then may the file be cut."""
        return self.compose(range(len(self.replacements))) == self.target


class Version:
    """The content of one file while its hunks are added one after another, in any order.

    Adding one costs no more than moving what lies behind it, however many the file has. `added` are their positions in
    the order in which they came.
    """

    __slots__ = ("_growth", "_replacements", "added", "content")

    def __init__(self, text: Text) -> None:
        self.content = bytearray(text.base)
        self.added: list[int] = []
        self._replacements = text.replacements
        self._growth = _Sums(len(text.replacements))

    def add(self, position: int) -> None:
        """Add the hunk at `position`, which was not added yet."""
        replacement = self._replacements[position]
        shift = self._growth.before(position)
        self.content[replacement.start + shift : replacement.end + shift] = replacement.new
        self._growth.add(position, replacement.growth)
        self.added.append(position)

    def replacements_since(self, count: int) -> Iterator[Replacement]:
        """What turns the content with the first `count` of the `added` hunks into the present one, in its order."""
        growth = 0
        for position in sorted(self.added[count:]):
            start, end, new = replacement = self._replacements[position]
            shift = self._growth.before(position) - growth
            yield Replacement(start + shift, end + shift, new)
            growth += replacement.growth


class _Sums:
    """Sums of the numbers before each position, where any number may change.

    Source: Fenwick, "A new data structure for cumulative frequency tables" (1994).
    """

    __slots__ = ("_sums",)

    def __init__(self, size: int) -> None:
        self._sums = [0] * (size + 1)

    def add(self, position: int, number: int) -> None:
        """Add `number` to the one at `position`."""
        place = position + 1
        while place < len(self._sums):
            self._sums[place] += number
            place += place & -place

    def before(self, position: int) -> int:
        """The sum of the numbers before `position`."""
        total = 0
        while position:
            total += self._sums[position]
            position &= position - 1
        return total


def read_texts(repository: Repository, diffs: Iterable[FileDiff]) -> dict[bytes, Text]:
    """The text of each file of `diffs` by its path; one process.

    Raises: GitError when git fails.
    """
    diffs = list(diffs)
    wanted = [oid for diff in diffs for oid in (diff.change.old_id, diff.change.new_id)]
    blobs = _read_blobs(repository, wanted) if wanted else []
    return {
        diff.change.path: Text(base, target, diff.hunks)
        for diff, base, target in zip(diffs, blobs[::2], blobs[1::2], strict=True)
    }


def _replacements(base: bytes, target: bytes, hunks: Sequence[Hunk]) -> Iterator[Replacement]:
    old, new = _line_starts(base), _line_starts(target)
    for hunk in hunks:
        start, end = _range(old, hunk.old_start, hunk.old_count)
        first, last = _range(new, hunk.new_start, hunk.new_count)
        yield Replacement(start, end, target[first:last])


def _line_starts(content: bytes) -> array[int]:
    """Where each line of `content` begins, and where the last one ends. Only a newline ends a line, as for git."""
    starts = array("Q", [0])
    starts.extend(newline.end() for newline in re.finditer(b"\n", content))
    if starts[-1] < len(content):
        starts.append(len(content))
    return starts


def _range(starts: array[int], start: int, count: int) -> tuple[int, int]:
    """The bytes of a range of lines as git numbers them: from 1, and without lines it names the line before."""
    first = start - 1 if count else start
    last = len(starts) - 1
    return starts[min(first, last)], starts[min(first + count, last)]


def _untouched(found: Iterable[Replacement], others: Sequence[Replacement]) -> Iterator[Replacement]:
    """Those of `found` that neither overlap nor meet one of `others`, so that their order does not matter."""
    ends = [other.end for other in others]
    for replacement in found:
        near = bisect_left(ends, replacement.start)
        if near == len(others) or others[near].start > replacement.end:
            yield replacement


def _read_blobs(repository: Repository, oids: Sequence[str]) -> list[bytes]:
    output = memoryview(repository.run("cat-file", "--batch", "--buffer", stdin="\n".join([*oids, ""]).encode()))
    blobs, position = [], 0
    for oid in oids:
        end = position + bytes(output[position : position + 200]).index(b"\n")
        words = bytes(output[position:end]).split()
        if len(words) != 3 or words[1] != b"blob":
            raise GitError(f"object '{oid}' cannot be read", status=1, hint="run 'git fsck'")
        size = int(words[2])
        blobs.append(bytes(output[end + 1 : end + 1 + size]))
        position = end + 1 + size + 1
    return blobs


def diffs_of(units: Sequence[Unit]) -> list[FileDiff]:
    """What the units change, file by file in their order, as diffs that hold nothing else."""
    files: dict[bytes, list[Unit]] = {}
    for unit in units:
        files.setdefault(unit.change.path, []).append(unit)
    return [_diff_of(parts) for parts in files.values()]


def _diff_of(parts: Sequence[Unit]) -> FileDiff:
    if parts[0].kind == "file":
        return FileDiff(parts[0].change, list(parts[0].hunks), complete=parts[0].complete)
    hunks = [hunk for part in parts for hunk in part.hunks]
    mode = parts[0].change.new_mode if any(part.kind == "mode" for part in parts) else parts[0].change.old_mode
    change = replace(
        parts[0].change,
        new_mode=mode,
        new_id=parts[0].change.new_id if hunks else parts[0].change.old_id,
        added=sum(hunk.new_count for hunk in hunks),
        deleted=sum(hunk.old_count for hunk in hunks),
    )
    return FileDiff(change, hunks)
