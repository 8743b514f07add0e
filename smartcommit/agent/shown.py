"""What a model is shown: as much of long texts as fits, and what every prompt says of a project and of its hunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartcommit.change.history import History
from smartcommit.change.wording import make_printable
from smartcommit.git.diff import Hunk
from smartcommit.message.rules import MEANINGS, Rules
from smartcommit.secrets.redaction import cut_text

# Characters of a result that a model sees at once.
SHOWN = 6000
# Characters of a line: a minified file has a single line of a megabyte.
LINE = 400
# Summaries and scopes of the history that a prompt shows.
_SUMMARIES_SHOWN = 5
_SCOPES_SHOWN = 8
STATUS = {"A": "added", "D": "deleted", "M": "changed", "R": "renamed", "C": "copied", "T": "changed in type"}


class Results(dict[str, str]):
    """The results of one loop that are too large for the conversation, by id: `r1`, `r2` and so on."""

    def keep(self, text: str) -> str:
        for name, result in self.items():
            if result == text:
                return name
        name = f"r{len(self) + 1}"
        self[name] = text
        return name

    def shorten(self, text: str) -> str:
        """Return `text`, or as many of its first lines as fit and a note on how to see the others."""
        if len(text) <= SHOWN:
            return text
        name = self.keep(text)
        lines = text.split("\n")
        shown_lines = take_lines(lines, SHOWN)
        note = f"[showing {len(shown_lines)} of {len(lines)} lines; use query_tool_result with id {name} for the rest]"
        return "\n".join([*shown_lines, note])


def decode_start(line: bytes, limit: int) -> str:
    """Return `line` as text, or its first `limit` bytes without a character or word that they cut in half."""
    if len(line) <= limit:
        return line.decode("utf-8", "replace")
    start = line[:limit].decode("utf-8", "replace").rstrip("\ufffd")
    return cut_text(start + chr(line[limit]), len(start))


def take_lines(lines: list[str], limit: int) -> list[str]:
    """Return the first lines of together at most `limit` characters, but at least one; each is cut after LINE."""
    shown_lines: list[str] = []
    length = 0
    for line in lines:
        shown = line
        if len(line) > LINE:
            shown = cut_text(line, LINE)
            shown = f"{shown} [{len(line) - len(shown)} more characters]"
        length += len(shown) + 1
        if shown_lines and length > limit:
            break
        shown_lines.append(shown)
    return shown_lines


def list_prompt_variables(rules: Rules, history: History, language: str | None) -> dict[str, str]:
    """Return the values for the placeholders of a system prompt: the project's rules and habits."""
    meanings = [f"{name} {MEANINGS[name]}." for name in rules.types if name in MEANINGS]
    used = dict(history.scopes.most_common(_SCOPES_SHOWN))
    scopes = f" Scopes used so far: {', '.join(used)}." if used else ""
    if rules.scopes:
        scopes = f" Allowed scopes: {', '.join(rules.scopes)}."
    prose = f"\n- write summary and description in {language}; do not translate type and scope" if language else ""
    return {
        "types": ", ".join(rules.types),
        "meanings": " ".join(meanings),
        "scopes": scopes,
        "limit": str(min(rules.summary_limit, 60)),
        "language": prose,
    }


def list_hunk_lines(hunk: Hunk) -> Iterator[str]:
    yield f"@@ line {hunk.new_start} @@ {decode_start(hunk.context, LINE)}".rstrip()
    for line in hunk.removed:
        yield "-" + decode_start(line, 2 * LINE)
    for line in hunk.added:
        yield "+" + decode_start(line, 2 * LINE)


def format_habits(history: History) -> Sequence[str]:
    """Return lines with the last summaries, as examples of style; empty if there are none."""
    summaries = [commit.summary for commit in history.commits if not commit.upkeep][:_SUMMARIES_SHOWN]
    if not summaries:
        return ()
    shown = [f"  {make_printable(summary, 100)}" for summary in summaries]
    return ["Summaries of recent commits, for style only:", *shown, ""]
