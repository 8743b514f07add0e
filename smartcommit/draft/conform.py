"""Make a message pass the project's rules, and wrap its lines.

A draft that `commit-msg` would reject is never written, except that a ticket which only the user knows is left empty.
If the policy requires anything else that only the user knows, there is no draft.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from smartcommit.change.history import normalize_scope
from smartcommit.change.wording import choose_fitting
from smartcommit.git.grep import matches
from smartcommit.message.characters import find_unsafe
from smartcommit.message.checks import find_errors
from smartcommit.message.header import Header, is_name
from smartcommit.message.header_proposals import NO_TICKETS, adapt_summary, fix_header
from smartcommit.message.parse import Message, parse, print_message
from smartcommit.message.plan_sections import Task
from smartcommit.message.rules import FORBID, REQUIRE, Rules, fill_header
from smartcommit.message.trailers import Trailer, find_separator
from smartcommit.patterns import compile_on_use

Passes = Callable[[str], bool]
WIDTH = 72
# As long as most tickets: for the form of a header, which is filled later.
SOME_TICKET = "ABCDEF-123"

# Numbers in the names that bots give branches are versions.
_BOT_BRANCHES = ("dependabot/", "renovate/", "snyk-", "release", "revert-")
_TICKET_KEYS = ("Refs", "Ticket", "Closes", "Fixes")
_TICKET = compile_on_use(r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9]{1,9})-(\d{1,7})(?![A-Za-z0-9.])")
_ISSUE = compile_on_use(r"(?<![A-Za-z0-9.-])#?(\d{1,7})(?![A-Za-z0-9.])")
_ESCAPE = compile_on_use(r"\x1b(?:\[[0-9;?]{0,20}[ -/]?[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?|.)")
_ITEM = compile_on_use(r"(?:[-*•]|\d{1,2}[.)])\s+")
_CHECKBOX = compile_on_use(r"\A(?:\[[ xX]?\](?:\s+|\Z))+")
_BOLD = compile_on_use(r"\*\*([^*\n]{1,200})\*\*")
# Signatures that models add without being asked, such as `Signed-off-by`: only people can give them.
_SIGNATURE = compile_on_use(r"(?i)[a-z-]{2,30}-by\s?:")


def is_accepted(text: str, rules: Rules) -> bool:
    """Whether `text` breaks no rule that is an error; it may lack its ticket, which only the user may know."""
    return not find_errors(text.removesuffix("\n"), rules)


def conform(message: Message, rules: Rules, *, passes: Passes, ticket: Trailer | None = None) -> str | None:
    """Return `message` with `ticket`, or the most similar message that `passes`, as text; None if there is none."""
    if message.header is None:
        return None
    trailers = list(message.trailers)
    if ticket is not None and ticket not in trailers:
        trailers.append(ticket)
    tried = set()
    for header in _list_candidate_headers(message.header, rules):
        for description in _list_candidate_descriptions(message.description, header, rules):
            text = _print(header, description, rules, trailers=trailers)
            if text is not None and text not in tried:
                tried.add(text)
                if passes(text):
                    return text
    return None


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


def _list_candidate_headers(header: Header, rules: Rules) -> Iterator[Header]:
    """Yield the header adapted to the rules, then with more fixes, then without a scope and with fewer words."""
    kind = header.type
    scope = header.scope
    if scope is None or not rules.allows_scope(scope):
        scope = normalize_scope(scope or "")
    if rules.scope == FORBID or (scope is not None and not rules.allows_scope(scope)):
        scope = None
    summary = adapt_summary(header.summary, rules)
    shortest = Header(kind, "-", scope=scope, breaking=header.breaking)
    room = len(fill_header(shortest, rules.header_form, SOME_TICKET)) - len(str(shortest))
    prefix = len(str(shortest)) - 1 + room
    limit = max(1, rules.summary_limit - room)
    if rules.header_limit is not None:
        limit = max(1, min(limit, rules.header_limit - prefix))
    if len(summary) > limit:
        summary = adapt_summary(choose_fitting([summary], WIDTH - prefix, limit), rules)
    first = Header(kind, summary, scope=scope, breaking=header.breaking)
    yield first
    fixed = fix_header(str(first), rules)
    if fixed is not None:
        fixed_header = parse(fixed.line).message.header
        if fixed_header is not None:
            yield fixed_header
    if rules.scope != REQUIRE:
        scope = None
    for text in (summary, choose_fitting([summary], limit // 2, limit // 2), "update"):
        short = adapt_summary(text[:limit].strip() or "x", rules)
        yield Header(kind, short, scope=scope, breaking=header.breaking)


def _list_candidate_descriptions(description: str, header: Header, rules: Rules) -> Iterator[str]:
    """Yield the wrapped description; if one is required, the summary as a sentence; and an empty one."""
    width = min(rules.line_limit or WIDTH, WIDTH)
    if description:
        yield wrap(description, width)
    if "description" in rules.required:
        yield wrap(header.summary[:1].upper() + header.summary[1:], width)
        yield "Update." if width >= 7 else "x"
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


def strip_markup(text: str) -> str:
    """Return `text` without escape sequences, HTML entities and invisible characters; line breaks stay."""
    import html  # two thousand entities, and few drafts have to be adapted

    lines = []
    for line in html.unescape(_ESCAPE.sub("", text)).replace("\r\n", "\n").replace("\t", " ").split("\n"):
        shown = line
        while (position := find_unsafe(shown)) >= 0:
            shown = shown[:position] + shown[position + 1 :]
        lines.append(shown.replace("\r", "").rstrip())
    return "\n".join(lines)


def join_lines(text: str) -> str:
    """Return `text` on one line without markup, surrounding quotes and emphasis."""
    line = " ".join(strip_markup(text).split())
    for mark in ("**", '"', "'", "`"):
        inside = line[len(mark) : -len(mark)]
        if inside and mark not in inside and line.startswith(mark) and line.endswith(mark):
            line = inside.strip()
    return line


def wrap(text: str, width: int = WIDTH) -> str:
    """Return `text` in paragraphs and items of at most `width` columns, as far as words allow it.

    Headings, fences and whatever git or our grammar would read as a section or trailer are removed or rewritten.
    """
    blocks: list[str] = []
    for paragraph in re.split(r"\n[ \t]*\n", _BOLD.sub(r"\1", strip_markup(text)).strip()):
        lines: list[str] = []
        joined: list[str] = []
        for line in [line for line in paragraph.split("\n") if _is_prose(line)]:
            bare = line.strip().lstrip("#>").strip()
            if _ITEM.match(bare):
                item = _ITEM.sub("", bare, count=1)
                joined.append("- " + _CHECKBOX.sub("", item))
            elif joined:
                joined[-1] += " " + bare
            else:
                joined.append(bare)
        for line in joined:
            lines += _fill(_escape(line), width)
        if lines:
            blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _is_prose(line: str) -> bool:
    from smartcommit.message.attribution import credits_tool  # only texts of models are read

    bare = line.strip()
    if not bare or bare.startswith(("```", "~~~")) or _SIGNATURE.match(bare) or credits_tool(bare):
        return False
    return not set(bare) <= set("-=_*# ")


def _escape(line: str) -> str:
    """Rewrite a line that git or our grammar would read as a trailer or section."""
    if find_separator(line) > 0 or line.split(":")[0].strip() in ("Constraints", "Tasks") or line.startswith("Tasks ["):
        line = line.replace(":", " -", 1)
    return line


def _fill(line: str, width: int) -> list[str]:
    import textwrap  # most drafts have no long line

    wrapper = textwrap.TextWrapper(max(width, 8), break_long_words=False, break_on_hyphens=False)
    if line.startswith("- "):
        wrapper.subsequent_indent = "  "
    return wrapper.wrap(line)
