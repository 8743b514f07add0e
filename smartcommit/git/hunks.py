"""The units of a change: what a split hands out, each to one commit.

A unit is a hunk of text, a change of mode, or a whole file (added, deleted, renamed, of another type, binary, a link,
a submodule, or anything that cannot be put together again line by line).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from smartcommit.git.compose import Text, read_texts
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
