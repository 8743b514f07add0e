"""Reads a commit message from a model's answer, in whatever form the model gave it.

The client has removed thoughts and the tokens of chat templates (`llm/model_text.py`) and found calls that were made or
written as text (`llm/model_text.py`). The rest is read in these steps, the arguments of a call from the second on.

1. Place: a header in the first line; an object with a summary at any depth, as in `{"candidates": [...]}`; tags,
   `<type>` and `<summary>`, or `<commit_message>` around it all; `git commit -m`; fields in lines, `summary: ...`; a
   header in any line, also in quotes within prose; and a first line that is a sentence in the imperative.
2. Fields: type, scope, summary, description and breaking change, whatever models call them; `none` and the like is
   empty. A missing or unknown type is replaced by that of the embedded draft.
3. Header: without labels (`Subject: [PATCH]`, `Title:`), numbers, emoji, quotes and emphasis, with any colon or dash.
4. Body: ends where the model talks about its message or offers another one, and loses labels (`Body:`), fields that say
   that they are empty, words of our schema, and a repeated summary.

`plain_text.py` beside this package drops credits to tools, `host_effects.py` what a code host would act on, and
`conform.py` adapts the rest to the rules.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise

from smartcommit.change.history import normalize_scope
from smartcommit.draft.embedded.classify import KIND_OF_TYPE, find_class
from smartcommit.draft.plain_text import join_lines, strip_markup, wrap
from smartcommit.llm.model_text import list_objects, open_envelope
from smartcommit.message.header import Header
from smartcommit.message.parse import Message
from smartcommit.message.rules import DEFAULT_TYPES, TYPES_OF_KIND
from smartcommit.message.trailers import Trailer
from smartcommit.message.verbs import find_base
from smartcommit.patterns import compile_on_use

Fields = dict[str, object]
NAMES = ("type", "scope", "summary", "description", "breaking_change")
# Characters of a text that are searched, and maximum characters of a description and of a breaking change.
_CHARACTERS_SEARCHED = 16_000
_DESCRIPTION_LIMIT = 2000
_BREAKING_LIMIT = 300
# Maximum depth of texts within texts, such as a message in a fence in an object.
_LEVELS = 5
# Other names of the fields, in lower case and with `_` between words.
_FIELDS = {
    **dict(zip(NAMES, NAMES, strict=True)),
    "commit_type": "type", "kind": "type", "commit_scope": "scope", "subject": "summary", "subject_line": "summary",
    "title": "summary", "header": "summary", "commit_summary": "summary", "commit_title": "summary",
    "body": "description", "details": "description", "commit_body": "description", "breaking": "breaking_change",
    "breaking_changes": "breaking_change", "is_breaking": "breaking_change",
}  # fmt: skip
# Names of fields that may contain a message, in the order in which they are looked for.
_HOLDERS = (
    "message", "commit_message", "commit", "arguments", "parameters", "args", "input", "function", "tool_calls",
    "tool_uses", "properties", "answer", "result", "response", "output", "content", "text", "candidates", "commits",
    "messages", "options", "suggestions",
)  # fmt: skip
# What models write into a field to leave it empty.
_NOTHING = (
    "", "none", "no", "n/a", "na", "null", "nil", "false", "nothing", "empty", "undefined", "-", "...", "[]", "{}",
    "not applicable", "optional", "no scope", "no body",
)  # fmt: skip
_NAME_PART = compile_on_use(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_ENDING = compile_on_use(r"(?<=\w)\.[a-z]{1,4}$")
# A line break that is written as in a string literal.
_WRITTEN_BREAK = compile_on_use(r"\\n(?:\\n|[-*] )")
_LABEL = compile_on_use(
    r"\s{0,8}(?:[-*\u2022]\s+)?[*_`\"']{0,3}(?P<name>[A-Za-z]{3,12}(?:[ _-](?:[A-Za-z]{2,12})){0,2})[*_`\"']{0,3}"
    r"\s?[:=\uff1a][*_`]{0,3}(?P<value>.*)"
)
_TAGGED = compile_on_use(r"<([A-Za-z][\w-]{2,30})\s?/?>(.*?)(?:</\1>|(?=<[A-Za-z][\w-]{2,30}[\s>])|$)", re.DOTALL)
_HOLDING_TAGS = {
    "answer", "code", "commit", "commit-message", "final", "final-answer", "message", "output", "pre", "response",
    "result", "solution",
}  # fmt: skip
_COMMAND = compile_on_use(r"git\s+commit\b[^\n\"']{0,200}?\s(?=-[as]{0,2}m\b|--message\b)")
_BREAKING = compile_on_use(
    r"(?im)^[*_]{0,2}breaking[ -]changes?[*_]{0,2}!?:[*_]{0,2}[ ]*(.{0,400}(?:\n(?!\n).{1,400}){0,8})"
)
# Characters of a line that are read.
_CHARACTERS = 600
# What models call the types, beside what projects do.
_ALIASES = {
    "bug": "fix", "bug-fix": "fix", "fixed": "fix", "fixes": "fix", "hotfix": "fix", "security": "fix",
    "enhancement": "feat", "features": "feat", "optimization": "perf", "refact": "refactor",
    "refactoring": "refactor", "documentation": "docs",
    "testing": "test", "format": "style", "formatting": "style", "styles": "style", "styling": "style",
    "builds": "build", "packaging": "build", "dependencies": "deps", "dependency": "deps", "cicd": "ci", "ci-cd": "ci",
    "chores": "chore", "config": "chore", "configuration": "chore", "maintenance": "chore", "reverts": "revert",
}  # fmt: skip
# An emoji, or its name between colons.
_EMOJI = compile_on_use(
    r"(?::[a-z0-9_+-]{1,40}:|[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]{1,8})\s*"
)
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
# Of a sentence that may be a summary, minimum words and maximum characters.
_LEAST_WORDS = 3
_MOST_CHARACTERS = 120
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
# The end of a here-document.
_END_MARK = compile_on_use(r"[A-Z_]{2,12}")
# A line of a body that only says that something is missing or empty, such as `Breaking changes: none`.
_EMPTY_LINE = compile_on_use(
    r"(?i)[*_]{0,2}(?:[a-z][\w -]{2,19}[*_]{0,2}\s?[:=-]\s?)?[(\[<*_]{0,2}(?:none|n/?a|nil|null|no|false|nothing|empty"
    r"|tbd|todo|not applicable"
    r"|no (?:additional |further |breaking )?(?:body|description|details|changes?|footers?|issues?)"
    r"(?: (?:is |was |are )?(?:provided|needed|required|available|necessary|given))?)[.!)\]>*_]{0,3}"
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


def cut_paragraphs(text: str, limit: int) -> str:
    """Return the first paragraphs of `text`, at most `limit` characters in total, or the start of the first one."""
    if len(text) <= limit:
        return text
    start = text[: limit + 1]
    for end in ("\n\n", "\n", ". ", " "):
        head, separator, _ = start.rpartition(end)
        if separator:
            return head + end.rstrip(" ").strip("\n")
    return start[:limit]


def resolve_type(name: str, types: Sequence[str]) -> str | None:
    """Return the one of `types` that a model means by `name`, or None."""
    plain = _EMOJI.sub("", name.strip()).strip(" `*\"'.:").lower().replace(" ", "-").replace("_", "-")
    if plain in types:
        return plain
    kind = KIND_OF_TYPE.get(find_class(_ALIASES.get(plain, plain)))
    for candidate in TYPES_OF_KIND[kind] if kind else ():
        if candidate in types:
            return candidate
    return None


def read_answer(text: str, types: Sequence[str]) -> Fields | None:
    """Return the fields of the message in `text`, named as in `submit_message`, or None if there is no message.

    `types` are the project's. The type in the fields may be another one, or empty.
    """
    fields = _read_text(strip_markup(text[:_CHARACTERS_SEARCHED]), types, _LEVELS)
    if fields is None:
        return None
    return _clean_fields(fields)


def read_object(given: Mapping[str, object]) -> Fields:
    """Return the fields of the message in the arguments of a call; unknown ones stay, for errors to name them."""
    fields = _read_mapping(given, DEFAULT_TYPES, _LEVELS) or {}
    return _clean_fields({**given, **fields})


def _clean_fields(given: Mapping[str, object]) -> Fields:
    """Return fields with the names and types of those of `submit_message`; values such as `none` become empty."""
    fields: Fields = {}
    for name, value in given.items():
        plain = _plain(name)
        field = _FIELDS.get(plain, plain)
        if field not in fields or plain == field:
            fields[field] = value
    for name in NAMES:
        if name in fields:
            fields[name] = _to_text(fields[name], name)
    summary, description = fields.get("summary"), fields.get("description") or ""
    if isinstance(summary, str) and isinstance(description, str):
        # Some models put the whole message into the summary.
        first, _, rest = summary.strip().partition("\n\n")
        fields["summary"] = first
        if rest:
            fields["description"] = f"{rest}\n\n{description}".strip()
        fields.setdefault("type", "")
    if isinstance(fields.get("breaking_change"), str):
        fields["breaking_change"] = cut_paragraphs(str(fields["breaking_change"]), _BREAKING_LIMIT)
    return fields


def _to_text(value: object, name: str) -> object:
    """Return the value of the field `name` as text if it is empty, a list or a text; others stay as they are."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, list):
        lines = [str(item).strip(" -*\u2022") for item in value if isinstance(item, str | int)]
        if len(lines) == 1:
            return lines[0]
        if name == "description":
            return "\n".join(f"- {line}" for line in lines)
        # Several scopes are left out: a header has one.
        return ""
    if isinstance(value, str) and name != "summary" and value.strip().strip(".()").lower() in _NOTHING:
        return ""
    return value


