"""Describes the commits of a plan by the embedded drafter; no two of them have the same summary."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.symbols import symbol_changes
from smartcommit.config import find_summary_limit
from smartcommit.draft.conform import conform, is_accepted
from smartcommit.draft.embedded import drafter
from smartcommit.draft.result import Draft
from smartcommit.git.diff import FileDiff
from smartcommit.git.hunks import Unit, group_by_file
from smartcommit.message.header import Header, parse_loose_header
from smartcommit.message.parse import parse
from smartcommit.message.rules import Rules
from smartcommit.split.analyzer import GitAnalyzer

# Commits that only a number distinguishes, at most; a change of more that are alike is better described by hand.
_NUMBERS = 1000


def describe_all(analyzer: GitAnalyzer, groups: Sequence[Sequence[Unit]]) -> list[str]:
    """Return a message for the commit of each of `groups`, as `describe` does; each sees those before it."""
    messages: list[str] = []
    taken: set[str] = set()
    for units in groups:
        message = describe(analyzer, units, taken)
        messages.append(message)
        taken.add(_find_summary(message))
    return messages


def describe(analyzer: GitAnalyzer, units: Sequence[Unit], taken: Collection[str] = ()) -> str:
    """Return the embedded drafter's message for the commit of `units`, which ends in one newline.

    Its summary is none of those `taken`. It passes the project's own rules, unless they ask for what only the user
    knows.
    """
    diffs = group_by_file(units)
    drafted = drafter.draft(ChangeFacts(diffs), analyzer.history, analyzer.settings, corrections=analyzer.corrections)
    message = _conform(drafted.text, analyzer.rules)
    if _find_summary(message) not in taken:
        return message
    limit = find_summary_limit(analyzer.settings)
    _, _, body = drafted.text.partition("\n")
    for header in _list_other_headers(drafted, diffs):
        other = _conform(f"{header}\n{body}", analyzer.rules)
        if len(header.summary) <= limit and _find_summary(other) not in taken:
            return other
    return message


def _conform(text: str, rules: Rules) -> str:
    """Return `text` as the project's rules want it, as far as that is possible."""
    if not rules.has_style() or is_accepted(text, rules, ticket=False):
        return text
    message = parse(text.removesuffix("\n")).message
    return conform(message, rules, passes=lambda text: is_accepted(text, rules, ticket=False)) or text


def _find_summary(message: str) -> str:
    """Return the summary of a message, in lower case."""
    line = message.partition("\n")[0]
    header = parse_loose_header(line)
    return (line if header is None else header.summary).lower()


def _list_other_headers(draft: Draft, diffs: Sequence[FileDiff]) -> Iterator[Header]:
    """Yield other headers for a commit: those of other candidates, then the same one with where it is, or a number."""
    header = draft.header
    if header is None:
        return
    for candidate in draft.candidates:
        yield Header(header.type, candidate, scope=header.scope, breaking=header.breaking)
    for place in chain(_list_places(diffs), map("({})".format, range(2, _NUMBERS))):
        yield Header(header.type, f"{header.summary} {place}", scope=header.scope, breaking=header.breaking)


def _list_places(diffs: Sequence[FileDiff]) -> Iterator[str]:
    """Yield where a commit changes something: in which definitions, files and folders."""
    for diff in diffs:
        changes = symbol_changes(diff)
        for symbol in (*changes.touched, *changes.added):
            yield f"in {symbol.name}"
    for diff in diffs:
        yield f"in {os.path.basename(os.fsdecode(diff.change.path))}"
    for diff in diffs:
        yield f"in {os.fsdecode(diff.change.path)}"
