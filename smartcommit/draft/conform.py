"""Make a message pass the project's rules: of ever simpler forms of it, the first that breaks none is taken.

A draft that `commit-msg` would reject is never written, except that a ticket which only the user knows is left empty.
If the policy requires anything else that only the user knows, there is no draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from smartcommit.change.history import normalize_scope
from smartcommit.change.wording import choose_fitting
from smartcommit.draft.plain_text import WIDTH, wrap
from smartcommit.draft.tickets import SOME_TICKET
from smartcommit.message.header import Header, is_name
from smartcommit.message.header_proposals import adapt_summary, fix_header
from smartcommit.message.parse import Message, parse, print_message
from smartcommit.message.plan_sections import Task
from smartcommit.message.rules import FORBID, REQUIRE, Rules, fill_header
from smartcommit.message.trailers import Trailer

Passes = Callable[[str], bool]


def conform(message: Message, rules: Rules, *, passes: Passes, ticket: Trailer | None = None) -> str | None:
    """Return `message` with `ticket`, or the most similar message that `passes`, as text; None if there is none.

    A `ticket` without a value is written as well, for the user to fill in.
    """
    if message.header is None:
        return None
    trailers = list(message.trailers)
    if ticket is not None and ticket not in trailers:
        trailers.append(ticket)
    for header in _list_candidate_headers(message.header, rules):
        for description in _list_candidate_descriptions(message.description, header, rules):
            text = _print(header, description, rules, trailers=trailers)
            if text is not None and passes(text):
                return text
    return None


def _list_candidate_headers(header: Header, rules: Rules) -> Iterator[Header]:
    """Yield the header adapted to the rules, then with more fixes, then without a scope and with fewer words."""
    kind = header.type
    scope = _adapt_scope(header.scope, rules)
    summary = adapt_summary(header.summary, rules)
    limit = _limit_summary(Header(kind, "-", scope=scope, breaking=header.breaking), rules)
    if len(summary) > limit:
        summary = adapt_summary(choose_fitting([summary], limit, limit), rules)
    first = Header(kind, summary, scope=scope, breaking=header.breaking)
    yield first
    fixed = fix_header(str(first), rules)
    if fixed is not None:
        fixed_header = parse(fixed.line).message.header
        if fixed_header is not None:
            yield fixed_header
    if rules.scope != REQUIRE:
        scope = None
    # Where the whole summary breaks a rule, half of it still says more than one word.
    half = limit // 2
    for text in (summary, choose_fitting([summary], half, half), "update"):
        short = adapt_summary(text[:limit].strip() or "x", rules)
        yield Header(kind, short, scope=scope, breaking=header.breaking)


def _adapt_scope(scope: str | None, rules: Rules) -> str | None:
    """Return `scope` in a form that the rules allow, or None."""
    if scope is None or rules.scope == FORBID:
        return None
    if not rules.allows_scope(scope):
        scope = normalize_scope(scope)
    return scope if scope is not None and rules.allows_scope(scope) else None


def _limit_summary(sample: Header, rules: Rules) -> int:
    """Return how long a summary may be in place of that of `sample`: the project's form adds to it, and to the rest."""
    length_in_form = len(fill_header(sample, rules.header_form, SOME_TICKET))
    limit = rules.summary_limit - (length_in_form - len(str(sample)))
    if rules.header_limit is not None:
        limit = min(limit, rules.header_limit - (length_in_form - len(sample.summary)))
    return max(1, limit)


def _list_candidate_descriptions(description: str, header: Header, rules: Rules) -> Iterator[str]:
    """Yield the wrapped description; if one is required, the summary as a sentence and one word; and an empty one."""
    width = min(rules.line_limit or WIDTH, WIDTH)
    if description:
        yield wrap(description, width)
    if "description" in rules.required:
        yield wrap(header.summary[:1].upper() + header.summary[1:], width)
        yield "Update."
    yield ""


def _print(header: Header, description: str, rules: Rules, *, trailers: Sequence[Trailer]) -> str | None:
    """Return the message as text with the sections that the rules require, or None if it cannot be written."""
    if not is_name(header.type):
        return None
    message = Message(header, description=description, trailers=trailers)
    required = set(rules.required)
    if required & {"constraints", "plan"}:
        message.constraints = []
    if required & {"tasks", "plan"}:
        summary, _, details = header.summary.partition(": ")
        message.tasks = [Task(summary.strip(), details=details.strip(), completed=True)]
        message.finished = True
    try:
        return print_message(message)
    except ValueError:
        return None
