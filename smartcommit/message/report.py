"""Formats violations as text, or as objects for JSON."""

from __future__ import annotations

from smartcommit.message.characters import printable
from smartcommit.message.rules import CODES, ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartcommit.message.rules import Rules, Violation

# Limits that keep a report readable: characters per line, and bytes in all.
_WIDTH = 100
_LIMIT = 4000
ANCHOR = "docs/rules.md#"


class Style:
    """Colors parts of a report, or leaves them plain."""

    __slots__ = ("colour",)

    def __init__(self, *, colour: bool = False) -> None:
        self.colour = colour

    def __call__(self, code: str, text: str) -> str:
        if not self.colour:
            return text
        return f"\x1b[{code}m{text}\x1b[0m"


class PlacedViolation:
    """A violation with its level, and its line and column in the file, counted from 1."""

    __slots__ = ("column", "level", "line", "violation")

    def __init__(self, violation: Violation, level: str, line: int, column: int) -> None:
        self.violation = violation
        self.level = level
        self.line = line
        self.column = column


def place(violations: Sequence[Violation], rules: Rules, numbers: Sequence[int]) -> list[PlacedViolation]:
    """Give each violation its level and place; `numbers` holds the number of the file's line for each recorded line."""
    placed = []
    for violation in violations:
        line = violation.line + 1
        if violation.line < len(numbers):
            line = numbers[violation.line]
        placed.append(PlacedViolation(violation, rules.level(violation.code), line, violation.column + 1))
    return placed


def format_text(name: str, lines: Sequence[str], placed: Sequence[PlacedViolation], style: Style | None = None) -> str:
    """Return the report: `FILE:LINE:COLUMN: CODE text`, the line, the word underlined, what was expected, a correction.

    `lines` are the recorded lines. The report has at most 4 KB, ends with a line feed and has no unsafe characters.
    """
    style = style or Style()
    blocks: list[str] = []
    size = 0
    shown: set[tuple[str, ...]] = set()
    for position, one in enumerate(placed):
        block = _format_one(name, lines, one, style=style, shown=shown)
        size += len(block.encode())
        if size > _LIMIT - 100:
            blocks.append(f"... and {len(placed) - position} more\n")
            break
        blocks.append(block)
    return "".join(blocks)


def to_objects(placed: Sequence[PlacedViolation]) -> list[dict[str, object]]:
    """Return the violations as JSON objects; `fix` holds the corrected lines, or None if that is only a guess."""
    return list(map(_to_object, placed))


def _to_object(one: PlacedViolation) -> dict[str, object]:
    violation = one.violation
    return {
        "code": violation.code,
        "level": one.level,
        "line": one.line,
        "column": one.column,
        "text": violation.text,
        "expected": violation.expected,
        "reason": CODES[violation.code][1],
        "anchor": ANCHOR + violation.code,
        "fix": violation.replacement if violation.sure else None,
        "suggestion": violation.replacement,
        "advice": violation.advice,
    }


def _format_one(
    name: str, lines: Sequence[str], one: PlacedViolation, *, style: Style, shown: set[tuple[str, ...]]
) -> str:
    violation = one.violation
    color, level = ("31", "") if one.level == ERROR else ("33", "warning: ")
    place = f"{printable(name)}:{one.line}:{one.column}:"
    text = [f"{style('1', place)} {style(color, violation.code)} {level}{printable(violation.text)}"]
    excerpt, caret, width = _excerpt(lines[violation.line], violation.column)
    text.append(f"  {excerpt}")
    text.append(f"  {' ' * caret}{style(color, '^' * width)}")
    if violation.expected:
        text.append(f"  expected {printable(_cut(violation.expected, 300))}")
    if violation.replacement == []:
        text.append("  corrected: without this line")
    fix = tuple(violation.replacement or ())
    if fix and fix not in shown:
        shown.add(fix)
        label = "corrected:" if violation.sure else "did you mean:"
        inserted = "" if fix[0] else "insert a blank line above: "
        fixed = _cut(printable(next(filter(None, fix), "")), 160)
        text.append(f"  {label} {inserted}{style('32', fixed)}")
    if violation.advice:
        text.append(f"  to allow it, run: {style('32', violation.advice)}")
    return "\n".join(text) + "\n"


def _excerpt(line: str, column: int) -> tuple[str, int, int]:
    """Return the part of `line` around `column`, safe to print, and where to underline it: from which column, how far.

    The word at `column` is underlined, or the one character there.
    """
    start = 0
    if column >= _WIDTH:
        start = column - _WIDTH // 2
    end = start + _WIDTH
    first, last = column, column
    while first > start and _is_in_word(line[column : column + 1]) and _is_in_word(line[first - 1]):
        first -= 1
    while last < min(end, len(line)) and _is_in_word(line[last]):
        last += 1
    before, word, after = printable(line[start:first]), printable(line[first:last]), printable(line[last:end])
    left = "..." if start else ""
    right = "..." if len(line) > end else ""
    shown = f"{left}{before}{word}{after}{right}".rstrip()
    return shown, len(left) + _count_columns(before), max(1, _count_columns(word))


def _is_in_word(character: str) -> bool:
    return character.isalnum() or character in ("-", "_")


def _count_columns(text: str) -> int:
    """Return how many terminal columns `text` takes."""
    if text.isascii():
        return len(text)
    import unicodedata  # an extension module, never needed for ASCII

    columns = 0
    for character in text:
        if not unicodedata.combining(character):
            columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 3] + "..."
