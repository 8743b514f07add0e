"""The title and the description of a pull request, from the commits of its branch and a draft for all they change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from smartcommit.change.wording import make_printable
from smartcommit.draft.result import EMBEDDED, Draft
from smartcommit.git.objects import search_lines
from smartcommit.message.characters import printable
from smartcommit.message.checks import is_accepted
from smartcommit.message.parse import Message, Parsed, parse
from smartcommit.message.rules import Rules
from smartcommit.patterns import compile_on_use

_SUBJECT_LENGTH = 200
_BREAKING = ("BREAKING CHANGE", "BREAKING-CHANGE")
# Keys of trailers that a reviewer looks for, in lower case, and a line that code hosts read as one without a colon.
_KEYS = {
    *(item.lower() for item in _BREAKING), "bug", "close", "closed", "closes", "fix", "fixed", "fixes", "implements",
    "issue", "part-of", "ref", "references", "refs", "related-to", "resolve", "resolved", "resolves", "see-also",
    "ticket",
}  # fmt: skip
_ISSUE = compile_on_use(
    r"(?i)(close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?) ((?:[\w.-]+/[\w.-]+)?#\d.{0,200}|https?://.{1,200})\Z"
)


def describe_branch(commits: Sequence[Parsed], drafted: Draft, rules: Rules) -> str:
    """Return the title and below it the description for `commits`, the oldest first; empty if none keeps the `rules`.

    `drafted` is for all that they change. A model's description stays; otherwise the commits are listed.
    """
    written = parse(drafted.text.removesuffix("\n"), comment="").message
    description = written.description
    title = _choose_title(commits, drafted, rules)
    if not title:
        return ""
    if drafted.engine == EMBEDDED or not description:
        items = []
        for commit in commits:
            if commit.lines[0] not in ("", title):
                items.append(f"- {make_printable(commit.lines[0], _SUBJECT_LENGTH)}")
        description = "\n".join(items)
    footers = "\n".join(_list_footers([*(commit.message for commit in commits), written], rules))
    if drafted.engine == EMBEDDED and len(commits) == 1:
        description, footers = "\n".join(commits[0].lines), ""
    return printable(f"{title}\n\n{description}\n\n{footers}", keep="\n\t")


def _choose_title(commits: Sequence[Parsed], drafted: Draft, rules: Rules) -> str:
    """Return the drafted header, or if that is weak, the most important commit's; empty if none keeps the `rules`."""
    headers = []
    breaks = False
    for commit in commits:
        header = commit.message.header
        breaks |= commit.message.breaking
        if header is not None and is_accepted(commit.lines[0], rules):
            header.breaking = commit.message.breaking
            headers.append(header)
    headers.sort(key=lambda header: (not header.breaking, header.type != "feat", header.type != "fix"))
    made = drafted.header
    if made is not None:
        # The type that a person chose is believed, and of several the strongest is that of the whole.
        types = {header.type for header in headers}
        made.type = next((item for item in rules.types if item in types), made.type)
        headers.insert(len(headers) if drafted.weak else 0, made)
    for header in headers:
        header.breaking |= breaks
        title = drafted.fill(header)
        if is_accepted(title, rules):
            return title
    return ""


def _list_footers(messages: Iterable[Message], rules: Rules) -> list[str]:
    """Return, each once, what breaks, the trailers that name an issue, and those with a ticket as the `rules` want."""
    footers: dict[str, None] = {}
    for message in messages:
        for paragraph in message.description.split("\n\n"):
            if paragraph.startswith(_BREAKING):
                footers[" ".join(paragraph.split())] = None
        for issue in [match for line in message.description.split("\n") if (match := _ISSUE.match(line))]:
            footers[f"{issue[1].capitalize()}: {issue[2]}"] = None
        footers.update(dict.fromkeys(str(trailer) for trailer in message.trailers if trailer.value))
    tickets = set()
    if rules.ticket:
        text = "\n".join(footers).encode("utf-8", "surrogateescape")
        for line in search_lines(rules.ticket, text, context=0, watch=lambda: None):
            tickets.add(line.partition(":")[2])
    lasting_footers = [line for line in footers if line in tickets or line.partition(":")[0].lower() in _KEYS]
    return sorted(lasting_footers, key=lambda line: not line.startswith(_BREAKING))
