"""Reads what a model answers when it is asked for a commit message: the grammar of its answers.

An answer is read in these steps, each of which takes what the one before it leaves. The first two are those of any
answer; a message in the arguments of a call begins with the fifth.

1. Envelope (`llm/program_output.py`, `llm/openai.py`, `llm/envelope.py`): the JSON of programs, content in parts, thoughts,
   channels, and the tokens of chat templates.
2. Calls (`llm/text_calls.py`, `llm/loose_json.py`): a call that was made or written as text, or an object with its
   arguments: JSON with comments, other quotes, bare keys or a missing brace, a dictionary or call of Python.
3. Places where the message stands, in this order: a header in the first line; an object with a summary at any depth,
   as in `{"candidates": [...]}`; tags, `<type>` and `<summary>`, or `<commit_message>` around it all; `git commit -m` or
   a here-document; a fenced block; fields in lines, `summary: ...`, or in a table; a header in any line, also in quotes
   within prose; and a first line that is a sentence in the imperative.
4. Fields, whatever models call them: type, scope, summary, description and breaking change; what stands for nothing is
   empty. A sentence has no type: then it is that of the embedded draft, as for a type that nobody knows.
5. Header: without labels (`Subject: [PATCH]`, `Title:`), numbers, emoji, quotes and emphasis; `type(scope)!: summary` with
   any colon or dash, blanks before it, brackets around the type, or the scope alone in the place of the type.
6. Body: up to where the model talks about its message, or offers another one.
7. Remains: closing tags, end marks of here-documents, labels (`Body:`), fields that say that they are empty, the words of
   our schema, and the summary once more. `draft/conform.py` drops credits to tools and adapts the rest to the rules;
   `host_effects.py` drops what a code host would act on.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from smartcommit.change.history import normal_scope
from smartcommit.draft.conform import one_line, strip_markup, wrap
from smartcommit.llm.envelope import open_envelope
from smartcommit.llm.loose_json import objects_in
from smartcommit.message.header import Header
from smartcommit.message.parse import Message
from smartcommit.message.rules import DEFAULT_TYPES, TYPES_OF_KIND
from smartcommit.message.trailers import Trailer
from smartcommit.message.verbs import find_base
from smartcommit.patterns import compile_on_use

Fields = dict[str, object]
NAMES = ("type", "scope", "summary", "description", "breaking_change")
# Characters of a text that are searched for a message, and those that are used of a description and of a breaking change.
_CHARACTERS_SEARCHED, _DESCRIPTION_LIMIT, _BREAKING_LIMIT = 16_000, 2000, 300
# Levels of texts within texts, such as a message in a fence in an object.
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
# Names of a whole message, and of what holds one, in the order in which they are looked for.
_MESSAGES = ("message", "commit_message", "commitmessage", "commit", "full_message", "commit_msg", "msg")
_HOLDERS = (
    "arguments", "parameters", "args", "input", "function", "tool_calls", "properties", "answer", "final_answer", "result",
    "response", "output", "content", "text", "final", "data", "json", "candidates", "commits", "messages", "options",
    "suggestions", "choices",
)  # fmt: skip
# What models write into a field to leave it empty.
_NOTHING = (
    "", "none", "no", "n/a", "na", "null", "nil", "false", "nothing", "empty", "undefined", "-", "...", "[]", "{}",
    "not applicable", "optional", "no scope", "no body",
)  # fmt: skip
# What models call the kinds of changes; the emoji are gitmoji.
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
    "\u2728": "feature", ":sparkles:": "feature", "\U0001f41b": "fix", ":bug:": "fix", "\U0001f691": "fix",
    ":ambulance:": "fix", "\U0001fa79": "fix", "\u26a1": "performance", ":zap:": "performance", "\u267b": "refactoring",
    ":recycle:": "refactoring", "\U0001f4dd": "documentation", ":memo:": "documentation", "\u2705": "tests",
    ":white_check_mark:": "tests", "\U0001f3a8": "formatting", ":art:": "formatting", "\U0001f477": "ci",
    ":construction_worker:": "ci", "\u2b06": "dependencies", ":arrow_up:": "dependencies", "\U0001f527": "configuration",
    ":wrench:": "configuration",
}  # fmt: skip
# An emoji, or its name between colons.
_EMOJI = compile_on_use(r"(?::[a-z0-9_+-]{1,40}:|[^\w\s\x00-\x7f\u2010-\u201f\u3000-\u303f\uff00-\uffef]{1,8})\s*")
# What stands before a message in its line: a quote, a bullet, a number, a heading, a prompt, a label.
_LEAD = compile_on_use(
    r"(?:[-*>#\u2022$|]{1,6}\s+|\*\*(?=[^*]{1,60}:\s)|\d{1,2}[.)]\s+|//\s+|\[(?:PATCH|RFC)[^\]]{0,30}\]\s*"
    r"|(?i:(?:(?:the|my|a|your|suggested|proposed|final|conventional|git|improved|best|here(?:'s| is))\s+){0,4}"
    r"(?:git commit message|commit message|commit msg|commit (?:title|subject|header)|commit|message|subject|subject line|title"
    r"|header|summary|answer|output|response|result|assistant|model|option \w{1,2}|candidate \w{1,2}|version \w{1,2}"
    r"|suggestion)(?:\s+(?:is|would be|could be))?\*{0,2}\s?[:\uff1a]\*{0,2}\s*))"
)
# `type(scope)!: summary`, with everything that models put in the place of each mark.
_HEADER = compile_on_use(
    r"[\[(<{*_`]{0,3}(?P<type>[A-Za-z][A-Za-z _-]{0,24}?)[\])>}*_`]{0,3}\s{0,3}"
    r"(?:[(\[\uff08]\s{0,3}(?P<scope>[^()\[\]:\uff08\uff09]{0,60}?)\s{0,3}[)\]\uff09]|/(?P<part>[\w.-]{1,40}))?"
    r"[*_`]{0,3}\s{0,3}(?P<breaking>!?)[*_`]{0,3}"
    r"(?:\s{0,3}[:\uff1a\ufe55\u2236](?!:)|\s{1,3}(?:[-\u2013\u2014\u2015]{1,2}>?|=>|[|~\u2192])\s|\s?[\u2013\u2014\u2015]|(?<=\])\s)"
    r"\s*(?P<summary>\S.*)"
)
# A kernel's and Go's style: `part: do this`.
_PART = compile_on_use(r"(?P<part>[a-z][\w./-]{1,40}):\s+(?P<summary>[A-Za-z].*)")
_QUOTED = compile_on_use(
    r"`([^`\n]{5,200})`|\"([^\"\n]{5,200})\"|\u201c([^\u201d\n]{5,200})\u201d|\*\*([^*\n]{5,200})\*\*"
)
_BOX = compile_on_use(r"\$?\\boxed\{(?:\\text\{)?([^{}]{1,400})\}{1,2}\$?")
_END_TAG = compile_on_use(r"(?:\s*</?[A-Za-z][\w-]{0,30}/?>)+\s*$")
# Lines with which a model ends the message and begins to talk about it.
_CHAT = compile_on_use(
    r"(?i)[*_#>\s-]{0,6}(?:(?:this|the) (?:commit )?(?:message|header|format|subject|title|type|scope) "
    r"|this commit (?:follows|uses|message)|let me know|i (?:hope|have|chose|used|can|would)|i've |explanation"
    r"|why this|why:|rationale|reasoning|justification|note that|notes?:|breakdown"
    r"|feel free|```|~~~|here(?:'s| is| are)|alternative(?:ly|s)|or:?$|option \w\b|you can |if you |would you "
    r"|do you |want me |please |hope this|is there |\(?(?:no|end) (?:further|of)|diff --git |---$|\)\"?$)"
)
# Lines before the message that are none.
_INTRODUCTION = compile_on_use(
    r"(?i)[*_#>\s-]{0,6}(?:sure|certainly|of course|ok(?:ay)?|absolutely|great|here|based on|i\b|i'|let's|let me|the "
    r"|this |these |we |you|sorry|please|as an |looking at|after |given )|.*:[*_]{0,2}$|(?:from|date|author)[: ]|commit [0-9a-f]{7,40}"
)
_END_MARK = compile_on_use(r"[A-Z_]{2,12}$|\)\"?$|['\"`]{1,3}$|</?[\w-]{1,30}>$")
_LABEL = compile_on_use(
    r"\s{0,8}(?:[-*\u2022]\s+)?[*_`\"']{0,3}(?P<name>[A-Za-z]{3,12}(?:[ _-](?:[A-Za-z]{2,12})){0,2})[*_`\"']{0,3}\s?[:=\uff1a]"
    r"[*_`]{0,3}(?P<value>.*)"
)
_TAGGED = compile_on_use(r"<([A-Za-z][\w-]{2,30})>(.*?)(?:</\1>|(?=<[A-Za-z][\w-]{2,30}>)|$)", re.DOTALL)
_HOLDING_TAGS = {
    "answer", "commit", "commit-message", "final", "final-answer", "message", "output", "response", "result", "solution",
}  # fmt: skip
_FENCED = compile_on_use(
    r"(?:```|~~~)[\w+-]{0,20}[ ]*\n(.*?)(?:\n[ ]*(?:```|~~~)|$)|(?:```)([^`\n]{4,300})```", re.DOTALL
)
_COMMAND = compile_on_use(r"git\s+commit\b[^\n\"']{0,200}?\s(?=-[as]{0,2}m\b|--message\b)")
_HEREDOC = compile_on_use(r"<<-?\s?['\"]?(\w{2,20})['\"]?[^\n]{0,20}\n(.*?)(?:\n\s*\1\b|$)", re.DOTALL)
_BREAKING = compile_on_use(
    r"(?im)^[*_]{0,2}breaking[ -]changes?[*_]{0,2}!?:[*_]{0,2}[ ]*(.{0,400}(?:\n(?!\n).{1,400}){0,8})"
)
# A line of a body that only says that something is not there.
_EMPTY_LINE = compile_on_use(
    r"(?i)(?:[*_]{0,2}(?:breaking[ _-]?changes?|footers?|issues?|closes|refs?|references?|related issues?|scope|type|notes?"
    r"|body|description|details|trailers?|sign-?off|co-authors?)[*_]{0,2}\s?[:=-]\s?)?[(\[<*_]{0,2}"
    r"(?:none|n/?a|nil|null|no|nothing|not applicable|empty|tbd|todo|no (?:additional |further |extended |breaking |long )?"
    r"(?:body|descriptions?|details|changes?|footers?|issues?)(?: (?:is |was |are )?(?:provided|needed|required|available|"
    r"necessary|given))?|(?:self-explanatory|see (?:above|diff|summary|title)))?[)\]>*_]{0,2}[.!]?"
)
# Labels that stand before a body, and the beginnings of our schema's and prompt's own words.
_BODY_LABEL = compile_on_use(
    r"(?i)[*_#\s]{0,5}(?:commit )?(?:body|description|details|extended description|long description|message body)"
    r"[*_]{0,2}\s?:[*_]{0,2}\s*"
)
_OWN_WORDS = (
    "why or what is not obvious", "what users must do", "what the commit does", "one lower case noun", "may be empty",
    "the commit s type", "leave it empty",
)  # fmt: skip
_ITEM = compile_on_use(r"\s{0,8}(?:[-*\u2022]|\d{1,2}[.)])\s")
# Verbs that a sentence in the imperative has none of, apart from its first word.
_FINITE = {"am", "are", "be", "has", "have", "is", "was", "were", "will", "would", "can", "should"}
_LEAST_WORDS, _MOST_CHARACTERS = 3, 120


def resolve_type(name: str, types: Sequence[str]) -> str | None:
    """Return the one of `types` that a model means by `name`, or None."""
    bare = name.strip().strip("\ufe0f")
    plain = _EMOJI.sub("", bare).strip(" `*\"'.:").lower().replace(" ", "-").replace("_", "-")
    if plain in types:
        return plain
    for candidate in TYPES_OF_KIND.get(_KINDS.get(plain or bare, ""), ()):
        if candidate in types:
            return candidate
    return None


def _is_type(name: str, types: Sequence[str]) -> bool:
    """Whether `name` is a type, of the project or of most."""
    return resolve_type(name, types) is not None or resolve_type(name, DEFAULT_TYPES) is not None


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


def read_answer(text: str, types: Sequence[str]) -> Fields | None:
    """Return the fields of the message in `text`, those of `submit_message`, or None if there is none.

    `types` are the project's. The type may be another one, or empty.
    """
    fields = _read_text(strip_markup(text[:_CHARACTERS_SEARCHED]), types, _LEVELS)
    return None if fields is None else clean_fields(fields)


def read_object(given: Mapping[str, object], types: Sequence[str] = DEFAULT_TYPES) -> Fields:
    """Return the fields of the message in the arguments of a call, however the model gave them.

    Unknown fields stay as they are, for an error about them.
    """
    found = _read_mapping(given, types, _LEVELS)
    return clean_fields(given if found is None else {**given, **found})


def clean_fields(given: Mapping[str, object]) -> Fields:
    """Return fields with the names and the types of those of `submit_message`; what stands for nothing is empty."""
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
        # Some models put the whole message there.
        first, _, rest = summary.strip().partition("\n\n")
        fields["summary"] = first
        if rest:
            fields["description"] = f"{rest}\n\n{description}".strip()
        fields.setdefault("type", "")
    if isinstance(fields.get("breaking_change"), str):
        fields["breaking_change"] = cut_paragraphs(str(fields["breaking_change"]), _BREAKING_LIMIT)
    return fields


def make_message(fields: Mapping[str, str]) -> Message:
    """Return the message of these fields, as the model meant it; its summary may be empty, and its type unknown."""
    kind, scope, summary, description, breaking_change = map(fields.__getitem__, NAMES)
    stated = _Line(f"{kind.strip(' :')}: x", DEFAULT_TYPES).header or Header(one_line(kind).lower(), "")
    noun = normal_scope(strip_markup(scope)) or normal_scope(stated.scope or "")
    line = _Line(open_envelope(summary), (stated.type, *DEFAULT_TYPES))
    header = line.header or Header(stated.type or line.kind, line.bare)
    if not header.type and find_base(header.summary.partition(" ")[0].lower()) is not None:
        # The sentence goes on behind a type.
        header.summary = header.summary[0].lower() + header.summary[1:]
    breaking = one_line(open_envelope(breaking_change))
    if _normalize(breaking) in ("", "true", "yes", "the change", "change") or _is_own(breaking):
        breaking = ""
    description = open_envelope(cut_paragraphs(description, _DESCRIPTION_LIMIT))
    stated_below = _BREAKING.search(description)
    if stated_below is not None and not breaking:
        breaking = one_line(stated_below[1])
        description = description[: stated_below.start()] + description[stated_below.end() :]
    if _EMPTY_LINE.fullmatch(breaking):
        breaking = ""
    made = Header(
        stated.type or header.type,
        header.summary,
        scope=noun or normal_scope(header.scope or ""),
        breaking=bool(breaking) or header.breaking or stated.breaking,
    )
    message = Message(made, description=wrap(_clean_body(description, made)))
    if breaking:
        message.trailers.append(Trailer("BREAKING CHANGE", breaking))
    return message


def _plain(name: str) -> str:
    return name.strip(" *_`\"'").lower().replace("-", "_").replace(" ", "_")


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
    if isinstance(value, str) and name != "summary" and value.strip().strip(".()").lower() in _NOTHING:
        return ""
    return value


# The places where a message stands.


def _read_text(text: str, types: Sequence[str], level: int) -> Fields | None:
    """Return the fields of the message in `text`, from the first place that has one, or None."""
    text = _BOX.sub(r"\1", text.strip())
    if level <= 0 or not text:
        return None
    if text[0] in '["':
        try:
            return _read_value(json.loads(text, strict=False), types, level)
        except (ValueError, RecursionError):
            pass
    if "\n" not in text:
        text = text.replace("\\n", "\n").strip()
    if _Line(text.partition("\n")[0], types).header is None:
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
    """Return the fields of the message in an object: its own, or those of a text or an object in it."""
    plain = {_plain(name): value for name, value in found.items()}
    named = {_FIELDS.get(name, name): value for name, value in plain.items()}
    own = {name: named[name] for name in NAMES if name in named}
    summary = own.get("summary")
    held: Fields | None = None
    if isinstance(summary, str) and "type" in own:
        return own
    if isinstance(summary, dict):
        held = _read_mapping(summary, types, level - 1)
    for name in (*_MESSAGES, *_HOLDERS):
        if held is None and name in plain:
            held = _read_value(plain[name], types, level)
    if isinstance(summary, str) and (held is None or not held["type"]):
        # A title, and what may be a message is its body.
        body = next(filter(None, map(plain.get, _MESSAGES)), "")
        return {"description": body, **own}
    if held is not None:
        return {**held, **{name: value for name, value in own.items() if not held.get(name)}}
    if isinstance(own.get("description"), str) and "type" in own:
        # Its first line is the summary.
        first, _, rest = str(own["description"]).strip().partition("\n")
        return {**own, "summary": first, "description": rest}
    if len(found) == 1 and all(isinstance(value, str) for value in found.values()):
        # The type and the summary.
        return _read_lines(": ".join(map(str, next(iter(found.items())))), types)
    return None


def _read_tags(text: str, types: Sequence[str], level: int) -> Fields | None:
    tags: list[tuple[str, str]] = []
    for name, inner in _TAGGED.findall(text):
        tags.append((name, inner.strip()))
    fields: Fields = {}
    for name, inner in tags:
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
    """Read the message of a `git commit`: a here-document, or paragraphs each given with `-m`."""
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
    """Read fields that each begin a line with their name, as in YAML and TOML, or that stand in a table."""
    fields: dict[str, list[str]] = {}
    current: list[str] = []
    for line in _list_rows(text):
        label = _LABEL.match(line)
        plain = _plain(label["name"]) if label else ""
        known = "message" if plain in _MESSAGES else _FIELDS.get(plain)
        if label is not None and known is not None and known not in fields:
            value = label["value"].strip()
            # YAML's marks of a text in several lines.
            current = fields[known] = [] if value in ("|", ">", "|-", ">-") else [value.strip("'\"")]
        elif _CHAT.match(line):
            current = []
        else:
            current.append(line.strip())
    texts = {name: "\n".join(lines).strip() for name, lines in fields.items()}
    if texts.get("summary"):
        return dict(texts)
    if texts.get("message"):
        return _read_text(texts["message"], types, level - 1)
    return None


def _list_rows(text: str) -> Iterator[str]:
    """Yield the lines of `text`, and the rows of a table as fields, be they in two columns or below their names."""
    names: list[str] = []
    for line in text.split("\n"):
        cells = [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
        if not line.strip().startswith("|") or len(cells) < 2:
            names = []
            yield line
        elif set("".join(cells)) <= set("-: "):
            continue
        elif len(cells) == 2 and _plain(cells[0]) in _FIELDS and _plain(cells[1]) not in _FIELDS:
            yield f"{cells[0]}: {cells[1]}"
        elif names:
            for name, cell in zip(names, cells, strict=False):
                yield f"{name}: {cell}"
        else:
            names = cells


def _read_lines(text: str, types: Sequence[str]) -> Fields | None:
    """Return the first header in the lines of `text`, or in quotes in one, or a first line that can be a summary."""
    lines = text.split("\n")
    sentence: Fields | None = None
    opened = False
    for number, line in enumerate(lines):
        read = _Line(line, types)
        header = _find_quoted(line, types) or read.header
        if header is None and not read.bare:
            continue
        if header is not None and (sentence is None or not _ITEM.match(line)):
            bang = "!" if header.breaking else ""
            return {
                "type": header.type + bang, "scope": header.scope or "", "summary": header.summary,
                "description": _read_body(lines[number + 1 :], types, offers=_ITEM.match(line) is not None),
            }  # fmt: skip
        if opened or _INTRODUCTION.match(line):
            continue
        opened = True
        if _can_be_summary(read.bare, lines[number + 1 : number + 2]):
            part = _PART.fullmatch(read.bare)
            summary = part["summary"] if part else read.bare
            sentence = {"type": read.kind, "summary": summary}
            if part is not None:
                sentence["scope"] = part["part"]
            sentence["description"] = _read_body(lines[number + 1 :], types, offers=_ITEM.match(line) is not None)
    return sentence


def _find_quoted(line: str, types: Sequence[str]) -> Header | None:
    """Return the header in quotes at the start of a line or in what introduces it, or None."""
    start = _ITEM.sub("", line, count=1).lstrip(" >")
    if not start.startswith(("`", '"', "\u201c", "**")) and not _INTRODUCTION.match(line):
        return None
    for quoted in _QUOTED.findall(line[:600]):
        header = _Line(max(quoted, key=len), types).header
        if header is not None:
            return header
    return None


class _Line:
    """A line of an answer: `bare` is what can be a summary, `header` what it has of one, `kind` what an emoji says."""

    def __init__(self, line: str, types: Sequence[str]) -> None:
        line = line[:600]
        self.kind = ""
        self.bare = _bare(line)
        self.header = self._read_header(self.bare, types)
        emoji = _EMOJI.match(self.bare)
        if self.header is None and emoji is not None:
            kind = resolve_type(emoji[0], DEFAULT_TYPES)
            self.kind = kind or ""
            self.bare = _bare(self.bare[emoji.end() :])
            self.header = self._read_header(self.bare, types)

    def _read_header(self, text: str, types: Sequence[str]) -> Header | None:
        found = _HEADER.fullmatch(text)
        if found is None or not _is_type(found["type"], types):
            return None
        summary = _bare(
            _EMOJI.sub("", found["summary"], count=1) if _EMOJI.match(found["summary"]) else found["summary"]
        )
        if not summary:
            return None
        kind = found["type"].strip().lower()
        kind = resolve_type(kind, types) or resolve_type(kind, DEFAULT_TYPES) or kind
        scope = found["scope"] or found["part"]
        return Header(kind, summary, scope=(scope or "").strip() or None, breaking=bool(found["breaking"]))


def _bare(line: str) -> str:
    """Return a line without what stands around a message: labels, bullets, quotes, emphasis, tags, a full stop."""
    text = _END_TAG.sub("", one_line(line))
    before = ""
    while text != before:
        before = text
        text = _LEAD.sub("", text, count=1) if _LEAD.match(text) else text
        text = one_line(text)
        for mark in "_*~":
            if len(text) > 2 and text[0] == text[-1] == mark:
                text = text[1:-1].strip()
    text = text.replace("**", "").lstrip("<[\"'` ").rstrip(" .\u3002")
    for mark in "`\"'*_\u201d":
        kept = text.rstrip(mark)
        if mark not in kept:
            text = kept.rstrip(" .")
    emoji = re.search(r"\s[^\w\s\x00-\x7f\u2010-\u201f]{1,8}$", text[-12:])
    if emoji is not None:
        text = text[: -len(emoji[0])]
    return text.strip()


def _can_be_summary(text: str, following: Sequence[str]) -> bool:
    """Whether a line without a type is a sentence in the imperative, as the title of a message is."""
    words = text.split()
    part = _PART.fullmatch(text)
    if part is not None:
        return find_base(part["summary"].split()[0].lower()) is not None
    if len(words) < _LEAST_WORDS or len(text) > _MOST_CHARACTERS or not words[0].isalpha():
        return False
    if find_base(words[0].lower()) is not None:
        return True
    alone = not "".join(following).strip()
    return alone and ":" not in text and words[0].isascii() and not _FINITE & set(map(str.lower, words))


# The body and what remains in it.


def _read_body(lines: Sequence[str], types: Sequence[str], *, offers: bool) -> str:
    """Return the lines of a body, up to where the model talks of something else.

    A header among them is another message, unless it is an item of a list and the first header `offers` no choice.
    """
    kept: list[str] = []
    for line in lines:
        if _CHAT.match(line) or (_Line(line, types).header is not None and (offers or not _ITEM.match(line))):
            break
        kept.append(line)
    return "\n".join(kept).strip()


def _clean_body(text: str, header: Header) -> str:
    """Return a description without what remains of the form of an answer."""
    if "\n" not in text:
        text = text.replace("\\n", "\n")
    lines = _until_talk(text.strip().split("\n"))
    while lines and (not lines[-1].strip() or _END_MARK.match(lines[-1].strip())):
        lines.pop()
    blocks: list[str] = []
    for paragraph in "\n".join(lines).split("\n\n"):
        kept: list[str] = []
        for line in paragraph.split("\n"):
            shown = _END_TAG.sub("", line)
            label = _BODY_LABEL.match(shown)
            if label is not None:
                shown = shown[label.end() :]
            if shown.strip() and not _EMPTY_LINE.fullmatch(shown.strip()) and not _is_own(shown):
                kept.append(shown)
        block = "\n".join(kept)
        if block.strip() and _normalize(block) not in (_normalize(header.summary), _normalize(str(header))):
            blocks.append(block)
    return "\n\n".join(blocks)


def _until_talk(lines: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        if _CHAT.match(line) and not line.strip().startswith(("```", "~~~")):
            break
        kept.append(line)
    return kept


def _is_own(text: str) -> bool:
    """Whether a text is a description of a field from our schema or prompt."""
    return _normalize(text).startswith(_OWN_WORDS)


def _normalize(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
