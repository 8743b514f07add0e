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

# Numbers in the names that bots give branches are versions.
_BOT_BRANCHES = ("dependabot/", "renovate/", "snyk-", "release", "revert-")
_TICKET_KEYS = ("Refs", "Ticket", "Closes", "Fixes")
_TICKET = compile_on_use(r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9]{1,9})-(\d{1,7})(?![A-Za-z0-9.])")
_ISSUE = compile_on_use(r"(?<![A-Za-z0-9.-])#?(\d{1,7})(?![A-Za-z0-9.])")


def find_ticket(branch: str, pattern: str, form: str = "") -> Trailer:
    """Return a trailer with the ticket in the name of `branch` that matches the project's `pattern`.

    If there is none, its value is empty, for the user to fill in. If the `form` of headers has a place for the ticket,
    the pattern has to match what is written there. Raise ConfigError if the pattern is invalid.
    """
    if not branch.startswith(_BOT_BRANCHES):
        names: list[str] = []
        for match in _TICKET.finditer(branch):
            if match[1].upper() not in NO_TICKETS:
                names += (match[0], match[0].upper())
        names += [f"#{word}" for word in _ISSUE.findall(branch)]
        for name in names:
            trailer = fit_ticket(name, pattern, form)
            if trailer is not None:
                return trailer
    return Trailer(next((key for key in _TICKET_KEYS if key in pattern), _TICKET_KEYS[0]), "")


def fit_ticket(name: str, pattern: str, form: str = "") -> Trailer | None:
    """Return a trailer with the ticket `name` that matches `pattern`, or None; raise ConfigError if it is invalid."""
    for key in _TICKET_KEYS:
        trailer = Trailer(key, name)
        written = str(trailer)
        if "{ticket}" in form:
            written = fill_header(Header("feat", "x"), form, name)
        if matches(pattern, written):
            return trailer
    return None
