"""The commits under review, and the edits that a person makes to them.

Text and windows are two faces of it. Every message that goes in passes the project's rules.

Edits are pure operations, each of which returns a new list. Commits are numbered from 1, as they are shown. No
operation loses a hunk or gives it to two commits; `delete`, and `move` to UNCOMMITTED, take hunks out of all commits,
and `move` brings them back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import TypeVar

from smartcommit.draft.conform import accepted
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

# How a commit can be split: as the embedded splitter would, into its files, or into its hunks.
WAYS = ("auto", "file", "hunk")

Describe = Callable[[Sequence[Unit]], str]
# Where hunks are that no commit holds, and a commit that does not exist yet.
UNCOMMITTED, NEW = 0, -1

_BREAKING = "BREAKING CHANGE"

Commits = list[CommitDict]
Item = TypeVar("Item")


class Session:
    """One review of `plan`, whose units are those of `pieces`.

    `describe` writes the message of a commit that comes to be, `rules` are the project's. All that changes something
    raises SplitError, and changes nothing, where it makes no sense or would break a rule.
    """

    def __init__(self, plan: SplitPlan, pieces: ChangeUnits, *, rules: Rules, describe: Describe) -> None:
        self._rules = rules
        self._describe = describe
        self._plan = plan
        self._past: list[tuple[Commits, ChangeUnits]] = []
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
        self._do(self._checked(set_subject(self.commits, number, subject), number))

    def set_message(self, number: int, message: str) -> None:
        """Give commit `number` another message; one that is refused is kept for `text_to_edit`."""
        key = _key(self.commit(number))
        edited = set_message(self.commits, number, message)
        self._refused[key] = message
        self._do(self._checked(edited, number))
        del self._refused[key]

    def merge(self, number: int, other: int) -> None:
        """Let commit `number` take in commit `other`, and say what both say as far as the rules allow it."""
        self._do(merge(self.commits, number, other, accept=lambda text: accepted(text, self._rules)))

    def delete(self, number: int) -> None:
        """Take commit `number` out; its hunks stay uncommitted."""
        self._do(delete(self.commits, number))

    def move(self, hunks: Sequence[Unit], to: int) -> list[Unit]:
        """Take `hunks`, and what cannot be parted from them, to commit `to`, UNCOMMITTED or NEW; return all of them."""
        there = {unit.id for unit in (() if to == NEW else self.units_of(to))}
        together = {mate.id for unit in hunks for mate in self._bundles[unit.id] if mate.id not in there}
        moved = [unit for unit in self.units if unit.id in together]
        if not moved:
            raise SplitError(f"'{hunks[0].id}' is there already" if hunks else "no hunk is named")
        skipped = [unit.id for unit in self.plan.skipped]
        message = self._describe(moved) if to == NEW else ""
        self._do(move(self.commits, [unit.id for unit in moved], to, skipped=skipped, message=message))
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
        self._do(split(self.commits, number, parts))

    def cut(self, unit: Unit, *, removed: int, added: int) -> None:
        """Cut a hunk after so many of its removed and added lines; both halves stay where it was."""
        pieces = cut_unit(self._pieces, unit.id, removed=removed, added=added)
        known = {other.id for other in self.units}
        halves = [other.id for other in pieces.units if other.id not in known]
        commits: Commits = [
            {**commit, "hunks": [name for hunk in commit["hunks"] for name in (halves if hunk == unit.id else [hunk])]}
            for commit in self.commits
        ]
        self._do(commits, pieces)

    def reorder(self, number: int, place: int) -> None:
        """Make commit `number` the one at `place`."""
        self._do(reorder(self.commits, number, place))

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

    def _do(self, commits: Commits, pieces: ChangeUnits | None = None) -> None:
        self._past.append((self.commits, self._pieces))
        self._use(commits, pieces or self._pieces)

    def _use(self, commits: Commits, pieces: ChangeUnits) -> None:
        self.commits = commits
        self._pieces = pieces
        self._bundles = {unit.id: units for units in find_inseparable(pieces.units) for unit in units}

    def _checked(self, commits: Commits, number: int) -> Commits:
        """`commits`, where the message of commit `number` breaks no rule."""
        for broken in find_errors(commits[number - 1]["message"].rstrip("\n"), self._rules, search=matches):
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


def set_message(commits: Sequence[CommitDict], number: int, message: str) -> Commits:
    """Give commit `number` another message, which ends in one newline then.

    Raises: SplitError when there is no such commit or the message is blank.
    """
    _find(commits, number)
    if not message.strip():
        raise SplitError("a commit needs a message")
    return _with(commits, number, {**commits[number - 1], "message": message.rstrip("\n") + "\n"})


def set_subject(commits: Sequence[CommitDict], number: int, subject: str) -> Commits:
    """Give commit `number` another first line; the rest of its message stays.

    Raises: SplitError when there is no such commit, or the subject is blank or more than one line.
    """
    _, newline, rest = _find(commits, number)["message"].partition("\n")
    if not subject.strip() or "\n" in subject:
        raise SplitError("a subject is one line of text")
    return set_message(commits, number, subject.strip() + newline + rest)


def merge(
    commits: Sequence[CommitDict], number: int, other: int, *, accept: Callable[[str], bool] = lambda text: True
) -> Commits:
    """Let commit `number` take in commit `other`: its place stays, and its message is as `join_messages` makes it.

    Raises: SplitError when there is no such commit or both are the same.
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
    """Take commit `number` out; its hunks stay uncommitted.

    Raises: SplitError when there is no such commit or no other.
    """
    _find(commits, number)
    if len(commits) == 1:
        raise SplitError("this is the only commit", hint="quit, and nothing is committed")
    return _without(commits, number)


