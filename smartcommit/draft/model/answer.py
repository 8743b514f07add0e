"""Reads a commit message from a model's answer, in whatever form the model gave it.

An answer is read in these steps, each of which works on what the one before it leaves. The first two apply to any
answer; a message in the arguments of a call starts at the fourth.

1. Envelope (`llm/openai.py`, `llm/envelope.py`): joins content in parts, and removes thoughts, channels and the tokens
   of chat templates.
2. Calls (`llm/model_text.py`): finds a call that was made or written as text, or an object with its arguments: JSON
   with comments, other quotes, bare keys or a missing brace, a dictionary or call of Python.
3. Place: looks for the message in this order: a header in the first line; an object with a summary at any depth, as in
   `{"candidates": [...]}`; tags, `<type>` and `<summary>`, or `<commit_message>` around it all; `git commit -m` or a
   here-document; a fenced block; fields in lines, `summary: ...`; a header in any line, also in quotes
   within prose; and a first line that is a sentence in the imperative.
4. Fields: recognizes type, scope, summary, description and breaking change, whatever models call them, and empties
   those that say `none` and the like. A missing or unknown type is replaced by that of the embedded draft.
5. Header (`answer_text.py`): removes labels (`Subject: [PATCH]`, `Title:`), numbers, emoji, quotes and emphasis, and
   reads `type(scope)!: summary` with any colon or dash, spaces before it, and brackets around the type.
6. Body (there, too): ends where the model talks about its message or offers another one.
7. Leftovers: removes closing tags, end marks of here-documents, labels (`Body:`), fields that say that they are empty,
   words of our schema, and a repeated summary. `draft/conform.py` drops credits to tools and adapts the rest to the
   rules; `host_effects.py` drops what a code host would act on.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise

from smartcommit.change.history import normal_scope
from smartcommit.draft.conform import one_line, strip_markup, wrap
from smartcommit.draft.model.answer_text import (
    Line,
    can_be_summary,
    clean_body,
    find_quoted,
    is_empty_line,
    is_introduction,
    is_item,
    is_own,
    is_talk,
    normalize,
    read_body,
)
from smartcommit.llm.envelope import open_envelope
from smartcommit.llm.model_text import objects_in
from smartcommit.message.header import Header
from smartcommit.message.parse import Message
from smartcommit.message.rules import DEFAULT_TYPES
from smartcommit.message.trailers import Trailer
from smartcommit.message.verbs import find_base
from smartcommit.patterns import compile_on_use

Fields = dict[str, object]
NAMES = ("type", "scope", "summary", "description", "breaking_change")
# Characters of a text that are searched, and maximum characters of a description and of a breaking change.
_CHARACTERS_SEARCHED, _DESCRIPTION_LIMIT, _BREAKING_LIMIT = 16_000, 2000, 300
# Maximum depth of texts within texts, such as a message in a fence in an object.
_LEVELS = 5
# Other names of the fields, in lower case and with `_` between words.
_FIELDS = {
    **{name: name for name in NAMES},
    "commit_type": "type", "kind": "type", "change_type": "type", "commit_scope": "scope", "subject": "summary",
    "title": "summary", "header": "summary", "headline": "summary", "subject_line": "summary", "short": "summary",
    "short_description": "summary", "commit_summary": "summary", "commit_title": "summary", "commit_subject": "summary",
    "body": "description", "details": "description", "long_description": "description", "commit_body": "description",
    "detail": "description", "message_body": "description", "extended_description": "description",
    "breaking": "breaking_change", "breakingchange": "breaking_change", "breaking_changes": "breaking_change",
    "is_breaking": "breaking_change",
}  # fmt: skip
# Names of fields with a whole message, and of fields that may contain one, in the order in which they are looked for.
_MESSAGES = ("message", "commit_message", "commitmessage", "commit", "full_message", "commit_msg", "msg")
_HOLDERS = (
    "arguments", "parameters", "args", "input", "function", "function_call", "tool_calls", "tool_uses", "properties",
    "answer", "final_answer", "result", "response", "output", "content", "text", "final", "data", "json",
    "candidates", "commits", "messages", "options", "suggestions", "choices",
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
_BOX = compile_on_use(r"\$?\\boxed\{(?:\\text\{)?([^{}]{1,400})\}{1,2}\$?")
_LABEL = compile_on_use(
    r"\s{0,8}(?:[-*\u2022]\s+)?[*_`\"']{0,3}(?P<name>[A-Za-z]{3,12}(?:[ _-](?:[A-Za-z]{2,12})){0,2})[*_`\"']{0,3}"
    r"\s?[:=\uff1a][*_`]{0,3}(?P<value>.*)"
)
_TAGGED = compile_on_use(
    r"<([A-Za-z][\w-]{2,30})\s?/?>(.*?)(?:</\1>|(?=<[A-Za-z][\w-]{2,30}[\s>])|$)",
    re.DOTALL,
)
_HOLDING_TAGS = {
    "answer", "code", "commit", "commit-message", "final", "final-answer", "message", "output", "pre", "response",
    "result", "solution",
}  # fmt: skip
_FENCED = compile_on_use(
    r"(?:```|~~~)[\w+-]{0,20}[ ]*\n(.*?)(?:\n[ ]*(?:```|~~~)|$)|(?:```)([^`\n]{4,300})```", re.DOTALL
)
_COMMAND = compile_on_use(r"git\s+commit\b[^\n\"']{0,200}?\s(?=-[as]{0,2}m\b|--message\b)")
_HEREDOC = compile_on_use(r"<<-?\s?['\"]?(\w{2,20})['\"]?[^\n]{0,20}\n(.*?)(?:\n\s*\1\b|$)", re.DOTALL)
_BREAKING = compile_on_use(
    r"(?im)^[*_]{0,2}breaking[ -]changes?[*_]{0,2}!?:[*_]{0,2}[ ]*(.{0,400}(?:\n(?!\n).{1,400}){0,8})"
)


def cut_paragraphs(text: str, limit: int) -> str:
    """Return the first paragraphs of `text`, at most `limit` characters in total, or the start of the first one."""
    if len(text) <= limit:
        return text
    start = text[: limit + 1]
    for end in ("\n\n", "\n", ". ", " "):
        kept, found, _ = start.rpartition(end)
        if found:
            return kept + end.rstrip(" ").strip("\n")
    return start[:limit]


def read_answer(text: str, types: Sequence[str]) -> Fields | None:
    """Return the fields of the message in `text`, named as in `submit_message`, or None if there is no message.

    `types` are the project's. The type in the fields may be another one, or empty.
    """
    fields = _read_text(strip_markup(text[:_CHARACTERS_SEARCHED]), types, _LEVELS)
    if fields is None:
        return None
    return clean_fields(fields)


def read_object(given: Mapping[str, object]) -> Fields:
    """Return the fields of the message in the arguments of a call, whatever their names and nesting.

    Unknown fields are kept, so that an error can name them.
    """
    found = _read_mapping(given, DEFAULT_TYPES, _LEVELS) or {}
    return clean_fields({**given, **found})


def clean_fields(given: Mapping[str, object]) -> Fields:
    """Return fields with the names and types of those of `submit_message`; values such as `none` become empty."""
    fields: Fields = {}
    for name, value in given.items():
        plain = _plain(name)
        known = _FIELDS.get(plain, plain)
        if known not in fields or plain == known:
            fields[known] = value
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


def make_message(fields: Mapping[str, str]) -> Message:
    """Return the message that the model meant by these fields; its summary may be empty, and its type unknown."""
    kind, scope, summary, description, breaking_change = map(fields.__getitem__, NAMES)
    stated = Line(f"{kind.strip(' :')}: x", DEFAULT_TYPES).header or Header(one_line(kind).lower(), "")
    line = Line(open_envelope(summary), (stated.type, *DEFAULT_TYPES))
    header = line.header or Header(stated.type, line.bare)
    if find_base(header.summary.partition(" ")[0].lower()) is not None:
        # After a type, a sentence begins in lower case; `conform` capitalizes it if the project wants that.
        header.summary = header.summary[0].lower() + header.summary[1:]
    breaking = one_line(open_envelope(breaking_change))
    if normalize(breaking) in ("", "true", "yes", "the change", "change") or is_own(breaking):
        breaking = ""
    description = open_envelope(cut_paragraphs(description, _DESCRIPTION_LIMIT))
    stated_below = _BREAKING.search(description)
    if stated_below is not None and not breaking:
        breaking = one_line(stated_below[1])
        description = description[: stated_below.start()] + description[stated_below.end() :]
    if is_empty_line(breaking):
        breaking = ""
    made = Header(
        stated.type or header.type,
        header.summary,
        scope=_read_scope(scope) or _read_scope(stated.scope) or _read_scope(header.scope),
        breaking=bool(breaking) or header.breaking or stated.breaking,
    )
    message = Message(made, description=wrap(clean_body(description, made)))
    if breaking:
        message.trailers.append(Trailer("BREAKING CHANGE", breaking))
    return message


def _read_scope(scope: str | None) -> str | None:
    """Return a scope as a noun, or None; a file becomes its name without the extension."""
    return normal_scope(_ENDING.sub("", strip_markup(scope or "").strip(" `\"'")))


def _plain(name: str) -> str:
    """Return the name of a field in lower case, its words joined by `_`."""
    return "_".join(_NAME_PART.findall(name)).lower()


def _to_text(value: object, name: str) -> object:
    """Return the value of the field `name` as text if it is empty, a list or a text; others stay as they are."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, list):
        lines = [str(item).strip(" -*\u2022") for item in value if isinstance(item, str | int)]
        if len(lines) == 1:
            return lines[0]
        if name == "description":
            return "\n".join(map("- {}".format, lines))
        # Several scopes are left out: a header has one.
        return ""
    if isinstance(value, str) and name != "summary" and value.strip().strip(".()").lower() in _NOTHING:
        return ""
    return value


