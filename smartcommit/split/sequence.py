"""A model's commits in the order that their contents ask for."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.message.rules import Rules
from smartcommit.split.file_states import Checker
from smartcommit.split.merge import joined_commit, joined_message
from smartcommit.split.ordering import ordered
from smartcommit.split.plan import CommitDict


def in_order(commits: Sequence[CommitDict], pieces: ChangeUnits, rules: Rules) -> list[CommitDict]:
    """`commits` so that what others need comes first; those that only make sense, or parse, together are one."""
    places = {hunk: number for number, commit in enumerate(commits) for hunk in commit["hunks"]}
    groups: list[list[Unit]] = [[] for _ in commits]
    for unit in pieces.units:
        if unit.id in places:
            groups[places[unit.id]].append(unit)
    found = []
    for group in Checker(pieces).joined(ordered(groups)):
        parts = [commits[number] for number in dict.fromkeys(places[unit.id] for unit in group)]
        found.append(
            parts[0] if len(parts) == 1 else joined_commit(parts, lambda messages: joined_message(messages, rules))
        )
    return found
