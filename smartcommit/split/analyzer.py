"""What a split reads of git: the change, which is read once, and the project's history and rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from smartcommit import state_files
from smartcommit.change.history import History
from smartcommit.config import Settings, make_rules
from smartcommit.draft.embedded.view import Purpose
from smartcommit.draft.request import LINES_AROUND
from smartcommit.git.diff import FileChange, FileDiff, Hunk
from smartcommit.git.hunks import ChangeUnits, Contents, Unit, cut_files, group_by_file, read_contents, read_units
from smartcommit.git.snapshot import Snapshot
from smartcommit.message.rules import Rules
from smartcommit.secrets.files import is_any_above
from smartcommit.secrets.scan import SuspectFile
from smartcommit.split.cut import cut_unit, keep_files_whole, reapply_cuts
from smartcommit.split.model.hunk_ids import Names
from smartcommit.split.plan import SplitPlan, list_ids, list_left_out

NO_UNITS = ChangeUnits([], [], {})


@dataclass(frozen=True, slots=True)
class Selection:
    """What of a change is committed: the units of `change`, and nothing `withheld`."""

    change: ChangeUnits
    withheld: ChangeUnits = NO_UNITS

    @property
    def whole(self) -> ChangeUnits:
        return self.change.join(self.withheld)


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
        """The whole change in hunks."""
        return cut_files(self.files, self.contents)

    @cached_property
    def _around(self) -> dict[bytes, list[Hunk]]:
        """The hunks of the whole change by path, with the lines around them."""
        found: dict[bytes, list[Hunk]] = {}
        for diff in self.files.diffs:
            path = diff.change.path
            if path not in self.contents:
                continue
            lines = self.contents[path][1].split(b"\n")
            if not lines[-1]:
                lines.pop()
            found[path] = []
            for hunk in diff.hunks:
                start = hunk.new_start - min(hunk.new_count, 1)
                end = start + hunk.new_count
                around = lines[max(0, start - LINES_AROUND) : start], lines[end : end + LINES_AROUND]
                found[path].append(Hunk(*hunk.range, hunk.context, hunk.removed, hunk.added, *around))
        return found

    def read_diffs(self, units: Sequence[Unit]) -> list[FileDiff]:
        """Return a diff for each file that `units` change, with the lines around its hunks, as the drafter needs them.

        A part of a hunk has those of the whole one.
        """
        diffs = group_by_file(units)
        for diff in diffs:
            found = iter(self._around.get(diff.change.path, ()))
            whole = next(found, None)
            for place, hunk in enumerate(diff.hunks):
                while whole is not None and whole.new_start + whole.new_count < hunk.new_start + hunk.new_count:
                    whole = next(found, None)
                if whole is not None:
                    lines = hunk.removed, hunk.added, whole.before, whole.after
                    diff.hunks[place] = Hunk(*hunk.range, hunk.context, *lines)
        return diffs

    @cached_property
    def history(self) -> History:
        return History.load(self.repository, self.snapshot.base or "HEAD")

    @cached_property
    def rules(self) -> Rules:
        return make_rules(self.settings)

    def select(self, whole: ChangeUnits, suspects: Sequence[SuspectFile]) -> Selection:
        """Return what of `whole` is committed: neither what `suspects` leave out, nor the state of the executor."""
        paths = {suspect.path for suspect in list_left_out(suspects)}
        withheld, rest = whole.divide(lambda path: state_files.is_plan_state(path) or is_any_above(path, paths))
        return Selection(rest, withheld)

    def cut_as(self, plan: SplitPlan) -> ChangeUnits:
        """Return the whole change in hunks, cut where `plan` has cuts."""
        return reapply_cuts(self.hunks, {unit.key: unit.id for unit in plan.units})

    def divide_as(self, plan: SplitPlan) -> ChangeUnits:
        """Return the whole change in the units that `plan` has: whole files, hunks and parts of these."""
        if not plan.is_cut:
            return self.files
        return keep_files_whole(self.cut_as(plan), {unit.change.path for unit in plan.units if unit.kind == "file"})


class GitAnalyzer:
    """A change as a model looks at it: `change` has the units that it puts into commits, and that it can `cut`."""

    def __init__(self, reader: ChangeReader, change: ChangeUnits) -> None:
        self.change = change
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
        self.names.renew(self.change.units)
        return list_ids(halves)

    def get_changed_files(self) -> list[FileChange]:
        return [diff.change for diff in self.change.diffs]