# The readers of each place where a message can be. `level` is the remaining depth of texts within texts.


def _read_text(text: str, types: Sequence[str], level: int) -> Fields | None:
    """Return the fields of the message in `text`, from the first place that has one, or None."""
    text = _BOX.sub(r"\1", text.replace("<![CDATA[", "").replace("]]>", "").strip())
    if level <= 0 or not text:
        return None
    if text[0] in '["':
        try:
            return _read_value(json.loads(text, strict=False), types, level)
        except (ValueError, RecursionError):
            pass
    if "\n" not in text and _WRITTEN_BREAK.search(text):
        text = text.replace("\\n", "\n").strip()
    if Line(text.partition("\n")[0], types).header is None:
        for read in (_read_objects, _read_tags, _read_command, _read_fences, _read_labels):
            fields = read(text, types, level)
            if fields is not None:
                return fields
    return _read_lines(text, types)


def _read_objects(text: str, types: Sequence[str], level: int) -> Fields | None:
    for found in objects_in(text):
        fields = _read_mapping(found, types, level - 1)
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
    held = _read_held(summary, plain, types, level)
    if isinstance(summary, str) and (held is None or not held["type"]):
        # Beside a title, what is called a message is the body.
        body = next(filter(None, map(plain.get, _MESSAGES)), "")
        return {"description": body, **own}
    if held is not None:
        return _complete(held, own)
    text = plain.get("message") or own.get("description")
    if "type" not in own or not isinstance(text, str):
        return None
    # Without a summary, the first line of the other text is it.
    first, _, rest = text.strip().partition("\n")
    return {**own, "summary": first, "description": rest}


