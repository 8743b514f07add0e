"""`GitAnalyzer`: the change to split, which is read once, and the project's history and rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import filterfalse

from smartcommit.change.history import History
from smartcommit.config import Settings, make_rules
from smartcommit.draft.corrections import Corrections, load_corrections
from smartcommit.git.diff import FileChange
from smartcommit.git.hunks import ChangeUnits, Unit, can_be_cut, cut_files, read_units
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot
from smartcommit.message.rules import Rules
from smartcommit.split.cut import cut_unit, keep_files_whole, reapply_cuts
from smartcommit.split.model.hunk_ids import Names
from smartcommit.split.plan import SplitPlan, SuspectFile, list_ids
from smartcommit.split.plan_file import WrittenPlan

NO_UNITS = ChangeUnits([], [], {})


class GitAnalyzer:
    """A change with its settings, made once for each snapshot.

    `change` has the units that the commits are made of, as they are divided now, and `withheld` those that stay
    uncommitted. Both are empty until `use` is called. Of the former, the hunks in `left_out` stay uncommitted too. The
    change is read from git when it is first needed.
    """

    def __init__(self, snapshot: Snapshot, settings: Settings) -> None:
        self.snapshot = snapshot
        self.settings = settings
        self.left_out: list[SuspectFile] = []
        self.use(NO_UNITS)

    def use(self, change: ChangeUnits, withheld: ChangeUnits = NO_UNITS) -> None:
        """Make the commits of these units from now on."""
        self.change = change
        self.withheld = withheld
        self._names: Names | None = None

    def withhold(self, whole: ChangeUnits, is_withheld: Callable[[bytes], bool]) -> None:
        """Make the commits of the units of `whole` from now on, but not of those whose paths are withheld."""
        if any(is_withheld(diff.change.path) for diff in whole.diffs):
            withheld, rest = whole.divide(is_withheld)
            self.use(rest, withheld)
        else:
            self.use(whole)

    def cut(self, unit_id: str, *, removed: int, added: int) -> list[str]:
        """Cut a unit in two as `cut_unit` does, and return the ids of its halves."""
        known = set(list_ids(self.change.units))
        self.change = cut_unit(self.change, unit_id, removed=removed, added=added)
        self.names.renew(self.change.units)
        return [unit.id for unit in self.change.units if unit.id not in known]

    def drop_left_out(self, groups: Sequence[Sequence[Unit]]) -> list[list[Unit]]:
        """Return `groups` of units without the hunks in `left_out`, for which files are cut; one process at most."""
        if not self.left_out:
            return list(map(list, groups))
        paths = {suspect.path for suspect in self.left_out}
        chosen = {unit.change.path for unit in self.change.units if unit.kind == "file"} & paths
        hunks = cut_files(self.repository, self.change, chosen)
        parts: dict[bytes, list[Unit]] = {path: [] for path in chosen}
        for unit in hunks.units:
            if unit.change.path in chosen:
                parts[unit.change.path].append(unit)

        def divide(units: Iterable[Unit]) -> list[Unit]:
            divided: list[Unit] = []
            for unit in units:
                divided += parts.get(unit.change.path, [unit])
            return divided

        texts = {**self.change.texts, **hunks.texts}
        self.use(ChangeUnits(self.change.diffs, divide(self.change.units), texts), self.withheld)
        return list(filter(None, (list(filterfalse(self._is_left_out, divide(group))) for group in groups)))

    def _is_left_out(self, unit: Unit) -> bool:
        return any(suspect.has(unit) for suspect in self.left_out)

    @property
    def names(self) -> Names:
        """The ids of the units as a model sees them."""
        if self._names is None:
            self._names = Names(self.change.units)
        return self._names

    @property
    def repository(self) -> Repository:
        return self.snapshot.repository

    @property
    def base(self) -> str:
        """The tree, or commit, before the change."""
        return self.snapshot.since

    @property
    def target(self) -> str | None:
        """The tree after the change."""
        return self.snapshot.target

    @cached_property
    def files(self) -> ChangeUnits:
        """The whole change in files; two processes."""
        return read_units(self.repository, self.base, self.snapshot.target, cut=False)

    @cached_property
    def hunks(self) -> ChangeUnits:
        """The whole change in hunks; one process."""
        paths = set()
        for diff in self.files.diffs:
            if diff.hunks and can_be_cut(diff):
                paths.add(diff.change.path)
        return cut_files(self.repository, self.files, paths)

    @property
    def whole(self) -> ChangeUnits:
        """The whole change in the units that it is divided into now."""
        return self.change.join(self.withheld)

    @cached_property
    def history(self) -> History:
        """The project's earlier commits."""
        return History.load(self.repository, self.snapshot.base or "HEAD")

    @cached_property
    def corrections(self) -> Corrections:
        """What this person made of earlier drafts."""
        return load_corrections(self.repository, self.settings)

    @cached_property
    def rules(self) -> Rules:
        """The rules for messages."""
        return make_rules(self.settings)

    def cut_as(self, plan: SplitPlan | WrittenPlan) -> ChangeUnits:
        """Return the whole change in hunks, cut where `plan` has cuts."""
        return reapply_cuts(self.hunks, plan.units)

    def divide_as(self, plan: WrittenPlan) -> ChangeUnits:
        """Return the whole change in the units that `plan` has: whole files, hunks and parts of these."""
        if not plan.is_cut:
            return self.files
        return keep_files_whole(self.cut_as(plan), plan.whole_paths)

    def get_changed_files(self) -> list[FileChange]:
        """Return what changed, file by file."""
        return [diff.change for diff in self.change.diffs]
