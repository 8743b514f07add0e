"""What a split reads of git: the change, which is read once, the project's history and rules, and names for a model."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property

from smartcommit import state_files
from smartcommit.change.history import History
from smartcommit.change.text import share_text
from smartcommit.config import Settings, make_rules
from smartcommit.draft.embedded.view import Purpose
from smartcommit.draft.request import LINES_AROUND
from smartcommit.errors import ToolRetry
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.git.hunks import ChangeUnits, Contents, Unit, cut_files, group_by_file, read_contents, read_units
from smartcommit.git.snapshot import Snapshot
from smartcommit.message.characters import printable
from smartcommit.message.rules import Rules
from smartcommit.secrets.files import is_any_above
from smartcommit.secrets.redaction import redact
from smartcommit.secrets.scan import SuspectFile
from smartcommit.split.cut import cut_unit, keep_files_whole, reapply_cuts
from smartcommit.split.plan import PlannedCommit, SplitPlan, list_ids, list_left_out

# Hunks that are suggested for an unknown id, and unknown ids that are reported at once.
_HUNKS_SUGGESTED = 3
_UNKNOWN_REPORTED = 20
# Lines after a path, as in `a.py:12`, `a.py:12-20` and `a.py#L12`.
_LINES = re.compile(r"(?::|#|@| lines? )L?(\d{1,7})(?:-L?(\d{1,7}))?\Z")


class ChangeReader:
    """The change of a snapshot, with the project's history and rules; each is read when it is first needed.

    `purpose` is what is known of why the change, or a part of it, is made.
    """

    def __init__(self, snapshot: Snapshot, settings: Settings, purpose: Purpose | None = None) -> None:
        self.snapshot = snapshot
        self.settings = settings
        self.repository = snapshot.repository
        self.purpose = purpose or Purpose()

    @cached_property
    def files(self) -> ChangeUnits:
        """The whole change in files; one process."""
        return read_units(self.repository, self.snapshot.since, self.snapshot.target, cut=False)

    @cached_property
    def contents(self) -> Contents:
        """The text of the files before and after the change; one process."""
        return read_contents(self.repository, self.files.diffs)

    @cached_property
    def hunks(self) -> ChangeUnits:
        return cut_files(self.files, self.contents)

    @cached_property
    def _new_lines(self) -> dict[bytes, list[bytes]]:
        """The lines of each file after the change, by its path, where its hunks are between texts."""
        found: dict[bytes, list[bytes]] = {}
        for path, (_, target) in self.contents.items():
            found[path] = target.split(b"\n")
            if not found[path][-1]:
                found[path].pop()
        return found

    def read_diffs(self, units: Sequence[Unit]) -> list[FileDiff]:
        """Return a diff for each file that `units` change, with the lines around its hunks, as the drafter needs them.

        A part of a hunk has those of the whole one.
        """
        diffs = group_by_file(units)
        for diff in diffs:
            path = diff.change.path
            if path in self._new_lines:
                diff.hunks = [self._surround(hunk, path) for hunk in diff.hunks]
        return diffs

    def _surround(self, hunk: Hunk, path: bytes) -> Hunk:
        # Cached on the hunk, as what is read of it: it is described more than once.
        kept = vars(hunk)
        surrounded: Hunk | None = kept.get("_surrounded")
        if surrounded is None:
            wholes = self.files.files[path].diff.hunks
            number = bisect_left(wholes, hunk.new_lines.stop, key=lambda whole: whole.new_lines.stop)
            # In a range, lines that went and came back are hunks of commits, and no hunk of the whole change has them.
            whole = wholes[number] if number < len(wholes) else hunk
            start, end = whole.new_lines.start, whole.new_lines.stop
            lines = self._new_lines[path]
            around = lines[max(0, start - LINES_AROUND) : start], lines[end : end + LINES_AROUND]
            surrounded = kept["_surrounded"] = Hunk(*hunk.numbers, hunk.context, hunk.removed, hunk.added, *around)
            share_text(hunk, surrounded)
        return surrounded

    @cached_property
    def history(self) -> History:
        return History.load(self.repository, self.snapshot.base or "HEAD")

    @cached_property
    def rules(self) -> Rules:
        return make_rules(self.settings)

    def select(self, change: ChangeUnits, suspects: Sequence[SuspectFile]) -> ChangeUnits:
        """Return what of `change` is committed: neither what `suspects` leave out, nor the state of the executor."""
        paths = {suspect.path for suspect in list_left_out(suspects)}
        withheld = {path for path in change.files if state_files.is_plan_state(path) or is_any_above(path, paths)}
        return change.select(change.files.keys() - withheld)

    def cut_as(self, plan: SplitPlan) -> ChangeUnits:
        """Return the whole change in hunks, cut where `plan` has cuts."""
        return reapply_cuts(self.hunks, plan.units)

    def divide_as(self, plan: SplitPlan) -> ChangeUnits:
        """Return the whole change in the units that `plan` has: whole files, hunks and parts of these."""
        if all(unit.kind == "file" for unit in plan.units):
            return self.files
        return keep_files_whole(self.cut_as(plan), {unit.change.path for unit in plan.units if unit.kind == "file"})


class Names:
    """The units of a change by the ids that a model sees, in the order of the change.

    A unit's own id is used wherever it can be sent as it is. If the name of its file contains a secret, a line break or
    undecodable bytes, the model sees another id that leads back to the same unit.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        self.hunk_map: dict[str, Unit] = {}
        self.renew(units)

    def renew(self, units: Sequence[Unit]) -> None:
        """Name `units` instead; those that had a name keep it."""
        names = {unit.id: name for name, unit in self.hunk_map.items()}
        taken = set(self.hunk_map)
        self.hunk_map = {}
        for unit in units:
            name = names.get(unit.id)
            if name is None:
                number = 2
                shown = redact(printable(unit.id))
                name = shown
                while name in taken:
                    number, name = number + 1, f"{shown}~{number}"
            taken.add(name)
            self.hunk_map[name] = unit

    def of(self, hunks: Iterable[str]) -> list[str]:
        """Return the names of the units with these ids, in the order of the change."""
        wanted = set(hunks)
        return [name for name, unit in self.hunk_map.items() if unit.id in wanted]

    def without(self, hunks: Iterable[str]) -> list[str]:
        given = set(hunks)
        return [name for name, unit in self.hunk_map.items() if unit.id not in given]

    def find(self, names: Sequence[str]) -> list[Unit]:
        """Return the units with these `names`; the path of a file will do if no other hunk of it can be meant.

        Raise ToolRetry, with suggestions, if a name is unknown.
        """
        units: list[Unit] = []
        problems: list[str] = []
        for given in names:
            # Some models write spaces or backticks around an id; an id can also contain them.
            name = given if given in self.hunk_map else given.strip().strip("`")
            unit = self.hunk_map.get(name) or self._find_by_path(name)
            if unit is not None:
                units.append(unit)
            elif len(problems) < _UNKNOWN_REPORTED:
                problems.append(f"'{name[:200]}' is not a hunk of this change{self._meant(name)}")
        if problems:
            raise ToolRetry("; ".join(problems))
        return units

    def _find_by_path(self, name: str) -> Unit | None:
        """Return the only unit of the file that `name` names, or its only one at the lines that follow the path."""
        path = name.removeprefix("./")
        units = self._list_at(path)
        lines = _LINES.search(path)
        if not units and lines is not None:
            first, last = int(lines[1]), int(lines[2] or lines[1])
            units = self._list_at(path[: lines.start()])
            here = []
            for unit in units:
                for hunk in unit.hunks:
                    if hunk.new_start <= last and first < hunk.new_start + max(hunk.new_count, 1):
                        here.append(unit)
            if len(units) > 1:
                units = here
        return units[0] if len(units) == 1 else None

    def _list_at(self, path: str) -> list[Unit]:
        return [unit for name, unit in self.hunk_map.items() if name.rpartition("::")[0] == path]

    def _meant(self, name: str) -> str:
        """Return a question about the hunks that `name` may stand for, or nothing."""
        import difflib

        path = name.rpartition("::")[0] or _LINES.sub("", name)
        beside, alike = [], []
        for known in self.hunk_map:
            place = known.rpartition("::")[0]
            if place == path:
                beside.append(known)
            elif posixpath.basename(place) == posixpath.basename(path):
                alike.append(known)
        # Comparing with more hunks would take long.
        candidates = beside or alike or list(self.hunk_map)[:1000]
        close = difflib.get_close_matches(name[:400], candidates, n=_HUNKS_SUGGESTED, cutoff=0.4)
        suggestions = [known for known in candidates if known in close] or beside[:_HUNKS_SUGGESTED]
        if not suggestions:
            return ""
        return f", did you mean {' or '.join(repr(item) for item in suggestions)}?"