def _complete(fields: Fields, others: Mapping[str, object]) -> Fields:
    """Return `fields` with those of `others` that are missing or empty."""
    completed = dict(fields)
    for name, value in others.items():
        if not fields.get(name):
            completed[name] = value
    return completed


def _read_held(summary: object, plain: Mapping[str, object], types: Sequence[str], level: int) -> Fields | None:
    """Return the fields of the message in a value of an object, or None."""
    if isinstance(summary, dict):
        return _read_mapping(summary, types, level - 1)
    for name in (*_MESSAGES, *_HOLDERS):
        held = _read_value(plain.get(name), types, level)
        if held is not None:
            return held
    for name, value in plain.items():
        # As in `\boxed{fix: paint stripes}`, which looks like an object.
        held = _read_lines(f"{name}: {value}", types)
        if summary is None and held is not None and held["type"]:
            return held
    return None


def _read_tags(text: str, types: Sequence[str], level: int) -> Fields | None:
    fields: Fields = {}
    for name, content in _TAGGED.findall(text):
        inner = content.strip()
        known = _FIELDS.get(_plain(name))
        if known is not None:
            fields.setdefault(known, inner)
        elif name.lower().replace("_", "-") in _HOLDING_TAGS:
            held = _read_text(inner, types, level - 1)
            if held is not None:
                return held
    if isinstance(fields.get("summary"), str):
        return fields
    return None


