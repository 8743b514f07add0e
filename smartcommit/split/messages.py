"""The messages of planned commits: their trailers, and one for commits that become one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import TypeVar

from smartcommit.message.checks import is_accepted
from smartcommit.message.header import Header
from smartcommit.message.parse import Message, parse, print_message
from smartcommit.message.rules import Rules
from smartcommit.message.trailers import Trailer
from smartcommit.split.plan import PlannedCommit, clean_message, list_units

_BREAKING = "BREAKING CHANGE"
_LINKED_ID = re.compile(r"/id/I[0-9a-f]{40}$")

Item = TypeVar("Item")


def join_commits(commits: Sequence[PlannedCommit], rules: Rules) -> PlannedCommit:
    """Return one commit with the units of all of `commits`, below the header of the strongest type.

    An open title leads only others that are open.
    """
    if len(commits) == 1:
        return commits[0]
    lead = min(commits, key=lambda commit: (commit.open, _rank(commit.message, rules)))
    others = [commit.message for commit in commits if commit is not lead]
    message = join_messages([lead.message, *others], rules)
    return PlannedCommit(clean_message(message), tuple(list_units(commits)), open=lead.open)


def join_messages(messages: Sequence[str], rules: Rules) -> str:
    """Return the first message with the descriptions of all messages, and the summaries of the others as list items.

    Parts are left out where the complete message cannot be printed or breaks the `rules`.
    """
    joined = messages[0]
    for message in messages[1:]:
        joined = _join_two(joined, message, rules)
    return joined


def _join_two(first: str, second: str, rules: Rules) -> str:
    one, two = parse(first).message, parse(second).message
    if one.header is None:
        return first
    summary = second.partition("\n")[0]
    if two.header is not None:
        summary = two.header.summary
    point = f"- {summary}"
    for line in (one.header.summary, *one.description.split("\n")):
        if line.removeprefix("- ").casefold() == summary.casefold():
            point = ""
    breaking = one.header.breaking or (two.header is not None and two.header.breaking)
    header = Header(one.header.type, one.header.summary, scope=one.header.scope, breaking=breaking)
    for added in ([point, two.description], [two.description], [point]):
        message = Message(
            header,
            description=_join_paragraphs([one.description, *added]),
            constraints=_join_lists(one.constraints, two.constraints),
            tasks=_join_lists(one.tasks, two.tasks),
            finished=one.finished and two.finished,
            trailers=_join_trailers([*one.trailers, *two.trailers]),
        )
        with suppress(ValueError):
            text = print_message(message)
            if is_accepted(text, rules):
                return text
    return first


def _join_paragraphs(texts: Sequence[str]) -> str:
    """Join the distinct `texts` by blank lines, and lists into one list."""
    joined = ""
    for text in dict.fromkeys(text for text in texts if text):
        if joined:
            is_list = joined.rpartition("\n\n")[2].startswith("- ") and text.startswith("- ")
            joined += "\n" if is_list else "\n\n"
        joined += text
    return joined


def _join_lists(one: list[Item] | None, two: list[Item] | None) -> list[Item] | None:
    if one is None and two is None:
        return None
    return list(dict.fromkeys([*(one or []), *(two or [])]))


def _join_trailers(trailers: Sequence[Trailer]) -> list[Trailer]:
    """Return each trailer once, one for all breaking changes, and the first of those that identify a commit."""
    breaking: dict[str, None] = {}
    others: dict[Trailer, None] = {}
    for trailer in trailers:
        if trailer.key == _BREAKING:
            breaking[trailer.value] = None
        elif not is_change_id(trailer) or not any(is_change_id(other) for other in others):
            others[trailer] = None
    if not breaking:
        return list(others)
    return [Trailer(_BREAKING, "; ".join(breaking)), *others]


def is_change_id(trailer: Trailer) -> bool:
    """Whether `trailer` identifies a commit for Gerrit, which accepts one: `Change-Id`, or `Link` with an id."""
    if trailer.key.lower() == "change-id":
        return True
    return trailer.key.lower() == "link" and _LINKED_ID.search(trailer.value) is not None


def _rank(message: str, rules: Rules) -> tuple[bool, int]:
    """Return a key that sorts messages by the decision matrix; breaking changes come first."""
    header = parse(message.partition("\n")[0]).message.header
    place = len(rules.types)
    if header is None:
        return True, place
    if header.type in rules.types:
        place = rules.types.index(header.type)
    return not header.breaking, place