def find_assigned(commits: Sequence[PlannedCommit], units: Iterable[Unit]) -> dict[str, str]:
    """Return the ids of those of `units` that are in a commit, each with that commit's number and subject."""
    wanted = list_ids(units)
    assigned: dict[str, str] = {}
    for number, commit in enumerate(commits, 1):
        held = set(list_ids(commit.units)).intersection(wanted)
        assigned.update(dict.fromkeys(held, f"commit {number}, '{commit.subject}'"))
    return assigned


class GitAnalyzer:
    """A change as a model looks at it: `change` has the units for its commits; `cuts` counts what it cut."""

    def __init__(self, reader: ChangeReader, change: ChangeUnits) -> None:
        self.change = change
        self.cuts = 0
        self.names = Names(change.units)
        self.snapshot = reader.snapshot
        self.settings = reader.settings
        self.repository = reader.repository
        self.base = reader.snapshot.since
        self.target: str | None = reader.snapshot.target
        self.history = reader.history
        self.rules = reader.rules

    def cut(self, unit_id: str, *, removed: int, added: int) -> list[str]:
        """Cut a unit in two as `cut_unit` does, and return the ids of its halves."""
        self.change, halves = cut_unit(self.change, unit_id, removed=removed, added=added)
        self.cuts += 1
        self.names.renew(self.change.units)
        return list_ids(halves)
