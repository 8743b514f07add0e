"""`Session`: the commits under review, as a person edits them.

The text review and the two panes both use it. Every message that is set passes the project's rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from smartcommit.errors import SplitError
from smartcommit.git.grep import matches
from smartcommit.git.hunks import ChangeUnits, Text, Unit
from smartcommit.message.checks import find_errors
from smartcommit.message.rules import Rules
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.cut import cut_unit
from smartcommit.split.embedded.partition import partition
from smartcommit.split.messages import join_messages
from smartcommit.split.plan import PlannedCommit, SplitPlan, clean_message, list_units
from smartcommit.split.review import edits
from smartcommit.split.review.edits import NEW, UNCOMMITTED, Commits
from smartcommit.split.review.hunk_rows import HunkContext

# How a commit can be split: as the embedded splitter would, into its files, or into its hunks.
WAYS = ("auto", "file", "hunk")

Describe = Callable[[Sequence[Unit]], str]


class Session:
    """One review of `plan`, whose units are those of `change`.

    `describe` drafts the message of a commit, `rules` are the project's. A message that is a draft is drafted again
    when its commit gets other hunks; one that a person or a model wrote stays. An edit that makes no sense or would
    break a rule raises SplitError and changes nothing. `moved` has the texts of renamed files, for their context.
    """

    def __init__(
        self,
        plan: SplitPlan,
        change: ChangeUnits,
        *,
        rules: Rules,
        describe: Describe,
        moved: Mapping[bytes, Text] | None = None,
    ) -> None:
        self._rules = rules
        self._describe = describe
        self._moved = moved
        self._plan = plan
        self._past: list[tuple[Sequence[PlannedCommit], ChangeUnits]] = []
        self._drafts: dict[frozenset[str], str] = {}
        self._refused: dict[tuple[str, ...], str] = {}
        self._cut_into(change)
        self._use(plan.commits, change)
        self._first = self.commits

    @property
    def plan(self) -> SplitPlan:
        """The plan as it is now."""
        return self._plan

    @property
    def commits(self) -> tuple[PlannedCommit, ...]:
        """The commits as they are now."""
        return self._plan.commits

    @property
    def edited(self) -> bool:
        """Whether the commits differ from those at the start."""
        return self.commits != self._first

    @property
    def pieces(self) -> ChangeUnits:
        """The change with its units as they are cut now."""
        return self._change

    @property
    def units(self) -> list[Unit]:
        """All units of the change."""
        return self._change.units

    def commit(self, number: int) -> PlannedCommit:
        """Return commit `number`, from 1."""
        edits.find_commit(self.commits, number)
        return self.plan.commits[number - 1]

    def units_of(self, number: int) -> tuple[Unit, ...]:
        """Return the units of commit `number`, or with UNCOMMITTED those of no commit."""
        return self.plan.skipped if number == UNCOMMITTED else self.commit(number).units

    def text_to_edit(self, number: int) -> str:
        """Return the message of commit `number`, or the last one that was rejected for it."""
        commit = self.commit(number)
        return self._refused.get(_ids(commit.units), commit.message)

    def set_subject(self, number: int, subject: str) -> None:
        """Replace the first line of the message of commit `number`."""
        commits = edits.set_subject(self.commits, number, subject)
        self._check_message(commits, number)
        self._do(commits)

    def set_message(self, number: int, message: str) -> None:
        """Replace the message of commit `number`; one that is rejected is kept for `text_to_edit`."""
        key = _ids(self.commit(number).units)
        commits = edits.set_message(self.commits, number, message)
        self._refused[key] = message
        self._check_message(commits, number)
        self._do(commits)
        del self._refused[key]

    def merge(self, number: int, *others: int) -> None:
        """Merge commits `others` into commit `number`, with as much of all messages as the rules allow."""
        self._do(edits.merge(self.commits, number, others, join=self._join))

    def delete(self, number: int) -> None:
        """Remove commit `number`; its hunks stay uncommitted."""
        self._do(edits.delete(self.commits, number))

    def move(self, hunks: Sequence[Unit], to: int) -> list[Unit]:
        """Move `hunks`, and what is inseparable from them, to commit `to`, UNCOMMITTED or NEW; return all of them.

        A commit that they leave without hunks disappears.
        """
        there = () if to == NEW else self.units_of(to)
        together: set[str] = set()
        for unit in hunks:
            together.update(_ids(self._bundles[unit.id]))
        together.difference_update(_ids(there))
        moved = [unit for unit in self.units if unit.id in together]
        message = ""
        if to == NEW and moved:
            message = self._message_for(moved)
        skipped = self.plan.skipped
        # If all of them are there already, `move` says so.
        self._do(edits.move(self.commits, moved or hunks, to, skipped=skipped, message=message, redraft=self._redraft))
        return moved

    def split(self, number: int, way: str = "auto") -> None:
        """Split commit `number` in one of WAYS; inseparable hunks stay together."""
        commit = self.commit(number)
        if way not in WAYS:
            raise SplitError(f"cannot split a commit by '{way}'", hint=f"choose one of {', '.join(WAYS)}")
        groups = partition(replace(self._change, units=list(commit.units)), strategy=way)
        if len(groups) < 2:
            hint = "split it by file or by hunk" if way == "auto" else None
            raise SplitError(f"commit {number} belongs together and was not split", hint=hint)
        parts = [PlannedCommit(self._draft(units), tuple(units)) for units in groups]
        self._do(edits.split(self.commits, number, parts))

    def cut(self, unit: Unit, *, removed: int, added: int) -> None:
        """Cut a hunk after so many of its removed and added lines; both halves stay in its commit."""
        change = cut_unit(self._change, unit.id, removed=removed, added=added)
        known = set(_ids(self.units))
        halves = [other for other in change.units if other.id not in known]
        commits = edits.replace_unit(self.commits, unit, halves)
        drafted = []
        for before, after in zip(self.commits, commits, strict=True):
            if after is not before and self._is_draft(before):
                drafted.append(after)
        self._do(commits, change)
        # A draft for the halves could differ, but this message is still one that nobody edited.
        for commit in drafted:
            self._drafts[_content_of(commit.units)] = commit.message

    def reorder(self, number: int, place: int) -> None:
        """Move commit `number` to `place`."""
        self._do(edits.reorder(self.commits, number, place))

    def check(self) -> None:
        """Check every message against the rules: a plan that was given, or a drafted message, may break one."""
        for number in range(1, len(self.commits) + 1):
            try:
                self._check_message(self.commits, number)
            except SplitError as error:
                raise SplitError(f"commit {number}: {error}", hint="edit its message") from error

    def undo(self) -> None:
        """Undo the last edit."""
        if not self._past:
            raise SplitError("nothing to undo")
        self._use(*self._past.pop())

    def _do(self, commits: Commits, change: ChangeUnits | None = None) -> None:
        before = self.commits, self._change
        self._use(commits, change or self._change)
        self._past.append(before)

    def _use(self, commits: Sequence[PlannedCommit], change: ChangeUnits) -> None:
        if change is not self._change:
            self._cut_into(change)
        self._plan = self._plan.with_commits(commits, self.units)

    def _cut_into(self, change: ChangeUnits) -> None:
        self._change = change
        self.context = HunkContext(change, self._moved)
        self._bundles: dict[str, Sequence[Unit]] = {}
        for units in find_inseparable(change.units):
            self._bundles.update(dict.fromkeys(_ids(units), units))

    def _message_for(self, units: Sequence[Unit]) -> str:
        """Return the message of the commit that holds just `units`, or a draft if there is none."""
        for commit in self.plan.commits:
            if commit.units == tuple(units):
                return commit.message
        return self._draft(units)

    def _draft(self, units: Sequence[Unit]) -> str:
        """Return a draft for the commit of `units`, the same one each time."""
        content = _content_of(units)
        if content not in self._drafts:
            held = set(_ids(units))
            ordered = [unit for unit in self.units if unit.id in held]
            self._drafts[content] = clean_message(self._describe(ordered))
        return self._drafts[content]

    def _is_draft(self, commit: PlannedCommit) -> bool:
        """Whether the message of `commit` is the draft for its units, which neither a person nor a model wrote."""
        return commit.message == self._draft(commit.units)

    def _redraft(self, commit: PlannedCommit, units: Sequence[Unit]) -> str:
        """Return the message of `commit` once it holds `units`; one that is no draft stays."""
        return self._draft(units) if self._is_draft(commit) else commit.message

    def _join(self, merged: Sequence[PlannedCommit]) -> str:
        """Return the message of the commit that `merged` become: a draft if theirs are, else theirs joined."""
        if all(map(self._is_draft, merged)):
            return self._draft(list_units(merged))
        return clean_message(join_messages([commit.message for commit in merged], self._rules))

    def _check_message(self, commits: Sequence[PlannedCommit], number: int) -> None:
        for broken in find_errors(commits[number - 1].message.rstrip("\n"), self._rules, search=matches):
            expected = f"expected {broken.expected}" if broken.expected else None
            raise SplitError(f"{broken.code}: {broken.text}", hint=expected)


def refine(plan: SplitPlan, change: ChangeUnits) -> SplitPlan:
    """Return `plan` with the units of `change`, where files may be divided that the plan has whole."""
    # A whole file is known by its path, as its parts have other ids, and a part by its id.
    places: dict[str | bytes, int] = {}
    for place, group in enumerate([plan.skipped, *(commit.units for commit in plan.commits)]):
        for unit in group:
            places[unit.change.path if unit.kind == "file" else unit.id] = place
    found: defaultdict[int, list[Unit]] = defaultdict(list)
    for unit in change.units:
        place = places.get(unit.change.path, places.get(unit.id, -1))
        found[place].append(unit)
    commits = tuple(replace(commit, units=tuple(found[place])) for place, commit in enumerate(plan.commits, start=1))
    return replace(plan, commits=commits, skipped=tuple(found[0]))


def _content_of(units: Iterable[Unit]) -> frozenset[str]:
    """Return what identifies `units` wherever they are cut: another cut gives halves with the same ids."""
    return frozenset(unit.fingerprint for unit in units)


def _ids(units: Iterable[Unit]) -> tuple[str, ...]:
    return tuple(unit.id for unit in units)
