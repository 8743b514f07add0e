"""Parses the answer of a model, in any of the forms that models use, into a message."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import filterfalse, pairwise

from smartcommit.draft.conform import one_line, strip_markup
from smartcommit.llm.json_repair import objects_in
from smartcommit.message.header import Header, is_name, parse_loose_header
from smartcommit.message.parse import Message
from smartcommit.message.rules import TYPES_OF_KIND

# Characters of a text that are searched for a message, and of the description of a breaking change.
_CHARACTERS_SEARCHED, _BREAKING_LIMIT = 8000, 300
_LEAD = re.compile(r"(?i)^(?:\d{1,2}[.)]\s*|[-*>#\s]{0,8})(?:(?:commit(?: message)?|subject|title|header)\s*:\s*)?")
# An emoji, or its name between colons, which may also lead.
_EMOJI = re.compile(r"^(?::[a-z0-9_+-]{1,40}:|[^\w\s\x00-\x7f]{1,8})\s*")
# Lines with which a model ends the message and begins to talk about it.
_CHAT = re.compile(
    r"(?i)^(?:this (?:commit|message|change) |let me know|i (?:hope|have|chose|used)|explanation|note that"
    r"|feel free|```|here(?:'s| is| are)|alternatively|or:?$|option \d|you can |if you |EOF$|\)\"?$)"
)
_COMMAND = re.compile(r"git\s+commit\b[^\n\"']{0,200}?\s(?=-a?m\b|--message\b)")
_KEYS = ("message", "commit_message", "commitMessage", "commit", "text", "answer")
# Other names of the fields.
_FIELDS = {
    "subject": "summary", "title": "summary", "header": "summary", "body": "description", "details": "description",
    "breaking": "breaking_change", "breakingchange": "breaking_change", "breaking change": "breaking_change",
}  # fmt: skip
# What models write into a field to leave it empty.
_NOTHING = (
    "", "none", "no", "n/a", "na", "null", "nil", "false", "nothing", "empty", "undefined", "-", "...", "[]", "{}",
)  # fmt: skip
# What models call the kinds of changes.
_KINDS = {
    "feature": "feature", "features": "feature", "feat": "feature", "enhancement": "feature", "bugfix": "fix",
    "bug-fix": "fix", "bug": "fix", "hotfix": "fix", "fixes": "fix", "fixed": "fix", "fix": "fix",
    "perf": "performance", "performance": "performance", "optimization": "performance", "refactoring": "refactoring",
    "refactor": "refactoring", "refact": "refactoring", "documentation": "documentation", "doc": "documentation",
    "docs": "documentation", "test": "tests", "tests": "tests", "testing": "tests", "style": "formatting",
    "styles": "formatting", "styling": "formatting", "format": "formatting", "formatting": "formatting",
    "lint": "formatting", "build": "build", "builds": "build", "packaging": "build", "deps": "dependencies",
    "dependency": "dependencies", "dependencies": "dependencies", "ci": "ci", "cicd": "ci", "ci-cd": "ci",
    "config": "configuration", "configuration": "configuration", "chore": "configuration", "chores": "configuration",
    "maintenance": "configuration", "revert": "revert", "reverts": "revert",
}  # fmt: skip
# Summaries of a single word that say nothing, and what stands in the schema for them.
_EMPTY_SUMMARIES = {
    "add", "added", "change", "changed", "changes", "commit", "edit", "fix", "fixed", "improve", "improvements",
    "message", "misc", "modify", "string", "summary", "test", "todo", "update", "updated", "updates", "wip",
    "commit message", "initial commit", "update code", "update file", "update files", "make changes",
    "what the commit does", "what the commit does, in the imperative", "no summary", "no summary available",
}  # fmt: skip
# A summary that begins with one of these addresses the reader; none of 21,000 written by people does.
_TALK = {"here", "i", "please", "sorry", "we", "you", "your"}
# Placeholders for a summary, and names around it, in the schema and the prompt.
_FORM = re.compile(
    r"(?i).*\b(?:submit_message|look_closer)\b|type\(scope\)|[\[<{](?:type|scope|summary|subject|description|message)[\]>}]"
)
ARTICLES = {"a", "an", "the", "this"}
# Minimum letters of a summary, and minimum words of one that is rejected for repeating them.
_LEAST_LETTERS, _WORDS_COMPARED = 2, 4
_LETTER = re.compile(r"[^\W\d_]")


def resolve_type(name: str, types: Sequence[str]) -> str | None:
    """Return the one of `types` that a model means by `name`, or None."""
    plain = _EMOJI.sub("", name.strip()).strip(" `*\"'.:").lower().replace(" ", "-").replace("_", "-")
    if plain in types:
        return plain
    for candidate in TYPES_OF_KIND.get(_KINDS.get(plain, ""), ()):
        if candidate in types:
            return candidate
    return None


def is_degenerate(summary: str) -> bool:
    """Whether a summary says nothing: it has no words, repeats one, talks to somebody, or repeats the form of one."""
    lowered = summary.lower()
    words = list(filterfalse(ARTICLES.__contains__, re.findall(r"\w+", lowered)))
    if (words and words[0] in _TALK) or _FORM.match(summary) or len(_LETTER.findall(summary)) < _LEAST_LETTERS:
        return True
    if " ".join(words) in _EMPTY_SUMMARIES or lowered in _EMPTY_SUMMARIES:
        return True
    return len(words) >= _WORDS_COMPARED and len(set(words)) <= len(words) // 3


def clean_fields(given: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments of a submission with the names and types of its fields, however the model gave them.

    What stands for nothing becomes an empty text, a list its lines. Unknown fields stay as they are.
    """
    fields: dict[str, object] = {}
    for name, value in given.items():
        known = _FIELDS.get(name.strip().lower(), name.strip().lower())
        if known not in fields or name == known:
            fields[known] = value
    for name in ("type", "scope", "summary", "description", "breaking_change"):
        if name in fields:
            fields[name] = _to_text(fields[name], name)
    if isinstance(fields.get("breaking_change"), str):
        fields["breaking_change"] = cut_paragraphs(str(fields["breaking_change"]), _BREAKING_LIMIT)
    return fields


