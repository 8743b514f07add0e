"""`SplitPlan`: the commits that a change will become, with warnings and remarks for the user."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from smartcommit.errors import SplitError, SplitPlanOutdated
from smartcommit.git.hunks import ChangeUnits, Unit, UnitKey
from smartcommit.secrets.scan import SuspectFile


@dataclass(frozen=True, slots=True)
class PlannedCommit:
    """A commit to create: its message, ending in one newline, and its units.

    `source` is where the author said what the message says, as in "the branch", and empty if the change shows it.
    `open` is whether the title waits for a person: it says little more than where the change is.
    """

    message: str
    units: tuple[Unit, ...]
    source: str = ""
    open: bool = False

    @property
    def subject(self) -> str:
        return self.message.split("\n", 1)[0]


@dataclass(frozen=True, slots=True)
class Issue:
    """Something wrong that a model noticed in a file: it is shown to a person, and never committed."""

    message: str
    path: str


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """The commits in their order, for the snapshot that they were made of, until they are written.

    The units of a plan that was read from a file are only known by their keys, until `bind` finds them in the change.

    `base` is the commit that the first one gets as its parent (None: none yet) and `target` the tree of the last; with
    `staged` the index was split, not the working tree. Units in `skipped` stay uncommitted, and so do the paths in
    `left_out`. `issues` and `gitignore` are a model's remarks for the user. `warnings` are files that look like secrets
    or build artifacts. `hides_untracked` is whether untracked files stay uncommitted because git is configured to hide
    them. `confidence` is the probability that the embedded splitter chose the right number of commits; None if it did
    not choose it. `alternative` is a plan that would be nearly as good, which the user can choose instead.

    The other fields are in no plan file. `change` has the units, as it is divided now. `failure` says, in words for the
    user, which part of the plan is not by the model that was asked, and why; `usage` counts tokens and requests.
    `evidence` is what JSON says of a unit besides its content, by its id.
    """

    base: str | None
    target: str
    staged: bool
    engine: str
    commits: tuple[PlannedCommit, ...]
    left_out: tuple[bytes, ...] = ()
    skipped: tuple[Unit, ...] = ()
    issues: tuple[Issue, ...] = ()
    gitignore: tuple[str, ...] = ()
    warnings: tuple[SuspectFile, ...] = ()
    hides_untracked: bool = False
    confidence: float | None = None
    change: ChangeUnits = field(default_factory=ChangeUnits, compare=False, repr=False)
    failure: str | None = field(default=None, compare=False)
    usage: Mapping[str, int] = field(default_factory=dict, compare=False)
    alternative: SplitPlan | None = field(default=None, compare=False)
    evidence: Mapping[str, Mapping[str, object]] = field(default_factory=dict, compare=False)

    @property
    def units(self) -> list[Unit]:
        return [*self.skipped, *list_units(self.commits)]

    def check(self) -> None:
        """Raise SplitError if a commit is empty, or it does not have each unit of the change once."""
        if not self.commits:
            raise SplitError("the plan has no commits")
        for commit in self.commits:
            if not commit.units:
                raise SplitError("the plan has a commit without changes")
        planned, known = Counter(list_ids(self.units)), set(list_ids(self.change.units))
        for names, problem in (
            (planned.keys() - known, "is not part of the change"),
            (planned - Counter(known), "is in more than one commit"),
            (known - planned.keys(), "is not in any commit"),
        ):
            if names:
                raise SplitError(f"'{next(iter(names))}' {problem}", hint="create a new plan")

    def bind(self, change: ChangeUnits, *, base: str | None, target: str, staged: bool = False) -> SplitPlan:
        """Return this plan, which was read from a file, for `change`: that of the snapshot of `base` and `target`.

        Raise SplitPlanOutdated, saying what differs, if it was made for another snapshot or for more than is `staged`,
        and SplitError if it does not cover all units, or an entry is not the unit with its fingerprint.
        """
        if staged and not self.staged:
            raise SplitPlanOutdated(
                "the plan covers all changes, not only staged ones", hint="run again without '--staged'"
            )
        if self.base != base:
            raise SplitPlanOutdated("HEAD is not the commit the plan was created for", hint="create a new plan")
        if self.target != target:
            known = {unit.fingerprint for unit in change.units}
            planned = {unit.fingerprint for unit in self.units}
            changed = [unit.id for unit in self.units if unit.fingerprint not in known]
            new = [unit.id for unit in change.units if unit.fingerprint not in planned]
            problem = "the files have changed since the plan was created"
            if changed:
                problem = f"'{changed[0]}' has changed since the plan was created"
            elif new:
                problem += f": '{new[0]}' is not in the plan"
            raise SplitPlanOutdated(problem, hint="create a new plan")
        by_key = {unit.key: unit for unit in change.units}
        commits = [replace(commit, units=_find_units(commit.units, by_key)) for commit in self.commits]
        plan = replace(self, commits=tuple(commits), skipped=_find_units(self.skipped, by_key), change=change)
        plan.check()
        return plan

    def with_commits(self, commits: Iterable[PlannedCommit]) -> SplitPlan:
        """Return this plan with other commits, their units in the order of the change.

        Those that are in no commit stay uncommitted. Raise SplitError if a commit has a unit that is not in it.
        """
        skipped = {unit.id: unit for unit in self.change.units}
        places = dict(zip(skipped, range(len(skipped)), strict=True))
        ordered = []
        for commit in commits:
            for unit in commit.units:
                if unit.id not in places:
                    raise SplitError(f"'{unit.id}' is not part of the change", hint="create a new plan")
                skipped.pop(unit.id, None)
            chosen = sorted(commit.units, key=lambda unit: places[unit.id])
            ordered.append(replace(commit, units=tuple(chosen)))
        return replace(self, commits=tuple(ordered), skipped=tuple(skipped.values()))


def _find_units(written: Sequence[Unit], by_key: Mapping[UnitKey, Unit]) -> tuple[Unit, ...]:
    units = []
    for entry in written:
        unit = by_key.get(entry.key)
        if unit is None:
            # The unit of a file with one hunk is the file, which has no parts.
            hint = "to cut a hunk, give its parts kind 'text' and its fingerprint, and divide its lines by 'hunks'"
            raise SplitError(f"'{entry.id}' is not part of the change", hint=hint)
        path, unit_path = os.fsdecode(entry.change.path), os.fsdecode(unit.change.path)
        if (entry.id, entry.kind, path) != (unit.id, unit.kind, unit_path):
            raise SplitError(
                f"'{entry.id}' ({entry.kind}, path '{path}') has the fingerprint of "
                f"'{unit.id}' ({unit.kind}, path '{unit_path}')",
                hint="move units as a whole, or create the plan again",
            )
        units.append(unit)
    return tuple(units)


def place_units(plan: SplitPlan, units: Sequence[Unit]) -> list[list[Unit]]:
    """Return which of `units`, those of the change by now, each commit of `plan` has; it may not know all.

    A file may be divided that was whole, and one that was edited in the meantime has other units.
    """
    commit_of_unit: dict[UnitKey, int] = {}
    commit_of_file: dict[bytes, int] = {}
    for number, commit in enumerate(plan.commits):
        for unit in commit.units:
            commit_of_unit[unit.key] = commit_of_file[unit.change.path] = number
    skipped = {unit.key for unit in plan.skipped}
    groups: list[list[Unit]] = [[] for _ in plan.commits]
    for unit in units:
        place = commit_of_unit.get(unit.key, commit_of_file.get(unit.change.path))
        if place is not None and unit.key not in skipped:
            groups[place].append(unit)
    return groups


def list_left_out(suspects: Iterable[SuspectFile]) -> list[SuspectFile]:
    return [suspect for suspect in suspects if suspect.left_out]


def list_ids(units: Iterable[Unit]) -> list[str]:
    return [unit.id for unit in units]


def list_units(commits: Iterable[PlannedCommit]) -> list[Unit]:
    return list(chain.from_iterable(commit.units for commit in commits))


def list_open(commits: Iterable[PlannedCommit]) -> list[int]:
    """Return the numbers of the commits whose titles are open, from 1."""
    return [number for number, commit in enumerate(commits, start=1) if commit.open]


def clean_message(message: str) -> str:
    """Return `message` without whitespace at the ends of lines and ending in one newline, as git records it."""
    lines = [line.rstrip(" \t\r") for line in message.split("\n")]
    return "\n".join(lines).strip("\n") + "\n"
