"""Which messages of old commits are worth keeping: those that say what their commit does, by the project's rules."""

from __future__ import annotations

import re
from dataclasses import dataclass

from smartcommit.git.grep import matches
from smartcommit.message.checks import find_autosquash_target, find_errors
from smartcommit.message.header import Header, parse_loose_header
from smartcommit.message.header_proposals import complete_header, fix_header
from smartcommit.message.rules import Rules

# Words that say nothing about a change, whatever their order. Source: 111,000 subjects of commits in the bodies of
# squashed pull requests of 180 public projects; those that are only such words make up a tenth of them.
_FILLERS = """
    a again all an and another apply attempt auto autofix autofixes automated automatic backup based black bug bugs
    build cargo change changed changes checkpoint checkstyle ci clean cleaned cleaning cleanup cleanups clippy code
    comment comments commit cr debug draft e2e error errors eslint everything failing failure failures feedback few
    final finalize finish fix fixed fixes fixing fixup fixups fmt for format formatted formatter formatting from
    further gofmt hopefully import imports in indentation issue issues last lint linter linting lints little lots
    maybe merge minor misc more nit nits now of on oops pipeline polish pr prettier progress quick random reformat
    remaining remark remarks requested review reviewer reviewers reviews ruff rustfmt save small snapshot
    some squash start stuff style suggested suggestion suggestions temp temporary test testing tests the things tidy
    tmp to touchups try trying tweak tweaked tweaks typo typos unit up update updated updates various warning
    warnings whitespace wip with work working
"""
# What is about a review, or made by a machine to please a check.
_REVIEW = re.compile(
    r"\b(?:address|apply|incorporate|resolve|handle|fix)(?:e?s|e?d|ing)?\b.*\b(?:review|comments?|feedback|remarks?)\b"
    r"|\b(?:code|pr|cr|review)[- ](?:review|comments?|feedback|suggestions?|remarks?)\b"
    r"|\bsuggestions? (?:from|by) |\bauto(?:mated|matic)?[- ]?(?:fix|format)",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(r"[\[(<]?(?:wip|tmp|temp|dnm|do not merge)\b|[\[(<]draft\b|draft[:!]", re.IGNORECASE)
_MERGE = re.compile(r"Merge (?:(?:remote-tracking )?branch|pull request|tag|commit) ")
_MARKS = re.compile(r"\[(?:skip ci|ci skip)\]|\(?#\d+\)?|:\w+:")


@dataclass(frozen=True, slots=True)
class KeptMessage:
    """A message to keep, or, if it `lacks_type`, one that is complete with the type and the scope of a draft."""

    text: str
    lacks_type: bool = False

    def complete(self, drafted: Header, rules: Rules) -> str | None:
        """Return the text below a header with what it lacks from `drafted`, None if it breaks the rules even then."""
        first, end, rest = self.text.partition("\n")
        header = complete_header(first, drafted, rules)
        if header is None:
            return None
        text = f"{header}{end}{rest}"
        return None if find_errors(text, rules, search=matches) else text


def find_kept_message(text: str, rules: Rules) -> KeptMessage | None:
    """Return what is kept of the message `text` of an old commit; None if it is to be replaced.

    A header that means a type of the project is corrected if that is certain.
    """
    title, end, rest = text.partition("\n")
    if is_vague(title):
        return None
    fixed = fix_header(title, rules)
    if fixed is not None and fixed.is_sure:
        title = fixed.line
    text = f"{title}{end}{rest}"
    if not find_errors(text, rules, search=matches):
        return KeptMessage(text)
    message = KeptMessage(text, lacks_type=True)
    # Any type will do to see whether nothing else is wrong.
    if parse_loose_header(title) is None and message.complete(Header(rules.types[0], ""), rules) is not None:
        return message
    return None


def is_vague(title: str) -> bool:
    """Whether the first line of a message says nothing about the change: a fixup, `wip`, review feedback, a merge."""
    if find_autosquash_target(title) is not None or _MERGE.match(title) or _UNFINISHED.match(title):
        return True
    summary = _MARKS.sub(" ", read_summary(title))
    if _REVIEW.search(summary) or _UNFINISHED.match(summary.strip()):
        return True
    words = re.findall(r"[^\W_]+", summary.lower())
    return len(words) < 2 or set(_FILLERS.split()).issuperset(words)


def read_summary(title: str) -> str:
    """Return the first line of a message without type and scope."""
    header = parse_loose_header(title)
    return title if header is None else header.summary
