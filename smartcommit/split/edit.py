"""What a person does to proposed commits: pure operations, each of which returns a new list.

Commits are numbered from 1, as they are shown. No operation loses a hunk or gives it to two commits; `delete`, and
`move` to UNCOMMITTED, take hunks out of all commits, and `move` brings them back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import reduce
from itertools import chain
from typing import TypeVar

from smartcommit.errors import SplitError
from smartcommit.message.header import Header
from smartcommit.message.parse import Message, parse, print_message
from smartcommit.message.trailers import Trailer
from smartcommit.split.plan import CommitDict

# Where hunks are that no commit holds, and a commit that does not exist yet.
UNCOMMITTED, NEW = 0, -1

_BREAKING = "BREAKING CHANGE"

Commits = list[CommitDict]
Item = TypeVar("Item")


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
