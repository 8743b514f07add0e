"""Formats violations as text, or as objects for JSON."""

from __future__ import annotations

import os

from smartcommit.message.characters import printable
from smartcommit.message.rules import CODES, ERROR
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from smartcommit.message.rules import Violation

# Limits that keep a report readable: characters per line, and bytes in all.
_LINE_CHARACTERS = 100
_REPORT_BYTES = 4000
ANCHOR = "docs/reference.md#"


class Style(Record):
    """Colors parts of a report, or leaves them plain."""

    colour: bool = False

    def __call__(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text


PLAIN = Style()


def find_style(stream: TextIO) -> Style:
    """Return the style for a terminal whose user wants colors, or the plain one."""
    return Style(colour=stream.isatty() and not os.environ.get("NO_COLOR"))


def format_text(
    name: str,
    lines: Sequence[str],
    violations: Sequence[Violation],
    style: Style = PLAIN,
    *,
    line_limit: int | None = None,
) -> str:
    """Return the report: `FILE:LINE:COLUMN: CODE text`, the line, the word underlined, what was expected, a correction.

    `lines` are the recorded lines. The report has at most 4 KB and `line_limit` lines, ends with a line feed and has no
    unsafe characters.
    """
    blocks: list[str] = []
    size = height = 0
    shown: set[tuple[str, ...]] = set()
    for position, violation in enumerate(violations):
        block = _format_one(name, lines, violation, style=style, shown=shown)
        size += len(block.encode())
        height += block.count("\n")
        if size > _REPORT_BYTES - 100 or (line_limit is not None and height >= line_limit and blocks):
            blocks.append(f"... and {len(violations) - position} more\n")
            break
        blocks.append(block)
    return "".join(blocks)


def to_object(violation: Violation) -> dict[str, object]:
    """Return a violation as a JSON object; `fix` holds the corrected lines, or None if they are only a guess."""
    return {
        "code": violation.code,
        "level": violation.level,
        "line": violation.number,
        "column": violation.column + 1,
        "text": violation.text,
        "expected": violation.expected,
        "reason": CODES[violation.code],
        "anchor": ANCHOR + violation.code,
        "fix": violation.replacement if violation.sure else None,
        "suggestion": violation.replacement,
        "advice": violation.advice,
    }


def _format_one(
    name: str, lines: Sequence[str], violation: Violation, *, style: Style, shown: set[tuple[str, ...]]
) -> str:
    color, level = ("31", "") if violation.level == ERROR else ("33", "warning: ")
    place = f"{printable(name)}:{violation.number}:{violation.column + 1}:"
    text = [f"{style('1', place)} {style(color, violation.code)} {level}{printable(violation.text)}"]
    excerpt, caret, width = _cut_excerpt(lines[violation.line], violation.column)
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
        fixed = _cut(printable(next((item for item in fix if item), "")), 160)
        text.append(f"  {label} {inserted}{style('32', fixed)}")
    if violation.advice:
        text.append(f"  to allow it, run: {style('32', violation.advice)}")
    return "\n".join(text) + "\n"


def _cut_excerpt(line: str, column: int) -> tuple[str, int, int]:
    """Return the part of `line` around `column`, safe to print, and how to underline its word: from where, how far."""
    start = 0 if column < _LINE_CHARACTERS else column - _LINE_CHARACTERS // 2
    end = start + _LINE_CHARACTERS
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
    if text.isascii():
        return len(text)
    import unicodedata  # an extension module, never needed for ASCII

    columns = 0
    for character in text:
        if not unicodedata.combining(character):
            columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
