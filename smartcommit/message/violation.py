"""A broken rule, as data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Violation:
    """What is wrong at one place of a message.

    `code` names the rule and never changes its meaning. `line` counts the recorded lines from 0, `column` code points
    from 0 within the line. `text` says what is wrong and `expected` what stands there instead. Where the correction is
    mechanical, `replacement` holds the lines that take the line's place; where it is only likely (a misspelt type),
    `sure` is False, and it is shown but never made.
    """

    __slots__ = ("code", "column", "expected", "line", "replacement", "sure", "text")

    def __init__(
        self,
        code: str,
        line: int,
        column: int,
        text: str,
        *,
        expected: str = "",
        replacement: Sequence[str] | None = None,
        sure: bool = True,
    ) -> None:
        self.code = code
        self.line = line
        self.column = column
        self.text = text
        self.expected = expected
        self.replacement = None if replacement is None else list(replacement)
        self.sure = sure

    def __repr__(self) -> str:
        return f"Violation({self.code!r}, {self.line}, {self.column}, {self.text!r})"
