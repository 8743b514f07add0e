"""Finds the lines for which release-please leaves a commit out of a release.

It splits a message into commits and reads each by a parser that fails where a line begins as a footer with a scope,
`Reviewed-by(team): x`, and the scope does not end: `render(list(x))` at the start of a line is enough. It drops what
fails without a word, so that the change is in no changelog and moves no version.

Sources: splitMessages in release-please's commit.js, and the grammar of @conventional-commits/parser 0.4.1. Its
recursion, which ends a message of several thousand lines too, depends on the machine and is not looked at.
"""

from __future__ import annotations

from smartcommit.message.parse import parse
from smartcommit.message.rules import Violation
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartcommit.message.parse import Parsed

# The types that begin a commit of their own below a blank line.
_TYPES = ("feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert")
_BREAKING = ("!", "BREAKING CHANGE", "BREAKING-CHANGE")
_SEPARATORS = (":", " #")
# What ends a type or a footer's token. A space of any other kind is a part of it.
_DELIMITERS = frozenset("()!:\t\x0b\x0c \xa0\ufeff")
# What JavaScript's `trim` removes and what its `.` does not match, beside the line feed.
_TRIMMED = (
    "\t\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f"
    "\u3000\ufeff"
)
_LINE_ENDS = ("\r", "\u2028", "\u2029")
_INDENT, _QUOTE = "  ", "> "


class Piece(Record):
    """A line, or a part of one, as release-please reads it: where it begins, from 0, and its text.

    `is_header` says that it is the first of a commit.
    """

    number: int
    text: str
    column: int = 0
    is_header: bool = False


def check_release_parse(parsed: Parsed) -> list[Violation]:
    """Return a violation for each line that release-please cannot read, with a line that it can if there is one."""
    lines = parsed.lines
    unread = find_unread(lines)
    replacements: dict[int, str] = {}
    if any(piece.number > 0 for piece in unread):
        replacements = _find_replacements(parsed, unread)
    violations = []
    for piece in unread:
        replacement = replacements.get(piece.number)
        violations.append(_describe(piece, replacement))
    return violations


def find_unread(lines: Sequence[str]) -> list[Piece]:
    """Return what release-please cannot read of a message's `lines`, in their order within each commit."""
    unread: list[Piece] = []
    for commit in _split_commits(lines):
        unread += _find_unread_pieces(commit)
    return unread


def _split_commits(lines: Sequence[str]) -> list[list[Piece]]:
    """Return `lines` cut before each conventional header below an empty line."""
    commits: list[list[Piece]] = [[]]
    for number, line in enumerate(lines):
        if number > 0 and lines[number - 1] in ("", "\r") and _begins_commit(line):
            commits.append([])
        commits[-1].append(Piece(number, line))
    return commits


def _begins_commit(line: str) -> bool:
    """Whether `line` matches release-please's `TYPE(?:\\(.*?\\))?: `."""
    for name in _TYPES:
        rest = line.removeprefix(name)
        if rest == line:
            continue
        if rest.startswith("("):
            for end in _LINE_ENDS:
                rest = rest.partition(end)[0]
            return "): " in rest
        return rest.startswith(": ")
    return False


def _find_unread_pieces(commit: Sequence[Piece]) -> list[Piece]:
    """Return what the parser cannot read of the lines of one `commit`; nothing is lost with an empty one."""
    unread: list[Piece] = []
    header: Piece | None = None
    for line in commit:
        column = 0
        for text in line.text.split("\r"):
            piece = Piece(line.number, text, column)
            column += len(text) + 1
            if header is not None:
                if _opens_scope(text):
                    unread.append(piece)
            elif text.strip(_TRIMMED):
                header = piece
                header.is_header = True
                if not _is_header(text.lstrip(_TRIMMED)):
                    unread.append(header)
    return unread


def _is_header(line: str) -> bool:
    """Whether the parser reads `line` as `type(scope)!: summary`, in which it is more liberal than our rules."""
    length = _measure_word(line)
    rest = line[length:]
    if rest.startswith("("):
        scope, closing, rest = rest[1:].partition(")")
        if not scope or not closing or "(" in scope:
            return False
        for mark in _BREAKING:
            if rest.startswith(mark):
                rest = rest.removeprefix(mark)
                break
    else:
        rest = rest.removeprefix("!")
    return length > 0 and rest.startswith(_SEPARATORS)


def _opens_scope(line: str) -> bool:
    """Whether `line` begins with a word and a scope that does not end, which the parser gives up at."""
    length = _measure_word(line)
    if length == 0 or line[length : length + 1] != "(" or line.startswith("BREAKING-CHANGE"):
        return False
    opening, closing = line.find("(", length + 1), line.find(")", length + 1)
    return closing < 0 or 0 <= opening < closing


def _measure_word(line: str) -> int:
    """Return the length of the type or token at the start of `line`."""
    for position, character in enumerate(line):
        if character in _DELIMITERS:
            return position
    return len(line)


def _find_replacements(parsed: Parsed, unread: Sequence[Piece]) -> dict[int, str]:
    """Return lines in the place of those that are unread, by their numbers: indented, or quoted among the trailers.

    They are read, and everything else in the message stays what it is to git and to us.
    """
    lines = parsed.lines
    numbers = {piece.number for piece in unread if piece.number > 0}
    # An indented line continues a trailer above it, and it can make a paragraph of them.
    for quoted_from in (len(lines), parsed.trailers_at, 0):
        fixed = list(lines)
        for number in numbers:
            mark = _INDENT if number < quoted_from else _QUOTE
            fixed[number] = mark + lines[number]
        if not _has_same_parts(lines, fixed):
            continue
        left = {piece.number for piece in find_unread(fixed)}
        return {number: fixed[number] for number in numbers - left}
    return {}


def _has_same_parts(lines: Sequence[str], fixed: Sequence[str]) -> bool:
    """Whether both are parsed as the same sections and trailers, and have as many faults."""
    before, after = parse("\n".join(lines)), parse("\n".join(fixed))
    if len(before.violations) != len(after.violations):
        return False
    for part in ("constraints", "tasks", "trailers"):
        if getattr(before.message, part) != getattr(after.message, part):
            return False
    return True


def _describe(piece: Piece, replacement: str | None) -> Violation:
    what, expected = "line", "other words before it"
    if piece.is_header:
        what, expected = "header", "'type(scope)!: summary', without parentheses in the scope"
    elif replacement is not None:
        mark = "two spaces" if replacement.startswith(_INDENT) else f"'{_QUOTE}'"
        expected = f"{mark} or other words before it"
    violation = Violation(
        "release-parse",
        piece.number,
        piece.column,
        f"release-please cannot read this {what}, and leaves its commit out of the release",
        expected=expected,
    )
    if replacement is not None:
        violation.replacement = [replacement]
        # What looks like a header may have been meant as one, and a quotation is not what was written.
        violation.sure = not piece.is_header and replacement.startswith(_INDENT)
    return violation
