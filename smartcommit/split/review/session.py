"""The commits under review, and the edits that a person makes to them.

The text review and the two panes both use it. Every message that is set passes the project's rules.

Edits are pure functions, each of which returns a new list. Commits are numbered from 1, as they are shown. No edit
loses a hunk or gives it to two commits; `delete`, and `move` to UNCOMMITTED, remove hunks from all commits, and `move`
can add them again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from smartcommit.draft.conform import is_accepted
from smartcommit.errors import SplitError
from smartcommit.git.grep import matches
from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.message.checks import find_errors
from smartcommit.message.header import Header
from smartcommit.message.parse import Message, parse, print_message
from smartcommit.message.rules import Rules
from smartcommit.message.trailers import Trailer
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.cut import cut_unit
from smartcommit.split.embedded import partition
from smartcommit.split.plan import CommitDict, PlannedCommit, SplitPlan, commits_from_dicts, commits_to_dicts
from smartcommit.split.review.hunk_rows import HunkContext

# How a commit can be split: as the embedded splitter would, into its files, or into its hunks.
WAYS = ("auto", "file", "hunk")

Describe = Callable[[Sequence[Unit]], str]
# The numbers of what no commit holds, and of a commit that does not exist yet.
UNCOMMITTED, NEW = 0, -1

_BREAKING = "BREAKING CHANGE"

Commits = list[CommitDict]
Item = TypeVar("Item")


class Session:
    """One review of `plan`, whose units are those of `change`.

    `describe` writes the message of a new commit, `rules` are the project's. An edit that makes no sense or would break
    a rule raises SplitError and changes nothing.
    """

    def __init__(self, plan: SplitPlan, change: ChangeUnits, *, rules: Rules, describe: Describe) -> None:
        self._rules = rules
        self._describe = describe
        self._plan = plan
        self._past: list[tuple[Commits, ChangeUnits]] = []
        self._refused: dict[tuple[str, ...], str] = {}
        self._first = commits_to_dicts(plan.commits)
        self._cut_into(change)
        self._use(self._first, change)

    @property
    def plan(self) -> SplitPlan:
        """The plan as it is now."""
        return self._plan

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
        _find(self.commits, number)
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
        commits = set_subject(self.commits, number, subject)
        self._check_message(commits, number)
        self._do(commits)

    def set_message(self, number: int, message: str) -> None:
        """Replace the message of commit `number`; one that is rejected is kept for `text_to_edit`."""
        key = _ids(self.commit(number).units)
        commits = set_message(self.commits, number, message)
        self._refused[key] = message
        self._check_message(commits, number)
        self._do(commits)
        del self._refused[key]

    def merge(self, number: int, other: int) -> None:
        """Merge commit `other` into commit `number`, with as much of both messages as the rules allow."""
        self._do(merge(self.commits, number, other, accept=lambda text: is_accepted(text, self._rules)))

    def delete(self, number: int) -> None:
        """Remove commit `number`; its hunks stay uncommitted."""
        self._do(delete(self.commits, number))

    def move(self, hunks: Sequence[Unit], to: int) -> list[Unit]:
        """Move `hunks`, and what is inseparable from them, to commit `to`, UNCOMMITTED or NEW; return all of them."""
        there = () if to == NEW else self.units_of(to)
        together: set[str] = set()
        for unit in hunks:
            together.update(_ids(self._bundles[unit.id]))
        together.difference_update(_ids(there))
        moved = [unit for unit in self.units if unit.id in together]
        message = ""
        if to == NEW and moved:
            message = self._describe(moved)
        # If all of them are there already, `move` says so.
        names = _ids(moved or hunks)
        self._do(move(self.commits, names, to, skipped=_ids(self.plan.skipped), message=message))
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
        parts = [{"message": self._describe(units), "hunks": list(_ids(units))} for units in groups]
        self._do(split(self.commits, number, parts))

    def cut(self, unit: Unit, *, removed: int, added: int) -> None:
        """Cut a hunk after so many of its removed and added lines; both halves stay in its commit."""
        change = cut_unit(self._change, unit.id, removed=removed, added=added)
        known = set(_ids(self.units))
        halves = [other.id for other in change.units if other.id not in known]
        commits = self.commits
        for number, commit in enumerate(self.commits, start=1):
            hunks = commit["hunks"]
            if unit.id in hunks:
                place = hunks.index(unit.id)
                commits = _with(commits, number, {**commit, "hunks": [*hunks[:place], *halves, *hunks[place + 1 :]]})
        self._do(commits, change)

    def reorder(self, number: int, place: int) -> None:
        """Move commit `number` to `place`."""
        self._do(reorder(self.commits, number, place))

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

    def _use(self, commits: Commits, change: ChangeUnits) -> None:
        if change is not self._change:
            self._cut_into(change)
        self.commits = commits
        held = set(_all_hunks(commits))
        skipped = tuple(unit for unit in self.units if unit.id not in held)
        self._plan = replace(self._plan, commits=commits_from_dicts(commits, self.units), skipped=skipped)

    def _cut_into(self, change: ChangeUnits) -> None:
        self._change = change
        self.context = HunkContext(change)
        self._bundles: dict[str, Sequence[Unit]] = {}
        for units in find_inseparable(change.units):
            self._bundles.update(dict.fromkeys(_ids(units), units))

    def _check_message(self, commits: Commits, number: int) -> None:
        for broken in find_errors(commits[number - 1]["message"].rstrip("\n"), self._rules, search=matches):
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


def _ids(units: Iterable[Unit]) -> tuple[str, ...]:
    return tuple(unit.id for unit in units)


def _all_hunks(commits: Iterable[CommitDict]) -> Iterator[str]:
    return chain.from_iterable(commit["hunks"] for commit in commits)


def set_message(commits: Sequence[CommitDict], number: int, message: str) -> Commits:
    """Replace the message of commit `number` by one that ends in one newline.

    Raise SplitError if there is no such commit or the message is blank.
    """
    commit = _find(commits, number)
    if not message.strip():
        raise SplitError("a commit needs a message")
    return _with(commits, number, {**commit, "message": message.rstrip("\n") + "\n"})


def set_subject(commits: Sequence[CommitDict], number: int, subject: str) -> Commits:
    """Replace the first line of the message of commit `number`.

    Raise SplitError if there is no such commit, or the subject is blank or more than one line.
    """
    _, newline, rest = _find(commits, number)["message"].partition("\n")
    if not subject.strip() or "\n" in subject:
        raise SplitError("a subject must be a single line")
    return set_message(commits, number, subject.strip() + newline + rest)


def merge(
    commits: Sequence[CommitDict], number: int, other: int, *, accept: Callable[[str], bool] = lambda text: True
) -> Commits:
    """Merge commit `other` into commit `number`, which keeps its place, with a message by `join_messages`.

    Raise SplitError if there is no such commit or both are the same.
    """
    first, second = _find(commits, number), _find(commits, other)
    if number == other:
        raise SplitError("a commit cannot be merged with itself")
    merged = {
        **first,
        "message": join_messages(first["message"], second["message"], accept),
        "hunks": [*first["hunks"], *second["hunks"]],
    }
    return _without(_with(commits, number, merged), other)


def delete(commits: Sequence[CommitDict], number: int) -> Commits:
    """Remove commit `number`; its hunks stay uncommitted.

    Raise SplitError if there is no such commit or no other.
    """
    _find(commits, number)
    if len(commits) == 1:
        raise SplitError("cannot delete the only commit", hint="quit to commit nothing")
    return _without(commits, number)


def move(
    commits: Sequence[CommitDict], hunks: Sequence[str], to: int, *, skipped: Sequence[str] = (), message: str = ""
) -> Commits:
    """Move `hunks` from commits or `skipped` to commit `to`, UNCOMMITTED or NEW.

    A new commit is the last one and has `message`.

    Raise SplitError if there is no such commit or hunk, a hunk is there already, or a commit would be empty.
    """
    wanted = list(dict.fromkeys(hunks))
    _check_movable(commits, wanted, to, skipped)
    moved: Commits = []
    for number, commit in enumerate(commits, start=1):
        left = [hunk for hunk in commit["hunks"] if hunk not in wanted]
        if number == to:
            left += wanted
        if not left:
            raise SplitError(f"commit {number} would be empty", hint="merge it or delete it instead")
        moved.append({**commit, "hunks": left})
    if to == NEW:
        return set_message([*moved, {"message": "", "hunks": wanted}], len(moved) + 1, message)
    return moved


def _check_movable(commits: Sequence[CommitDict], hunks: Sequence[str], to: int, skipped: Sequence[str]) -> None:
    there: Sequence[str] = ()
    if to == UNCOMMITTED:
        there = skipped
    elif to != NEW:
        there = _find(commits, to)["hunks"]
    known = {*skipped, *_all_hunks(commits)}
    for hunk in hunks:
        if hunk not in known:
            raise SplitError(f"'{hunk}' is not part of the change")
        if hunk in there:
            raise SplitError(f"'{hunk}' is already in that commit")
    if not hunks:
        raise SplitError("no hunk given")


def split(commits: Sequence[CommitDict], number: int, parts: Sequence[CommitDict]) -> Commits:
    """Replace commit `number` by `parts`, which together hold its hunks.

    Raise SplitError if there is no such commit, or a hunk is missing or doubled.
    """
    whole = _find(commits, number)
    if Counter(_all_hunks(parts)) != Counter(whole["hunks"]) or not all(part["hunks"] for part in parts):
        raise SplitError(f"the parts do not add up to commit {number}")
    return [*commits[: number - 1], *parts, *commits[number:]]


def reorder(commits: Sequence[CommitDict], number: int, place: int) -> Commits:
    """Move commit `number` to `place`. Raise SplitError if there is no such commit or place."""
    commit = _find(commits, number)
    _find(commits, place)
    others = _without(commits, number)
    return [*others[: place - 1], commit, *others[place - 1 :]]


def join_messages(first: str, second: str, accept: Callable[[str], bool] = lambda text: True) -> str:
    """Return the header of `first` with the bodies of both messages and the summary of `second`.

    Less of `second` is used if all of it cannot be printed, or `accept` rejects it; in the end `first` alone.
    """
    one, two = parse(first).message, parse(second).message
    if one.header is None:
        return first
    summary = second.split("\n", 1)[0] if two.header is None else two.header.summary
    point = "" if _contains(one, summary) else f"- {summary}"
    for added in ([point, two.description], [two.description], [point]):
        with suppress(ValueError):
            text = print_message(_join(one, two, one.header, added))
            if accept(text):
                return text
    return first


def _contains(message: Message, summary: str) -> bool:
    """Whether `summary` is a line of `message` already."""
    lines = {line.removeprefix("- ").casefold() for line in message.description.split("\n")}
    if message.header is not None:
        lines.add(message.header.summary.casefold())
    return summary.casefold() in lines


def _join(one: Message, two: Message, header: Header, added: Sequence[str]) -> Message:
    breaking = header.breaking or (two.header is not None and two.header.breaking)
    return Message(
        Header(header.type, header.summary, scope=header.scope, breaking=breaking),
        description=_join_paragraphs([one.description, *added]),
        constraints=_join_lists(one.constraints, two.constraints),
        tasks=_join_lists(one.tasks, two.tasks),
        finished=one.finished and two.finished,
        trailers=_join_trailers([*one.trailers, *two.trailers]),
    )


def _join_paragraphs(texts: Sequence[str]) -> str:
    """Join the distinct `texts` by blank lines, but lists to one list."""
    joined = ""
    for text in dict.fromkeys(filter(None, texts)):
        if joined:
            listed = joined.rpartition("\n\n")[2].startswith("- ") and text.startswith("- ")
            joined += "\n" if listed else "\n\n"
        joined += text
    return joined


def _join_lists(one: list[Item] | None, two: list[Item] | None) -> list[Item] | None:
    if one is None and two is None:
        return None
    return list(dict.fromkeys([*(one or []), *(two or [])]))


def _join_trailers(trailers: Sequence[Trailer]) -> list[Trailer]:
    """Return each trailer once, and one for all breaking changes."""
    breaking: dict[str, None] = {}
    others: dict[Trailer, None] = {}
    for trailer in trailers:
        if trailer.key == _BREAKING:
            breaking[trailer.value] = None
        else:
            others[trailer] = None
    if not breaking:
        return list(others)
    return [Trailer(_BREAKING, "; ".join(breaking)), *others]


def _find(commits: Sequence[CommitDict], number: int) -> CommitDict:
    if not 1 <= number <= len(commits):
        raise SplitError(f"no commit {number}", hint=f"choose a number from 1 to {len(commits)}")
    return commits[number - 1]


def _with(commits: Sequence[CommitDict], number: int, commit: CommitDict) -> Commits:
    return [*commits[: number - 1], commit, *commits[number:]]


def _without(commits: Sequence[CommitDict], number: int) -> Commits:
    return [*commits[: number - 1], *commits[number:]]
