"""`submit_message`: what a model submits, checked against the change and the rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from itertools import chain
from typing import Any

from pydantic import BaseModel, Field, model_validator

from smartcommit.agent.git_tools import TOOLS
from smartcommit.agent.loop import look_closer
from smartcommit.agent.tool import spec_of, tool, traits_of
from smartcommit.draft.conform import Passes, conform
from smartcommit.draft.model.answer import NAMES, make_message, read_answer, read_object, resolve_type
from smartcommit.draft.model.host_effects import Grounds, ground_message, is_ungrounded_revert
from smartcommit.draft.model.substance import ARTICLES, is_about, says_nothing
from smartcommit.errors import ToolRetry
from smartcommit.git.grep import matches
from smartcommit.llm.api import Json
from smartcommit.message.checks import find_errors
from smartcommit.message.header import Header
from smartcommit.message.parse import Message
from smartcommit.message.rules import Rules
from smartcommit.message.trailers import Trailer
from smartcommit.secrets.redaction import find_certain_secrets

# How often a model may retry a message that is unfounded or breaks the rules, before the message is repaired here.
_RETRIES = 2
# Rules that are satisfied by what we add, not by the model.
_OURS = ("section-missing", "ticket", "line-length")
# The limits in characters that a model is told for a description and for a breaking change, which are lower than those
# that we read because small models fill all the room they get.
_DESCRIPTION_ASKED = 400
_BREAKING_ASKED = 200
_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_FILE = re.compile(
    r"(?<![\w./@-])(?:[\w-]{1,60}/){1,12}[\w.-]{1,80}|(?<![\w./@-])[\w-]{2,60}\.[a-z][a-z0-9]{0,4}(?![\w.])"
)
_NUMBER = re.compile(r"(?<![\w.#-])v?(\d+(?:\.\d+)+|\d{2,})(?![\w])")
_ISSUE = re.compile(r"(?<![\w/])(?:#\d{1,8}|[A-Z][A-Z0-9]{1,9}-\d{1,8})(?![\w])")
_WORD = re.compile(r"\w+")
# Claims that must be supported by the change.
_CLAIMS = ("performance", "faster", "security", "vulnerabilit", "memory leak", "race condition", "deadlock")
# So many equal words in a row count as copied from an example.
_WORDS_COPIED = 6
# An example with at least so many words counts as copied, too, if all of them are used.
_WORDS_REUSED = 4
# Why a summary is rejected; small models repeat it as the next one.
_SAYS_NOTHING = "the summary says nothing about the change"
_UNFOUNDED = "nothing in the change shows what the summary says"
_UNKNOWN = "the summary mentions something that is not in the change"


class SubmitMessageArgs(BaseModel):
    type: str = Field(max_length=40, description="the commit's type")
    scope: str = Field("", max_length=60, description="one lower-case noun, or empty")
    summary: str = Field(max_length=300, description="what the commit does, in the imperative")
    description: str = Field("", description="why, or what is not obvious; may be empty")
    breaking_change: str = Field("", max_length=300, description="what users must do; empty if nothing breaks")

    @model_validator(mode="before")
    @classmethod
    def _in_other_words(cls, given: object) -> object:
        """Accept what models answer instead: other names and types of the fields, or the message as one text."""
        if not isinstance(given, dict):
            return given
        return read_object(given)


@dataclass(slots=True)
class MessageGate:
    """Accepts a model's message if it passes the rules and mentions only what is in the change.

    `passes` returns whether `commit-msg` would accept a text. `ticket` is the trailer that the project may require.
    `kind` is the type of a message whose own is not one of the project's: that of the embedded draft.
    """

    rules: Rules
    evidence: Evidence
    passes: Passes
    ticket: Trailer | None = None
    kind: str = ""
    _refusals: int = 0

    def tool(self, *, whole: bool = False) -> Callable[..., str]:
        """Return the terminal tool of the loop, which returns the text of a message that passes.

        If the model was shown the `whole` change, it can be called at once.
        """

        @tool(
            SubmitMessageArgs,
            first=whole,
            read_text=partial(read_answer, types=self.rules.types),
            describe=lambda args: str(build_message(args).header),
        )
        def submit_message(args: SubmitMessageArgs, **_: Any) -> str:
            """Submit the commit message and finish."""
            return self.accept(build_message(args))

        # Servers that enforce the schema save a retry.
        properties = spec_of(submit_message)["function"]["parameters"]["properties"]
        properties["type"]["enum"] = list(self.rules.types)
        properties["summary"]["maxLength"] = self.rules.summary_limit
        properties["description"]["maxLength"] = _DESCRIPTION_ASKED
        properties["breaking_change"]["maxLength"] = _BREAKING_ASKED
        return submit_message

    def accept(self, message: Message) -> str:
        """Return the text for `message`, which passes.

        Raise ToolRetry, with a description of what is wrong, while the model has chances left, or if repair fails.
        """
        assert message.header is not None
        self._settle_type(message.header)
        grounded = ground_message(message, self.evidence.grounds)
        assert grounded.header is not None
        problems = [*self._violations(grounded), *self.evidence.problems(grounded.header.summary)]
        if problems and self._refusals < _RETRIES:
            self._refusals += 1
            raise ToolRetry("; ".join(problems[:8]))
        return self.repair(message)

    def repair(self, message: Message) -> str:
        """Return the text for `message` without its unfounded parts.

        Raise ToolRetry if the summary itself is unfounded or says nothing, or if no similar message passes.
        """
        assert message.header is not None
        self._settle_type(message.header)
        repeats = message.header.summary.lower().startswith((_SAYS_NOTHING, _UNFOUNDED, _UNKNOWN))
        if repeats or says_nothing(message.header.summary) or not self.evidence.supports(message.header):
            raise ToolRetry(_SAYS_NOTHING)
        message = ground_message(message, self.evidence.grounds)
        assert message.header is not None
        if not message.header.summary or is_ungrounded_revert(message, self.evidence.grounds):
            raise ToolRetry(_UNFOUNDED)
        unknown = self.evidence.problems(message.header.summary)
        if unknown:
            raise ToolRetry(f"{_UNKNOWN}: {unknown[0]}")
        blocks = (part for part in message.description.split("\n\n") if not self.evidence.problems(part))
        trailers = [trailer for trailer in message.trailers if not self.evidence.problems(trailer.value)]
        repaired = Message(message.header, description="\n\n".join(blocks), trailers=trailers)
        text = conform(repaired, self.rules, passes=self.passes, ticket=self.ticket)
        if text is None:
            raise ToolRetry("the message breaks the project's rules")
        return text

    def _settle_type(self, header: Header) -> None:
        header.type = resolve_type(header.type, self.rules.types) or self.kind or header.type

    def _violations(self, message: Message) -> list[str]:
        text = "\n\n".join(part for part in (str(message.header), message.description) if part)
        problems: list[str] = []
        for violation in find_errors(text, self.rules, search=matches):
            if violation.code not in _OURS:
                problems.append(violation.text)
                if violation.expected:
                    problems[-1] += f", expected {violation.expected}"
        return problems


def build_message(args: SubmitMessageArgs) -> Message:
    return make_message(args.model_dump(include=set(NAMES)))


class Evidence:
    """What a model was shown: `texts` of this change, and `examples` of other changes, for style only.

    `grounds` are what allows a message to do something to a code host. With `shares_words`, as in English, a summary
    has a word of the change.
    """

    def __init__(self, *texts: str, grounds: Grounds | None = None, shares_words: bool = False) -> None:
        self.texts = list(texts)
        self.grounds = grounds or Grounds()
        self.examples: list[str] = []
        self._shares_words = shares_words

    def supports(self, header: Header) -> bool:
        return is_about(header.summary, "\n".join(self.texts), scope=header.scope or "", by_words=self._shares_words)

    def problems(self, text: str) -> list[str]:
        """Return what `text` says without support in the change, as explanations for the model."""
        known_text = "\n".join(self.texts)
        lowered = known_text.lower()
        problems = [f"it contains a secret: {kind}" for kind, _ in find_certain_secrets(text)]
        for name in _names(text):
            # A branch `fix-12` is about the issue #12.
            bare = name.strip().removesuffix("()").strip("\"'").removeprefix("./")
            if bare not in known_text and not (name.startswith("#") and self.grounds.has_number(name[1:])):
                problems.append(f"'{name}' does not appear in the change")
        for claim in _CLAIMS:
            if claim in text.lower() and claim not in lowered:
                problems.append(f"nothing in the change supports '{claim}'")
        copied = self._find_copied(text.lower(), lowered)
        if copied:
            problems.append(f"'{copied}' is copied from another commit")
        return list(dict.fromkeys(problems))

    def _find_copied(self, text: str, known: str) -> str | None:
        """Return what `text` has of an example and not of this change: a line in any order, or six words in a row."""
        words_said = _WORD.findall(text)
        grams: set[str] = set()
        for line in chain.from_iterable(example.splitlines() for example in self.examples):
            listed = _WORD.findall(line.lower())
            grams.update(_grams(listed))
            words = set(listed) - ARTICLES
            is_used = len(words) >= _WORDS_REUSED and words <= set(words_said)
            if (is_used or words_said == listed != words_said[:2]) and not all(word in known for word in words):
                return line
        copied = [gram for gram in _grams(words_said) if gram in grams]
        if not copied:
            return None
        # This may be megabytes of text, so it is searched as one string, and only if it has to be.
        own = f" {' '.join(_WORD.findall(known))} "
        return next((gram for gram in copied if f" {gram} " not in own), None)


def make_submit(gate: MessageGate, *, whole: bool) -> Callable[..., str]:
    """Return the terminal tool of `gate`, without descriptions of its fields: the instructions say what they mean."""
    submit = gate.tool(whole=whole)
    for field in spec_of(submit)["function"]["parameters"]["properties"].values():
        del field["description"]
    return submit


def list_specs(rules: Rules, *, whole: bool, tools: bool) -> list[Json]:
    """Return what the first request offers beside a prompt with the `whole` change, or with a part of it."""
    submit = spec_of(make_submit(MessageGate(rules, Evidence(), lambda text: True), whole=whole))
    if not whole:
        return [*[spec_of(tool) for tool in TOOLS], submit]
    if tools:
        return [submit, spec_of(look_closer)]
    return [submit]


def watched(function: Callable[..., str], evidence: Evidence) -> Callable[..., str]:
    """Wrap a tool so that its results are added to `evidence`."""
    into = evidence.texts if traits_of(function).evidence else evidence.examples

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
        # `read/write` and `e.g.` are none.
        if "." in name.strip(".")[1:-1] or name.count("/") > 1:
            yield name.rstrip(".")
    yield from _NUMBER.findall(bare)
    yield from _ISSUE.findall(bare)


def _grams(words: Sequence[str]) -> Iterator[str]:
    for start in range(len(words) - _WORDS_COPIED + 1):
        yield " ".join(words[start : start + _WORDS_COPIED])
