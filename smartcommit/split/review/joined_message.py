"""The message of a commit that another one is merged into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from smartcommit.message.header import Header
from smartcommit.message.parse import Message, parse, print_message
from smartcommit.message.trailers import Trailer

_BREAKING = "BREAKING CHANGE"

Item = TypeVar("Item")


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
