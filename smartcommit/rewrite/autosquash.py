"""Rewrites the commits of a range so that each has the hunks that belong to it.

Every commit does what it did: its message, author and date stay, and so do its files, except that those with hunks of
this or an earlier commit have these too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from smartcommit.errors import SplitError
from smartcommit.git.diff import ABSENT
from smartcommit.git.fast_import import BlobPack, Edit, NewCommit
from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.git.objects import read_blobs
from smartcommit.git.repo import Repository
from smartcommit.rewrite.commits import OldCommit
from smartcommit.rewrite.origins import Origins
from smartcommit.rewrite.woven import group_by_path
from smartcommit.split.apply import Chain
from smartcommit.split.plan import list_ids

# What each commit gets, by its position in the range.
Absorbed = Mapping[int, Sequence[Unit]]
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


class _Replacement(NamedTuple):
    """Replaces `height` lines by `new` in each version from `since` on, below the `places` of these versions."""

    since: int
    height: int
    new: bytes
    places: Sequence[int]


def absorb_units(
    repository: Repository,
    commits: Sequence[OldCommit],
    change: ChangeUnits,
    absorbed: Absorbed,
    *,
    origins: Origins,
    blobs: BlobPack,
) -> Chain:
    """Return the commits from the first that gets something on, with the `absorbed` units of `change`.

    New contents go to `blobs`; one process. Raise SplitError if a unit cannot be placed in its commit and in all later
    ones.
    """
    first = min(absorbed)
    rewriter = _Rewriter(commits, origins, change, absorbed)
    contents = rewriter.read_contents(repository)
    chain: list[NewCommit] = []
    onto = next(iter(commits[first].parents), None)
    for number in range(first, len(commits)):
        old = commits[number]
        parents: tuple[str | int, ...] = (len(chain) - 1,) if chain else old.parents
        edits = list(rewriter.edits(number, contents, blobs))
        chain.append(NewCommit(old.message, parents, edits, author=old.author, encoding=old.encoding))
    return Chain(onto, chain)


class _Rewriter:
    """The files of a range that get hunks, in all versions."""

    def __init__(self, commits: Sequence[OldCommit], origins: Origins, change: ChangeUnits, absorbed: Absorbed) -> None:
        self._origins = origins
        self._versions = range(len(commits))
        # The replacements in each file, by its path in HEAD, its entry there, and the last one that was written.
        self._files: dict[bytes, list[_Replacement]] = {}
        self._unchanged: dict[bytes, Edit] = {}
        self._written: dict[bytes, Edit] = {}
        targets: dict[str, int] = {}
        for number, units in absorbed.items():
            targets.update(dict.fromkeys(list_ids(units), number))
        for path, units in group_by_path(filter(attrgetter("hunks"), change.units)).items():
            for position, unit in enumerate(units):
                if unit.id in targets:
                    since = targets[unit.id]
                    self._unchanged[path] = Edit(path, unit.change.old_mode, unit.change.old_id)
                    found = self._place(unit, since, commits[since])
                    new = change.texts[path].replacements[position].new
                    height = unit.hunks[0].old_count
                    self._files.setdefault(path, []).append(_Replacement(since, height, new, found))

    def read_contents(self, repository: Repository) -> dict[str, bytes]:
        """Return the old contents that are replaced, by their object names; one process."""
        oids: dict[str, None] = {}
        for path, replacements in self._files.items():
            for number in self._versions[min(map(attrgetter("since"), replacements)) :]:
                entry = self._find_entry(path, number)
                if entry is not None:
                    oids[entry.oid] = None
        return dict(zip(oids, read_blobs(repository, list(oids)), strict=True))

    def edits(self, number: int, contents: Mapping[str, bytes], blobs: BlobPack) -> Iterator[Edit]:
        """Yield what the commit at a position changes in the rewritten one before it; new contents go to `blobs`."""
        changed: dict[bytes, Edit] = {}
        for diff in self._origins.diffs[number]:
            change = diff.change
            if change.old_path is not None:
                changed[change.old_path] = Edit(change.old_path, ABSENT, change.old_id)
            oid = change.old_id if change.new_mode == ABSENT else change.new_id
            changed[change.path] = Edit(change.path, change.new_mode, oid)
        for path, replacements in self._files.items():
            entry = self._find_entry(path, number)
            since = set(map(attrgetter("since"), replacements))
            if entry is not None and min(since) <= number and (number in since or entry.path in changed):
                content = _replace_lines(contents[entry.oid], number, replacements)
                edit = changed[entry.path] = Edit(entry.path, entry.mode, blobs.add(content))
                if edit == self._written.get(path, self._find_entry(path, number - 1)):
                    # What the commit did is what the hunks take back; an edit that changes nothing is refused.
                    del changed[entry.path]
                self._written[path] = edit
        yield from changed.values()

    def _place(self, unit: Unit, since: int, commit: OldCommit) -> list[int]:
        """Return how many lines are above the unit in each version from that of `commit`, at `since`, on."""
        history = self._origins.find(unit.change.path)
        places = None
        if unit.change.status == "M" and len(unit.hunks) == 1 and history.is_text:
            (hunk,) = unit.hunks
            places = history.find_places(hunk.old_start, hunk.old_count, self._versions[since:])
        if places is None or self._find_entry(unit.change.path, since) is None:
            raise SplitError(
                f"'{unit.id}' has no place in '{commit.title}'", hint="leave it out, or choose a later commit"
            )
        return places

    def _find_entry(self, path: bytes, number: int) -> Edit | None:
        history = self._origins.files.get(path)
        if history is None:
            return self._unchanged[path]
        return history.find_entry(number)


def _replace_lines(content: bytes, number: int, replacements: Sequence[_Replacement]) -> bytes:
    """Return the content of version `number` with its `replacements`, which are in the order of their lines."""
    lines = _LINE.findall(content)
    for replacement in reversed(replacements):
        if replacement.since <= number:
            place = replacement.places[number - replacement.since]
            lines[place : place + replacement.height] = [replacement.new]
    return b"".join(lines)
