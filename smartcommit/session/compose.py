"""Makes the target of a session's commits: HEAD's tree with the session's contents in place."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from smartcommit.errors import SplitPlanOutdated
from smartcommit.git.diff import ABSENT, REGULAR, FileChange, list_changes
from smartcommit.git.fast_import import NOBODY, BlobPack, Edit, NewCommit, write_commits
from smartcommit.git.hunks import read_texts_at
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import ComposedTarget
from smartcommit.git.transaction.journal import SplitRun
from smartcommit.record import Record
from smartcommit.session.ledger import SessionFile
from smartcommit.session.outcome import SessionRefused
from smartcommit.session.store import Blob
from smartcommit.split.constraints import list_parents


class HeldFile(Record):
    """A file of a session that cannot be committed now; `command` is what to run before."""

    path: bytes
    reason: str
    command: str


class Composer:
    """Composes the target from those of the `given` files that have a change.

    `files` are those that are in the target, and `held` those that had to be left out, once it was composed.
    """

    def __init__(self, files: Sequence[SessionFile]) -> None:
        self.given = files
        self._files = {file.path: file for file in files if file.composed != file.base}
        self.held: list[HeldFile] = []

    @property
    def files(self) -> list[SessionFile]:
        held = {item.path for item in self.held}
        return [file for path, file in self._files.items() if path not in held]

    def compose(self, scratch: Repository, run: SplitRun, head: str | None, staged_tree: str) -> ComposedTarget:
        """Return the target upon the commit `head`, as `git.snapshot.Compose` does.

        A file is held if what is staged there cannot be combined with it.

        Raise SplitPlanOutdated if HEAD has other contents than the files say, SessionRefused if a file has the place of
        a folder or the other way round, in HEAD or in what is staged.
        """
        since = head or scratch.empty_tree
        staged = {}
        for change in list_changes(scratch, since, staged_tree, renames=False):
            staged[change.path] = change
            if change.new_mode != ABSENT:
                self._check_place(change.path)
        tree, changed = self._write_tree(scratch, run, head)
        paths = staged.keys() & changed.keys()
        contested = [path for path in paths if _are_three(changed[path], staged[path])]
        texts = read_texts_at(scratch, since, staged_tree, contested)
        ours = read_texts_at(scratch, since, tree, contested)
        combined = {}
        with BlobPack(run.quarantine.repository) as blobs:
            for path in paths:
                content = None
                if path in ours and path in texts:
                    every = range(len(ours[path].replacements))
                    # As in git, hunks contradict each other that touch, unless they are the same.
                    if ours[path].keeps(every, texts[path]):
                        content = ours[path].compose(every, texts[path])
                entry = _combine(changed[path], staged[path], content, blobs)
                if entry is None:
                    command = f"git restore --staged -- {shlex.quote(os.fsdecode(path))}"
                    self.held.append(HeldFile(path, "something else is staged there", command))
                else:
                    combined[path] = entry
        if len(combined) < len(paths):
            tree, _ = self._write_tree(scratch, run, head)
        return ComposedTarget(tree, staged, combined, texts)

    def _check_place(self, other: bytes) -> None:
        """Raise SessionRefused if a file of the session cannot exist beside the file `other` of others."""
        folders = set(list_parents(other))
        for path, file in self._files.items():
            if file.composed is not None and (path in folders or other in list_parents(path)):
                raise SessionRefused(
                    f"'{os.fsdecode(path)}' has the place of '{os.fsdecode(other)}', which is another's",
                    hint="commit or remove that first, or move the session's file",
                )

    def _write_tree(self, scratch: Repository, run: SplitRun, head: str | None) -> tuple[str, dict[bytes, FileChange]]:
        edits = []
        for file in self.files:
            blob = file.composed or Blob(ABSENT, file.base.oid if file.base else "")
            edits.append(Edit(file.path, blob.mode, blob.oid))
        commit = NewCommit("composed\n", (head,) if head else (), edits)
        *_, written = write_commits(run.quarantine.repository, head, [commit], NOBODY)
        changed = {}
        for change in list_changes(scratch, head or scratch.empty_tree, written.tree, renames=False, counts=False):
            if change.path not in self._files:
                # The file in its place has removed it, which the session did not.
                self._check_place(change.path)
            base = self._files[change.path].base or Blob(ABSENT, "0" * len(change.old_id))
            if (change.old_mode, change.old_id) != (base.mode, base.oid):
                raise SplitPlanOutdated("HEAD has moved in the meantime")
            changed[change.path] = change
        return written.tree, changed


def _are_three(ours: FileChange, staged: FileChange) -> bool:
    """Whether the file has three contents: the old one, ours, and the staged one."""
    return len({ours.old_id, ours.new_id, staged.new_id}) == 3


def _combine(ours: FileChange, staged: FileChange, content: bytes | None, blobs: BlobPack) -> Edit | None:
    """Return a file's entry with our change and the staged one, None if they contradict each other.

    `content` has both, if both are hunks of text that touch nowhere.
    """
    path = ours.path
    if (ours.new_mode, ours.new_id) == (staged.new_mode, staged.new_id):
        return Edit.of(ours)
    if not {ours.old_mode, ours.new_mode, staged.new_mode}.issubset(REGULAR):
        return None
    # Of two modes at most one differs from the old one, and so of two contents that are not merged.
    mode = ours.new_mode
    if staged.new_mode != ours.old_mode:
        mode = staged.new_mode
    if not _are_three(ours, staged):
        return Edit(path, mode, ours.new_id if staged.new_id == ours.old_id else staged.new_id)
    if content is None:
        return None
    return Edit(path, mode, blobs.add(content))
