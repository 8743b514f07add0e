"""Reads lines of a model's answer: the header or summary without labels and markup, and the body without chatter."""

from __future__ import annotations

import re
from collections.abc import Sequence

from smartcommit.draft.conform import one_line
from smartcommit.message.header import Header
from smartcommit.message.rules import DEFAULT_TYPES, TYPES_OF_KIND
from smartcommit.message.verbs import find_base
from smartcommit.patterns import compile_on_use

# Characters of a line that are read.
_CHARACTERS = 600
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
    "maintenance": "configuration", "revert": "revert", "reverts": "revert", "security": "fix",
}  # fmt: skip
# An emoji, or its name between colons; and one at the end of a line.
_PICTURE = r"[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]{1,8}"
_EMOJI = compile_on_use(rf"(?::[a-z0-9_+-]{{1,40}}:|{_PICTURE})\s*")
_END_EMOJI = compile_on_use(rf"\s{_PICTURE}$")
_EMOJI_CHARACTERS = 9
# What may come before a message in its line: a quote, a bullet, a number, a heading, a prompt, a label.
_LABELS = (
    r"(?:git )?commit[ _-]?(?:message|msg|title|subject|header)|commit|message|subject(?: line)?|title|header|summary"
    r"|answer|output|response|result|assistant|model|suggestion|(?:option|candidate|version) \w{1,2}"
)
_LEAD = compile_on_use(
    r"[-*>#\u2022$|]{1,6}\s+|\*\*(?=[^*]{1,60}:\s)|\d{1,2}[.)]\s+|//\s+|\[(?:PATCH|RFC)[^\]]{0,30}\]\s*"
    r"|(?i:(?:(?:the|my|a|your|suggested|proposed|final|conventional|git|improved|best|grounded|here(?:'s| is))\s+)"
    rf"{{0,4}}(?:{_LABELS})(?:\s+(?:is|would be|could be))?\*{{0,2}}\s?[:\uff1a]\*{{0,2}}\s*)"
)
# `type(scope)!: summary`, with everything that models write in place of the punctuation.
_COLON = (
    r"(?:\s{0,3}[:\uff1a\ufe55\u2236](?!:)|\s{1,3}(?:[-\u2013\u2014\u2015]{1,2}>?|=>|[~\u2192])\s"
    r"|\s?[\u2013\u2014\u2015]|(?<=[\])])\s)(?:\s|:(?![a-z0-9_+-]{1,40}:))*"
)
_HEADER = compile_on_use(
    r"[\[(<{*_`]{0,3}(?P<type>[A-Za-z][A-Za-z _-]{0,24}?)[\])>}*_`]{0,3}\s{0,3}"
    r"(?:[(\[\uff08]\s{0,3}(?P<scope>[^()\[\]:\uff08\uff09]{0,60}?)\s{0,3}[)\]\uff09]|/(?P<part>[\w.-]{1,40}))?"
    rf"[*_`]{{0,3}}\s{{0,3}}(?P<breaking>!?)[*_`]{{0,3}}{_COLON}\s*(?P<summary>\S.*)"
)
_QUOTED = compile_on_use(
    r"`([^`\n]{5,200})`|\"([^\"\n]{5,200})\"|\u201c([^\u201d\n]{5,200})\u201d|\*\*([^*\n]{5,200})\*\*"
)
_BOLD = compile_on_use(r"\*\*([^*]{1,400})\*\*")
# A character that is escaped for Markdown.
_ESCAPED = compile_on_use(r"\\([_*#\[\]~])")
_END_TAG = compile_on_use(r"(?:\s*(?:</[A-Za-z][\w-]{0,30}>|<br\s?/?>))+\s*$")
# Lines before the message that do not belong to it.
_INTRODUCTION = compile_on_use(
    r"(?i)[*_#>\s-]{0,6}(?:sure|certainly|of course|ok(?:ay)?|absolutely|great|here|based on|i\b|i'|let's|let me|the "
    r"|this |these |we |you|sorry|please|as an |looking at|after |given )|.*:[*_]{0,2}$|(?:from|date|author)[: ]"
    r"|commit [0-9a-f]{7,40}"
)
_ITEM = compile_on_use(r"\s{0,8}(?:[-*\u2022]|\d{1,2}[.)])\s")
# Verbs that do not occur in a sentence in the imperative, except as its first word.
_FINITE = {"am", "are", "be", "has", "have", "is", "was", "were", "will", "would", "can", "should"}
_LEAST_WORDS, _MOST_CHARACTERS = 3, 120
# Lines with which a model starts to talk about the message, after its end.
_CHAT = compile_on_use(
    r"(?i)[*_#>\s-]{0,6}(?:this (?:commit )?(?:message|header|subject|title) |this commit (?:follows|uses|message) "
    r"|the commit (?:message|header|subject|title|type|scope) |the (?:message|header|summary|type|scope) (?:follows|`)"
    r"|(?:explanation|rationale|reasoning|justification|breakdown|notes?|alternatives?)\b[^\n.]{0,30}:|alternatively\b"
    r"|or\b[^\n.]{0,30}:$|or$|option \w\b|why this |note that|let me know|i (?:hope|have|chose|used|can|would)|i've "
    r"|feel free|here(?:'s| is| are)|you can (?:adjust|modify|copy|edit|use this|replace)|would you |do you |want me "
    r"|if you(?:'d| would| need| want| have)|please (?:let|note|feel|review|adjust|replace|tell|provide)|hope this"
    r"|is there |\(?(?:no|end) (?:further|of)|diff --git |```|~~~|---$|\)\"?$"
    r"|(?:instruction|exercise|question|solution|response|answer|user|human|assistant)(?: \d{1,2})?\b[^\n:]{0,40}:)"
)
_END_MARK = compile_on_use(r"[A-Z_]{2,12}$|\)\"?$|['\"`]{1,3}$|</?[\w-]{1,30}>$")
# A line of a body that only says that something is missing or empty.
_EMPTY_FIELD = (
    r"(?:breaking[ _-]?changes?|footers?|issues?|closes|refs?|references?|related issues?|scope|type|notes?|body"
    r"|description|details|trailers?|sign-?off|co-authors?)"
)
_EMPTY_LINE = compile_on_use(
    rf"(?i)(?:[*_]{{0,2}}{_EMPTY_FIELD}[*_]{{0,2}}\s?[:=-]\s?)?[(\[<*_]{{0,2}}"
    r"(?:none|n/?a|nil|null|no|nothing|not applicable|empty|tbd|todo|self-explanatory|see (?:above|diff|summary|title)"
    r"|no (?:additional |further |extended |breaking |long )?(?:body|descriptions?|details|changes?|footers?|issues?)"
    r"(?: (?:is |was |are )?(?:provided|needed|required|available|necessary|given))?)[.!]?[)\]>*_]{0,2}[.!]?"
)
# Labels before a body.
_BODY_LABEL = compile_on_use(
    r"(?i)[*_#\s]{0,5}(?:commit )?(?:body|description|details|extended description|long description|message body)"
    r"[*_]{0,2}\s?:[*_]{0,2}\s*"
)
# How the descriptions of fields in our schema and prompt begin, normalized.
_OWN_WORDS = (
    "why or what is not obvious", "what users must do", "what the commit does", "one lower case noun", "may be empty",
    "the commit s type", "leave it empty",
)  # fmt: skip


