"""Builds the index after a split, keeping skipped changes staged or unstaged."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from smartcommit.errors import SplitError, TreeMismatch
from smartcommit.git.diff import ABSENT, REGULAR, FileChange, list_changes
from smartcommit.git.fast_import import BlobPack, Edit
from smartcommit.git.hunks import Text, Unit, read_texts_at
from smartcommit.git.snapshot import ComposedTarget, Snapshot, write_index
from smartcommit.split.constraints import parent_folders
from smartcommit.split.file_states import Steps
from smartcommit.split.plan import SplitPlan


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What the index has beyond the new commits.

    `edits` turn the last commit's tree into that of the index. `unstaged` are those for paths that differ from the
    target, and `intended` are the paths to be marked as intent-to-add. `dropped` are paths that were only staged, and
    that a committed path above or below them replaces.
    """

    edits: list[Edit]
    unstaged: list[Edit]
    intended: list[bytes]
    dropped: list[bytes]


def read_leftovers(snapshot: Snapshot, plan: SplitPlan, steps: Steps, blobs: BlobPack) -> Leftovers:
    """Return what the index keeps once the commits of `plan` were taken in `steps`; at most four processes.

    A file of which nothing is committed keeps its entry, and so does one that is changed only in the index. A file that
    is committed in part has the committed content, and what was staged on lines that no committed hunk touches. New
    contents go to `blobs`.
    """
    unstaged, untracked = _read_unstaged(snapshot), set(snapshot.untracked)
    staged = _read_staged_texts(snapshot, plan, steps, unstaged)
    files = {unit.change.path: unit for unit in plan.skipped}
    edits = []
    for path, unit in files.items():
        entry = steps.entry(path, blobs, beside=staged.get(path))
        if entry is not None:
            edits.append(_combine(entry, unit.change, unstaged.get(path)))
            continue
        for each in unit.paths:
            edits.append(_keep(each, unit.change, unstaged.get(each)))
    only = _staged_only(unstaged, plan)
    dropped = _find_displaced([path for path, change in only.items() if change.old_mode != ABSENT], plan)
    for path, change in only.items():
        if path not in dropped:
            edits.append(Edit(path, change.old_mode, change.old_id))
    changed, intended = [], []
    for edit in edits:
        if edit.path in unstaged:
            changed.append(edit)
            if edit.mode == ABSENT and edit.path not in untracked:
                intended.append(edit.path)
    return Leftovers(edits, changed, intended, dropped)


def keep_staged(composed: ComposedTarget, plan: SplitPlan, steps: Steps, blobs: BlobPack) -> Leftovers:
    """Return what the index keeps beside a target that was composed: everything that is staged, and nothing else.

    It gets the content of each path that the commits of `plan`, taken in `steps`, change. New contents go to `blobs`.

    Raise SplitError if a file is committed in part, and what is staged there cannot be combined with that part.
    """
    entries: dict[bytes, Edit] = {}
    for commit in plan.commits:
        for unit in commit.units:
            change = unit.change
            if change.old_path is not None:
                entries[change.old_path] = Edit(change.old_path, ABSENT, change.old_id)
            entry = steps.entry(change.path, blobs)
            assert entry is not None
            entries[change.path] = entry
    edits = []
    others = [path for path, change in composed.staged.items() if path not in entries and change.new_mode != ABSENT]
    dropped = _find_displaced(others, plan)
    for path, change in composed.staged.items():
        if path in entries:
            entries[path] = _put_beside_staged(entries[path], composed, steps, blobs)
            edits.append(entries[path])
        elif path not in dropped:
            edits.append(_keep_new(change))
    return Leftovers(edits, list(entries.values()), intended=[], dropped=dropped)


def list_staged_only(snapshot: Snapshot, plan: SplitPlan) -> list[bytes]:
    """Return the paths that differ from the base in the index, but not in the working tree; one process."""
    return list(_staged_only(_read_unstaged(snapshot), plan))


def put_into_index(snapshot: Snapshot, leftovers: Leftovers, tree: str) -> None:
    """Give the index that will be installed the entries of `leftovers`.

    Raise TreeMismatch if it does not contain `tree` then.
    """
    # What is removed makes room for what is added.
    edits = sorted(leftovers.unstaged, key=lambda edit: edit.mode != ABSENT)
    write_index(snapshot.repository, b"".join(map(_index_line, edits)), leftovers.intended)
    found = snapshot.repository.run("write-tree").decode().strip()
    if found != tree:
        raise TreeMismatch(
            f"the index would contain {found}, expected {tree}", hint="nothing was changed; please report this"
        )