def cut_paragraphs(text: str, limit: int) -> str:
    """Return the first paragraphs of `text` of together at most `limit` characters, or the start of the first one."""
    if len(text) <= limit:
        return text
    start = text[: limit + 1]
    for end in ("\n\n", "\n", ". ", " "):
        kept, found, _ = start.rpartition(end)
        if found:
            return kept + end.rstrip(" ").strip("\n")
    return start[:limit]


def _to_text(value: object, name: str) -> object:
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, list):
        lines = [str(item).strip() for item in value if isinstance(item, str | int)]
        if len(lines) == 1:
            return lines[0]
        if name == "description":
            return "\n".join(map("- {}".format, lines))
        # A change with several scopes has none.
        return ""
    if isinstance(value, str) and name != "summary" and value.strip().lower() in _NOTHING:
        return ""
    return value


def salvage(text: str, types: Sequence[str] | None) -> Message | None:
    """Return the message in `text`, or None if no line of it is a header with one of `types` (None: with any)."""
    text = strip_markup(text[:_CHARACTERS_SEARCHED])
    for found in objects_in(text):
        message = _from_object(found, types)
        if message is not None:
            return message
    text = _message_of_command(text) or text
    lines = text.split("\n")
    for number, line in enumerate(lines):
        header = read_header(line, types)
        if header is not None:
            return Message(header, description=_description(lines[number + 1 :], types))
    return None


def read_submission(text: str, types: Sequence[str]) -> dict[str, object] | None:
    """Return the arguments of `submit_message` for the message in `text`, or None as `salvage` does."""
    message = salvage(text, types)
    if message is None or message.header is None:
        return None
    header = message.header
    return {
        "type": header.type, "scope": header.scope or "", "summary": header.summary, "description": message.description,
    }  # fmt: skip


def read_header(line: str, types: Sequence[str] | None) -> Header | None:
    """Return the header in a line of text, with one of `types` (None: any)."""
    bare = one_line(_LEAD.sub("", one_line(line), count=1))
    found = parse_loose_header(_EMOJI.sub("", bare[:400]))
    if found is None:
        return None
    summary = _strip_end(found.summary)
    kind: str | None
    if types is not None:
        kind = resolve_type(found.type, types)
    elif any(map(str.isdigit, found.type)):
        return None  # a ticket
    else:
        kind = found.type.strip().lower()
    if kind is None or not is_name(kind) or not summary:
        return None
    return Header(kind, summary, scope=(found.scope or "").strip() or None, breaking=found.breaking)


def _strip_end(summary: str) -> str:
    """Return `summary` without full stops at its end, and without marks there that were not opened in it."""
    kept = summary.rstrip(" .")
    for mark in "`\"'*":
        bare = kept.rstrip(mark)
        if mark not in bare:
            kept = bare.rstrip(" .")
    return kept


def _message_of_command(text: str) -> str | None:
    """Return the message of a `git commit` in `text`, its paragraphs each given with `-m`."""
    command = _COMMAND.search(text)
    if command is None:
        return None
    try:
        words = shlex.split(text[command.end() :])
    except ValueError:
        return None
    paragraphs: list[str] = []
    for option, value in pairwise(words):
        if option in ("-m", "-am", "--message"):
            paragraphs.append(value)
    return "\n\n".join(paragraphs)


def _from_object(found: Mapping[str, object], types: Sequence[str] | None) -> Message | None:
    for name in _KEYS:
        value = found.get(name)
        if isinstance(value, Mapping):
            return _from_object(value, types)
        if isinstance(value, str):
            return salvage(value, types)
    fields = clean_fields(found)
    kind, summary, description = fields.get("type"), fields.get("summary"), str(fields.get("description") or "")
    if not isinstance(summary, str):
        return None
    if isinstance(kind, str) and kind:
        scope = str(fields.get("scope") or "").strip().lower()
        return Message(Header(kind.strip().lower(), one_line(summary), scope=scope or None), description=description)
    header = read_header(summary, types)
    if header is None:
        return None
    return Message(header, description=description)


def _description(lines: Sequence[str], types: Sequence[str] | None) -> str:
    kept: list[str] = []
    for line in lines:
        if _CHAT.match(line.strip()) or read_header(line, types) is not None:
            break
        kept.append(line)
    return "\n".join(kept).strip()
