"""Trailers as git reads the last paragraph, without starting git.

Source: `git interpret-trailers --parse`, trailer.c (2.39 to 2.51) with git's default separator and no configured
trailers. Beside git's own, `BREAKING CHANGE: text` counts as a trailer: Conventional Commits 1.0.0, rules 8 to 16.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BLANKS = " \t\n\r"
_GENERATED = ("Signed-off-by: ", "(cherry picked from commit ")
_BREAKING = "BREAKING CHANGE"
_KEY = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"
_CUT = " ------------------------ >8 ------------------------"


class Trailer:
    """One `Key: value`; a value folded over several lines is joined by single spaces."""

    __slots__ = ("key", "value")

    def __init__(self, key: str, value: str) -> None:
        self.key = key
        self.value = value

    def __str__(self) -> str:
        return f"{self.key}: {self.value}"

    def __repr__(self) -> str:
        return f"Trailer({self.key!r}, {self.value!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trailer) and (self.key, self.value) == (other.key, other.value)

    def __hash__(self) -> int:
        return hash((self.key, self.value))


def find_trailers(lines: Sequence[str], comment: str = "#") -> tuple[int, int]:
    """Where the trailer block begins and ends among the lines of a message; both are their number where there is none.

    `lines` is the text split at its line feeds, so a last empty line stands for a final line feed. Linear time.
    """
    end = _end_of_message(lines, comment)
    title = 0
    while title < end and (_is_comment(lines[title], comment) or not is_blank(lines[title])):
        title += 1
    recognised, trailers, others, continuations = False, 0, 0, 0
    seen_text = False
    for number in range(end - 1, title - 1, -1):
        line = lines[number]
        if _is_comment(line, comment):
            others, continuations = others + continuations, 0
        elif is_blank(line):
            if not seen_text:
                continue
            others += continuations
            found = (recognised and trailers * 3 >= others) or (trailers > 0 and others == 0)
            return (number + 1, end) if found else (len(lines), len(lines))
        else:
            seen_text = True
            if line.startswith(_GENERATED):
                recognised, trailers, continuations = True, trailers + 1, 0
            elif line[0] in _BLANKS:
                continuations += 1
            elif separator(line) > 0:
                trailers, continuations = trailers + 1, 0
            else:
                others, continuations = others + continuations + 1, 0
    return len(lines), len(lines)


def parse_trailers(lines: Sequence[str], comment: str = "#") -> list[Trailer]:
    """The trailers in the lines of a trailer block."""
    folded: list[str] = []
    open_ended = False
    for line in lines:
        if open_ended and line[:1] in tuple(_BLANKS):
            folded[-1] += " " + line.strip(_BLANKS)
        else:
            folded.append(line)
            open_ended = separator(line) > 0
    trailers = []
    for line in folded:
        position = separator(line)
        if position > 0 and not _is_comment(line, comment):
            trailers.append(Trailer(line[:position].strip(_BLANKS), line[position + 1 :].strip(_BLANKS)))
    return trailers


def separator(line: str) -> int:
    """The offset of the colon behind a trailer's key, or -1 where the line is no trailer.

    A key is letters, digits and dashes, with blanks only between it and the colon.
    """
    colon = line.find(":")
    if colon < 0:
        return -1
    key = line[:colon]
    if key == _BREAKING:
        return colon
    name = key.rstrip(" \t")
    return -1 if name.strip(_KEY) or (key and not name) else colon


def _end_of_message(lines: Sequence[str], comment: str) -> int:
    """Where git stops reading: at a patch divider, and above trailing blanks, comments and old conflict lists."""
    end = len(lines) - 1 if lines and lines[-1] == "" else len(lines)
    for number, line in enumerate(lines):
        # git's isspace also takes the line feed, which ends every line but the last.
        if line.startswith("---") and (line[3:4] in tuple(_BLANKS) or (len(line) == 3 and number + 1 < len(lines))):
            end = number
            break
    if comment and comment + _CUT in lines[:end] and lines.index(comment + _CUT) + 1 < len(lines):
        end = lines.index(comment + _CUT)
    first_ignored, conflicts = end, False
    for number in range(end):
        line = lines[number]
        if _is_comment(line, comment) or line == "":
            first_ignored = min(first_ignored, number)
        elif line == "Conflicts:" and number + 1 < len(lines):
            first_ignored, conflicts = min(first_ignored, number), True
        elif not (conflicts and line.startswith("\t")) and first_ignored < end:
            first_ignored, conflicts = end, False
    return first_ignored


def _is_comment(line: str, comment: str) -> bool:
    return comment != "" and line.startswith(comment)


def is_blank(line: str) -> bool:
    """Whether git takes `line` for a blank one; it need not be empty where the message is recorded verbatim."""
    return not line.strip(_BLANKS)
