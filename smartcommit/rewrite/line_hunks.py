"""The hunks of a file between the ends of a range, by the history of its lines.

git compares the two ends alone and may pair other lines; then its hunks would not be those of the commits.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from smartcommit.git.diff import Hunk
from smartcommit.rewrite.origins import BASE, Run, number_runs


@dataclass(slots=True)
class _Section:
    """Runs between lines that stay, and the lines that they remove and add: `old` and `new` are the first of these."""

    old: int
    new: int
    runs: list[Run] = field(default_factory=list)
    removed: list[bytes] = field(default_factory=list)
    added: list[bytes] = field(default_factory=list)

    def is_restored(self, owners: Sequence[int]) -> bool:
        """Whether one owner has changed the lines and put them back."""
        touching = set()
        for run in self.runs:
            if run.born != BASE:
                touching.add(owners[run.born])
            if run.died is not None:
                touching.add(owners[run.died])
        return self.removed == self.added and len(touching) == 1


def compare_ends(
    runs: Sequence[Run], ends: tuple[bytes, bytes], owners: Sequence[int], known: Sequence[Hunk]
) -> tuple[list[Run], list[Hunk]]:
    """Return the lines of a file, and the hunks between its contents at both `ends`.

    Lines that the commits of one owner have changed and put back count as never changed. The `known` hunks are git's,
    of which those nearest above say which function the lines are in.
    """
    kept: list[Run] = []
    hunks: list[Hunk] = []
    for section in _list_sections(runs, *ends):
        if section.is_restored(owners):
            if section.removed:
                kept.append(Run(BASE, None, len(section.removed)))
            continue
        kept += section.runs
        if section.removed or section.added:
            hunks.append(_make_hunk(section, known))
    return kept, hunks


def _list_sections(runs: Sequence[Run], base: bytes, target: bytes) -> Iterator[_Section]:
    """Yield the runs in sections; one that stays is a section of its own, without lines."""
    before, after = io.BytesIO(base).readlines(), io.BytesIO(target).readlines()
    section = _Section(1, 1)
    for run, old, new in number_runs(runs):
        if run.stays:
            yield section
            yield _Section(old, new, [run])
            section = _Section(old + run.count, new + run.count)
            continue
        section.runs.append(run)
        if run.born == BASE:
            section.removed += before[old - 1 : old - 1 + run.count]
        if run.died is None:
            section.added += after[new - 1 : new - 1 + run.count]
    yield section


def _make_hunk(section: _Section, known: Sequence[Hunk]) -> Hunk:
    removed, added = _strip_ends(section.removed), _strip_ends(section.added)
    # git numbers an empty side by the line before it.
    old, new = section.old - (not removed), section.new - (not added)
    context = b""
    for hunk in known:
        if hunk.old_start <= section.old + len(removed):
            context = hunk.context
    return Hunk(old, len(removed), new, len(added), context, removed, added)


def _strip_ends(lines: Sequence[bytes]) -> list[bytes]:
    return [line.removesuffix(b"\n") for line in lines]
