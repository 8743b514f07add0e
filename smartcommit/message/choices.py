"""Reads and writes messages that begin with an open header, `type(scope): `, with choices in comments below it.

Each choice is a complete header. The user takes one by removing the comment string before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.message.header import parse_header
from smartcommit.message.trailers import find_trailers

_INVITATION = "smartcommit: write the summary, or delete the"


def write_choices(headers: Sequence[str], comment: str, source: str = "") -> list[str]:
    """Return the comments that offer `headers`, without the comment string; the first one says what to do.

    `source` says where the first header is from, if it is not from the change.
    """
    which, origin = "this", f" (from {source})"
    if len(headers) > 1:
        which, origin = "one of these", f" (the first is from {source})"
    if source:
        which += origin
    return [f"{_INVITATION} '{comment} ' before {which}:", *headers]


def is_open_header(line: str) -> bool:
    """Whether `line` is a header that is complete except for the summary."""
    start = line.rstrip()
    return start.endswith(":") and parse_header(f"{start} x") is not None


def is_left_open(text: str) -> bool:
    """Whether the cleaned message `text` has only an open header and, if any, trailers."""
    lines = text.split("\n")
    begin, end = find_trailers(lines)
    rest = lines[1:begin] + lines[end:]
    return is_open_header(lines[0]) and not any(rest)


def take_choice(data: bytes, comment: bytes) -> tuple[bytes, str] | None:
    """Return the message file `data` with the chosen header in place of the open one, and the open one.

    A header is chosen if it is the only one below `write_choices`' first line that is no longer a comment. Return None
    if there is no such header, or if the open header was changed: then it is not clear what the user wants.
    """
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    mark = comment.decode("utf-8", "surrogateescape")
    opened = lines[0].rstrip()
    if not mark or not is_open_header(opened):
        return None
    place = 1
    while place < len(lines) and not lines[place].startswith(f"{mark} {_INVITATION}"):
        place += 1
    chosen = []
    is_ours = False
    for number in range(place + 1, len(lines)):
        header = lines[number].removeprefix(mark).strip()
        if parse_header(header) is None:
            break
        is_ours = is_ours or header.startswith(f"{opened} ")
        if not lines[number].startswith(mark):
            chosen.append(number)
    if len(chosen) != 1 or not is_ours:
        return None
    lines[0] = lines.pop(chosen[0]).strip()
    return "\n".join(lines).encode("utf-8", "surrogateescape"), opened
