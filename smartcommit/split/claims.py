"""Compares the messages of commits that were written, but not published, with their changes."""

from __future__ import annotations

from smartcommit.claims.compare import compare
from smartcommit.claims.ranges import read_changes
from smartcommit.message.parse import parse
from smartcommit.message.rules import Rules, Violation
from smartcommit.split.apply import Prepared


def find_claims(prepared: Prepared, rules: Rules) -> list[tuple[str, Violation]]:
    """Return what each message says and its commit does not show, with the commit's subject; one process at most.

    Raise GitError if git fails.
    """
    if rules.is_off("claims") and rules.is_off("why"):
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
        for violation in compare(parse(planned.message.rstrip("\n")), change, rules):
            violation.level = rules.level(violation.code)
            found.append((planned.subject, violation))
    return found
