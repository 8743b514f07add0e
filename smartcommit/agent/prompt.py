"""What every prompt says of a project and of its hunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartcommit.agent.results import LINE, start_of
from smartcommit.change.history import History
from smartcommit.change.wording import safe
from smartcommit.git.diff import Hunk
from smartcommit.message.rules import MEANINGS, Rules

STATUS = {"A": "added", "D": "deleted", "M": "changed", "R": "renamed", "C": "copied", "T": "changed in type"}


def vocabulary(rules: Rules, history: History, language: str | None) -> dict[str, str]:
    """What a system prompt says of a project's rules and habits, by the names that its text has for them."""
    used = [scope for scope, _ in history.scopes.most_common(12)]
    scopes = f" The project has these: {', '.join(rules.scopes)}." if rules.scopes else ""
    if not rules.scopes and used:
        scopes = f" The project has used: {', '.join(used)}."
    return {
        "types": ", ".join(rules.types),
        "meanings": " ".join(f"{name} {MEANINGS[name]}." for name in rules.types if name in MEANINGS),
        "scopes": scopes,
        "limit": str(min(rules.summary_limit, 60)),
        "language": f"\n- write summary and description in {language}; type and scope stay" if language else "",
    }


def hunk_lines(hunk: Hunk) -> Iterator[str]:
    """The lines of one hunk, as a diff without context."""
    yield f"@@ line {hunk.new_start} @@ {start_of(hunk.context, LINE)}".rstrip()
    for sign, lines in (("-", hunk.removed), ("+", hunk.added)):
        yield from (sign + start_of(line, 2 * LINE) for line in lines)


def habits(history: History) -> Sequence[str]:
    """The last summaries, for their style."""
    subjects = [commit.summary for commit in history.commits if not commit.upkeep][:5]
    if not subjects:
        return ()
    return ["Summaries of the last commits, for their style only:", *(f"  {safe(text, 100)}" for text in subjects), ""]
