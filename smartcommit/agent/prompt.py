"""What every prompt says of a project and of its hunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartcommit.agent.results import LINE, decode_start
from smartcommit.change.history import History
from smartcommit.change.wording import make_printable
from smartcommit.git.diff import Hunk
from smartcommit.message.rules import MEANINGS, Rules

# Summaries and scopes of the history that a prompt shows.
_SUMMARIES_SHOWN, _SCOPES_SHOWN = 5, 8
STATUS = {"A": "added", "D": "deleted", "M": "changed", "R": "renamed", "C": "copied", "T": "changed in type"}


def prompt_variables(rules: Rules, history: History, language: str | None) -> dict[str, str]:
    """Return the values for the placeholders of a system prompt: the project's rules and habits."""
    used = dict(history.scopes.most_common(_SCOPES_SHOWN))
    scopes = translation = ""
    if rules.scopes:
        scopes = f" Allowed scopes: {', '.join(rules.scopes)}."
    elif used:
        scopes = f" Scopes used so far: {', '.join(used)}."
    if language:
        translation = f"\n- write summary and description in {language}; do not translate type and scope"
    return {
        "types": ", ".join(rules.types),
        "meanings": " ".join(f"{name} {MEANINGS[name]}." for name in rules.types if name in MEANINGS),
        "scopes": scopes,
        "limit": str(min(rules.summary_limit, 60)),
        "language": translation,
    }


def hunk_lines(hunk: Hunk) -> Iterator[str]:
    """Yield the lines of a hunk as a diff without context."""
    yield f"@@ line {hunk.new_start} @@ {decode_start(hunk.context, LINE)}".rstrip()
    for line in hunk.removed:
        yield "-" + decode_start(line, 2 * LINE)
    for line in hunk.added:
        yield "+" + decode_start(line, 2 * LINE)


def format_habits(history: History) -> Sequence[str]:
    """Return lines with the last summaries, as examples of style; empty if there are none."""
    subjects: list[str] = []
    for commit in history.commits:
        if not commit.upkeep and len(subjects) < _SUMMARIES_SHOWN:
            subjects.append(f"  {make_printable(commit.summary, 100)}")
    if not subjects:
        return ()
    return ["Summaries of recent commits, for style only:", *subjects, ""]