def resolve_type(name: str, types: Sequence[str]) -> str | None:
    """Return the one of `types` that a model means by `name`, or None."""
    plain = _EMOJI.sub("", name.strip()).strip(" `*\"'.:").lower().replace(" ", "-").replace("_", "-")
    if plain in types:
        return plain
    for candidate in TYPES_OF_KIND.get(_KINDS.get(plain, ""), ()):
        if candidate in types:
            return candidate
    return None


def _is_type(name: str, types: Sequence[str]) -> bool:
    """Whether `name` means one of `types` or one of the usual types."""
    return resolve_type(name, types) is not None or resolve_type(name, DEFAULT_TYPES) is not None


class Line:
    """A line of an answer: `bare` is its text without markup, which may be a summary, `header` the header in it."""

    def __init__(self, line: str, types: Sequence[str]) -> None:
        self.bare = _bare(line[:_CHARACTERS])
        emoji = _EMOJI.match(self.bare)
        if emoji is not None:
            self.bare = _bare(self.bare[emoji.end() :])
        self.header = _read_header(self.bare, types)


def _read_header(text: str, types: Sequence[str]) -> Header | None:
    found = _HEADER.fullmatch(text)
    if found is None or not _is_type(found["type"], types):
        return None
    summary = found["summary"]
    emoji = _EMOJI.match(summary)
    if emoji is not None:
        summary = summary[emoji.end() :]
    summary = _trim(summary)
    if not summary:
        return None
    kind = found["type"].strip().lower()
    kind = resolve_type(kind, types) or resolve_type(kind, DEFAULT_TYPES) or kind
    scope = found["scope"] or found["part"]
    return Header(kind, summary, scope=(scope or "").strip() or None, breaking=bool(found["breaking"]))


def find_quoted(line: str, types: Sequence[str]) -> Header | None:
    """Return the header that is quoted at the start of a line, or anywhere in an introduction; else None."""
    start = _ITEM.sub("", line, count=1).lstrip(" >")
    if not start.startswith(("`", '"', "\u201c", "**")) and not is_introduction(line):
        return None
    for quoted in _QUOTED.findall(line[:_CHARACTERS]):
        header = Line(max(quoted, key=len), types).header
        if header is not None:
            return header
    return None


