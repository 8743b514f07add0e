"""Rewrites the commits of a range so that each has the hunks that belong to it.

Every commit does what it did: its message, author and date stay, and so do its files, except that those with hunks of
this or an earlier commit have these too.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from smartcommit.errors import SplitError
from smartcommit.git.diff import ABSENT, FileChange
from smartcommit.git.fast_import import BlobPack, Edit, NewCommit
from smartcommit.git.hunks import FileUnits, Unit
from smartcommit.git.objects import read_blobs
from smartcommit.git.repo import Repository
from smartcommit.rewrite.commits import OldCommit
from smartcommit.rewrite.origins import BASE, LineHistory, Origins
from smartcommit.split.apply import Chain


class Autosquash:
    """`commits`, and the `files` of which these get the `absorbed` units, by positions in the range.

    Raise SplitError if a unit cannot be placed in its commit and in all later ones. One process.
    """

    def __init__(
        self,
        repository: Repository,
        commits: Sequence[OldCommit],
        files: Mapping[bytes, FileUnits],
        absorbed: Mapping[int, Sequence[Unit]],
        *,
        origins: Origins,
    ) -> None:
        self._commits = commits
        self._origins = origins
        # The commit that each unit is for, and those that a file's units are for, by its path in HEAD.
        self._targets: dict[str, int] = {}
        self._since: dict[bytes, set[int]] = {}
        # The lines of each file, and what was written of it last.
        self._files: dict[bytes, LineHistory] = {}
        self._written: dict[bytes, Edit] = {}
        for number, units in absorbed.items():
            for unit in units:
                path, old = unit.change.path, unit.change
                self._targets[unit.id] = number
                self._since.setdefault(path, set()).add(number)
                unchanged = FileChange("M", path, None, old.old_mode, old.old_mode, old.old_id, old.old_id)
                self._files[path] = replace(origins.files.get(path, LineHistory(changes={BASE: unchanged})))
                if old.status != "M" or len(unit.hunks) != 1 or not self._files[path].is_text:
                    raise self._refuse(unit)
        self._absorb(repository, files)

    def _refuse(self, unit: Unit) -> SplitError:
        title = self._commits[self._targets[unit.id]].title
        return SplitError(f"'{unit.id}' has no place in '{title}'", hint="leave it out, or choose a later commit")

    def _absorb(self, repository: Repository, files: Mapping[bytes, FileUnits]) -> None:
        """Let the units be part of the lines of their commits."""
        oids: dict[str, None] = {}
        for history in self._files.values():
            oids.update(dict.fromkeys(history.list_versions().values()))
            base = history.find_entry(BASE)
            if base is not None:
                oids[base.oid] = None
        contents = dict(zip(oids, read_blobs(repository, list(oids)), strict=True))
        for path, history in self._files.items():
            text, start = files[path].text, b""
            assert text is not None
            units = [unit for unit in files[path].units if unit.hunks]
            base = history.find_entry(BASE)
            if base is not None:
                start = contents[base.oid]
            history.runs = history.read_lines((start, text.base), contents)
            # From the last one on, since the numbers of their lines are those of HEAD.
            for unit, replacement in reversed(list(zip(units, text.replacements, strict=True))):
                if unit.id in self._targets:
                    since, lines = self._targets[unit.id], io.BytesIO(replacement.new).readlines()
                    if history.find_entry(since) is None or not history.absorb(unit.hunks[0], lines, since):
                        raise self._refuse(unit)

    def make_chain(self, blobs: BlobPack) -> Chain:
        """Return the commits from the first that gets something on; new contents go to `blobs`."""
        first = min(self._targets.values())
        chain: list[NewCommit] = []
        for number, old in enumerate(self._commits[first:], start=first):
            parents: tuple[str | int, ...] = (len(chain) - 1,) if chain else old.parents
            edits = list(self._edits(number, blobs))
            chain.append(NewCommit(old.message, parents, edits, author=old.author, encoding=old.encoding))
        oids = [commit.oid for commit in self._commits[first:]]
        onto = next(iter(self._commits[first].parents), None)
        return Chain(onto, chain, continued=oids, replaced=oids)

    def _edits(self, number: int, blobs: BlobPack) -> Iterator[Edit]:
        """Yield what the commit at a position changes in the rewritten one before it."""
        changed: dict[bytes, Edit] = {}
        for diff in self._origins.diffs[number]:
            change = diff.change
            if change.old_path is not None:
                changed[change.old_path] = Edit(change.old_path, ABSENT, change.old_id)
            changed[change.path] = Edit.of(change)
        for path, history in self._files.items():
            entry, since = history.find_entry(number), self._since[path]
            if entry is not None and min(since) <= number and (number in since or entry.path in changed):
                edit = changed[entry.path] = Edit(entry.path, entry.mode, blobs.add(history.compose(number)))
                if edit == self._written.get(path, history.find_entry(number - 1)):
                    # What the commit did is what the hunks take back; an edit that changes nothing is refused.
                    del changed[entry.path]
                self._written[path] = edit
        yield from changed.values()
