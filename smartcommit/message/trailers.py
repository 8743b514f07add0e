"""Parses trailers the way git does in a commit, without running git.

Source: `%(trailers)` of `git log`, trailer.c (2.39 to 2.51) with git's default separator and no configured trailers.
A line `---` ends nothing there, nor for `git commit --signoff`, but for `git interpret-trailers`, which reads patches.
In addition, `BREAKING CHANGE: text` counts as a trailer: Conventional Commits 1.0.0, rules 8 to 16.
"""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.record import Record

_BLANKS = " \t\n\r"
PICKED = "(cherry picked from commit "
_GENERATED = ("Signed-off-by: ", PICKED)
_BREAKING = "BREAKING CHANGE"
_KEY = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"
_CUT = " ------------------------ >8 ------------------------"


class Trailer(Record):
    """One `Key: value`; a folded value is joined with single spaces."""

    key: str
    value: str

    def __str__(self) -> str:
        return f"{self.key}: {self.value}"


def find_trailers(lines: Sequence[str], comment: str = "#", *, breaking: bool = True) -> tuple[int, int]:
    """Return where the trailer block of a message begins and ends; both are the number of lines if there is none.

    `lines` is the text split at line feeds, so an empty last line means a final line feed. Unless `breaking`, a line
    `BREAKING CHANGE: text` is as for git, no trailer. Takes linear time.
    """
    end = _find_end(lines, comment)
    title = 0
    while title < end and (_is_comment(lines[title], comment) or not is_blank(lines[title])):
        title += 1
    generated = False
    trailers = 0
    others = 0
    continuations = 0
    seen_text = False
    for number in range(end - 1, title - 1, -1):
        line = lines[number]
        if _is_comment(line, comment):
            others, continuations = others + continuations, 0
        elif is_blank(line):
            if not seen_text:
                continue
            others += continuations
            if (generated and trailers * 3 >= others) or (trailers > 0 and others == 0):
                return number + 1, end
            break
        else:
            seen_text = True
            if line.startswith(_GENERATED):
                generated, trailers, continuations = True, trailers + 1, 0
            elif line[0] in _BLANKS:
                continuations += 1
            elif find_separator(line) > 0 and (breaking or not line.startswith(_BREAKING)):
                trailers, continuations = trailers + 1, 0
            else:
                others, continuations = others + continuations + 1, 0
    return len(lines), len(lines)


def parse_trailers(lines: Sequence[str], comment: str = "#") -> list[Trailer]:
    folded: list[str] = []
    can_continue = False
    for line in lines:
        if can_continue and line.startswith(tuple(_BLANKS)):
            folded[-1] += " " + line.strip(_BLANKS)
        else:
            folded.append(line)
            can_continue = find_separator(line) > 0
    trailers = []
    for line in folded:
        position = find_separator(line)
        if position > 0 and not _is_comment(line, comment):
            trailers.append(Trailer(line[:position].strip(_BLANKS), line[position + 1 :].strip(_BLANKS)))
    return trailers


def find_separator(line: str) -> int:
    """Return the offset of the colon after a trailer's key, or -1 if the line is not a trailer.

    A key consists of letters, digits and dashes; whitespace is allowed only between it and the colon.
    """
    colon = line.find(":")
    if colon < 0:
        return -1
    key = line[:colon]
    name = key.rstrip(" \t")
    if key != _BREAKING and (name.strip(_KEY) or (key and not name)):
        return -1
    return colon


def _find_end(lines: Sequence[str], comment: str) -> int:
    """Return where git stops reading: at a scissors line, and before trailing blanks, comments and conflict lists."""
    end = len(lines)
    if lines and lines[-1] == "":
        end -= 1
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
    """Whether `line` is blank to git; in a message recorded verbatim it may contain whitespace."""
    return not line.strip(_BLANKS)
