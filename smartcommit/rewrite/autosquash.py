"""Rewrites the commits of a range so that each has the hunks that belong to it.

Every commit does what it did: its message, author and date stay, and so do its files, except that those with hunks of
this or an earlier commit have these too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from smartcommit.errors import SplitError
from smartcommit.git.diff import ABSENT, FileChange, FileDiff
from smartcommit.git.fast_import import BlobPack, Edit, NewCommit
from smartcommit.git.hunks import Unit
from smartcommit.git.objects import read_objects
from smartcommit.git.repo import Repository
from smartcommit.rewrite.commits import OldCommit
from smartcommit.rewrite.origins import BASE, LineHistory, Origins
from smartcommit.split.apply import Chain


@dataclass(slots=True)
class _AbsorbingFile:
    """A file that gets units: its lines, the entry that was written last, and the units.

    Each unit has the position of the commit that it is for, and comes before those above it in the file.
    """

    history: LineHistory
    units: list[tuple[Unit, int]] = field(default_factory=list)
    written: Edit | None = None


def absorb_units(
    repository: Repository,
    commits: Sequence[OldCommit],
    absorbed: Mapping[int, Sequence[Unit]],
    *,
    origins: Origins,
    blobs: BlobPack,
) -> Chain:
    """Return the `commits` again from the first one on that gets units, which are `absorbed`, by its position.

    New contents go to `blobs`. Raise SplitError if a unit has no place in its commit or in a later one. One process.
    """
    files: dict[bytes, _AbsorbingFile] = {}
    for number, units in absorbed.items():
        for unit in units:
            old = unit.change
            if old.path not in files:
                unchanged = FileChange("M", old.path, None, old.old_mode, old.old_mode, old.old_id, old.old_id)
                history = origins.files.get(old.path, LineHistory(changes={BASE: unchanged}))
                files[old.path] = _AbsorbingFile(replace(history))
            if old.status != "M" or len(unit.hunks) != 1 or not files[old.path].history.is_text:
                raise _make_refusal(unit, commits[number])
            files[old.path].units.append((unit, number))
    _read_lines(repository, files)
    for file in files.values():
        # From the last one on, since the numbers of their lines are those of HEAD.
        file.units.sort(key=_find_start, reverse=True)
        for unit, number in file.units:
            if file.history.find_entry(number) is None or not file.history.absorb(unit.hunks[0], number):
                raise _make_refusal(unit, commits[number])
    first = min(absorbed)
    chain: list[NewCommit] = []
    for number, commit in enumerate(commits[first:], start=first):
        parents: tuple[str | int, ...] = (len(chain) - 1,) if chain else commit.parents
        edits = list(_list_edits(number, origins.diffs[number], files.values(), blobs))
        chain.append(NewCommit(commit.message, parents, edits, author=commit.author, encoding=commit.encoding))
    oids = [commit.oid for commit in commits[first:]]
    return Chain(next(iter(commits[first].parents), None), chain, continued=oids, replaced=oids)


def _make_refusal(unit: Unit, commit: OldCommit) -> SplitError:
    return SplitError(f"'{unit.id}' has no place in '{commit.title}'", hint="leave it out, or choose a later commit")


def _read_lines(repository: Repository, files: Mapping[bytes, _AbsorbingFile]) -> None:
    """Read what the files had before the range."""
    oids = {}
    for path, file in files.items():
        base = file.history.find_entry(BASE)
        if base is not None:
            oids[path] = base.oid
    contents = dict(zip(oids, read_objects(repository, list(oids.values())), strict=True))
    for path, file in files.items():
        file.history.runs = file.history.read_base(contents.get(path, b""))


def _find_start(placed: tuple[Unit, int]) -> tuple[int, int]:
    (hunk,) = placed[0].hunks
    return hunk.old_lines.start, hunk.new_lines.start


def _list_edits(
    number: int, diffs: Sequence[FileDiff], files: Collection[_AbsorbingFile], blobs: BlobPack
) -> Iterator[Edit]:
    """Yield what the commit at a position, whose own changes are `diffs`, changes in the rewritten one before it."""
    changed: dict[bytes, Edit] = {}
    for diff in diffs:
        change = diff.change
        if change.old_path is not None:
            changed[change.old_path] = Edit(change.old_path, ABSENT, change.old_id)
        changed[change.path] = Edit.of(change)
    for file in files:
        entry = file.history.find_entry(number)
        targets = {target for _, target in file.units}
        if entry is not None and min(targets) <= number and (number in targets or entry.path in changed):
            edit = changed[entry.path] = Edit(entry.path, entry.mode, blobs.add(file.history.compose(number)))
            if edit == (file.written or file.history.find_entry(number - 1)):
                # What the commit did is what the hunks take back; an edit that changes nothing is refused.
                del changed[entry.path]
            file.written = edit
    yield from changed.values()
