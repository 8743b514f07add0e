"""The messages of planned commits: one for a group of units, its check, and one for commits that become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from smartcommit.change.history import History
from smartcommit.config import Settings
from smartcommit.draft.conform import accepted
from smartcommit.draft.embedded import draft_from
from smartcommit.errors import SplitError
from smartcommit.git.grep import matches
from smartcommit.git.hunks import Unit, diffs_of
from smartcommit.message.checks import find_errors
from smartcommit.message.parse import parse
from smartcommit.message.rules import Rules
from smartcommit.split.plan import CommitDict


def message_for(units: Sequence[Unit], history: History, settings: Settings) -> str:
    """The message of the commit that holds `units`; it passes the project's own rules and ends in one newline."""
    return draft_from(diffs_of(units), history, settings)


def check_message(message: str, rules: Rules) -> None:
    """Hold a planned message against the project's rules, as the hook `commit-msg` would.

    Raises: SplitError that names the first broken rule.
    """
    subject, _, _ = message.partition("\n")
    for broken in find_errors(message, rules, search=matches):
        raise SplitError(
            f"the message '{subject}' breaks the rule '{broken.code}': {broken.text}",
            hint="nothing was changed; edit it in a plan ('--save-plan FILE', '--plan FILE'), or change the policy",
        )


def merge_overlapping(commits: Sequence[CommitDict], word: Callable[[list[str]], str]) -> list[CommitDict]:
    """`commits`, those together that share a hunk directly or through others, in the order of the first of each.

    `word` gives the message for those that become one, from theirs.
    """
    groups: list[list[CommitDict]] = []
    for commit in commits:
        sharing = [group for group in groups if any(set(commit["hunks"]) & set(other["hunks"]) for other in group)]
        joined = [*(other for group in sharing for other in group), commit]
        place = groups.index(sharing[0]) if sharing else len(groups)
        groups = [group for group in groups if group not in sharing]
        groups.insert(place, joined)
    return [group[0] if len(group) == 1 else joined_commit(group, word) for group in groups]


def joined_commit(commits: Sequence[CommitDict], word: Callable[[list[str]], str]) -> CommitDict:
    """One commit with the hunks and issues of all of `commits`."""
    issues = [issue for commit in commits for issue in commit.get("issues", ())]
    return {
        "message": word([commit["message"] for commit in commits]),
        "hunks": list(dict.fromkeys(hunk for commit in commits for hunk in commit["hunks"])),
        **({"issues": issues} if issues else {}),
    }


def joined_message(messages: Sequence[str], rules: Rules) -> str:
    """One message for commits that become one: that of the strongest type, with the others' subjects as far as
    `rules` allow it.
    """
    lead = min(messages, key=lambda message: _rank(message, rules))
    header, _, rest = lead.partition("\n")
    points = [f"- {message.splitlines()[0].partition(': ')[2]}" for message in messages if message is not lead]
    text = "\n\n".join(part for part in (header, "\n".join(points), rest.strip("\n")) if part) + "\n"
    return text if accepted(text, rules) else lead


def _rank(message: str, rules: Rules) -> tuple[bool, int]:
    """Where a message stands by the decision matrix; one that breaks something stands before all others."""
    header = parse(message.splitlines()[0]).message.header
    known = header is not None and header.type in rules.types
    return not (header and header.breaking), rules.types.index(header.type) if header and known else len(rules.types)
