"""Makes the target of a session's commits: HEAD's tree with the session's contents in place."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterable, Sequence

from smartcommit.errors import SplitPlanOutdated
from smartcommit.git.diff import ABSENT, REGULAR, FileChange, list_changes
from smartcommit.git.fast_import import NOBODY, Edit, NewCommit, write_commits
from smartcommit.git.hunks import Text, read_texts_at
from smartcommit.git.packs import BlobPack
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import ComposedTarget
from smartcommit.git.transaction.journal import SplitRun
from smartcommit.record import Record
from smartcommit.split.constraints import parent_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.session.ledger import SessionFile


class HeldFile(Record):
    """A file of a session that cannot be committed now; `command` is what to run before, if there is any."""

    path: bytes
    reason: str
    command: str | None = None


class Composer:
    """Composes the target from `files`, of which those without a change are ignored.

    `held` has the files that are left out of it.
    """

    def __init__(self, files: Iterable[SessionFile]) -> None:
        self._files = {file.path: file for file in files if file.composed != file.base}
        self.held: list[HeldFile] = []

    @property
    def files(self) -> list[SessionFile]:
        """The files that are in the target."""
        held = {file.path for file in self.held}
        return [file for path, file in self._files.items() if path not in held]

    def compose(self, scratch: Repository, run: SplitRun, head: str | None, staged_tree: str) -> ComposedTarget:
        """Return the target upon the commit `head`, as `git.snapshot.Compose` does.

        A file is held if what is staged there cannot be combined with it, or another file stands in its place.

        Raise SplitPlanOutdated if HEAD has other contents than the files say.
        """
        since = head or scratch.empty_tree
        changes = list_changes(scratch, since, staged_tree, renames=False)
        staged = {change.path: change for change in changes}
        self._hold_displaced({path for path, change in staged.items() if change.new_mode != ABSENT}, staged=True)
        tree, changed = self._write_tree(scratch, run, head)
        paths = staged.keys() & changed.keys()
        contested = [path for path in paths if _is_third(changed[path], staged[path])]
        texts = read_texts_at(scratch, since, staged_tree, contested)
        ours = read_texts_at(scratch, since, tree, contested)
        combined = {}
        with BlobPack(scratch, run.quarantine.objects) as blobs:
            for path in paths:
                content = None
                if path in ours and path in texts:
                    content = _merge(ours[path], texts[path])
                entry = _combine(changed[path], staged[path], content, blobs)
                if entry is None:
                    self.held.append(HeldFile(path, "something else is staged there", _unstage(path)))
                else:
                    combined[path] = entry
        if len(combined) < len(paths):
            tree, _ = self._write_tree(scratch, run, head)
        return ComposedTarget(tree, staged, combined, texts)

    def _hold_displaced(self, others: Collection[bytes], *, staged: bool) -> None:
        """Hold the files that cannot exist beside the paths `others`, because one has a folder's place."""
        folders: dict[bytes, bytes] = {}
        for other in others:
            folders.update(dict.fromkeys(parent_folders(other), other))
        for file in self.files:
            if file.composed is None:
                continue
            place = folders.get(file.path)
            for folder in parent_folders(file.path):
                if folder in others:
                    place = folder
            if place is None:
                continue
            if staged:
                self.held.append(HeldFile(file.path, "another file is staged in its place", _unstage(place)))
            else:
                self.held.append(HeldFile(file.path, "HEAD has another file in its place"))

    def _write_tree(self, scratch: Repository, run: SplitRun, head: str | None) -> tuple[str, dict[bytes, FileChange]]:
        """Write the tree with the files that are not held, and return it with its changes by path."""
        parents = () if head is None else (head,)
        while True:
            edits = list(map(_edit, self.files))
            commit = NewCommit("composed\n", parents, edits)
            *_, written = write_commits(run.quarantine.repository, head, [commit], NOBODY)
            changes = list_changes(scratch, head or scratch.empty_tree, written.tree, renames=False, counts=False)
            own = {file.path for file in self.files}
            displaced = [change.path for change in changes if change.path not in own]
            if not displaced:
                self._check_base(changes)
                return written.tree, {change.path: change for change in changes}
            # The file in the place of others has removed them, which the session did not.
            self._hold_displaced(displaced, staged=False)

    def _check_base(self, changes: Sequence[FileChange]) -> None:
        for change in changes:
            base = self._files[change.path].base
            known = (ABSENT, "0" * len(change.old_id)) if base is None else (base.mode, base.oid)
            if (change.old_mode, change.old_id) != known:
                raise SplitPlanOutdated("HEAD has moved in the meantime")


def _unstage(path: bytes) -> str:
    """Return the command that makes the index have what HEAD has at `path`."""
    return f"git restore --staged -- {shlex.quote(os.fsdecode(path))}"


def _edit(file: SessionFile) -> Edit:
    if file.composed is None:
        assert file.base is not None
        return Edit(file.path, ABSENT, file.base.oid)
    return Edit(file.path, file.composed.mode, file.composed.oid)


def _is_third(ours: FileChange, staged: FileChange) -> bool:
    """Whether two changes of one file make different contents of it."""
    return len({ours.old_id, ours.new_id, staged.new_id}) == 3


def _merge(text: Text, beside: Text) -> bytes | None:
    """Return the content with the hunks of both; None if some contradict each other.

    As in git, these are hunks that touch, unless they are the same.
    """
    every = range(len(text.replacements))
    return text.compose(every, beside) if text.keeps(every, beside) else None


def _combine(ours: FileChange, staged: FileChange, content: bytes | None, blobs: BlobPack) -> Edit | None:
    """Return a file's entry with our change and the staged one; None if these contradict each other.

    `content` has the lines of both, if they can be merged.
    """
    path = ours.path
    if (ours.new_mode, ours.new_id) == (staged.new_mode, staged.new_id):
        return Edit(path, ours.new_mode, ours.old_id if ours.new_mode == ABSENT else ours.new_id)
    if not {ours.old_mode, ours.new_mode, staged.new_mode}.issubset(REGULAR):
        return None
    # Of two modes at most one differs from the old one.
    mode = ours.new_mode if staged.new_mode == ours.old_mode else staged.new_mode
    if not _is_third(ours, staged):
        oid = ours.new_id if staged.new_id == ours.old_id else staged.new_id
        return Edit(path, mode, oid)
    return None if content is None else Edit(path, mode, blobs.add(content))
