"""`Session`: the commits under review, as a person edits them.

The text review and the two panes both use it. Every message that is set passes the project's rules. No edit loses a
hunk or gives it to two commits: what no commit holds is skipped, and can be moved into one again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from smartcommit.errors import SplitError
from smartcommit.git.grep import matches
from smartcommit.git.hunks import ChangeUnits, Contents, Unit, UnitKey
from smartcommit.message.checks import find_errors
from smartcommit.message.rules import Rules
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.cut import cut_unit
from smartcommit.split.embedded.partition import find_partition
from smartcommit.split.messages import join_messages
from smartcommit.split.plan import PlannedCommit, SplitPlan, clean_message, list_ids, list_units, place_units
from smartcommit.split.reasons import explain_plan
from smartcommit.split.review.render import HunkContext

# Commits are numbered from 1; these stand for the uncommitted hunks, and for a commit that does not exist yet.
UNCOMMITTED = 0
NEW = -1
# How a commit can be split: as the embedded splitter would, into its files, or into its hunks.
WAYS = ("auto", "file", "hunk")

Describe = Callable[[Sequence[Unit]], PlannedCommit]


class Session:
    """One review of `plan`, whose change is in hunks.

    `describe` drafts the commit of some units, `rules` are the project's, and `contents` those of the files. A message
    that is a draft is drafted again when its commit gets other hunks; one that a person or a model wrote stays. An edit
    that makes no sense or would break a rule raises SplitError and changes nothing. `reasons` says for each commit why
    its hunks belong together. `wish` is what another split is to do differently, if the user wants one.
    """

    def __init__(self, plan: SplitPlan, *, rules: Rules, describe: Describe, contents: Contents | None = None) -> None:
        self._rules = rules
        self._describe = describe
        self._contents = contents
        # The plans before each edit, for undo.
        self._past: list[SplitPlan] = []
        # The drafts by what is in the commit, and rejected messages by its units' ids.
        self._drafts: dict[frozenset[UnitKey], PlannedCommit] = {}
        self._refused: dict[tuple[str, ...], str] = {}
        self.wish = ""
        self._use(plan.with_commits(plan.commits))
        self._first = self.commits

    @property
    def commits(self) -> tuple[PlannedCommit, ...]:
        return self.plan.commits

    @property
    def edited(self) -> bool:
        return self.commits != self._first

    @property
    def units(self) -> list[Unit]:
        return self.plan.change.units

    def commit(self, number: int) -> PlannedCommit:
        """Return commit `number`; raise SplitError if there is none."""
        if not 1 <= number <= len(self.commits):
            raise SplitError(f"no commit {number}", hint=f"choose a number from 1 to {len(self.commits)}")
        return self.commits[number - 1]

    def units_of(self, number: int) -> tuple[Unit, ...]:
        """Return the units of commit `number`, or with UNCOMMITTED those of no commit."""
        if number == UNCOMMITTED:
            return self.plan.skipped
        return self.commit(number).units

    def text_to_edit(self, number: int) -> str:
        """Return the message of commit `number`, or the last one that was rejected for it."""
        commit = self.commit(number)
        return self._refused.get(tuple(list_ids(commit.units)), commit.message)

    def set_subject(self, number: int, subject: str) -> None:
        _, newline, rest = self.commit(number).message.partition("\n")
        if not subject.strip() or "\n" in subject:
            raise SplitError("a subject must be a single line")
        self._reword(number, subject.strip() + newline + rest)

    def set_message(self, number: int, message: str) -> None:
        """Replace the message of commit `number`; one that is rejected is kept for `text_to_edit`."""
        key = tuple(list_ids(self.commit(number).units))
        if not message.strip():
            raise SplitError("a commit needs a message")
        self._refused[key] = message
        self._reword(number, message)
        del self._refused[key]

    def merge(self, number: int, *others: int) -> None:
        """Merge commits `others` into commit `number`, with as much of all messages as the rules allow."""
        merged = list({one: self.commit(one) for one in (number, *others)}.values())
        if number in others:
            raise SplitError("a commit cannot be merged with itself")
        if not others:
            raise SplitError("no commit to merge")
        units = list_units(merged)
        if all(self._is_draft(commit) for commit in merged):
            whole = self._draft(units)
        else:
            message = clean_message(join_messages([commit.message for commit in merged], self._rules))
            whole = PlannedCommit(message, tuple(units), open=merged[0].open)
        self._edit(self._replace({**dict.fromkeys(others, ()), number: [whole]}))

    def delete(self, number: int) -> None:
        """Remove commit `number`; its hunks stay uncommitted."""
        self.commit(number)
        if len(self.commits) == 1:
            raise SplitError("cannot delete the only commit", hint="quit to commit nothing")
        self._edit(self._replace({number: ()}))

    def move(self, units: Sequence[Unit], to: int) -> list[Unit]:
        """Move `units`, and what is inseparable from them, to commit `to`, UNCOMMITTED or NEW; return all of them.

        A commit that they leave without hunks disappears. A new commit is the last one.
        """
        if not units:
            raise SplitError("no hunk given")
        names: set[str] = set()
        for unit in units:
            names.update(self._bundles[unit.id])
        if to != NEW:
            names.difference_update(list_ids(self.units_of(to)))
        if not names:
            raise SplitError(f"'{units[0].id}' is already in that commit")
        moved = [unit for unit in self.units if unit.id in names]
        changed: dict[int, Sequence[PlannedCommit]] = {}
        for number, commit in enumerate(self.commits, start=1):
            remaining = [unit for unit in commit.units if unit.id not in names]
            if number == to:
                remaining += moved
            if not remaining:
                changed[number] = ()
            elif len(remaining) != len(commit.units):
                renewed = replace(commit, units=tuple(remaining))
                changed[number] = [self._draft(remaining) if self._is_draft(commit) else renewed]
        commits = self._replace(changed)
        if to == NEW:
            # A whole commit that is moved stays what it is.
            same = [commit for commit in self.commits if commit.units == tuple(moved)]
            commits.append(same[0] if same else self._draft(moved))
        if not commits:
            raise SplitError("cannot skip every hunk", hint="quit to commit nothing")
        self._edit(commits)
        return moved

    def split(self, number: int, way: str = "auto") -> None:
        """Split commit `number` in one of WAYS; inseparable hunks stay together."""
        commit = self.commit(number)
        if way not in WAYS:
            raise SplitError(f"cannot split a commit by '{way}'", hint=f"choose one of {', '.join(WAYS)}")
        groups = find_partition(self.plan.change.choose(commit.units), strategy=way).groups
        if len(groups) < 2:
            hint = "split it by file or by hunk" if way == WAYS[0] else None
            raise SplitError(f"commit {number} belongs together and was not split", hint=hint)
        self._edit(self._replace({number: [self._draft(units) for units in groups]}))

    def cut(self, unit: Unit, *, removed: int, added: int) -> None:
        """Cut a hunk after so many of its removed and added lines; both halves stay in its commit."""
        change, halves = cut_unit(self.plan.change, unit.id, removed=removed, added=added)
        changed: dict[int, Sequence[PlannedCommit]] = {}
        for number, commit in enumerate(self.commits, start=1):
            if unit in commit.units:
                kept = [other for other in commit.units if other != unit]
                pieces = replace(commit, units=(*kept, *halves))
                changed[number] = [pieces]
                if self._is_draft(commit):
                    # A new draft for the halves could differ, but the message still counts as an unedited draft.
                    self._drafts[_content_of(pieces.units)] = pieces
        self._edit(self._replace(changed), change)

    def reorder(self, number: int, place: int) -> None:
        self.commit(number)
        self.commit(place)
        commits = list(self.commits)
        commits.insert(place - 1, commits.pop(number - 1))
        self._edit(commits)

    def check(self) -> None:
        """Check every message against the rules: a plan that was given, or a drafted message, may break one."""
        for number, commit in enumerate(self.commits, start=1):
            try:
                self._check_message(commit.message)
            except SplitError as error:
                raise SplitError(f"commit {number}: {error}", hint="edit its message") from error

    def undo(self) -> None:
        if not self._past:
            raise SplitError("nothing to undo")
        self._use(self._past.pop())

    def ask_anew(self, wish: str) -> None:
        if not wish:
            raise SplitError("say what to do differently", hint="for example 'keep the tests separate'")
        self.wish = wish

    def _replace(self, changed: Mapping[int, Sequence[PlannedCommit]]) -> list[PlannedCommit]:
        """Return the commits with others, or none, in the places of those with the numbers in `changed`."""
        commits: list[PlannedCommit] = []
        for number, commit in enumerate(self.commits, start=1):
            commits += changed.get(number, [commit])
        return commits

    def _edit(self, commits: Sequence[PlannedCommit], change: ChangeUnits | None = None) -> None:
        before = self.plan
        self._use(replace(before, change=change or before.change).with_commits(commits))
        self._past.append(before)

    def _use(self, plan: SplitPlan) -> None:
        self.plan = plan
        self.context = HunkContext(plan.change, self._contents)
        self._bundles: dict[str, list[str]] = {}
        for units in find_inseparable(plan.change.units):
            names = list_ids(units)
            self._bundles.update(dict.fromkeys(names, names))
        self.reasons = explain_plan(plan)

    def _reword(self, number: int, message: str) -> None:
        self._check_message(message)
        commit = replace(self.commit(number), message=clean_message(message), source="", open=False)
        self._edit(self._replace({number: [commit]}))

    def _draft(self, units: Sequence[Unit]) -> PlannedCommit:
        """Return a draft of the commit of `units`, with the same message each time."""
        content = _content_of(units)
        if content not in self._drafts:
            held = set(list_ids(units))
            drafted = self._describe([unit for unit in self.units if unit.id in held])
            self._drafts[content] = replace(drafted, message=clean_message(drafted.message))
        return replace(self._drafts[content], units=tuple(units))

    def _is_draft(self, commit: PlannedCommit) -> bool:
        """Whether the message of `commit` is the draft for its units, which neither a person nor a model wrote."""
        return commit.message == self._draft(commit.units).message

    def _check_message(self, message: str) -> None:
        for broken in find_errors(clean_message(message).rstrip("\n"), self._rules, search=matches):
            hint = None
            if broken.expected:
                hint = f"expected {broken.expected}"
            raise SplitError(f"{broken.code}: {broken.text}", hint=hint)


def refine(plan: SplitPlan, change: ChangeUnits) -> SplitPlan:
    """Return `plan` with the units of `change`, where files may be divided that the plan has whole."""
    placed = zip(plan.commits, place_units(plan, change.units), strict=True)
    commits = [replace(commit, units=tuple(units)) for commit, units in placed]
    return replace(plan, change=change).with_commits(commits)


def _content_of(units: Iterable[Unit]) -> frozenset[UnitKey]:
    """Return what tells `units` apart, since the halves of a different cut have the same ids."""
    return frozenset(unit.key for unit in units)
