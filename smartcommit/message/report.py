"""Telling a person, or a program, what is wrong with a message."""

from __future__ import annotations

from smartcommit.message.characters import printable
from smartcommit.message.rules import CODES, ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartcommit.message.rules import Rules, Violation

# A report stays readable, however long the message: so many characters of a line, so many bytes in all.
_WIDTH = 100
_LIMIT = 4000
ANCHOR = "docs/rules.md#"


class Style:
    """How parts of a report are marked; without colour all are plain."""

    __slots__ = ("colour",)

    def __init__(self, *, colour: bool = False) -> None:
        self.colour = colour

    def __call__(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text


class Placed:
    """A violation with its level, and its line and column as a person counts them in the file: from 1."""

    __slots__ = ("column", "level", "line", "violation")

    def __init__(self, violation: Violation, level: str, line: int, column: int) -> None:
        self.violation = violation
        self.level = level
        self.line = line
        self.column = column


def place(violations: Sequence[Violation], rules: Rules, numbers: Sequence[int]) -> list[Placed]:
    """Give each violation its level and its place; `numbers` holds the file's line of each recorded line."""
    placed = []
    for violation in violations:
        line = numbers[violation.line] if violation.line < len(numbers) else violation.line + 1
        placed.append(Placed(violation, rules.level(violation.code), line, violation.column + 1))
    return placed


def refused(placed: Sequence[Placed]) -> bool:
    """Whether any of them is an error."""
    return any(one.level == ERROR for one in placed)


def format_text(name: str, lines: Sequence[str], placed: Sequence[Placed], style: Style | None = None) -> str:
    """The report: `FILE:LINE:COLUMN: CODE text`, the line, a caret, what was expected, and the corrected line.

    `lines` are the recorded lines. At most 4 KB, with nothing of the message printed raw; ends with a line feed.
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


def as_objects(placed: Sequence[Placed]) -> list[dict[str, object]]:
    """The violations for a program; `fix` holds the lines that mend it, None where that is not mechanical."""
    return [
        {
            "code": one.violation.code,
            "level": one.level,
            "line": one.line,
            "column": one.column,
            "text": one.violation.text,
            "expected": one.violation.expected,
            "reason": CODES[one.violation.code][1],
            "anchor": ANCHOR + one.violation.code,
            "fix": one.violation.replacement if one.violation.sure else None,
            "suggestion": one.violation.replacement,
        }
        for one in placed
    ]


def _format_one(name: str, lines: Sequence[str], one: Placed, *, style: Style, shown: set[tuple[str, ...]]) -> str:
    violation = one.violation
    mark = "31" if one.level == ERROR else "33"
    warning = "" if one.level == ERROR else "warning: "
    place = f"{printable(name)}:{one.line}:{one.column}:"
    text = [f"{style('1', place)} {style(mark, violation.code)} {warning}{printable(violation.text)}"]
    line = lines[violation.line] if violation.line < len(lines) else ""
    excerpt, caret = _excerpt(line, violation.column)
    text.append(f"  {excerpt}")
    text.append(f"  {' ' * caret}{style(mark, '^')}")
    if violation.expected:
        text.append(f"  expected {printable(_cut(violation.expected, 300))}")
    if violation.replacement is not None and tuple(violation.replacement) not in shown:
        shown.add(tuple(violation.replacement))
        label = "corrected:" if violation.sure else "did you mean:"
        corrected = next((part for part in violation.replacement if part), "")
        inserted = "a blank line above: " if violation.replacement[:1] == [""] else ""
        text.append(f"  {label} {inserted}{style('32', _cut(printable(corrected), 160))}")
    return "\n".join(text) + "\n"


def _excerpt(line: str, column: int) -> tuple[str, int]:
    """The part of `line` around `column`, safe to print, and where the caret stands in it."""
    start = 0 if column < _WIDTH else column - _WIDTH // 2
    before = printable(line[start:column])
    after = printable(line[column : start + _WIDTH])
    left = "..." if start else ""
    right = "..." if len(line) > start + _WIDTH else ""
    return f"{left}{before}{after}{right}".rstrip(), len(left) + _columns(before)


def _columns(text: str) -> int:
    """How many terminal columns `text` takes."""
    if text.isascii():
        return len(text)
    import unicodedata  # an extension module, needed for no line in ASCII

    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
