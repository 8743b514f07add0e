"""The prompts of a split, and the list of hunks that a model reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import chain, islice
from string import Template

from smartcommit.agent.shown import LINE, STATUS, decode_start, format_habits, list_hunk_lines, take_lines
from smartcommit.change.filetypes import classify_path
from smartcommit.change.hidden_files import find_reason_to_hide
from smartcommit.change.history import History
from smartcommit.change.wording import format_count, make_printable
from smartcommit.git.hunks import Unit
from smartcommit.llm.api import ApiConfig
from smartcommit.secrets.redaction import cut_text
from smartcommit.split.analyzer import Names
from smartcommit.split.plan import list_ids

AGENTIC_SYSTEM_PROMPT = Template(files("smartcommit.split.model").joinpath("split.md").read_text("utf-8"))

# Minimum and maximum characters of a summary, and the tokens that tools and instructions need besides it.
_SUMMARY_CHARACTERS = (4000, 24_000)
_TOKENS_BESIDE = 4500
_INSTRUCTION_CHARACTERS = 4000
# Lines of one hunk, or file, that a model may see; a change can have a million.
_LINES_SHOWN = 5000
# A hunk's text is left out if there is room for fewer characters than this.
_CHARACTERS_WORTH_SHOWING = 160


def measure_room(config: ApiConfig) -> int:
    least, most = _SUMMARY_CHARACTERS
    return max(least, min(most, (config.context - config.output - _TOKENS_BESIDE) * 2))


def list_room_of(config: ApiConfig) -> int:
    """Return how many characters the list of hunks may have; its unassigned part is repeated after each commit."""
    return max(_SUMMARY_CHARACTERS[0] // 2, config.context - config.output - _TOKENS_BESIDE)


def add_wishes(summary: str, instructions: str, issues: Sequence[str]) -> str:
    """Return `summary` with the user's `instructions` about the commits, and with the `issues` to look out for."""
    if instructions:
        start = cut_text(instructions, _INSTRUCTION_CHARACTERS)
        summary = f"Instructions from the author of the change; follow them:\n{start}\n\n{summary}"
    if issues:
        wishes = "\n".join(f"- {issue}" for issue in issues)
        summary += f"\n\nReport the following as issues wherever they occur in the change:\n{wishes}"
    return summary


def summarize(names: Names, history: History, *, room: int) -> str:
    """Return the list of all hunks, and their text as far as it fits in `room` characters with it."""
    listing = list_lines(names, names.hunk_map)
    first = f"Hunks: {len(listing)}. Assign each to exactly one commit, or skip it."
    head = "\n".join([first, *listing, "", *format_habits(history)])
    return "\n".join([head, "The change:", *_show_hunks(names, room - len(head))])


def size_of_list(units: Sequence[Unit]) -> int:
    return sum(len(item) for item in list_ids(units)) + 60 * len(units)


def list_lines(names: Names, chosen: Iterable[str]) -> list[str]:
    """Return a line for each of these hunks: its name, what kind of file it is in, its size and where it is."""
    return [f"{name}  {_describe(names.hunk_map[name])}" for name in chosen]


def _describe(unit: Unit) -> str:
    change = unit.change
    if unit.kind == "mode":
        return f"mode {change.old_mode} to {change.new_mode}"
    added = sum(len(hunk.added) for hunk in unit.hunks)
    removed = sum(len(hunk.removed) for hunk in unit.hunks)
    size = f"+{added} -{removed}"
    if change.binary:
        size = "binary"
    elif not unit.complete:
        size = "large"
    if unit.kind == "file":
        return f"{classify_path(change.path)} whole file {STATUS.get(change.status, 'changed')} {size}"
    place = unit.hunks[0].context
    if place:
        size += f" in {make_printable(decode_start(place, LINE), 60)}"
    return f"{classify_path(change.path)} {size}"


def text_of(unit: Unit) -> list[str]:
    reason = find_reason_to_hide(unit.change.path)
    if reason:
        return [f"[not shown: {reason}]"]
    lines = list(islice(chain.from_iterable(list_hunk_lines(hunk) for hunk in unit.hunks), _LINES_SHOWN))
    if len(lines) == _LINES_SHOWN or not unit.complete:
        lines.append("[truncated]")
    return lines


def _show_hunks(names: Names, room: int) -> Iterator[str]:
    """Yield the text of the hunks, each truncated to its share of the `room` that is left."""
    shown = [text_of(item) for item in names.hunk_map.values()]
    left = room
    for index, (name, lines) in enumerate(zip(names.hunk_map, shown, strict=True)):
        share = left // (len(shown) - index)
        if share < _CHARACTERS_WORTH_SHOWING and left < sum(len(line) for line in lines):
            yield f"[{format_count(len(shown) - index, 'more hunk')}; use show_hunk to see them]"
            return
        kept = take_lines(lines, max(share, _CHARACTERS_WORTH_SHOWING))
        section = [f"--- {name}", *kept]
        if len(kept) < len(lines):
            section.append(f"[{format_count(len(lines) - len(kept), 'more line')}; use show_hunk to see them]")
        left -= sum(len(line) for line in section) + len(section)
        yield from section
