"""A message in what a model says instead of calling the tool: fenced, quoted, as JSON, behind a preamble, in a list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from smartcommit.draft.wrap import one_line, plain
from smartcommit.llm.json_repair import objects_in
from smartcommit.message.header import Header
from smartcommit.message.parse import Message, parse

_LENGTH = 8000
_LEAD = re.compile(r"(?i)^(?:\d{1,2}[.)]\s*|[-*>#\s]{0,8})(?:(?:commit(?: message)?|subject|title|header)\s*:\s*)?")
# Where a model stops writing the message and begins to speak about it.
_CHAT = re.compile(
    r"(?i)^(?:this (?:commit|message|change) |let me know|i (?:hope|have|chose|used)|explanation|note that"
    r"|feel free|```|here(?:'s| is| are)|alternatively|or:?$|option \d|you can |if you )"
)
_KEYS = ("message", "commit_message", "commitMessage", "commit", "text", "answer")
_FIELDS = ("type", "summary")


def salvage(text: str, types: Sequence[str] | None) -> Message | None:
    """The message in `text`, None where no line of it is a header with one of `types` (None: with any)."""
    text = plain(text[:_LENGTH])
    for found in objects_in(text):
        message = _from_object(found, types)
        if message is not None:
            return message
    lines = text.split("\n")
    for number, line in enumerate(lines):
        header = _header(line, types)
        if header is not None:
            return Message(header, description=_description(lines[number + 1 :], types))
    return None


def _from_object(found: Mapping[str, object], types: Sequence[str] | None) -> Message | None:
    if all(isinstance(found.get(name), str) for name in _FIELDS):
        scope = found.get("scope")
        header = Header(
            str(found["type"]).strip().lower(), one_line(str(found["summary"])),
            scope=str(scope).strip().lower() or None if isinstance(scope, str) else None,
        )  # fmt: skip
        return Message(header, description=str(found.get("description") or found.get("body") or ""))
    for name in _KEYS:
        value = found.get(name)
        if isinstance(value, Mapping):
            return _from_object(value, types)
        if isinstance(value, str):
            return salvage(value, types)
    subject = found.get("subject") or found.get("title") or found.get("header")
    named = _header(str(subject), types) if subject else None
    return Message(named, description=str(found.get("body") or found.get("description") or "")) if named else None


def _header(line: str, types: Sequence[str] | None) -> Header | None:
    bare = one_line(_LEAD.sub("", line.strip().strip("`"), count=1))
    header = parse(bare[:400]).message.header
    if header is None or (types is not None and header.type not in types):
        return None
    header.summary = header.summary.rstrip(" .`\"'*")
    return header if header.summary else None


def _description(lines: Sequence[str], types: Sequence[str] | None) -> str:
    kept: list[str] = []
    for line in lines:
        if _CHAT.match(line.strip()) or _header(line, types) is not None:
            break
        kept.append(line)
    return "\n".join(kept).strip()