def make_message(fields: Mapping[str, str]) -> Message:
    """Return the message that the model meant by these fields; its summary may be empty, and its type unknown."""
    kind, scope, summary, description, breaking_change = (fields[name] for name in NAMES)
    stated = _read_header(_strip_line(f"{kind.strip(' :')}: x"), DEFAULT_TYPES) or Header(join_lines(kind).lower(), "")
    bare = _strip_line(open_envelope(summary))
    header = _read_header(bare, (stated.type, *DEFAULT_TYPES)) or Header(stated.type, bare)
    if find_base(header.summary.partition(" ")[0].lower()) is not None:
        # After a type, a sentence begins in lower case; `conform` capitalizes it if the project wants that.
        header.summary = header.summary[0].lower() + header.summary[1:]
    breaking = join_lines(open_envelope(breaking_change))
    if _normalize(breaking) in ("", "true", "yes", "the change", "change") or _is_own(breaking):
        breaking = ""
    description = open_envelope(cut_paragraphs(description, _DESCRIPTION_LIMIT))
    stated_below = _BREAKING.search(description)
    if stated_below is not None and not breaking:
        breaking = join_lines(stated_below[1])
        description = description[: stated_below.start()] + description[stated_below.end() :]
    if _EMPTY_LINE.fullmatch(breaking.strip()):
        breaking = ""
    final = Header(
        stated.type or header.type,
        header.summary,
        scope=_read_scope(scope) or _read_scope(stated.scope) or _read_scope(header.scope),
        breaking=bool(breaking) or header.breaking or stated.breaking,
    )
    message = Message(final, description=wrap(_clean_body(description, final)))
    if breaking:
        message.trailers = [Trailer("BREAKING CHANGE", breaking)]
    return message


