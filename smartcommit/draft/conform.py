"""Make a message pass the project's rules, and wrap its lines.

No draft that `commit-msg` would refuse is ever written; where a policy asks for what nobody but a person knows, there
is no draft.
"""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence

from smartcommit.change.history import normal_scope
from smartcommit.change.wording import fitting
from smartcommit.errors import ConfigError
from smartcommit.git.grep import matches
from smartcommit.message.characters import find_unsafe
from smartcommit.message.checks import find_errors, mend_header
from smartcommit.message.header import Header, imperative, is_name
from smartcommit.message.parse import Message, parse, print_message
from smartcommit.message.rules import Rules
from smartcommit.message.sections import Task
from smartcommit.message.trailers import Trailer, separator

# Branches that machines name, and what looks like a ticket and is none.
_MACHINES = ("dependabot/", "renovate/", "snyk-", "release", "revert-")
_NO_TICKETS = ("UTF", "SHA", "ISO", "RFC", "MD", "CVE", "HTTP", "TLS", "AES", "RSA")
_TICKET = re.compile(r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9]{1,9})-(\d{1,7})(?![A-Za-z0-9.])")
_ISSUE = re.compile(r"(?<![A-Za-z0-9.-])#?(\d{1,7})(?![A-Za-z0-9.])")

Passes = Callable[[str], bool]
WIDTH = 72
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]{0,20}[ -/]?[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?|.)")
_ITEM = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+")
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
# What a model adds on its own account, and no person asked for.
_BY_MACHINES = re.compile(r"(?i)(?:co-authored-by|signed-off-by|generated[- ]by|generated with|assisted-by)\b")


def accepted(text: str, rules: Rules) -> bool:
    """Whether `text` breaks no rule that is an error."""
    return not find_errors(text.removesuffix("\n"), rules, search=matches)


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


def plain(text: str) -> str:
    """`text` without escape sequences, HTML entities, and characters that show nothing; lines stay."""
    lines = []
    for line in html.unescape(_ESCAPE.sub("", text)).replace("\r\n", "\n").replace("\t", " ").split("\n"):
        shown = line
        while (position := find_unsafe(shown)) >= 0:
            shown = shown[:position] + shown[position + 1 :]
        lines.append(shown.replace("\r", "").rstrip())
    return "\n".join(lines)


def one_line(text: str) -> str:
    """`plain` text on one line, without the quotes and marks around it."""
    line = " ".join(plain(text).split())
    for mark in ("**", '"', "'", "`"):
        if len(line) > 2 * len(mark) and line.startswith(mark) and line.endswith(mark):
            line = line[len(mark) : -len(mark)].strip()
    return line


def wrapped(text: str, width: int = WIDTH) -> str:
    """Paragraphs and items of at most `width` columns where their words allow it, without headings and fences.

    Nothing in it reads as a section or trailer of a message: these are not a description's to bring.
    """
    blocks: list[str] = []
    for paragraph in re.split(r"\n[ \t]*\n", _BOLD.sub(r"\1", plain(text)).strip()):
        lines = _joined([line for line in paragraph.split("\n") if _is_prose(line)])
        block = "\n".join(filled for line in lines for filled in _fill(_harmless(line), width))
        if block:
            blocks.append(block)
    return "\n\n".join(blocks)


def _is_prose(line: str) -> bool:
    bare = line.strip()
    return (
        bool(bare)
        and not bare.startswith(("```", "~~~"))
        and not set(bare) <= set("-=_*# ")
        and not (_BY_MACHINES.match(bare))
    )


def _joined(lines: list[str]) -> list[str]:
    """The lines of a paragraph with each item, and each run of prose, in one."""
    joined: list[str] = []
    for line in lines:
        bare = line.strip().lstrip("#>").strip()
        if _ITEM.match(bare):
            joined.append("- " + _ITEM.sub("", bare, count=1))
        elif joined:
            joined[-1] += " " + bare
        else:
            joined.append(bare)
    return joined


def _harmless(line: str) -> str:
    """A line that git and our grammar take for prose: no task, trailer, section, divider or diff."""
    if line.startswith(("- [", "* [")):
        line = "- " + line[3:].lstrip("xX ]").strip()
    if separator(line) > 0 or line.split(":")[0].strip() in ("Constraints", "Tasks") or line.startswith("Tasks ["):
        line = line.replace(":", " -", 1)
    return line.lstrip("#;@!$%^&|:~ ") if line[:1] in "#;@!$%^&|:~ " else line


def _fill(line: str, width: int) -> list[str]:
    item = line.startswith("- ")
    return textwrap.wrap(
        line, max(width, 8), subsequent_indent="  " if item else "", break_long_words=False, break_on_hyphens=False
    )
