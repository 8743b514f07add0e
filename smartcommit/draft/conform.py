"""Making a message pass the project's own rules: what is mechanical is repaired, what is required is put in.

No draft that `commit-msg` would refuse is ever written; where a policy asks for what nobody but a person knows, there
is no draft.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from smartcommit.change.history import normal_scope
from smartcommit.change.wording import fitting
from smartcommit.draft.wrap import WIDTH, wrapped
from smartcommit.errors import ConfigError
from smartcommit.git.grep import matches
from smartcommit.message.checks import check, mend_header
from smartcommit.message.header import Header, is_name
from smartcommit.message.imperative import imperative
from smartcommit.message.parse import Message, parse, print_message
from smartcommit.message.rules import ERROR, Rules
from smartcommit.message.sections import Task
from smartcommit.message.trailers import Trailer

# Branches that machines name, and what looks like a ticket and is none.
_MACHINES = ("dependabot/", "renovate/", "snyk-", "release", "revert-")
_NO_TICKETS = ("UTF", "SHA", "ISO", "RFC", "MD", "CVE", "HTTP", "TLS", "AES", "RSA")
_TICKET = re.compile(r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9]{1,9})-(\d{1,7})(?![A-Za-z0-9.])")
_ISSUE = re.compile(r"(?<![A-Za-z0-9.-])#?(\d{1,7})(?![A-Za-z0-9.])")

Passes = Callable[[str], bool]


def accepted(text: str, rules: Rules) -> bool:
    """Whether `text` breaks no rule that is an error."""
    violations = check(parse(text.removesuffix("\n")), rules, search=matches)
    return not any(rules.level(violation.code) == ERROR for violation in violations)


def conform(message: Message, rules: Rules, *, passes: Passes, ticket: Trailer | None = None) -> str | None:
    """The text of `message`, or of the nearest one that `passes`; None where there is none.

    `ticket` is put in where the project asks for one.
    """
    if message.header is None:
        return None
    trailers = [*message.trailers, *([ticket] if ticket is not None and ticket not in message.trailers else [])]
    tried = set()
    for header in _headers(message.header, rules):
        for description in _descriptions(message.description, header, rules):
            text = _printed(header, description, rules, trailers=trailers)
            if text is not None and text not in tried:
                tried.add(text)
                if passes(text):
                    return text
    return None


def ticket_of(branch: str, rules: Rules) -> Trailer | None:
    """The trailer with the ticket that `branch` names, in the form that the project's pattern asks for."""
    if not rules.ticket or branch.startswith(_MACHINES):
        return None
    for name in _tickets(branch):
        for form in (f"Refs: {name}", f"Ticket: {name}", f"Closes: {name}", f"Fixes: {name}"):
            try:
                if matches(rules.ticket, form):
                    return Trailer(*form.split(": ", 1))
            except ConfigError:
                return None
    return None


def _tickets(branch: str) -> Iterator[str]:
    for found in _TICKET.finditer(branch):
        if found[1].upper() not in _NO_TICKETS:
            yield from dict.fromkeys((found[0], found[0].upper()))
    yield from (f"#{found[1]}" for found in _ISSUE.finditer(branch))


def _headers(header: Header, rules: Rules) -> Iterator[Header]:
    """The header, mended, then without its scope, then with fewer words."""
    kind = header.type if header.type in rules.types else rules.types[0]
    scope = normal_scope(header.scope) if header.scope else None
    if scope is not None and rules.scopes and scope not in rules.scopes:
        scope = None
    summary = header.summary
    if rules.imperative:
        summary = imperative(summary) or summary
    room = WIDTH - len(str(Header(kind, "", scope=scope)))
    summary = summary if len(summary) <= rules.summary_limit else fitting([summary], room, rules.summary_limit)
    first = Header(kind, summary, scope=scope, breaking=header.breaking)
    yield first
    mended = mend_header(str(first), rules)
    if mended is not None:
        found = parse(mended[0]).message.header
        if found is not None:
            yield found
    for text in (summary, "update files", "update", "edit"):
        yield Header(kind, text[: rules.summary_limit].strip() or "x", breaking=header.breaking)


def _descriptions(description: str, header: Header, rules: Rules) -> Iterator[str]:
    """The description, wrapped as the project asks, then none; where one is required, the summary as a sentence."""
    width = min(rules.line_limit or WIDTH, WIDTH)
    if description:
        yield wrapped(description, width)
    if "description" in rules.required:
        sentence = header.summary[:1].upper() + header.summary[1:]
        yield from (wrapped(sentence, width), "Update." if width >= 7 else "x")
    yield ""


def _printed(header: Header, description: str, rules: Rules, *, trailers: Sequence[Trailer]) -> str | None:
    wanted = set(rules.required)
    summary, _, details = header.summary.partition(": ")
    task = Task(summary.strip(), details=details.strip(), completed=True)
    if not is_name(header.type):
        return None
    try:
        return print_message(
            Message(
                header,
                description=description,
                constraints=[] if wanted & {"constraints", "plan"} else None,
                tasks=[task] if wanted & {"tasks", "plan"} else None,
                finished=bool(wanted & {"tasks", "plan"}),
                trailers=trailers,
            )
        )
    except ValueError:
        return None
