"""Describes the commits of a plan by the embedded drafter; no two of them have the same summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.symbols import symbol_changes
from smartcommit.change.wording import make_printable, safe_name, safe_path
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


def describe_all(analyzer: GitAnalyzer, groups: Sequence[Sequence[Unit]]) -> list[str]:
    """Return a message for the commit of each of `groups`, as `describe` does; each sees those before it."""
    taken: Counter[str] = Counter()
    return [describe(analyzer, units, taken) for units in groups]


def describe(analyzer: GitAnalyzer, units: Sequence[Unit], taken: Counter[str] | None = None) -> str:
    """Return the embedded drafter's message for the commit of `units`, which ends in one newline.

    Its summary is none of those `taken`, which it is added to. It passes the project's own rules, unless they ask for
    what only the user knows.
    """
    diffs = group_by_file(units)
    drafted = drafter.draft(ChangeFacts(diffs), analyzer.history, analyzer.settings, corrections=analyzer.corrections)
    message = _conform(drafted.text, analyzer.rules)
    if taken is None:
        return message
    first = _find_summary(message)
    taken[first] += 1
    if taken[first] == 1:
        return message
    limit = find_summary_limit(analyzer.settings)
    _, _, body = drafted.text.partition("\n")
    for header in _list_other_headers(drafted, diffs, taken[first]):
        other = _conform(f"{header}\n{body}", analyzer.rules)
        summary = _find_summary(other)
        if len(header.summary) <= limit and not taken[summary]:
            taken[summary] += 1
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


def _list_other_headers(draft: Draft, diffs: Sequence[FileDiff], number: int) -> Iterator[Header]:
    """Yield other headers for a commit: those of other candidates, then the same with where it is, or a number."""
    header = draft.header
    if header is None:
        return
    for candidate in draft.candidates:
        yield Header(header.type, candidate, scope=header.scope, breaking=header.breaking)
    for place in (*_list_places(diffs), f"({number})"):
        yield Header(header.type, f"{header.summary} {place}", scope=header.scope, breaking=header.breaking)


def _list_places(diffs: Sequence[FileDiff]) -> Iterator[str]:
    """Yield where a commit changes something: in which definitions, files and folders."""
    for diff in diffs:
        changes = symbol_changes(diff)
        for symbol in (*changes.touched, *changes.added):
            yield f"in {make_printable(symbol.name)}"
    for diff in diffs:
        yield f"in {safe_name(diff.change.path)}"
    for diff in diffs:
        yield f"in {safe_path(diff.change.path)}"
