"""The messages of planned commits: their check, their claims, their trailers, and one for commits that become one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from smartcommit.claims.compare import find_violations
from smartcommit.claims.ranges import read_changes
from smartcommit.draft.conform import is_accepted
from smartcommit.errors import SplitError
from smartcommit.git.grep import matches
from smartcommit.message.checks import find_errors
from smartcommit.message.header import Header
from smartcommit.message.parse import Message, parse, print_message
from smartcommit.message.rules import Rules, Violation
from smartcommit.message.trailers import Trailer, find_trailers
from smartcommit.split.apply import Prepared
from smartcommit.split.constraints import union_find
from smartcommit.split.plan import PlannedCommit, clean_message, index_by_id, list_ids, list_units

_BREAKING = "BREAKING CHANGE"
_LINKED_ID = re.compile(r"/id/I[0-9a-f]{40}$")
# What to do about the message of a plan that breaks a rule.
_EDITING = "save the plan with '--save-plan FILE', edit it and apply it with '--plan FILE', or change the policy"

Item = TypeVar("Item")
# Makes one message of those of several commits.
Join = Callable[[Sequence[str]], str]


def check_message(message: str, rules: Rules, *, advice: str = _EDITING) -> None:
    """Raise SplitError if a planned message breaks one of the project's rules: `commit-msg` would reject it.

    `advice` says what to do about it, except for a missing ticket.
    """
    subject, _, _ = message.partition("\n")
    for broken in find_errors(message, rules, search=matches):
        if broken.code == "ticket":
            advice = "give the ticket of these commits with '--ticket ID', or name the branch after it"
        raise SplitError(
            f"the message '{subject}' breaks rule '{broken.code}': {broken.text}", hint=f"nothing was changed; {advice}"
        )


def find_claims(prepared: Prepared, rules: Rules) -> list[tuple[str, Violation]]:
    """Return what each message says and its commit does not show, with the commit's subject; one process at most.

    Raise GitError if git fails.
    """
    if rules.is_off("claims"):
        return []
    snapshot = prepared.snapshot
    messages = {}
    for written, planned in zip(prepared.commits, prepared.plan.commits, strict=True):
        messages[written.commit] = planned
    tip = prepared.commits[-1].commit
    revisions = f"{snapshot.base}..{tip}" if snapshot.base else tip
    found = []
    for commit, change in read_changes(revisions, snapshot.repository.environment):
        planned = messages[commit]
        for violation in find_violations(parse(planned.message.rstrip("\n")), change):
            violation.level = rules.level(violation.code)
            found.append((planned.subject, violation))
    return found


def part_overlapping(commits: Sequence[PlannedCommit]) -> list[PlannedCommit]:
    """Return `commits` without the units that one of them shares with several others; these keep them.

    Such a commit is often the whole change once more, and would make one commit of all. It is left out if it has
    nothing of its own.
    """
    found = list(commits)
    for number, commit in enumerate(commits):
        ids = set(list_ids(commit.units))
        sharing: list[PlannedCommit] = []
        for other in found[:number] + found[number + 1 :]:
            if not ids.isdisjoint(list_ids(other.units)):
                sharing.append(other)
        if len(sharing) > 1:
            shared = set(list_ids(list_units(sharing)))
            found[number] = replace(commit, units=tuple(unit for unit in commit.units if unit.id not in shared))
    return [commit for commit in found if commit.units]


def merge_overlapping(commits: Sequence[PlannedCommit], join: Join) -> list[PlannedCommit]:
    """Return `commits` with those merged that share a unit, directly or through others, in the order of their first."""
    first: dict[str, int] = {}
    pairs = []
    for number, commit in enumerate(commits):
        for unit in commit.units:
            pairs.append((first.setdefault(unit.id, number), number))
    return [join_commits(group, join) for group in union_find(commits, pairs)]


def join_commits(commits: Sequence[PlannedCommit], join: Join) -> PlannedCommit:
    """Return one commit with the units of all of `commits`."""
    if len(commits) == 1:
        return commits[0]
    messages = []
    for commit in commits:
        messages.append(commit.message)
    units = index_by_id(list_units(commits))
    return PlannedCommit(clean_message(join(messages)), tuple(units.values()))


def join_messages(messages: Sequence[str], rules: Rules) -> str:
    """Return the first message with the descriptions of all messages, and the summaries of the others as list items.

    Parts are left out where the complete message cannot be printed or breaks the `rules`.
    """
    joined = messages[0]
    for message in messages[1:]:
        joined = _join_two(joined, message, rules)
    return joined


def join_by_strength(messages: Sequence[str], rules: Rules) -> str:
    """Return `messages` joined below the header of the strongest type."""
    ordered = list(messages)
    lead = min(ordered, key=lambda message: _rank(message, rules))
    ordered.remove(lead)
    return join_messages([lead, *ordered], rules)


def _join_two(first: str, second: str, rules: Rules) -> str:
    one, two = parse(first).message, parse(second).message
    if one.header is None:
        return first
    summary, _, _ = second.partition("\n")
    if two.header is not None:
        summary = two.header.summary
    point = f"- {summary}"
    if _says(one, summary):
        point = ""
    for added in ([point, two.description], [two.description], [point]):
        with suppress(ValueError):
            text = print_message(_merge(one, two, one.header, added))
            if is_accepted(text, rules):
                return text
    return first


def _says(message: Message, summary: str) -> bool:
    """Whether `summary` is a line of `message` already."""
    lines = [*message.description.split("\n")]
    if message.header is not None:
        lines.append(message.header.summary)
    wanted = summary.casefold()
    return any(line.removeprefix("- ").casefold() == wanted for line in lines)


def _merge(one: Message, two: Message, header: Header, added: Sequence[str]) -> Message:
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
    """Join the distinct `texts` by blank lines, and lists into one list."""
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
    """Return each trailer once, one for all breaking changes, and the first of those that identify a commit."""
    breaking: dict[str, None] = {}
    others: dict[Trailer, None] = {}
    for trailer in trailers:
        if trailer.key == _BREAKING:
            breaking[trailer.value] = None
        elif not is_change_id(trailer) or not any(map(is_change_id, others)):
            others[trailer] = None
    if not breaking:
        return list(others)
    return [Trailer(_BREAKING, "; ".join(breaking)), *others]


def is_change_id(trailer: Trailer) -> bool:
    """Whether `trailer` identifies a commit for Gerrit, which accepts one: `Change-Id`, or `Link` with an id."""
    if trailer.key.lower() == "change-id":
        return True
    return trailer.key.lower() == "link" and _LINKED_ID.search(trailer.value) is not None


def add_trailers(message: str, trailers: Sequence[Trailer], *, before: str | None = None) -> str:
    """Return `message`, which ends in one newline, with those of `trailers` that it lacks, as git adds them.

    They come last, or before the first trailer with the key `before`. One that `message` has without a value is
    replaced.
    """
    parsed = parse(message.removesuffix("\n"), comment="")
    missing, empty = [], set()
    for trailer in trailers:
        if trailer not in parsed.message.trailers:
            missing.append(trailer)
            empty.add(f"{trailer.key}:")
    if not missing:
        return message
    body, block = parsed.lines[: parsed.trailers_at], parsed.lines[parsed.trailers_at :]
    block = [line for line in block if line.rstrip() not in empty]
    while body and not body[-1]:
        del body[-1]
    if block and find_trailers(["", *block, ""], "", breaking=False)[0] != 1:
        # git would not see trailers next to `BREAKING CHANGE: text`.
        body, block = [*body, "", *block], []
    place = len(block)
    if before is not None:
        place = _find_key(block, before)
    block[place:place] = map(str, missing)
    return "\n".join([*body, "", *block]) + "\n"


def _find_key(block: Sequence[str], key: str) -> int:
    """Return the line of the first trailer with `key`, whatever its case, or the number of lines."""
    for number, line in enumerate(block):
        found, colon, _ = line.partition(":")
        if colon and found.rstrip().lower() == key.lower():
            return number
    return len(block)


def _rank(message: str, rules: Rules) -> tuple[bool, int]:
    """Return a key that sorts messages by the decision matrix; breaking changes come first."""
    header = parse(message.partition("\n")[0]).message.header
    place = len(rules.types)
    if header is None:
        return True, place
    if header.type in rules.types:
        place = rules.types.index(header.type)
    return not header.breaking, place
