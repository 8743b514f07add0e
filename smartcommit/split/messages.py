"""A message for each group of a partition, from the embedded drafter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from smartcommit.change.history import History
from smartcommit.config import Settings
from smartcommit.draft.embedded import draft_from
from smartcommit.errors import SplitError
from smartcommit.git.diff import FileDiff
from smartcommit.git.grep import matches
from smartcommit.git.hunks import Unit
from smartcommit.message.checks import check
from smartcommit.message.parse import parse
from smartcommit.message.rules import ERROR, Rules


def message_for(units: Sequence[Unit], history: History, settings: Settings) -> str:
    """The message of the commit that holds `units`; it passes the project's own rules and ends in one newline."""
    return draft_from(diffs_of(units), history, settings)


def check_message(message: str, rules: Rules) -> None:
    """Hold a planned message against the project's rules, as the hook `commit-msg` would.

    Raises: SplitError that names the first broken rule.
    """
    violations = check(parse(message), rules, search=matches)
    subject, _, _ = message.partition("\n")
    for broken in (violation for violation in violations if rules.level(violation.code) == ERROR):
        raise SplitError(
            f"the message '{subject}' breaks the rule '{broken.code}': {broken.text}",
            hint="nothing was changed; edit it in a plan ('--save-plan FILE', '--plan FILE'), or change the policy",
        )


def diffs_of(units: Sequence[Unit]) -> list[FileDiff]:
    """What the units change, file by file in their order, as diffs that hold nothing else."""
    files: dict[bytes, list[Unit]] = {}
    for unit in units:
        files.setdefault(unit.change.path, []).append(unit)
    return [_diff(parts) for parts in files.values()]


def _diff(parts: Sequence[Unit]) -> FileDiff:
    if parts[0].kind == "file":
        return FileDiff(parts[0].change, list(parts[0].hunks), complete=parts[0].complete)
    hunks = [hunk for part in parts for hunk in part.hunks]
    mode = parts[0].change.new_mode if any(part.kind == "mode" for part in parts) else parts[0].change.old_mode
    change = replace(
        parts[0].change,
        new_mode=mode,
        new_id=parts[0].change.new_id if hunks else parts[0].change.old_id,
        added=sum(hunk.new_count for hunk in hunks),
        deleted=sum(hunk.old_count for hunk in hunks),
    )
    return FileDiff(change, hunks)