def _read_scope(scope: str | None) -> str | None:
    """Return a scope as a noun, or None; a file becomes its name without the extension."""
    return normalize_scope(_ENDING.sub("", strip_markup(scope or "").strip(" `\"'")))


def _plain(name: str) -> str:
    return "_".join(_NAME_PART.findall(name)).lower()


# The readers of each place where a message can be. `level` is the remaining depth of texts within texts.


def _read_text(text: str, types: Sequence[str], level: int) -> Fields | None:
    text = text.replace("<![CDATA[", "").replace("]]>", "").strip()
    if level <= 0 or not text:
        return None
    if text[0] in '["':
        try:
            return _read_value(json.loads(text, strict=False), types, level)
        except (ValueError, RecursionError):
            pass
    if "\n" not in text and _WRITTEN_BREAK.search(text):
        text = text.replace("\\n", "\n").strip()
    if _read_header(_strip_line(text.partition("\n")[0]), types) is None:
        for read in (_read_objects, _read_tags, _read_command, _read_labels):
            fields = read(text, types, level)
            if fields is not None:
                return fields
    return _read_lines(text, types)


def _read_objects(text: str, types: Sequence[str], level: int) -> Fields | None:
    for mapping in list_objects(text):
        fields = _read_mapping(mapping, types, level - 1)
        if fields is not None:
            return fields
    return None


def _read_value(value: object, types: Sequence[str], level: int) -> Fields | None:
    if level <= 0:
        return None
    if isinstance(value, str):
        return _read_text(value, types, level - 1)
    if isinstance(value, dict):
        return _read_mapping(value, types, level - 1)
    if isinstance(value, list):
        for item in value[:10]:
            fields = _read_value(item, types, level - 1)
            if fields is not None:
                return fields
    return None


