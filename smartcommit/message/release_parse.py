"""Finds the lines for which release-please leaves a commit out of a release.

Its parser fails where a line below the header begins as a footer with a scope, `Reviewed-by(team): x`, and the scope
does not end: `render(list(x))` at the start of a line is enough. It drops what fails without a word, so that the change
is in no changelog and moves no version. What it does not read of a header, our rules refuse.

Source: the grammar of @conventional-commits/parser 0.4.1. Its recursion, which ends a message of several thousand lines
too, depends on the machine and is not looked at.
"""

from __future__ import annotations

from smartcommit.message.parse import parse
from smartcommit.message.rules import Violation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartcommit.message.parse import Parsed

# What ends a footer's token. A space of any other kind is a part of it.
_DELIMITERS = frozenset("()!:\t\x0b\x0c \xa0\ufeff")


def check_release_parse(parsed: Parsed) -> list[Violation]:
    """Return a violation for each line that release-please cannot read, with the line indented if that is read."""
    violations = []
    for number in range(1, len(parsed.lines)):
        if _opens_scope(parsed.lines[number]):
            text = "release-please cannot read this line, and leaves its commit out of the release"
            violations.append(Violation("release-parse", number, 0, text, expected="other words before it"))
    numbers = [violation.line for violation in violations]
    if numbers and _has_same_parts(parsed, _indent(parsed.lines, numbers)):
        for violation in violations:
            violation.expected = "two spaces or other words before it"
            violation.replacement = _indent([parsed.lines[violation.line]], [0])
    return violations


def _opens_scope(line: str) -> bool:
    """Whether `line` begins with a word and a scope that does not end, which the parser gives up at."""
    length = 0
    while length < len(line) and line[length] not in _DELIMITERS:
        length += 1
    if length == 0 or line[length : length + 1] != "(" or line.startswith("BREAKING-CHANGE"):
        return False
    opening, closing = line.find("(", length + 1), line.find(")", length + 1)
    return closing < 0 or 0 <= opening < closing


def _indent(lines: Sequence[str], numbers: Sequence[int]) -> list[str]:
    indented = list(lines)
    for number in numbers:
        indented[number] = "  " + lines[number]
    return indented


def _has_same_parts(parsed: Parsed, lines: Sequence[str]) -> bool:
    """Whether `lines` have the same sections and trailers, and as many faults: an indented line continues a trailer."""
    before, after = parsed.message, parse("\n".join(lines))
    return (
        len(parsed.violations) == len(after.violations)
        and before.constraints == after.message.constraints
        and before.tasks == after.message.tasks
        and before.trailers == after.message.trailers
    )
