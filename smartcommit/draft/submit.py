"""`submit_message`: parse what a model submits, check it against the change, or recover it from text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any

from pydantic import BaseModel, Field, model_validator

from smartcommit.agent.tool import spec_of, tool
from smartcommit.change.history import normal_scope
from smartcommit.draft.conform import Passes, conform, one_line, strip_markup, wrap
from smartcommit.errors import ToolRetry
from smartcommit.git.grep import matches
from smartcommit.llm.json_repair import objects_in, without_reasoning
from smartcommit.message.checks import find_errors
from smartcommit.message.header import Header
from smartcommit.message.parse import Message, parse
from smartcommit.message.rules import Rules
from smartcommit.message.trailers import Trailer

# How often a model may retry a message that is unfounded or breaks the rules; then it is repaired here.
_CHANCES = 2
# Rules that are satisfied by what we add, not by the model.
_OURS = ("section-missing", "ticket", "line-length")
_LENGTH = 8000
_LEAD = re.compile(r"(?i)^(?:\d{1,2}[.)]\s*|[-*>#\s]{0,8})(?:(?:commit(?: message)?|subject|title|header)\s*:\s*)?")
# Lines with which a model ends the message and begins to talk about it.
_CHAT = re.compile(
    r"(?i)^(?:this (?:commit|message|change) |let me know|i (?:hope|have|chose|used)|explanation|note that"
    r"|feel free|```|here(?:'s| is| are)|alternatively|or:?$|option \d|you can |if you )"
)
_KEYS = ("message", "commit_message", "commitMessage", "commit", "text", "answer")
_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_FILE = re.compile(
    r"(?<![\w./@-])(?:[\w-]{1,60}/){1,12}[\w.-]{1,80}|(?<![\w./@-])[\w-]{2,60}\.[a-z][a-z0-9]{0,4}(?![\w.])"
)
_NUMBER = re.compile(r"(?<![\w.#-])v?(\d+(?:\.\d+)+|\d{2,})(?![\w])")
_ISSUE = re.compile(r"(?<![\w/])(?:#\d{1,8}|[A-Z][A-Z0-9]{1,9}-\d{1,8})(?![\w])")
_WORD = re.compile(r"\w+")
# Claims that must be supported by the change.
_CLAIMS = ("performance", "faster", "security", "vulnerabilit", "memory leak", "race condition", "deadlock")
# So many equal words in a row are copied from an example, not a coincidence.
_GRAM = 6


class SubmitMessageArgs(BaseModel):
    type: str = Field(max_length=40, description="the commit's type")
    scope: str = Field("", max_length=60, description="one lower-case noun, or empty")
    summary: str = Field(max_length=300, description="what the commit does, in the imperative")
    description: str = Field("", max_length=2000, description="why, or what is not obvious; may be empty")
    breaking_change: str = Field("", max_length=300, description="what users must do; empty if nothing breaks")

    @model_validator(mode="before")
    @classmethod
    def _in_other_words(cls, given: object) -> object:
        """Accept what small models answer in JSON: other names of the fields, or the message as one text."""
        if not isinstance(given, dict) or "summary" in given:
            return given
        found = salvage(json.dumps(given), None)
        if found is None or found.header is None:
            return given
        header = found.header
        return {
            **given, "type": header.type, "scope": header.scope or "", "summary": header.summary,
            "description": found.description,
        }  # fmt: skip


class MessageGate:
    """Accepts a model's message if it passes the rules and mentions only what is in the change.

    `passes` returns whether `commit-msg` would accept a text. `ticket` is the trailer that the project may require.
    """

    def __init__(self, rules: Rules, evidence: Evidence, passes: Passes, ticket: Trailer | None = None) -> None:
        self._rules = rules
        self._evidence = evidence
        self._passes = passes
        self._ticket = ticket
        self._refusals = 0

    @property
    def tool(self) -> Callable[..., str]:
        """The terminal tool of the loop, which returns the text of a message that passes."""

        @tool(SubmitMessageArgs)
        def submit_message(args: SubmitMessageArgs, **_: Any) -> str:
            """Submit the commit message and finish."""
            return self.accept(build_message(args))

        # Servers that enforce the schema save a retry.
        properties = spec_of(submit_message)["function"]["parameters"]["properties"]
        properties["type"]["enum"] = list(self._rules.types)
        properties["summary"]["maxLength"] = self._rules.summary_limit
        return submit_message

    def accept(self, message: Message) -> str:
        """Return the text for `message`, which passes.

        Raise ToolRetry, with a description of what is wrong, while the model has chances left, or if repair fails.
        """
        problems = [*self._violations(message), *self._evidence.problems(_prose(message))]
        if problems and self._refusals < _CHANCES:
            self._refusals += 1
            raise ToolRetry("; ".join(problems[:8]))
        return self.repair(message)

    def repair(self, message: Message) -> str:
        """Return the text for `message` without its unfounded parts.

        Raise ToolRetry if the summary itself is unfounded, or if no similar message passes.
        """
        assert message.header is not None
        if self._evidence.problems(message.header.summary):
            raise ToolRetry("the summary mentions something that is not in the change")
        blocks = [block for block in message.description.split("\n\n") if not self._evidence.problems(block)]
        trailers = [trailer for trailer in message.trailers if not self._evidence.problems(trailer.value)]
        kept = Message(message.header, description="\n\n".join(blocks), trailers=trailers)
        text = conform(kept, self._rules, passes=self._passes, ticket=self._ticket)
        if text is None:
            raise ToolRetry("the message breaks the project's rules")
        return text

    def _violations(self, message: Message) -> list[str]:
        text = f"{message.header}\n\n{message.description}" if message.description else str(message.header)
        problems: list[str] = []
        for violation in find_errors(text, self._rules, search=matches):
            if violation.code not in _OURS:
                problems.append(violation.text)
                if violation.expected:
                    problems[-1] += f", expected {violation.expected}"
        return problems


def build_message(args: SubmitMessageArgs) -> Message:
    """Return the message that the model meant: without thoughts, markup and fences, or a header in the summary."""
    summary = one_line(without_reasoning(args.summary))
    kind = one_line(args.type).lower()
    scope = normal_scope(strip_markup(args.scope))
    # Some models put the whole header into the summary.
    inner = parse(summary).message.header
    if inner is not None and inner.type == kind:
        summary, scope = inner.summary, scope or inner.scope
    breaking = one_line(without_reasoning(args.breaking_change))
    if breaking.lower().strip(" .") in ("none", "no", "n/a", "null", "false", "nothing"):
        breaking = ""
    header = Header(kind, summary.rstrip(" ."), scope=scope, breaking=bool(breaking))
    message = Message(header, description=wrap(without_reasoning(args.description)))
    if breaking:
        message.trailers.append(Trailer("BREAKING CHANGE", breaking))
    return message


def _prose(message: Message) -> str:
    assert message.header is not None
    return "\n".join([message.header.summary, message.description, *(trailer.value for trailer in message.trailers)])


def salvage(text: str, types: Sequence[str] | None) -> Message | None:
    """Return the message in `text`, or None if no line of it is a header with one of `types` (None: with any)."""
    text = strip_markup(text[:_LENGTH])
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
    kind, summary, scope = found.get("type"), found.get("summary"), found.get("scope")
    if isinstance(kind, str) and isinstance(summary, str):
        scope = scope.strip().lower() if isinstance(scope, str) else ""
        header = Header(kind.strip().lower(), one_line(summary), scope=scope or None)
        return Message(header, description=str(found.get("description") or found.get("body") or ""))
    for name in _KEYS:
        value = found.get(name)
        if isinstance(value, Mapping):
            return _from_object(value, types)
        if isinstance(value, str):
            return salvage(value, types)
    subject = found.get("subject") or found.get("title") or found.get("header")
    named = _header(str(subject or ""), types)
    if named is None:
        return None
    return Message(named, description=str(found.get("body") or found.get("description") or ""))


def _header(line: str, types: Sequence[str] | None) -> Header | None:
    bare = one_line(_LEAD.sub("", line.strip().strip("`"), count=1))
    header = parse(bare[:400]).message.header
    if header is None or (types is not None and header.type not in types):
        return None
    header.summary = header.summary.rstrip(" .`\"'*")
    if not header.summary:
        return None
    return header


def _description(lines: Sequence[str], types: Sequence[str] | None) -> str:
    kept: list[str] = []
    for line in lines:
        if _CHAT.match(line.strip()) or _header(line, types) is not None:
            break
        kept.append(line)
    return "\n".join(kept).strip()


class Evidence:
    """What a model was shown: `texts` of this change, and `examples` of other changes, for style only."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.examples: list[str] = []

    def problems(self, text: str) -> list[str]:
        """Return what `text` says without support in the change, as explanations for the model."""
        known = "\n".join(self.texts)
        lowered = known.lower()
        found: list[str] = []
        for name in _names(text):
            if not _occurs(name, known):
                found.append(f"'{name}' does not appear in the change")
        for claim in _CLAIMS:
            if claim in text.lower() and claim not in lowered:
                found.append(f"nothing in the change supports '{claim}'")
        copied = self._copied(text, known)
        if copied:
            found.append(f"'{copied}' is copied from another commit")
        return list(dict.fromkeys(found))

    def _copied(self, text: str, known: str) -> str | None:
        """Return the first words of `text` that are in an example but not in this change."""
        grams: set[str] = set()
        for example in self.examples:
            grams.update(_grams(example))
        copied = [gram for gram in _grams(text) if gram in grams]
        if not copied:
            return None
        # This may be megabytes of text, so it is searched as one string.
        own = f" {' '.join(_WORD.findall(known.lower()))} "
        for gram in copied:
            if f" {gram} " not in own:
                return gram
        return None


