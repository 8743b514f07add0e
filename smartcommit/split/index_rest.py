"""What the index has after a split: what was staged and not committed.

It is written as edits of the last commit's tree, before HEAD moves.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from smartcommit.errors import SplitError, TreeMismatch
from smartcommit.git.diff import ABSENT, REGULAR, FileChange, list_changes
from smartcommit.git.fast_import import BlobPack, Edit
from smartcommit.git.hunks import Unit, read_texts_at
from smartcommit.git.snapshot import ComposedTarget, Snapshot, write_index
from smartcommit.git.transaction.undo import read_flags
from smartcommit.split.constraints import list_parents
from smartcommit.split.file_states import Steps
from smartcommit.split.plan import SplitPlan, list_units


class Leftovers(NamedTuple):
    """What the index has beyond the new commits.

    `edits` turn the last commit's tree into that of the index. Of these, the entries `to_install` are not in the copy
    of the index yet. `intended` are the paths to be announced as by `git add -N`. `dropped` are paths that were only
    staged, and that give way to a committed file: one of a folder's name, or the other way round.
    """

    edits: list[Edit]
    to_install: list[Edit]
    intended: list[bytes]
    dropped: list[bytes]


def read_leftovers(snapshot: Snapshot, plan: SplitPlan, steps: Steps, blobs: BlobPack) -> Leftovers:
    """Return what the index keeps after the commits of `plan`, which were taken in `steps`; at most four processes.

    A file of which nothing is committed keeps its entry, and so does one that is changed only in the index. A file that
    is committed in part has the committed content, and what was staged on lines that no committed hunk touches. New
    contents go to `blobs`.
    """
    unstaged = read_unstaged(snapshot)
    skipped = {unit.change.path: unit for unit in plan.skipped}
    # Committed in part, and staged with a content that is neither that of the base nor that of the target.
    mixed = set()
    for path, unit in skipped.items():
        if steps.files[path].taken and path in unstaged and unstaged[path].old_id != unit.change.old_id:
            mixed.add(path)
    staged_texts = read_texts_at(snapshot.repository, snapshot.since, snapshot.staged_tree, mixed)
    edits: list[Edit] = []
    for path, unit in skipped.items():
        change = unit.change
        if not steps.files[path].taken:
            edits += _list_staged_entries(unit, unstaged)
        elif path not in unstaged:
            edits.append(Edit(path, change.new_mode, change.new_id))
        else:
            edit = steps.files[path].edit(blobs, staged_texts.get(path))
            if edit.mode == change.old_mode and unstaged[path].old_mode in REGULAR:
                edit = replace(edit, mode=unstaged[path].old_mode)
            edits.append(edit)
    staged_only = find_staged_only(unstaged, plan)
    dropped = _find_displaced([path for path, change in staged_only.items() if change.old_mode != ABSENT], plan)
    for path, change in staged_only.items():
        if path not in dropped:
            edits.append(Edit(path, change.old_mode, change.old_id))
    to_install = [edit for edit in edits if edit.path in unstaged]
    announced = {edit.path for edit in to_install if edit.mode == ABSENT} - set(snapshot.untracked)
    return Leftovers(edits, to_install, sorted(announced), dropped)


def _list_staged_entries(unit: Unit, unstaged: Mapping[bytes, FileChange]) -> Iterator[Edit]:
    """Yield the entries that the index has for the paths of a skipped unit: those of the target if all is staged."""
    for path in unit.paths:
        if path in unstaged:
            yield Edit(path, unstaged[path].old_mode, unstaged[path].old_id)
        elif path == unit.change.path:
            yield Edit(path, unit.change.new_mode, unit.change.new_id)
        else:
            yield Edit(path, ABSENT, unit.change.old_id)


def keep_staged(composed: ComposedTarget, plan: SplitPlan, steps: Steps, blobs: BlobPack) -> Leftovers:
    """Return what the index keeps beside a target that was composed: all that is staged, also where that is committed.

    The commits of `plan` were taken in `steps`, and new contents go to `blobs`. Raise as `check_staged` does.
    """
    check_staged(composed, plan)
    entries: dict[bytes, Edit] = {}
    for commit in plan.commits:
        for unit in commit.units:
            change = unit.change
            if change.old_path is not None:
                entries[change.old_path] = Edit(change.old_path, ABSENT, change.old_id)
            entries[change.path] = steps.files[change.path].edit(blobs)
    # A file that a folder of the paths displaces is changed, too, without being one of them.
    combined = entries.keys() & composed.combined.keys()
    edits = []
    others = [path for path, change in composed.staged.items() if path not in combined and change.new_mode != ABSENT]
    dropped = _find_displaced(others, plan)
    for path, change in composed.staged.items():
        if path in combined:
            is_removed = entries[path].mode == ABSENT
            entries[path] = _put_beside_staged(entries[path], composed, steps, blobs)
            # What the commits remove can be a folder by then, which an edit would remove again.
            if not (is_removed and entries[path].mode == ABSENT):
                edits.append(entries[path])
        elif path not in entries and path not in dropped:
            edits.append(Edit.of(change))
    # An entry that is as it should be keeps its flags.
    same = {path for path, change in composed.staged.items() if entries.get(path) == Edit.of(change)}
    to_install = [edit for path, edit in entries.items() if path not in same]
    return Leftovers(edits, to_install, intended=[], dropped=dropped)


def put_into_index(snapshot: Snapshot, leftovers: Leftovers, tree: str) -> None:
    """Give the index that will be installed the entries of `leftovers`; raise TreeMismatch if that is not `tree`."""
    # What is removed makes room for what is added.
    edits = sorted(leftovers.to_install, key=lambda edit: edit.mode != ABSENT)
    lines = [b"%s %s 0\t%s\0" % (edit.mode.encode(), edit.oid.encode(), edit.path) for edit in edits]
    write_index(snapshot.repository, b"".join(lines), leftovers.intended)
    _restore_flags(snapshot, [edit.path for edit in edits if edit.mode != ABSENT])
    index_tree = snapshot.repository.run("write-tree").decode().strip()
    if index_tree != tree:
        raise TreeMismatch(
            f"the index would contain {index_tree}, expected {tree}", hint="nothing was changed; please report this"
        )


def _restore_flags(snapshot: Snapshot, paths: Sequence[bytes]) -> None:
    """Flag entries as before: git removes those in whose place it adds a folder, or a file in that of their folder."""
    root = os.fsencode(snapshot.repository.worktree)
    places = [(path, os.path.join(root, path)) for path in paths]
    displaced = [path for path, place in places if os.path.isdir(place) or not os.path.lexists(place)]
    flags = read_flags(snapshot.repository, snapshot.run.before) if displaced else {}
    for option, letters in (("--assume-unchanged", {b"h", b"s"}), ("--skip-worktree", {b"S", b"s"})):
        flagged = [path for path in displaced if flags.get(path) in letters]
        if flagged:
            snapshot.repository.run("update-index", option, "-z", "--stdin", stdin=b"\0".join(flagged))


def read_unstaged(snapshot: Snapshot) -> dict[bytes, FileChange]:
    """Return the changes from what is staged to the target, by path."""
    repository, staged, target = snapshot.repository, snapshot.staged_tree, snapshot.target
    return {change.path: change for change in list_changes(repository, staged, target, renames=False, counts=False)}


def find_staged_only(unstaged: Mapping[bytes, FileChange], plan: SplitPlan) -> dict[bytes, FileChange]:
    """Return the changes to files that no unit changes, because their target is the same as the base."""
    staged_only = dict(unstaged)
    for unit in plan.units:
        for path in unit.paths:
            staged_only.pop(path, None)
    return staged_only


def _find_displaced(paths: Sequence[bytes], plan: SplitPlan) -> list[bytes]:
    """Return those of the `paths` in the index that are above or below one that is committed."""
    committed = set()
    for commit in plan.commits:
        for unit in commit.units:
            if unit.change.new_mode != ABSENT:
                committed.add(unit.change.path)
    folders: set[bytes] = set()
    for path in committed:
        folders.update(list_parents(path))
    return [path for path in paths if path in folders or not committed.isdisjoint(list_parents(path))]


def check_staged(composed: ComposedTarget, plan: SplitPlan) -> None:
    """Raise SplitError if what is staged of a file cannot be combined with the part of it that is committed."""
    steps = Steps(plan.change)
    steps.take(list_units(plan.commits))
    for path, text in composed.texts.items():
        if path not in steps.files or not steps.files[path].taken or _is_combined(path, composed, steps):
            continue
        if not steps.files[path].keeps(text):
            name = os.fsdecode(path)
            unstaging = f"git restore --staged {shlex.quote(name)}"
            raise SplitError(
                f"what is staged of '{name}' cannot be combined with a part of the change",
                hint=f"commit the file as a whole, or run '{unstaging}'", following=[unstaging],
            )  # fmt: skip


def _is_combined(path: bytes, composed: ComposedTarget, steps: Steps) -> bool:
    """Whether a committed path gets the combined content: it is committed as a whole, or staged as a whole."""
    file, staged = steps.files.get(path), composed.staged[path]
    if file is None or file.is_complete:
        return True
    return (staged.new_mode, staged.new_id) == (file.change.new_mode, file.change.new_id)


def _put_beside_staged(entry: Edit, composed: ComposedTarget, steps: Steps, blobs: BlobPack) -> Edit:
    """Return the committed `entry` with what is staged of its file."""
    path = entry.path
    if _is_combined(path, composed, steps):
        return composed.combined[path]
    file, text = steps.files[path], composed.texts.get(path)
    if entry.mode == file.change.old_mode:
        entry = replace(entry, mode=composed.staged[path].new_mode)
    if text is None:  # only its mode is staged
        return entry
    return replace(entry, oid=blobs.add(file.compose(text)))
