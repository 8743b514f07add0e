"""Words of a message that a code host acts on, such as those that close an issue, and when a draft may use them.

A change can contain text that asks a model for such words, so the diff alone is no reason for them: the name of the
branch or the author's own words must be, or for a breaking change the removal of something public.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from smartcommit.message.header import Header
from smartcommit.message.header_proposals import NO_TICKETS
from smartcommit.message.parse import Message
from smartcommit.message.trailers import Trailer

_BREAKING = "BREAKING CHANGE"
_BREAKING_WORD = re.compile(r"(?i)\bbreak(?:s|ing)\b|\bincompatibl|^[a-z]+(?:\([^()]*\))?!:", re.MULTILINE)
_REVERT_WORD = re.compile(r"(?i)(?:^|[\s/_-])(?:revert|undo|back ?out|roll ?back)")
_REVERTING = re.compile(r"(?i)reverts?\b")
_EMPTY_BRACKETS = re.compile(r"[ ]?(?:\([\s,;]*\)|\[[\s,;]*\])")
_LOOSE_END = re.compile(r"[\s,;:-]{0,10}(?:\s(?:and|or|to|see|at|by))?[\s,;:-]{0,10}(?=\.?$)")


@dataclass(frozen=True, slots=True)
class Grounds:
    """Possible reasons for an effect: the branch's name, the author's words, and the removal of something public."""

    branch: str = ""
    words: str = ""
    removes_public: bool = False

    @property
    def allows_breaking(self) -> bool:
        return self.removes_public or _BREAKING_WORD.search(self.words) is not None

    @property
    def allows_revert(self) -> bool:
        return _REVERT_WORD.search(f"{self.branch}\n{self.words}") is not None

    def has_number(self, number: str) -> bool:
        pattern = rf"(?i)(?<![A-Za-z0-9.]){re.escape(number)}(?![A-Za-z0-9.])"
        return re.search(pattern, self.branch) is not None


def _is_said(found: re.Match[str], grounds: Grounds) -> bool:
    return found[0].strip("<>.,;: ").casefold() in grounds.words.casefold()


def _is_named_issue(found: re.Match[str], grounds: Grounds) -> bool:
    """Return whether the author or the branch names each issue; a branch names none of another repository."""
    for named in re.finditer(_ISSUE, found[0]):
        issue, number = named["issue"], named["number"]
        if re.search(rf"(?i)(?<![\w./-]){re.escape(issue)}(?!\w)", grounds.words):
            continue
        if "/" in issue or not grounds.has_number(number):
            return False
    return True


@dataclass(frozen=True, slots=True)
class Effect:
    """A pattern of words that a host acts on, and the `replacement` for them where there is no reason to use them."""

    name: str
    pattern: re.Pattern[str]
    is_grounded: Callable[[re.Match[str], Grounds], bool] = _is_said
    replacement: str = ""


# Sources: GitHub's "Linking a pull request to an issue" and "Skipping workflow runs", GitLab's "Managing issues" and
# "CI/CD pipelines", Jira's smart commits, and the documentation of Azure Boards and Pipelines, Phabricator, Netlify,
# Travis, AppVeyor, CircleCI, GitVersion, release-please and semantic-release.
_PLACE = (
    r"(?:(?:https?://[^\s/]{1,100}/)?[\w.-]{1,100}/[\w.-]{1,100}(?:/-)?/(?:issues|pull|merge_requests)/"
    rf"|(?:[\w.-]{{1,100}}/[\w.-]{{1,100}})?[#!]|GH-|AB#|(?!(?:{'|'.join(NO_TICKETS)})-)[A-Z][A-Z0-9]{{1,9}}-|T(?=\d{{2}}))"
)
_ISSUE = rf"(?P<issue>{_PLACE}(?P<number>\d{{1,9}}))(?!\w|\.\d)"
_MENTION = r"(?<![\w.@/+-])@(?P<name>[A-Za-z\d][\w-]{0,80}(?:/[\w.-]{1,80})?)"
# Further issues after the first, which stay and go with it.
_FURTHER = rf"(?:(?:,\s?|,?\s(?:and|&|or)\s){_PLACE}\d{{1,9}}(?!\w|\.\d)){{0,9}}"
EFFECTS = (
    Effect(
        "closing keyword",
        re.compile(
            r"(?i)\b(?:this )?(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)"
            rf"\b:?\s{{1,4}}(?:-\s)?(?:issues?\s|bugs?\s|tasks?\s)?(?-i:{_ISSUE}{_FURTHER})\.?"
        ),
        _is_named_issue,
    ),
    Effect("reference", re.compile(rf"(?m)[ ]\({_ISSUE}\)(?=\.?$)"), _is_named_issue),
    Effect(
        "smart commit",
        re.compile(r"(?i)(?<![\w&/#])#(?:close|resolve|fix|done|time|comment|reopen|start|transition)\b"),
    ),
    Effect(
        "skipped checks",
        re.compile(
            r"(?i)(?<!\w)(?:\[(?:[\w-]{1,20}[ -])?(?:skip|no)[ _-][\w -]{1,30}\]|\[[\w-]{1,20}[ _-](?:skip|off)\]"
            r"|\[skip\]|\[nodeploy\])|\*{3}NO_CI\*{3}|\bskip-checks\s?[:-]\s?true\b"
        ),
    ),
    Effect(
        "release",
        re.compile(r"(?i)(?<![\w&/#])#(?:major|minor|patch)\b|\+semver:\s?\w+|\brelease-as\s?[:-]\s?[\w.-]{1,60}"),
    ),
    Effect(
        "link",
        re.compile(
            r"(?i)<?(?:\b(?:https?|ftp|ssh|git|file|javascript|vscode(?:-insiders)?|cursor|jetbrains)://|\bwww\.|\bgit@)"
            r"[^\s<>()]{1,2000}(?<![.,;:])>?"
        ),
    ),
    Effect(
        "markup",
        re.compile(
            r"(?i)(?<!`)<(script|style|iframe|svg|object)\b[^<>`]{0,200}>(?:[^<]{0,400}</\1\s?>)?"
            r"|</(?:script|style|iframe|svg|object)>|<(?:img|a|link|meta|form)\s[^<>`]{1,400}>|</a>"
        ),
    ),
    Effect("cherry pick", re.compile(r"(?i)\(?\bcherry[ -]picked from commit [\da-f]{4,40}\b\)?\.?")),
    Effect(
        "trailer",
        re.compile(
            r"(?i)(?<![\w-])(?:signed-off|co-authored|co-developed|reviewed|acked|tested|reported|approved|suggested|assisted"
            r"|generated)-by\s?:[^\n]{0,200}"
        ),
    ),
    Effect(
        # Without its `@` a mention is a word of the sentence, but thanks to somebody are not about the change.
        "thanks",
        re.compile(
            rf"(?i)(?:^|(?<=[.!?]\s)|(?<=\n))(?=[^.!?\n]{{0,200}}{_MENTION})"
            r"(?=[^.!?\n]{0,200}\b(?:thanks|thank you|kudos|cc|fyi)\b)[^.!?\n]{1,400}[.!?]?"
        ),
        lambda found, grounds: all(_is_said(mention, grounds) for mention in re.finditer(_MENTION, found[0])),
    ),
    Effect("mention", re.compile(_MENTION), replacement=r"\g<name>"),
    Effect(
        "revert",
        re.compile(r"(?i)\bthis\s+reverts\s+(?:commits?\s+)?[\da-f]{6,40}\b\.?|\brevert\s+\"[^\"\n]{0,200}\""),
        lambda _, grounds: grounds.allows_revert,
    ),
    Effect(
        "breaking change",
        re.compile(r"\bBREAKING[ -]CHANGES?\b\s?[:-]?|(?m:^[ ]?breaking changes?:)"),
        lambda _, grounds: grounds.allows_breaking,
    ),
)  # fmt: skip


def remove_ungrounded(text: str, grounds: Grounds) -> str:
    """Return `text` without unfounded effects, and without the lines that consisted of them."""
    blocks = []
    for paragraph in text.split("\n\n"):
        cleaned = paragraph
        for effect in EFFECTS:
            for match in reversed(list(effect.pattern.finditer(cleaned))):
                if not effect.is_grounded(match, grounds):
                    cleaned = cleaned[: match.start()] + match.expand(effect.replacement) + cleaned[match.end() :]
        if cleaned != paragraph:
            lines = []
            for line in cleaned.split("\n"):
                bare = " ".join(_EMPTY_BRACKETS.sub("", line).split())
                if bare.strip("-*.,;:!()[] "):
                    lines.append(_LOOSE_END.sub("", bare).lstrip(",;:. "))
            cleaned = "\n".join([line for line in lines if line])
        if cleaned:
            blocks.append(cleaned)
    return "\n\n".join(blocks)


def ground_message(message: Message, grounds: Grounds) -> Message:
    """Return `message` without unfounded effects; its summary may be empty then."""
    header = message.header
    assert header is not None
    breaking = header.breaking and grounds.allows_breaking
    header = Header(header.type, remove_ungrounded(header.summary, grounds), scope=header.scope, breaking=breaking)
    trailers: list[Trailer] = []
    for trailer in message.trailers:
        if grounds.allows_breaking or trailer.key != _BREAKING:
            trailers.append(Trailer(trailer.key, remove_ungrounded(trailer.value, grounds)))
    return Message(header, description=remove_ungrounded(message.description, grounds), trailers=trailers)


def is_ungrounded_revert(message: Message, grounds: Grounds) -> bool:
    """Return whether a message calls the change a revert, and nothing but the change says so."""
    assert message.header is not None
    is_revert = message.header.type == "revert" or _REVERTING.match(message.header.summary) is not None
    return is_revert and not grounds.allows_revert