def _read_mapping(found: Mapping[str, object], types: Sequence[str], level: int) -> Fields | None:
    """Return the fields of the message in an object, from its own fields or from a text or an object in it."""
    plain = {_plain(name): value for name, value in found.items()}
    named = {_FIELDS.get(name, name): value for name, value in plain.items()}
    own = {name: named[name] for name in NAMES if name in named}
    summary = own.get("summary")
    if isinstance(summary, str) and "type" in own:
        return own
    held = _read_mapping(summary, types, level - 1) if isinstance(summary, dict) else None
    for name in _HOLDERS if not isinstance(summary, dict) else ():
        held = held or _read_value(plain.get(name), types, level)
    if isinstance(summary, str) and (held is None or not held["type"]):
        # Beside a title, what is called a message is the body.
        return {"description": plain.get("message") or plain.get("commit_message") or "", **own}
    if held is not None:
        return {**own, **held, "description": held.get("description") or own.get("description")}
    text = plain.get("message") or own.get("description")
    if "type" not in own or not isinstance(text, str):
        return None
    # Without a summary, the first line of the other text is it.
    first, _, rest = text.strip().partition("\n")
    return {**own, "summary": first, "description": rest}


def _read_tags(text: str, types: Sequence[str], level: int) -> Fields | None:
    fields: Fields = {}
    for name, content in _TAGGED.findall(text):
        inner = content.strip()
        field = _FIELDS.get(_plain(name))
        if field is not None:
            fields.setdefault(field, inner)
        elif name.lower().replace("_", "-") in _HOLDING_TAGS:
            held = _read_text(inner, types, level - 1)
            if held is not None:
                return held
    if isinstance(fields.get("summary"), str):
        return fields
    return None


def _read_command(text: str, types: Sequence[str], level: int) -> Fields | None:
    command = _COMMAND.search(text)
    if command is None:
        return None
    try:
        words = shlex.split(text[command.end() :])
    except ValueError:
        return None
    paragraphs: list[str] = []
    for option, value in pairwise(words):
        if option in ("-m", "-am", "-sm", "--message"):
            paragraphs.append(value)
    return _read_text("\n\n".join(paragraphs), types, level - 1)


def _read_labels(text: str, types: Sequence[str], level: int) -> Fields | None:
    fields: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.split("\n"):
        label = _LABEL.match(line)
        field = None
        if label is not None:
            field = _FIELDS.get(_plain(label["name"]))
        if label is not None and field is not None and field not in fields:
            value = label["value"].strip()
            if value in ("|", ">", "|-", ">-"):
                # These begin a text of several lines in YAML.
                value = ""
            current = fields[field] = [value.strip("'\"")]
        elif not line.startswith("```"):
            current.append(line.strip())
    texts = {name: "\n".join(lines).strip() for name, lines in fields.items()}
    if texts.get("summary"):
        return dict(texts)
    return None


def _read_lines(text: str, types: Sequence[str]) -> Fields | None:
    """Return the fields of the first header in `text`, which may be quoted in a line, or else of its first sentence."""
    lines = text.split("\n")
    sentence: Fields | None = None
    opened = False
    for number, line in enumerate(lines):
        bare = _strip_line(line)
        header = _find_quoted(line, types) or _read_header(bare, types)
        if header is None and not bare:
            continue
        is_item = _ITEM.match(line) is not None
        # Below a sentence, an item or a line such as `Test: ...` belongs to the body.
        if header is not None and (sentence is None or not (is_item or line.strip()[0].isupper())):
            kind = header.type
            if header.breaking:
                kind += "!"
            return {
                "type": kind, "scope": header.scope or "", "summary": header.summary,
                "description": _read_body(lines[number + 1 :], types, offers=is_item),
            }  # fmt: skip
        if opened or _INTRODUCTION.match(line):
            continue
        opened = True
        kind, summary = "", bare
        first, _, rest = bare.partition(" ")
        if first.lower() in types and find_base(first.lower()) is None:
            # A type without its colon, unless it is a verb.
            kind, summary = first.lower(), rest
        is_short = len(bare.split()) >= _LEAST_WORDS and len(bare) <= _MOST_CHARACTERS
        if is_short and find_base(summary.partition(" ")[0].lower()) is not None:
            body = _read_body(lines[number + 1 :], types, offers=is_item)
            sentence = {"type": kind, "summary": summary, "description": body}
    return sentence


