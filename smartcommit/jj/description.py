"""Converts between descriptions and plans, verifying the round trip.

Runs no jj, and git only to search for a ticket. The grammar and the rules are those of `smartcommit.message`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from smartcommit.git.grep import matches
from smartcommit.message.checks import check, check_header, find_errors, select_errors
from smartcommit.message.header import Header
from smartcommit.message.parse import Message, Parsed, parse, print_message
from smartcommit.message.plan_sections import find_sections
from smartcommit.message.rules import Rules, Violation
from smartcommit.message.trailers import find_trailers

# Unlike git, jj has no comment character in descriptions: a line that begins with '#' is text.
NO_COMMENT = ""
# The rules that a plan keeps from its first line on.
_ALWAYS_HELD = (
    "types", "scopes", "scope_form", "scope", "header_limit", "summary_limit", "line_limit", "summary_case",
    "full_stop", "imperative", "levels",
)  # fmt: skip


class EditRejected(Exception):
    """An edit that breaks the rules; nothing was changed. `question` is what the caller would have to confirm."""

    def __init__(self, reason: str, *, question: str | None = None) -> None:
        super().__init__(reason)
        self.question = question


@dataclass(slots=True)
class ParsedDescription:
    """A description as the planner reads it.

    `message` is None if the description is empty, or if it is not a plan, for the reasons in `problems`. `tail` holds
    the lines of the trailers verbatim, since folded ones and lines such as `(cherry picked ...)` must not change.
    `note` says what is read otherwise than it stands there, or is empty.
    """

    text: str
    message: Message | None = None
    problems: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    note: str = ""

    @property
    def malformed(self) -> bool:
        """Whether there is text that is not a plan. Such a description is read-only."""
        return self.message is None and bool(self.text.strip())


def read(text: str, rules: Rules) -> ParsedDescription:
    """Parse a description. One that breaks the rules, or that printing would change, is malformed.

    A scope that only has the wrong case is read in lower case, as the specification wants it.
    What else a project requires (sections, a ticket) may still be missing; `find_unmet_rules` checks it.
    """
    if not text.strip():
        return ParsedDescription(text)
    parsed = parse(text, comment=NO_COMMENT, is_plan=True)
    relaxed = relax(rules)
    note = _lower_scope(parsed, relaxed)
    problems = _describe_errors(check(parsed, relaxed), rules)
    _, end = find_trailers(parsed.lines, NO_COMMENT)
    last_section = max(find_sections(parsed.lines, is_plan=True), default=0)
    # Printing moves a section among the trailers above them.
    tail = parsed.lines[parsed.trailers_at : end] if last_section < parsed.trailers_at else []
    if not problems:
        printed = ""
        with suppress(ValueError):
            printed = print_message(parsed.message, comment=NO_COMMENT, tail=tail)
        if "".join(printed.split()).casefold() != "".join("".join(parsed.lines).split()).casefold():
            problems = ["line 1: rewriting this message would lose some of its text"]
    if problems:
        return ParsedDescription(text, problems=problems, tail=tail)
    return ParsedDescription(text, parsed.message, tail=tail, note=note)


def write(message: Message, tail: Sequence[str], rules: Rules) -> str:
    """Return `message` as a description, with the trailers in `tail`, after checking that it reads back the same.

    Raise EditRejected, naming the problems, if it does not.
    """
    assert message.header is not None
    text = ""
    problems = _describe_errors(check_header(str(message.header), rules), rules)
    try:
        if not problems:
            text = print_message(message, comment=NO_COMMENT, tail=tail)
            text.encode()
            problems = read(text, rules).problems
    except UnicodeEncodeError:
        problems = ["the text contains an unpaired surrogate and cannot be encoded as UTF-8"]
    except ValueError as error:
        problems = [str(error)]
    if problems:
        raise EditRejected(f"nothing was written: {'; '.join(problems)}")
    return text


def find_unmet_rules(text: str, rules: Rules) -> list[str]:
    return [_describe(error) for error in find_errors(text, rules, search=matches)]


def _lower_scope(parsed: Parsed, rules: Rules) -> str:
    """Read the scope in lower case if it has to be, and return what is to be said of that."""
    header = parsed.message.header
    if header is None or header.scope is None or rules.allows_scope(header.scope) or rules.is_off("scope-case"):
        return ""
    note = mention_lower_case(header)
    header.scope = header.scope.lower()
    parsed.lines[0] = str(header)
    return note


def mention_lower_case(header: Header) -> str:
    """Return what is to be said of the scope of `header`, which becomes lower case; empty if it is already."""
    scope = header.scope or ""
    if scope == scope.lower():
        return ""
    return f"; changed the scope to '{scope.lower()}', since scopes are lower case"


def relax(rules: Rules) -> Rules:
    """Return `rules` without what may still be missing while the work goes on."""
    return Rules(**{name: getattr(rules, name) for name in _ALWAYS_HELD})


def is_plan(message: Message) -> bool:
    return message.tasks is not None or message.constraints is not None


def _describe_errors(violations: Sequence[Violation], rules: Rules) -> list[str]:
    return [_describe(error) for error in select_errors(violations, rules)]


def _describe(violation: Violation) -> str:
    text = f"line {violation.line + 1}: {violation.code}: {violation.text}"
    if violation.expected:
        text += f" (expected {violation.expected})"
    return text