def _read_command(text: str, types: Sequence[str], level: int) -> Fields | None:
    """Read the message of a `git commit` from a here-document or the paragraphs given with `-m`."""
    document = _HEREDOC.search(text)
    if document is not None:
        return _read_text(document[2], types, level - 1)
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


def _read_fences(text: str, types: Sequence[str], level: int) -> Fields | None:
    for block, inline in _FENCED.findall(text):
        fields = _read_text(block or inline, types, level - 1)
        if fields is not None:
            return fields
    return None


def _read_labels(text: str, types: Sequence[str], level: int) -> Fields | None:
    """Read fields in lines that begin with their names, as in YAML and TOML."""
    fields: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.split("\n"):
        label = _LABEL.match(line)
        known = None
        if label is not None:
            plain = _plain(label["name"])
            known = "message" if plain in _MESSAGES else _FIELDS.get(plain)
        if label is not None and known is not None and known not in fields:
            value = label["value"].strip()
            if value in ("|", ">", "|-", ">-"):
                # These begin a text of several lines in YAML.
                value = ""
            current = fields[known] = [value.strip("'\"")]
        elif is_talk(line):
            current = []
        else:
            current.append(line.strip())
    texts = {name: "\n".join(lines).strip() for name, lines in fields.items()}
    if texts.get("summary"):
        return dict(texts)
    held = _read_text(texts.pop("message", ""), types, level - 1)
    if held is None:
        return None
    return _complete(held, texts)


def _read_lines(text: str, types: Sequence[str]) -> Fields | None:
    """Return the fields of the first header in `text`, which may be quoted in a line, or else of its first sentence."""
    lines = text.split("\n")
    sentence: Fields | None = None
    opened = False
    for number, line in enumerate(lines):
        read = Line(line, types)
        header = find_quoted(line, types) or read.header
        if header is None and not read.bare:
            continue
        # Below a sentence, an item or a line such as `Test: ...` belongs to the body.
        if header is not None and (sentence is None or not (is_item(line) or line.strip()[0].isupper())):
            kind = header.type
            if header.breaking:
                kind += "!"
            return {
                "type": kind, "scope": header.scope or "", "summary": header.summary,
                "description": read_body(lines[number + 1 :], types, offers=is_item(line)),
            }  # fmt: skip
        if opened or is_introduction(line):
            continue
        opened = True
        if can_be_summary(read.bare, lines[number + 1 : number + 2]):
            sentence = {"type": "", "summary": read.bare}
            sentence["description"] = read_body(lines[number + 1 :], types, offers=is_item(line))
    return sentence