def _read_header(text: str, types: Sequence[str]) -> Header | None:
    """Return the header in a line without labels and markup, None if that has no known type."""
    match = _HEADER.fullmatch(text)
    if match is None:
        return None
    kind = resolve_type(match["type"], types) or resolve_type(match["type"], DEFAULT_TYPES)
    summary = _trim(_cut_start(match["summary"], _EMOJI))
    if kind is None or not summary:
        return None
    scope = match["scope"] or match["part"]
    return Header(kind, summary, scope=(scope or "").strip() or None, breaking=bool(match["breaking"]))


def _find_quoted(line: str, types: Sequence[str]) -> Header | None:
    """Return the header that is quoted at the start of a line, or anywhere in an introduction; else None."""
    start = _ITEM.sub("", line, count=1).lstrip(" >")
    if not start.startswith(("`", '"', "\u201c", "**")) and not _INTRODUCTION.match(line):
        return None
    for quoted in _QUOTED.findall(line[:_CHARACTERS]):
        header = _read_header(_strip_line(max(quoted, key=len)), types)
        if header is not None:
            return header
    return None


def _strip_line(line: str) -> str:
    """Return a line without labels, bullets, an emoji, quotes, emphasis, end tags and a full stop."""
    return _bare(_cut_start(_bare(line[:_CHARACTERS]), _EMOJI))


def _bare(line: str) -> str:
    text = join_lines(_END_TAG.sub("", join_lines(line)).rstrip(" .\u3002"))
    before = ""
    while text != before:
        before = text
        text = join_lines(_cut_start(text, _LEAD))
        for mark in "_*~":
            if len(text) > 2 and text[0] == text[-1] == mark:
                text = text[1:-1].strip()
    return _trim(text.removeprefix("["))


def _cut_start(text: str, pattern: re.Pattern[str]) -> str:
    match = pattern.match(text)
    if match is None:
        return text
    return text[match.end() :]


def _trim(text: str) -> str:
    text = _ESCAPED.sub(r"\1", _BOLD.sub(r"\1", join_lines(text)))
    for mark in "`\"'*\u201d":
        if text.count(mark) % 2:
            text = text.lstrip(mark).rstrip(mark).rstrip(" .")
    return text.strip()


def _read_body(lines: Sequence[str], types: Sequence[str], *, offers: bool) -> str:
    """Return the body at the start of `lines`, which ends where the model talks about something else.

    It also ends at another header, which begins another message. Among the items of a list, a header belongs to the
    body, unless the model `offers` several messages as a list.
    """
    body_lines: list[str] = []
    for line in lines:
        is_label = line.rstrip(" *").endswith(":") and not _bare(line)
        if _CHAT.match(line) or is_label:
            break
        if (offers or not _ITEM.match(line)) and _read_header(_strip_line(line), types) is not None:
            break
        body_lines.append(line)
    return "\n".join(body_lines).strip()


def _clean_body(text: str, header: Header) -> str:
    """Return a description without leftovers of the answer's form: labels, tags, empty fields, the header again."""
    if "\n" not in text:
        text = text.replace("\\n", "\n")
    blocks: list[list[str]] = [[]]
    lines = text.strip().split("\n")
    if _END_MARK.fullmatch(lines[-1]):
        lines.pop()
    for line in lines:
        if _CHAT.match(line) and not line.strip().startswith(("```", "~~~")):
            break
        shown = _cut_start(_END_TAG.sub("", line), _BODY_LABEL)
        if not line.strip():
            blocks.append([])
        elif shown.strip() and not _EMPTY_LINE.fullmatch(shown.strip()) and not _is_own(shown):
            blocks[-1].append(shown)
    repeated = ("", _normalize(header.summary), _normalize(str(header)))
    paragraphs = ("\n".join(block) for block in blocks)
    return "\n\n".join(paragraph for paragraph in paragraphs if _normalize(paragraph) not in repeated)


def _is_own(text: str) -> bool:
    """Whether a text is copied from our schema or prompt, where it describes a field."""
    return _normalize(text).startswith(_OWN_WORDS)


def _normalize(text: str) -> str:
    """Return the words of `text` in lower case, with single spaces between them, for comparisons."""
    return " ".join(re.findall(r"\w+", text.lower()))
