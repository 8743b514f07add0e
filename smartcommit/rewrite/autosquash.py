"""Rewrites the commits of a range so that each has the hunks that belong to it.

Every commit does what it did: its message, author and date stay, and so do its files, except that those with hunks of
this or an earlier commit have these too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from smartcommit.errors import SplitError
from smartcommit.git.diff import ABSENT, FileChange
from smartcommit.git.fast_import import BlobPack, Edit, NewCommit
from smartcommit.git.hunks import Unit
from smartcommit.git.objects import read_blobs
from smartcommit.git.repo import Repository
from smartcommit.rewrite.commits import OldCommit
from smartcommit.rewrite.origins import BASE, LineHistory, Origins
from smartcommit.split.apply import Chain


class Autosquash:
    """`commits`, of which some get `absorbed` units, by positions in the range.

    Raise SplitError if a unit cannot be placed in its commit and in all later ones. One process.
    """

    def __init__(
        self,
        repository: Repository,
        commits: Sequence[OldCommit],
        absorbed: Mapping[int, Sequence[Unit]],
        *,
        origins: Origins,
    ) -> None:
        self._commits = commits
        self._origins = origins
        self._first = min(absorbed)
        # The units of each file, by its path in HEAD, with the commits that they are for.
        self._units: dict[bytes, list[tuple[Unit, int]]] = {}
        # The lines of each file, and what was written of it last.
        self._files: dict[bytes, LineHistory] = {}
        self._written: dict[bytes, Edit] = {}
        for number, units in absorbed.items():
            for unit in units:
                path = unit.change.path
                old = unit.change
                self._units.setdefault(path, []).append((unit, number))
                unchanged = FileChange("M", path, None, old.old_mode, old.old_mode, old.old_id, old.old_id)
                self._files[path] = replace(origins.files.get(path, LineHistory(changes={BASE: unchanged})))
                if old.status != "M" or len(unit.hunks) != 1 or not self._files[path].is_text:
                    raise self._refuse(unit, number)
        self._absorb(repository)

    def _refuse(self, unit: Unit, number: int) -> SplitError:
        title = self._commits[number].title
        return SplitError(f"'{unit.id}' has no place in '{title}'", hint="leave it out, or choose a later commit")

    def _absorb(self, repository: Repository) -> None:
        """Let the units be part of the lines of their commits."""
        oids = {}
        for path, history in self._files.items():
            base = history.find_entry(BASE)
            if base is not None:
                oids[path] = base.oid
        contents = dict(zip(oids, read_blobs(repository, list(oids.values())), strict=True))
        for path, history in self._files.items():
            history.runs = history.read_base(contents.get(path, b""))
            # From the last one on, since the numbers of their lines are those of HEAD.
            for unit, since in sorted(self._units[path], key=_find_start, reverse=True):
                if history.find_entry(since) is None or not history.absorb(unit.hunks[0], since):
                    raise self._refuse(unit, since)

    def make_chain(self, blobs: BlobPack) -> Chain:
        """Return the commits from the first that gets something on; new contents go to `blobs`."""
        first = self._first
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
            entry = history.find_entry(number)
            since = {target for _, target in self._units[path]}
            if entry is not None and min(since) <= number and (number in since or entry.path in changed):
                edit = changed[entry.path] = Edit(entry.path, entry.mode, blobs.add(history.compose(number)))
                if edit == self._written.get(path, history.find_entry(number - 1)):
                    # What the commit did is what the hunks take back; an edit that changes nothing is refused.
                    del changed[entry.path]
                self._written[path] = edit
        yield from changed.values()


def _find_start(placed: tuple[Unit, int]) -> tuple[int, int]:
    (hunk,) = placed[0].hunks
    return hunk.old_lines.start, hunk.new_lines.start
