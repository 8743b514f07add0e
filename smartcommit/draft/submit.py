"""The call that ends a draft: the message in parts, judged by the project's rules and by what the change shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, Field, model_validator

from smartcommit.agent.tool import spec_of, tool
from smartcommit.change.history import normal_scope
from smartcommit.draft.conform import Passes, conform
from smartcommit.draft.grounding import Evidence
from smartcommit.draft.salvage import salvage
from smartcommit.draft.wrap import one_line, plain, wrapped
from smartcommit.errors import ToolRetry
from smartcommit.git.grep import matches
from smartcommit.llm.reasoning import without_reasoning
from smartcommit.message.checks import check
from smartcommit.message.header import Header
from smartcommit.message.parse import Message, parse
from smartcommit.message.rules import ERROR, Rules
from smartcommit.message.trailers import Trailer

# So often a model may mend what nothing in the change speaks for, or what the rules refuse; then it is repaired here.
_CHANCES = 2
# Rules that are met by putting in what the project asks for, which is not the model's to write.
_OURS = ("section-missing", "ticket", "line-length")


class SubmitMessageArgs(BaseModel):
    type: str = Field(max_length=40, description="the commit's type")
    scope: str = Field("", max_length=60, description="one lower-case noun, or empty")
    summary: str = Field(max_length=300, description="what the commit does, in the imperative")
    description: str = Field("", max_length=2000, description="why, or what is not obvious; may be empty")
    breaking_change: str = Field("", max_length=300, description="what users have to do; empty where nothing breaks")

    @model_validator(mode="before")
    @classmethod
    def _in_other_words(cls, given: object) -> object:
        """Small models that answer in JSON name the parts as they like, or give the message as one text."""
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
    """Where a model hands in its message.

    `passes` tells whether a text would be let through by `commit-msg`, and `ticket` is the trailer that the project may
    ask for.
    """

    def __init__(self, rules: Rules, evidence: Evidence, passes: Passes, ticket: Trailer | None = None) -> None:
        self._rules = rules
        self._evidence = evidence
        self._passes = passes
        self._ticket = ticket
        self._refusals = 0

    @property
    def tool(self) -> Callable[..., str]:
        """The terminal tool of the loop; it returns the text of a message that passes."""

        @tool(SubmitMessageArgs)
        def submit_message(args: SubmitMessageArgs, **_: Any) -> str:
            """Hand in the commit message; this ends the work."""
            return self.accept(message_of(args))

        # What a server holds its model to by the schema needs no second try.
        properties = spec_of(submit_message)["function"]["parameters"]["properties"]
        properties["type"]["enum"] = list(self._rules.types)
        properties["summary"]["maxLength"] = self._rules.summary_limit
        return submit_message

    def accept(self, message: Message) -> str:
        """The text for `message`, which passes.

        Raises: ToolRetry with what is wrong, as long as the model has chances, and where nothing can be repaired.
        """
        problems = [*self._violations(message), *self._evidence.problems(_prose(message))]
        if problems and self._refusals < _CHANCES:
            self._refusals += 1
            raise ToolRetry("; ".join(problems[:8]))
        return self.repair(message)

    def repair(self, message: Message) -> str:
        """The text for `message` without what nothing speaks for.

        Raises: ToolRetry where the header itself is such, or no message like it passes.
        """
        assert message.header is not None
        if self._evidence.problems(message.header.summary):
            raise ToolRetry("the summary names what is not in the change")
        blocks = [block for block in message.description.split("\n\n") if not self._evidence.problems(block)]
        trailers = [trailer for trailer in message.trailers if not self._evidence.problems(trailer.value)]
        kept = Message(message.header, description="\n\n".join(blocks), trailers=trailers)
        text = conform(kept, self._rules, passes=self._passes, ticket=self._ticket)
        if text is None:
            raise ToolRetry("the project's rules refuse it")
        return text

    def _violations(self, message: Message) -> list[str]:
        rules = self._rules
        text = f"{message.header}\n\n{message.description}" if message.description else str(message.header)
        broken = check(parse(text), rules, search=matches)
        return [
            f"{violation.text}{f', expected {violation.expected}' if violation.expected else ''}"
            for violation in broken
            if rules.level(violation.code) == ERROR and violation.code not in _OURS
        ]


def message_of(args: SubmitMessageArgs) -> Message:
    """The message that is meant, however its parts were filled: a header in the summary, thoughts, marks, fences."""
    summary = one_line(without_reasoning(args.summary))
    kind = one_line(args.type).lower()
    scope = normal_scope(plain(args.scope)) if args.scope.strip() else None
    # Some put the whole header into the summary.
    inner = parse(summary).message.header
    if inner is not None and inner.type == kind:
        summary, scope = inner.summary, scope or inner.scope
    breaking = one_line(without_reasoning(args.breaking_change))
    breaking = "" if breaking.lower().strip(" .") in ("none", "no", "n/a", "null", "false", "nothing") else breaking
    return Message(
        Header(kind, summary.rstrip(" ."), scope=scope, breaking=bool(breaking)),
        description=wrapped(without_reasoning(args.description)),
        trailers=[Trailer("BREAKING CHANGE", breaking)] if breaking else [],
    )


def _prose(message: Message) -> str:
    assert message.header is not None
    return "\n".join([message.header.summary, message.description, *(trailer.value for trailer in message.trailers)])
