"""Compares what a message says with what its change shows."""

from __future__ import annotations

from smartcommit.claims.kinds import check_promises, check_type
from smartcommit.claims.mentions import Statement
from smartcommit.claims.names import check_names, check_versions
from smartcommit.claims.operations import check_operations
from smartcommit.message.rules import Violation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from smartcommit.claims.evidence import ChangeEvidence
    from smartcommit.message.parse import Parsed

    Check = Callable[[Statement, ChangeEvidence], Iterator[tuple[int, str, str]]]

CODE = "claims"
# What git writes is not compared: the title of a revert says what the other commit did.
_WRITTEN_BY_GIT = ("Revert ", "Reapply ", "Merge ")
# In the order in which they say most; each yields the offset of the words, what is wrong and what to do.
_CHECKS: tuple[Check, ...] = (check_operations, check_versions, check_promises)


def find_violations(parsed: Parsed, change: ChangeEvidence) -> list[Violation]:
    """Return what the message says and the change does not show; empty where that cannot be known."""
    if not change.complete or not change.paths or parsed.lines[0].startswith(_WRITTEN_BY_GIT):
        return []
    statement = Statement(parsed.lines[: parsed.trailers_at])
    found: dict[str, Violation] = {}
    reason = check_type(parsed.lines[0], change)
    if reason:
        found[reason] = Violation(CODE, 0, 0, reason, expected="the type of what changes")
    _collect(statement, check_names, change, found)
    if change.is_readable:
        for check in _CHECKS:
            _collect(statement, check, change, found)
    return sorted(found.values(), key=Violation.position)


def _collect(statement: Statement, check: Check, change: ChangeEvidence, found: dict[str, Violation]) -> None:
    for offset, text, expected in check(statement, change):
        line, column = statement.place(offset)
        found.setdefault(text, Violation(CODE, line, column, text, expected=expected))