def move(
    commits: Sequence[CommitDict], hunks: Sequence[str], to: int, *, skipped: Sequence[str] = (), message: str = ""
) -> Commits:
    """Take `hunks` from where they are, commits or `skipped`, to commit `to`, UNCOMMITTED or NEW.

    A new commit is the last one and has `message`.

    Raises: SplitError when there is no such commit or hunk, a hunk is there already, or a commit would be left empty.
    """
    wanted = list(dict.fromkeys(hunks))
    if to not in (UNCOMMITTED, NEW):
        _find(commits, to)
    there = skipped if to == UNCOMMITTED else commits[to - 1]["hunks"] if to != NEW else ()
    known = {*skipped, *chain.from_iterable(commit["hunks"] for commit in commits)}
    for hunk in wanted:
        if hunk not in known:
            raise SplitError(f"'{hunk}' is not part of the change")
        if hunk in there:
            raise SplitError(f"'{hunk}' is there already")
    if not wanted:
        raise SplitError("no hunk is named")
    moved = [{**commit, "hunks": [hunk for hunk in commit["hunks"] if hunk not in wanted]} for commit in commits]
    for number, commit in enumerate(moved, start=1):
        if not commit["hunks"] and number != to:
            raise SplitError(f"nothing would be left of commit {number}", hint="merge it or delete it instead")
    if to == NEW:
        return set_message([*moved, {"message": "", "hunks": wanted}], len(moved) + 1, message)
    return moved if to == UNCOMMITTED else _with(moved, to, {**moved[to - 1], "hunks": [*there, *wanted]})


def split(commits: Sequence[CommitDict], number: int, parts: Sequence[CommitDict]) -> Commits:
    """Put `parts` in the place of commit `number`; together they hold its hunks.

    Raises: SplitError when there is no such commit, it is not parted, or a hunk is missing or doubled.
    """
    whole = _find(commits, number)
    if len(parts) < 2:
        raise SplitError(f"commit {number} cannot be split in this way")
    held = Counter(chain.from_iterable(part["hunks"] for part in parts))
    if held != Counter(whole["hunks"]) or not all(part["hunks"] for part in parts):
        raise SplitError(f"the parts are not what commit {number} holds")
    return [*commits[: number - 1], *parts, *commits[number:]]


def reorder(commits: Sequence[CommitDict], number: int, place: int) -> Commits:
    """Make commit `number` the one at `place`.

    Raises: SplitError when there is no such commit or place.
    """
    commit = _find(commits, number)
    _find(commits, place)
    others = _without(commits, number)
    return [*others[: place - 1], commit, *others[place - 1 :]]


def join_messages(first: str, second: str, accept: Callable[[str], bool] = lambda text: True) -> str:
    """The header of `first` above what both messages say, the summary of `second` among it.

    Less of `second` where that cannot be written down, or would not be a message to `accept`; in the end `first` alone.
    """
    one, two = parse(first).message, parse(second).message
    if one.header is not None:
        summary = two.header.summary if two.header is not None else second.split("\n", 1)[0]
        point = "" if _says(one, summary) else f"- {summary}"
        for said in ([point, two.description], [two.description], [point]):
            with suppress(ValueError):
                text = print_message(_joined(one, two, one.header, said))
                if accept(text):
                    return text
    return first


def _says(message: Message, summary: str) -> bool:
    """Whether `summary` is a line of `message` already."""
    header = [message.header.summary] if message.header is not None else []
    lines = [*header, *(line.removeprefix("- ") for line in message.description.split("\n"))]
    return summary.casefold() in (line.casefold() for line in lines)


def _joined(one: Message, two: Message, header: Header, said: Sequence[str]) -> Message:
    """What `one` says below `header`, then what was `said` and the rest of `two`."""
    breaking = header.breaking or (two.header is not None and two.header.breaking)
    return Message(
        Header(header.type, header.summary, scope=header.scope, breaking=breaking),
        description=reduce(_below, dict.fromkeys(text for text in (one.description, *said) if text), ""),
        constraints=_both(one.constraints, two.constraints),
        tasks=_both(one.tasks, two.tasks),
        finished=one.finished and two.finished,
        trailers=_trailers([*one.trailers, *two.trailers]),
    )


def _below(above: str, text: str) -> str:
    """`text` below what is `above`: the points of a list stay together."""
    if not above:
        return text
    listed = above.rpartition("\n\n")[2].startswith("- ") and text.startswith("- ")
    return "\n".join((above, text)) if listed else "\n\n".join((above, text))


def _both(one: list[Item] | None, two: list[Item] | None) -> list[Item] | None:
    return None if one is None and two is None else list(dict.fromkeys([*(one or []), *(two or [])]))


def _trailers(trailers: Sequence[Trailer]) -> list[Trailer]:
    """Each trailer once, and one for all that breaks."""
    breaking = dict.fromkeys(trailer.value for trailer in trailers if trailer.key == _BREAKING)
    notes = [Trailer(_BREAKING, "; ".join(breaking))] if breaking else []
    return [*notes, *dict.fromkeys(trailer for trailer in trailers if trailer.key != _BREAKING)]


def _find(commits: Sequence[CommitDict], number: int) -> CommitDict:
    if not 1 <= number <= len(commits):
        raise SplitError(f"there is no commit {number}", hint=f"their numbers go from 1 to {len(commits)}")
    return commits[number - 1]


def _with(commits: Sequence[CommitDict], number: int, commit: CommitDict) -> Commits:
    return [*commits[: number - 1], commit, *commits[number:]]


def _without(commits: Sequence[CommitDict], number: int) -> Commits:
    return [*commits[: number - 1], *commits[number:]]
