"""What a review works on: the commits as they are now, what can be done to them, and the steps that were taken.

Text and windows are two faces of it. Every message that goes in passes the project's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from smartcommit.draft.conform import accepted
from smartcommit.errors import SplitError
from smartcommit.git.grep import matches
from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.message.checks import check
from smartcommit.message.parse import parse
from smartcommit.message.rules import ERROR, Rules
from smartcommit.split import edit
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.cut import cut_unit
from smartcommit.split.edit import NEW, UNCOMMITTED
from smartcommit.split.embedded import partition
from smartcommit.split.plan import PlannedCommit, SplitPlan, commits_from_dicts, commits_to_dicts

# How a commit can be split: as the embedded splitter would, into its files, or into its hunks.
WAYS = ("auto", "file", "hunk")

Describe = Callable[[Sequence[Unit]], str]


class Session:
    """One review of `plan`, whose units are those of `pieces`.

    `describe` writes the message of a commit that comes to be, `rules` are the project's. All that changes something
    raises SplitError, and changes nothing, where it makes no sense or would break a rule.
    """

    def __init__(self, plan: SplitPlan, pieces: ChangeUnits, *, rules: Rules, describe: Describe) -> None:
        self._rules = rules
        self._describe = describe
        self._plan = plan
        self._past: list[tuple[edit.Commits, ChangeUnits]] = []
        self._refused: dict[tuple[str, ...], str] = {}
        self._first = commits_to_dicts(plan.commits)
        self._use(self._first, pieces)

    @property
    def plan(self) -> SplitPlan:
        """The plan as it is now."""
        commits = commits_from_dicts(self.commits, self._pieces.units)
        held = {unit.id for commit in commits for unit in commit.units}
        skipped = tuple(unit for unit in self._pieces.units if unit.id not in held)
        return replace(self._plan, commits=commits, skipped=skipped)

    @property
    def edited(self) -> bool:
        """Whether the commits are other ones now than in the beginning."""
        return self.commits != self._first

    @property
    def pieces(self) -> ChangeUnits:
        """The change in its units, as far as they were cut."""
        return self._pieces

    @property
    def units(self) -> list[Unit]:
        """All units of the change."""
        return self._pieces.units

    def commit(self, number: int) -> PlannedCommit:
        """Commit `number`, from 1."""
        commits = self.plan.commits
        if not 1 <= number <= len(commits):
            raise SplitError(f"there is no commit {number}", hint=f"their numbers go from 1 to {len(commits)}")
        return commits[number - 1]

    def units_of(self, number: int) -> tuple[Unit, ...]:
        """What commit `number` holds, or with UNCOMMITTED what no commit does."""
        return self.plan.skipped if number == UNCOMMITTED else self.commit(number).units

    def text_to_edit(self, number: int) -> str:
        """The message of commit `number`, or what was written for it last and refused."""
        commit = self.commit(number)
        return self._refused.get(_key(commit), commit.message)

    def set_subject(self, number: int, subject: str) -> None:
        """Give commit `number` another first line."""
        self._do(self._checked(edit.set_subject(self.commits, number, subject), number))

    def set_message(self, number: int, message: str) -> None:
        """Give commit `number` another message; one that is refused is kept for `text_to_edit`."""
        key = _key(self.commit(number))
        edited = edit.set_message(self.commits, number, message)
        self._refused[key] = message
        self._do(self._checked(edited, number))
        del self._refused[key]

    def merge(self, number: int, other: int) -> None:
        """Let commit `number` take in commit `other`, and say what both say as far as the rules allow it."""
        self._do(edit.merge(self.commits, number, other, accept=lambda text: accepted(text, self._rules)))

    def delete(self, number: int) -> None:
        """Take commit `number` out; its hunks stay uncommitted."""
        self._do(edit.delete(self.commits, number))

    def move(self, hunks: Sequence[Unit], to: int) -> list[Unit]:
        """Take `hunks`, and what cannot be parted from them, to commit `to`, UNCOMMITTED or NEW; return all of them."""
        there = {unit.id for unit in (() if to == NEW else self.units_of(to))}
        together = {mate.id for unit in hunks for mate in self._bundles[unit.id] if mate.id not in there}
        moved = [unit for unit in self.units if unit.id in together]
        if not moved:
            raise SplitError(f"'{hunks[0].id}' is there already" if hunks else "no hunk is named")
        skipped = [unit.id for unit in self.plan.skipped]
        message = self._describe(moved) if to == NEW else ""
        self._do(edit.move(self.commits, [unit.id for unit in moved], to, skipped=skipped, message=message))
        return moved

    def split(self, number: int, way: str = "auto") -> None:
        """Split commit `number` in one of WAYS; what belongs to one place stays together."""
        commit = self.commit(number)
        if way not in WAYS:
            raise SplitError(f"a commit cannot be split by '{way}'", hint=f"it can be by {', '.join(WAYS)}")
        groups = partition(replace(self._pieces, units=list(commit.units)), strategy=way)
        if len(groups) < 2:
            raise SplitError(f"commit {number} belongs together", hint="split it by file or by hunk" * (way == "auto"))
        parts = [{"message": self._describe(units), "hunks": [unit.id for unit in units]} for units in groups]
        self._do(edit.split(self.commits, number, parts))

    def cut(self, unit: Unit, *, removed: int, added: int) -> None:
        """Cut a hunk after so many of its removed and added lines; both halves stay where it was."""
        pieces = cut_unit(self._pieces, unit.id, removed=removed, added=added)
        known = {other.id for other in self.units}
        halves = [other.id for other in pieces.units if other.id not in known]
        commits: edit.Commits = [
            {**commit, "hunks": [name for hunk in commit["hunks"] for name in (halves if hunk == unit.id else [hunk])]}
            for commit in self.commits
        ]
        self._do(commits, pieces)

    def reorder(self, number: int, place: int) -> None:
        """Make commit `number` the one at `place`."""
        self._do(edit.reorder(self.commits, number, place))

    def check(self) -> None:
        """Hold every message against the rules: a plan that was given, or a drafted message, may break one."""
        for number in range(1, len(self.commits) + 1):
            try:
                self._checked(self.commits, number)
            except SplitError as error:
                raise SplitError(f"commit {number}: {error}", hint="edit its message") from error

    def undo(self) -> None:
        """Take the last step back."""
        if not self._past:
            raise SplitError("there is nothing to take back")
        self._use(*self._past.pop())

    def _do(self, commits: edit.Commits, pieces: ChangeUnits | None = None) -> None:
        self._past.append((self.commits, self._pieces))
        self._use(commits, pieces or self._pieces)

    def _use(self, commits: edit.Commits, pieces: ChangeUnits) -> None:
        self.commits = commits
        self._pieces = pieces
        self._bundles = {unit.id: units for units in find_inseparable(pieces.units) for unit in units}

    def _checked(self, commits: edit.Commits, number: int) -> edit.Commits:
        """`commits`, where the message of commit `number` breaks no rule."""
        violations = check(parse(commits[number - 1]["message"].rstrip("\n")), self._rules, search=matches)
        for broken in (violation for violation in violations if self._rules.level(violation.code) == ERROR):
            expected = f"expected {broken.expected}" if broken.expected else None
            raise SplitError(f"{broken.code}: {broken.text}", hint=expected)
        return commits


def refined(plan: SplitPlan, pieces: ChangeUnits) -> SplitPlan:
    """`plan` in the units of `pieces`, in which files may come in parts that were whole when the plan was made."""
    groups = [plan.skipped, *(commit.units for commit in plan.commits)]
    # A whole file is known by its path, whose parts have other ids now, and a part by its id.
    places: dict[str | bytes, int] = {}
    for place, units in enumerate(groups):
        for unit in units:
            places[unit.change.path if unit.kind == "file" else unit.id] = place
    found: list[list[Unit]] = [[] for _ in groups]
    for unit in pieces.units:
        place = places.get(unit.change.path, places.get(unit.id, -1))
        if place >= 0:
            found[place].append(unit)
    skipped, *parts = map(tuple, found)
    commits = tuple(replace(commit, units=units) for commit, units in zip(plan.commits, parts, strict=True))
    return replace(plan, commits=commits, skipped=skipped)


def _key(commit: PlannedCommit) -> tuple[str, ...]:
    return tuple(unit.id for unit in commit.units)
