"""Finds the ticket in the name of a branch, which a project can require in every message."""

from __future__ import annotations

from smartcommit.git.grep import matches
from smartcommit.message.header import Header
from smartcommit.message.header_proposals import NO_TICKETS
from smartcommit.message.rules import fill_header
from smartcommit.message.trailers import Trailer
from smartcommit.patterns import compile_on_use

# As long as most tickets: for the form of a header, which is filled later.
SOME_TICKET = "ABCDEF-123"

# Numbers in the names of these branches are versions, or that of a pull request that is reverted.
_WITHOUT_TICKET = compile_on_use(r"dependabot/|renovate/|snyk-|releases?/|release-please-|release[-_]?v?\d|revert-\d")
# Keys of trailers; the first is taken unless the project's pattern has one of the others.
_TICKET_KEYS = ("Refs", "Ticket", "Closes", "Fixes")
_TICKET = compile_on_use(r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9]{1,9})-(\d{1,7})(?![A-Za-z0-9.])")
_ISSUE = compile_on_use(r"(?<![A-Za-z0-9.-])#?(\d{1,7})(?![A-Za-z0-9.])")


def find_ticket(branch: str, pattern: str, form: str = "") -> Trailer:
    """Return a trailer with the ticket in the name of `branch` that matches the project's `pattern`.

    If there is none, its value is empty, for the user to fill in. If the `form` of headers has a place for the ticket,
    the pattern has to match what is written there. Raise ConfigError if the pattern is invalid.
    """
    for ticket in _list_tickets(branch):
        trailer = fit_ticket(ticket, pattern, form)
        if trailer is not None:
            return trailer
    return Trailer(next((key for key in _TICKET_KEYS if key in pattern), _TICKET_KEYS[0]), "")


def _list_tickets(branch: str) -> list[str]:
    """Return what may be a ticket in the name of `branch`, as it is spelled and in upper case."""
    tickets: list[str] = []
    if _WITHOUT_TICKET.match(branch):
        return tickets
    for match in _TICKET.finditer(branch):
        if match[1].upper() not in NO_TICKETS:
            tickets += (match[0], match[0].upper())
    return tickets + [f"#{number}" for number in _ISSUE.findall(branch)]


def fit_ticket(ticket: str, pattern: str, form: str = "") -> Trailer | None:
    """Return a trailer with `ticket` that matches `pattern`, or None; raise ConfigError if the pattern is invalid."""
    for key in _TICKET_KEYS:
        trailer = Trailer(key, ticket)
        written = str(trailer)
        if "{ticket}" in form:
            written = fill_header(Header("feat", "x"), form, ticket)
        if matches(pattern, written):
            return trailer
    return None