def is_item(line: str) -> bool:
    """Whether a line is an item of a list."""
    return _ITEM.match(line) is not None


def is_introduction(line: str) -> bool:
    """Whether a line introduces the message instead of being part of it."""
    return _INTRODUCTION.match(line) is not None


def _is_label(line: str) -> bool:
    """Whether a line has a label and nothing else."""
    return line.rstrip(" *").endswith(":") and not _bare(line)


def _drop_end_tags(line: str) -> str:
    """Return a line without the tags at its end."""
    return _END_TAG.sub("", line)


def can_be_summary(text: str, following: Sequence[str]) -> bool:
    """Whether a line without a type is a sentence in the imperative, as the first line of a message is.

    `following` has the next line, if there is one.
    """
    words = text.split()
    if len(words) < _LEAST_WORDS or len(text) > _MOST_CHARACTERS or not words[0].isalpha():
        return False
    if find_base(words[0].lower()) is not None:
        return True
    alone = not "".join(following).strip()
    return alone and ":" not in text and words[0].isascii() and not _FINITE & set(map(str.lower, words))


def _bare(line: str) -> str:
    """Return a line without labels, bullets, quotes, emphasis, tags and a full stop."""
    text = one_line(_drop_end_tags(one_line(line)).rstrip(" .\u3002"))
    before = ""
    while text != before:
        before = text
        lead = _LEAD.match(text)
        if lead is not None:
            text = text[lead.end() :]
        text = one_line(text)
        for mark in "_*~":
            if len(text) > 2 and text[0] == text[-1] == mark:
                text = text[1:-1].strip()
    return _trim(text.removeprefix("["))


def _trim(text: str) -> str:
    """Return `text` without emphasis, unpaired quotes and an emoji at its end."""
    text = _ESCAPED.sub(r"\1", _BOLD.sub(r"\1", one_line(text)))
    for mark in "`\"'*\u201d":
        if text.count(mark) % 2:
            text = text.lstrip(mark).rstrip(mark).rstrip(" .")
    emoji = _END_EMOJI.search(text[-_EMOJI_CHARACTERS:])
    if emoji is not None:
        text = text[: -len(emoji[0])]
    return text.strip()


def read_body(lines: Sequence[str], types: Sequence[str], *, offers: bool) -> str:
    """Return the body at the start of `lines`, which ends where the model talks about something else.

    It also ends at another header, which begins another message. Among the items of a list, a header belongs to the
    body, unless the model `offers` several messages as a list.
    """
    kept: list[str] = []
    for line in lines:
        if is_talk(line) or _is_label(line):
            break
        if (offers or not is_item(line)) and Line(line, types).header is not None:
            break
        kept.append(line)
    return "\n".join(kept).strip()


def clean_body(text: str, header: Header) -> str:
    """Return a description without leftovers of the answer's form: labels, tags, empty fields, the header again."""
    if "\n" not in text:
        text = text.replace("\\n", "\n")
    lines = _read_until_talk(text.strip().split("\n"))
    while lines and (not lines[-1].strip() or _END_MARK.match(lines[-1].strip())):
        lines.pop()
    blocks: list[str] = []
    for paragraph in "\n".join(lines).split("\n\n"):
        kept: list[str] = []
        for line in paragraph.split("\n"):
            shown = _drop_end_tags(line)
            label = _BODY_LABEL.match(shown)
            if label is not None:
                shown = shown[label.end() :]
            if shown.strip() and not is_empty_line(shown) and not is_own(shown):
                kept.append(shown)
        block = "\n".join(kept)
        if block.strip() and normalize(block) not in (normalize(header.summary), normalize(str(header))):
            blocks.append(block)
    return "\n\n".join(blocks)


def _read_until_talk(lines: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        if is_talk(line) and not line.strip().startswith(("```", "~~~")):
            break
        kept.append(line)
    return kept


def is_own(text: str) -> bool:
    """Whether a text is copied from our schema or prompt, where it describes a field."""
    return normalize(text).startswith(_OWN_WORDS)


def normalize(text: str) -> str:
    """Return the words of `text` in lower case, with single spaces between them, for comparisons."""
    return " ".join(re.findall(r"\w+", text.lower()))


def is_talk(line: str) -> bool:
    """Whether a model talks about its message in this line."""
    return _CHAT.match(line) is not None


def is_empty_line(line: str) -> bool:
    """Whether a line only says that something is missing or empty, such as `Breaking changes: none`."""
    return _EMPTY_LINE.fullmatch(line.strip()) is not None
