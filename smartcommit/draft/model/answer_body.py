"""Reads the body of a message in a model's answer, without what the model says about the message."""

from __future__ import annotations

import re
from collections.abc import Sequence

from smartcommit.draft.model.answer_line import Line, drop_end_tags, is_item, is_label
from smartcommit.message.header import Header
from smartcommit.patterns import compile_on_use

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


def read_body(lines: Sequence[str], types: Sequence[str], *, offers: bool) -> str:
    """Return the body at the start of `lines`, which ends where the model talks about something else.

    It also ends at another header, which begins another message. Among the items of a list, a header belongs to the
    body, unless the model `offers` several messages as a list.
    """
    kept: list[str] = []
    for line in lines:
        if is_talk(line) or is_label(line):
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
            shown = drop_end_tags(line)
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