def _read_unstaged(snapshot: Snapshot) -> dict[bytes, FileChange]:
    """Return what differs between the index and the target, by path."""
    repository, staged, target = snapshot.repository, snapshot.staged_tree, snapshot.target
    return {change.path: change for change in list_changes(repository, staged, target, renames=False, counts=False)}


def _staged_only(unstaged: Mapping[bytes, FileChange], plan: SplitPlan) -> dict[bytes, FileChange]:
    """Return the changes to files that no unit changes, because their target is the same as the base."""
    found = dict(unstaged)
    for unit in plan.units:
        for path in unit.paths:
            found.pop(path, None)
    return found


def _find_displaced(paths: Sequence[bytes], plan: SplitPlan) -> list[bytes]:
    """Return those of the `paths` in the index that are above or below one that is committed."""
    committed = set()
    for commit in plan.commits:
        for unit in commit.units:
            if unit.change.new_mode != ABSENT:
                committed.add(unit.change.path)
    folders = set(chain.from_iterable(map(parent_folders, committed)))
    return [path for path in paths if path in folders or not committed.isdisjoint(parent_folders(path))]


def _is_third(unit: Unit, found: FileChange | None) -> bool:
    """Whether the staged content of a file is neither the committed one nor the target's."""
    return found is not None and found.old_id != unit.change.old_id and found.old_mode in REGULAR


def _keep(path: bytes, change: FileChange, found: FileChange | None) -> Edit:
    if found is not None:
        return Edit(path, found.old_mode, found.old_id)
    if path == change.path:
        return Edit(path, change.new_mode, change.new_id)
    return Edit(path, ABSENT, change.old_id)


def _keep_new(change: FileChange) -> Edit:
    return Edit(change.path, change.new_mode, change.old_id if change.new_mode == ABSENT else change.new_id)


def _put_beside_staged(entry: Edit, composed: ComposedTarget, steps: Steps, blobs: BlobPack) -> Edit:
    """Return a path's entry for the index: what is committed of it, and what is staged there."""
    path, staged = entry.path, composed.staged[entry.path]
    file = steps.files.get(path)
    if file is None or file.is_complete:
        return composed.combined[path]
    if (staged.new_mode, staged.new_id) == (file.change.new_mode, file.change.new_id):
        return composed.combined[path]
    if entry.mode == file.change.old_mode:
        entry = replace(entry, mode=staged.new_mode)
    text = composed.texts.get(path)
    if text is None:  # only its mode is staged
        return entry
    if not file.keeps(text):
        name = os.fsdecode(path)
        unstaging = f"git restore --staged {shlex.quote(name)}"
        raise SplitError(
            f"what is staged of '{name}' cannot be combined with a part of the change",
            hint=f"commit the file as a whole, or run '{unstaging}'", following=[unstaging],
        )  # fmt: skip
    return replace(entry, oid=blobs.add(file.content_beside(text)))


def _combine(entry: Edit, change: FileChange, found: FileChange | None) -> Edit:
    if found is None:  # all of it is staged
        return Edit(entry.path, change.new_mode, change.new_id)
    if entry.mode == change.old_mode and found.old_mode in REGULAR:
        return replace(entry, mode=found.old_mode)
    return entry


def _read_staged_texts(
    snapshot: Snapshot, plan: SplitPlan, steps: Steps, unstaged: Mapping[bytes, FileChange]
) -> dict[bytes, Text]:
    """Return the staged text of the files that are committed in part and staged with a third content."""
    paths = set()
    for unit in plan.skipped:
        path = unit.change.path
        if steps.files[path].taken and _is_third(unit, unstaged.get(path)):
            paths.add(path)
    return read_texts_at(snapshot.repository, snapshot.since, snapshot.staged_tree, paths)


def _index_line(edit: Edit) -> bytes:
    """Return an edit as input of `git update-index -z --index-info`."""
    return b"%s %s 0\t%s\0" % (edit.mode.encode(), edit.oid.encode(), edit.path)