def watched(function: Callable[..., str], evidence: Evidence) -> Callable[..., str]:
    """Wrap a tool so that its results are added to `evidence`."""
    into = evidence.texts if function._tool_evidence else evidence.examples  # type: ignore[attr-defined]

    @wraps(function)
    def tool(args: Any, **kwargs: Any) -> str:
        result = function(args, **kwargs)
        into.append(result)
        return result

    return tool


def _names(text: str) -> Iterator[str]:
    """Yield what must occur in the change: quoted names, paths, numbers and issues."""
    bare = _QUOTED.sub(" ", text)
    yield from _QUOTED.findall(text)
    for name in _FILE.findall(bare):
        if _is_file(name):
            yield name.rstrip(".")
    yield from _NUMBER.findall(bare)
    yield from _ISSUE.findall(bare)


def _is_file(name: str) -> bool:
    """Whether a word is a path rather than `read/write` or `e.g.`."""
    return "." in name.strip(".")[1:-1] or name.count("/") > 1


def _occurs(name: str, known: str) -> bool:
    strip_markup = name.strip().removesuffix("()").strip("\"'")
    return strip_markup in known or strip_markup.removeprefix("./") in known


def _grams(text: str) -> Iterator[str]:
    words = _WORD.findall(text.lower())
    return (" ".join(words[start : start + _GRAM]) for start in range(len(words) - _GRAM + 1))
