"""The prompts of a split, and the list of hunks that a model reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import islice
from string import Template

from smartcommit.agent.prompt import STATUS, habits, hunk_lines, vocabulary
from smartcommit.agent.results import LINE, cut, start_of
from smartcommit.change.filetypes import kind_of, why_hidden
from smartcommit.change.history import History
from smartcommit.change.wording import safe
from smartcommit.git.hunks import Unit
from smartcommit.llm.api import ApiConfig, Json
from smartcommit.message.rules import Rules
from smartcommit.split.hunk_ids import Names

# The texts lie beside each other as files, so that they can be read and changed as such.
AGENTIC_SYSTEM_PROMPT = Template(files("smartcommit.agent").joinpath("prompts/split.md").read_text("utf-8"))
REVIEW_SYSTEM_PROMPT = Template(files("smartcommit.agent").joinpath("prompts/review.md").read_text("utf-8"))

# Characters of a summary at least and at most, and tokens that its tools and instructions need beside it.
_ROOM = (4000, 24_000)
_BESIDE = 4500
_WISH = 4000
# Lines of one hunk, or file, that a model may see; there are changes of a million.
LINES = 5000
# Characters of one hunk's text that are worth having at all.
_LEAST = 160


def room_of(config: ApiConfig) -> int:
    """The characters that the summary of a change may have."""
    least, most = _ROOM
    return max(least, min(most, (config.context - config.output - _BESIDE) * 2))


def list_room_of(config: ApiConfig) -> int:
    """The characters that the list of hunks may have: it is said again, as far as it is open, after each commit."""
    return max(_ROOM[0] // 2, config.context - config.output - _BESIDE)


def opening(
    system: Template,
    summary: str,
    rules: Rules,
    history: History,
    *,
    language: str | None = None,
    wish: str = "",
    issues: Sequence[str] = (),
) -> list[Json]:
    """The messages that a conversation begins with.

    `wish` is what a person said about the commits, and `issues` what is to be looked out for.
    """
    told = f"The author says about the commits, and this is to be followed:\n{wish[:_WISH]}\n\n" if wish else ""
    listed = "\n".join(f"- {issue}" for issue in issues)
    sought = f"\n\nThe project wants these told as issues where they occur in the change:\n{listed}" if listed else ""
    return [
        {"role": "system", "content": system.substitute(vocabulary(rules, history, language)).strip()},
        {"role": "user", "content": told + summary + sought},
    ]


def summarise(names: Names, history: History, *, room: int) -> str:
    """The list of all hunks, which is never cut, and their text in what is left of `room` characters."""
    listing = [hunk_line(name, unit) for name, unit in names.hunk_map.items()]
    head = "\n".join(
        [f"Hunks: {len(listing)}. Each belongs to one commit, or is skipped.", *listing, "", *habits(history)]
    )
    return "\n".join([head, "The change:", *texts(names, room - len(head))])


def size_of_list(units: Sequence[Unit]) -> int:
    """The characters that the list of hunks takes."""
    return sum(len(unit.id) + 60 for unit in units)


def hunk_line(name: str, unit: Unit) -> str:
    """One hunk in the list: its id, what kind of file it is in, and how much it changes."""
    change = unit.change
    if unit.kind == "mode":
        return f"{name}  mode {change.old_mode} to {change.new_mode}"
    added, removed = sum(len(hunk.added) for hunk in unit.hunks), sum(len(hunk.removed) for hunk in unit.hunks)
    counts = f"+{added} -{removed}" if unit.complete and not change.binary else "binary" if change.binary else "large"
    place = (
        f" in {safe(start_of(unit.hunks[0].context, LINE), 60)}"
        if unit.kind == "text" and unit.hunks[0].context
        else ""
    )
    state = f" whole file {STATUS.get(change.status, 'changed')}" if unit.kind == "file" else ""
    return f"{name}  {kind_of(change.path)}{state} {counts}{place}"


def text_of(unit: Unit) -> list[str]:
    """The lines of a hunk as a model may see them."""
    reason = why_hidden(unit.change.path)
    if reason:
        return [f"[not shown: {reason}]"]
    found = (line for hunk in unit.hunks for line in hunk_lines(hunk))
    lines = list(islice(found, LINES))
    return lines if unit.complete and len(lines) < LINES else [*lines, "[more was not read]"]


def texts(names: Names, room: int) -> Iterator[str]:
    """The hunks' texts, each cut to its share of the `room` that the ones before it have left."""
    shown = [(name, text_of(unit)) for name, unit in names.hunk_map.items()]
    left = room
    for index, (name, lines) in enumerate(shown):
        share = left // (len(shown) - index)
        if share < _LEAST and left < sum(len(line) for line in lines):
            yield f"[{len(shown) - index} more hunks; show_hunk shows them]"
            return
        kept = cut(lines, max(share, _LEAST)) if lines else []
        note = [f"[{len(lines) - len(kept)} more lines; show_hunk shows them]"] if len(kept) < len(lines) else []
        section = [f"--- {name}", *kept, *note]
        left -= sum(len(line) + 1 for line in section)
        yield from section
