"""What a split leaves uncommitted keeps its state: what was staged of it stays staged, the rest stays unstaged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from smartcommit.errors import TreeMismatch
from smartcommit.git.diff import ABSENT, REGULAR, FileChange, list_changes, read_diffs
from smartcommit.git.fast_import import Edit
from smartcommit.git.hunks import PATCH_LIMIT, Text, Unit, can_be_cut, read_texts
from smartcommit.git.packs import BlobPack
from smartcommit.git.snapshot import Snapshot, write_index
from smartcommit.split.constraints import parent_folders
from smartcommit.split.file_states import Steps
from smartcommit.split.plan import SplitPlan


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What the index holds beyond the commits that are made.

    `edits` make its tree from the last commit's; `unstaged` are the paths among them whose entry is not the target's,
    and `intended` those that have none but are to be added. `dropped` are paths staged only whose place is taken.
    """

    edits: list[Edit]
    unstaged: frozenset[bytes]
    intended: list[bytes]
    dropped: list[bytes]


def read_leftovers(snapshot: Snapshot, plan: SplitPlan, steps: Steps, blobs: BlobPack) -> Leftovers:
    """What the index keeps once the commits of `plan` were taken in `steps`; at most four processes.

    New contents go to `blobs`.

    A file of which nothing is committed keeps its entry, and so does one that is changed in the index alone. One that
    is committed in part has the committed content and, beside it, what was staged on lines that no committed hunk
    touches.

    Raises: GitError when git fails.
    """
    unstaged = _unstaged(snapshot)
    files = {unit.change.path: unit for unit in plan.skipped}
    both = {path for path, unit in files.items() if steps.files[path].taken and _is_third(unit, unstaged.get(path))}
    staged = _staged_texts(snapshot, both) if both else {}
    edits = []
    for path, unit in files.items():
        entry = steps.entry(path, blobs, beside=staged.get(path))
        if entry is None:
            edits += [_kept(each, unit.change, unstaged.get(each)) for each in unit.paths]
        else:
            edits.append(_beside(entry, unit.change, unstaged.get(path)))
    only = _staged_only(unstaged, plan)
    dropped = _without_place(only, plan)
    edits += [Edit(path, change.old_mode, change.old_id) for path, change in only.items() if path not in dropped]
    untracked = set(snapshot.untracked)
    intended = [
        edit.path for edit in edits if edit.mode == ABSENT and edit.path in unstaged and edit.path not in untracked
    ]
    return Leftovers(edits, frozenset(edit.path for edit in edits if edit.path in unstaged), intended, dropped)


def list_staged_only(snapshot: Snapshot, plan: SplitPlan) -> list[bytes]:
    """The paths that differ from the base in the index, and not in the working tree; one process.

    Raises: GitError when git fails.
    """
    return list(_staged_only(_unstaged(snapshot), plan))


def put_into_index(snapshot: Snapshot, leftovers: Leftovers, tree: str) -> None:
    """Give the index that will be installed the entries of `leftovers`; what it holds must then be `tree`.

    Raises: TreeMismatch when it is not; GitError.
    """
    changed = [edit for edit in leftovers.edits if edit.path in leftovers.unstaged]
    # What goes away makes room for what comes.
    changed.sort(key=lambda edit: edit.mode != ABSENT)
    write_index(snapshot.repository, b"".join(_index_lines(changed)), leftovers.intended)
    found = snapshot.repository.run("write-tree").decode().strip()
    if found != tree:
        raise TreeMismatch(f"the index would hold {found}, not {tree}", hint="nothing was changed; please report this")


def _unstaged(snapshot: Snapshot) -> dict[bytes, FileChange]:
    """What differs between the index and the target, by path."""
    repository, staged, target = snapshot.repository, snapshot.staged_tree, snapshot.target
    return {change.path: change for change in list_changes(repository, staged, target, renames=False, counts=False)}


def _staged_only(unstaged: Mapping[bytes, FileChange], plan: SplitPlan) -> dict[bytes, FileChange]:
    """What no unit is about: the target has it as the base does."""
    changed = {path for unit in plan.units for path in unit.paths}
    return {path: change for path, change in unstaged.items() if path not in changed}


def _without_place(only: Mapping[bytes, FileChange], plan: SplitPlan) -> list[bytes]:
    """Those of the files staged `only` that are above or below one that is committed."""
    changes = [unit.change for commit in plan.commits for unit in commit.units]
    committed = {change.path for change in changes if change.new_mode != ABSENT}
    folders = {folder for path in committed for folder in parent_folders(path)}
    staged = (path for path, change in only.items() if change.old_mode != ABSENT)
    return [path for path in staged if path in folders or not committed.isdisjoint(parent_folders(path))]


def _is_third(unit: Unit, found: FileChange | None) -> bool:
    """Whether the staged content of a file is neither the committed one nor all there is."""
    return found is not None and found.old_id != unit.change.old_id and found.old_mode in REGULAR


def _kept(path: bytes, change: FileChange, found: FileChange | None) -> Edit:
    if found is not None:
        return Edit(path, found.old_mode, found.old_id)
    if path == change.path:
        return Edit(path, change.new_mode, change.new_id)
    return Edit(path, ABSENT, change.old_id)


def _beside(entry: Edit, change: FileChange, found: FileChange | None) -> Edit:
    if found is None:  # all of it is staged
        return Edit(entry.path, change.new_mode, change.new_id)
    if entry.mode == change.old_mode and found.old_mode in REGULAR:
        return replace(entry, mode=found.old_mode)
    return entry


def _staged_texts(snapshot: Snapshot, paths: set[bytes]) -> dict[bytes, Text]:
    repository, since, staged = snapshot.repository, snapshot.since, snapshot.staged_tree
    changes = list_changes(repository, since, staged, renames=False)
    diffs = read_diffs(repository, since, staged, changes, limit=PATCH_LIMIT)
    texts = read_texts(repository, (diff for diff in diffs if diff.change.path in paths and can_be_cut(diff)))
    return {path: text for path, text in texts.items() if text.is_exact()}


def _index_lines(edits: Sequence[Edit]) -> Iterator[bytes]:
    """The input of `git update-index -z --index-info`."""
    for edit in edits:
        yield b"%s %s 0\t%s\0" % (edit.mode.encode(), edit.oid.encode(), edit.path)
