"""The prompt of a draft: the rules, the project's examples, and as much of the change as there is room for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from smartcommit.agent.shown import LINE, STATUS, decode_start, list_hunk_lines, list_prompt_variables, take_lines
from smartcommit.change.facts import ChangeFacts, FileFacts
from smartcommit.change.hidden_files import find_reason_to_hide
from smartcommit.change.symbols import Symbol
from smartcommit.change.wording import format_count, make_printable, safe_path
from smartcommit.draft.embedded.intent import is_silent
from smartcommit.draft.embedded.view import ORIGINS
from smartcommit.draft.model.examples import WORKED, Examples
from smartcommit.draft.model.submit import list_specs
from smartcommit.draft.request import DraftRequest
from smartcommit.draft.result import Draft
from smartcommit.llm.api import SLOW, ApiConfig, Json
from smartcommit.llm.client import LLMClient
from smartcommit.secrets.redaction import cut_text, redact

# Minimum and maximum characters of the change, and tokens for the rest of the prompt and the conversation after it. A
# small context has no room for a conversation.
_MIN_ROOM = 1500
_MAX_ROOM = 24_000
_TOKENS_BESIDE = 3500
# The share of the usual prompt that a server gets after it was too slow.
_SLOW_SHARE = 0.06
# The share of the room that the list of files may take; the rest is for the hunks.
_FILES_SHARE = 0.4
# The share of the remaining room that the hunks of one file may take, unless it is the last file.
_FILE_SHARE = 0.5
# Maximum symbols of a file that are named, and characters of the author's instructions.
_NAMES_SHOWN = 6
_INSTRUCTION_CHARACTERS = 2000
# Maximum commits of a branch that are told.
_SUBJECTS = 30
_SAID = "What the author said beforehand; where the change differs, it is right:"
# The share of the prompt that a change of up to so many characters takes; examples fill the rest, within their limit.
_SHARES = ((3000, 0.53), (9000, 0.63), (1 << 30, 0.74))
_EXAMPLE_CHARACTERS = 5000
# Lines of context around a hunk, and the maximum characters of a change that is shown with them: for a small change
# the whole function is shown. Three lines are shown wherever they fit.
_WIDE_CONTEXTS = ((20, 2400), (10, 3600))
_LEAST_CONTEXT = 3

# A file, and the lines that are shown of it.
Shown = tuple[FileFacts, list[str]]


@dataclass(frozen=True, slots=True)
class Prompt:
    """The first messages of a conversation; they suffice if all of the change is there, or no `tools` show more."""

    instructions: str
    examples: str
    said: str
    change: str
    suffices: bool
    tools: bool

    def messages(self) -> list[Json]:
        """Return the messages: what is the same for every commit first, so that servers can reuse what they read."""
        content = "\n\n".join(part for part in (self.examples, self.said, self.change) if part)
        return [{"role": "system", "content": self.instructions}, {"role": "user", "content": content}]


def make_prompt(
    request: DraftRequest, embedded: Draft, examples: Examples, client: LLMClient, *, share: float = 1.0
) -> Prompt:
    """Return the prompt for the server of `client`, with the change in at most `share` of the usual room."""
    config, tools = client.config, client.takes_tools
    if SLOW in client.quirks:
        # There is no time for tools either, by which the model sees what is cut.
        share, tools = share * _SLOW_SHARE, False
    payload = client.build_payload([], list_specs(request.rules, whole=True, tools=tools), held=True)
    # What the client adds to ask for an answer without further tools.
    form = len(json.dumps([payload["messages"], payload.get("tools", "")], ensure_ascii=False))
    room = max(_measure_context_left(config) * 3, config.context * 3 // 4)
    change, whole = describe_change(request, embedded, max(_MIN_ROOM, min(int(share * _MAX_ROOM), room)))
    tools = tools and _measure_context_left(config) >= 0
    suffices = whole or not tools
    own = files("smartcommit.draft.model")
    text = own.joinpath("draft.md").read_text("utf-8").strip()
    if not suffices:
        text += "\n\n" + own.joinpath("draft_tools.md").read_text("utf-8").strip()
    variables = list_prompt_variables(request.rules, request.history, request.settings.text("language"))
    instructions = Template(text).substitute(variables)
    author_words = list_author_words(request)
    part = next(part for size, part in _SHARES if len(change) <= size)
    left = int(len(change) * (1 - part) / part) - len(instructions) - len(author_words) - form
    shown = format_examples(request, examples, min(left, _EXAMPLE_CHARACTERS))
    return Prompt(instructions, shown, author_words, change, suffices, tools)


def list_author_words(request: DraftRequest) -> str:
    """Return what the author has said of the change, and asks of the message; whatever else is known goes here."""
    parts = []
    lines = [f"- {ORIGINS[origin]}: {text}" for origin, text in request.purpose.said.items()]
    if not is_silent(request.purpose.branch):
        # Half a secret would not be recognized as one.
        lines.append(f"- {ORIGINS['branch-names']}: {make_printable(redact(request.purpose.branch), 100)}")
    for subject in request.subjects[:_SUBJECTS]:
        lines.append(f"- a commit: {make_printable(redact(subject), 100)}")
    if lines:
        parts.append("\n".join([_SAID, *lines]))
    if request.guidance:
        parts.append(f"What is asked of every message here:\n{request.guidance}")
    if request.instructions:
        instructions = cut_text(request.instructions, _INSTRUCTION_CHARACTERS)
        parts.append(f"Instructions from the author of the change; follow them:\n{instructions}")
    return "\n\n".join(parts)


def _measure_context_left(config: ApiConfig) -> int:
    """Return the tokens that a change may have beside tools and their results; none if there is no room for these."""
    return config.context - config.output - _TOKENS_BESIDE


def format_examples(request: DraftRequest, examples: Examples, room: int) -> str:
    """Return the project's examples that fit in `room` characters, the most useful ones first, but at least one."""
    chosen: list[str] = []
    if examples.headers:
        lead = "Similar headers, for style only:"
        chosen.append(_lead(lead, "\n".join(take_lines(examples.headers, room - len(lead)))))
        room -= len(chosen[0]) + 2
    first, *others = [*examples.pairs, ""]
    blocks = [_lead("A similar change and its header, never to be copied:", first), WORKED]
    blocks += [_lead("A message of this project:", examples.body)]
    blocks += [_lead("Another change and its header:", pair) for pair in others]
    blocks.append(_lead("Types:", list_prompt_variables(request.rules, request.history, None)["meanings"]))
    for block in blocks:
        if block and len(block) + 2 <= room:
            room -= len(block) + 2
            chosen.append(block)
    return "\n\n".join(chosen)


def _lead(line: str, text: str) -> str:
    return f"{line}\n{text}" if text else ""


def describe_change(request: DraftRequest, embedded: Draft, room: int) -> tuple[str, bool]:
    """Describe a change of any size in about `room` characters; return that, and whether it is all of the change."""
    change = request.change
    added = removed = unread = 0
    for file in change.files:
        added += file.lines_added
        removed += file.lines_removed
        unread += not file.diff.complete
    note = f", {unread} files only partly read" if unread else ""
    lines = [_file_line(file) for file in change.files]
    listing = take_lines(lines, int(room * _FILES_SHARE))
    listed = len(listing) == len(lines)
    if not listed:
        listing.append(f"and {format_count(len(lines) - len(listing), 'more file')}")
    totals = f"Files changed: {len(change.files)} (+{added} -{removed} lines{note})"
    rated = f"Type and scope by rules: {embedded.text.partition(':')[0]}"
    head = "\n".join([totals, *listing, rated, "The change:"])
    hunks, shown = _hunks(change, max(1000, room - len(head)))
    complete = all(file.diff.complete for file in change.files)
    return "\n".join([head, *hunks]), listed and shown and complete


def list_visible_files(change: ChangeFacts) -> list[FileFacts]:
    """Return the files whose content a model may see, those that the change is about first."""
    seen: set[int] = set()
    visible: list[FileFacts] = []
    for file in (*change.core, *change.files):
        if id(file) not in seen and find_reason_to_hide(file.path) is None:
            visible.append(file)
        seen.add(id(file))
    return visible


def _file_line(file: FileFacts) -> str:
    change = file.diff.change
    facts = [f"{STATUS.get(change.status, 'changed')} {safe_path(change.path, 160)}"]
    if change.old_path:
        facts[0] += f" (was {safe_path(change.old_path, 120)})"
    facts.append(f"{file.kind}, {file.nature}, +{file.lines_added} -{file.lines_removed}")
    reason = find_reason_to_hide(change.path)
    if reason:
        return "; ".join([*facts, f"not shown: {reason}"])
    for verb, symbols in (
        ("adds", file.symbols.added),
        ("removes", file.symbols.removed),
        ("changes", [item[1] for item in file.symbols.changed]),
        ("touches", file.symbols.touched),
    ):
        if symbols:
            facts.append(f"{verb} {', '.join(_name(symbol) for symbol in symbols[:_NAMES_SHOWN])}")
    for before, after in file.symbols.renamed[:_NAMES_SHOWN]:
        facts.append(f"renames {_name(before)} to {_name(after)}")
    return "; ".join(facts)


def _name(symbol: Symbol) -> str:
    return make_printable(symbol.name, 60)


def _hunks(change: ChangeFacts, room: int) -> tuple[list[str], bool]:
    """Return the hunks that fit into `room` characters, those of the core files first, and whether these are all."""
    shown = [file for file in show_files(list_visible_files(change), room) if file[1]]
    lines_shown: list[str] = []
    whole = True
    for index, (file, lines) in enumerate(shown):
        if room < 200:
            return [*lines_shown, f"[{format_count(len(shown) - index, 'more file')}; use get_diff to see them]"], False
        share = room
        if index < len(shown) - 1:
            share = max(int(room * _FILE_SHARE), room - measure(shown[index + 1 :]))
        shown_lines = take_lines(lines, share)
        section = [f"--- {safe_path(file.path, 160)}", *shown_lines]
        if len(shown_lines) < len(lines):
            section.append(f"[{format_count(len(lines) - len(shown_lines), 'more line')}; use get_diff to see them]")
            whole = False
        room -= sum(len(line) for line in section) + len(section)
        lines_shown += section
    return lines_shown, whole


def show_files(files: Sequence[FileFacts], room: int) -> list[Shown]:
    """Return the lines of each file's hunks, with as much context as fits into `room` characters, at best for all."""
    for context, limit in (*_WIDE_CONTEXTS, (_LEAST_CONTEXT, room)):
        shown = [(file, list(_show_file(file, context))) for file in files]
        if measure(shown) <= min(limit, room):
            return shown
    return [(file, list(_show_file(file, 0))) for file in files]


def _show_file(file: FileFacts, context: int) -> Iterator[str]:
    hunks = file.diff.hunks
    shown = 0
    for number, hunk in enumerate(hunks):
        start = hunk.new_lines.start
        heading, *changed = list_hunk_lines(hunk)
        if start - context > shown or not shown:
            yield heading
        above = min(context, start - shown, len(hunk.before))
        for line in hunk.before[len(hunk.before) - above :]:
            yield " " + decode_start(line, LINE)
        yield from changed
        shown = start + hunk.new_count
        below = context
        if number + 1 < len(hunks):
            below = min(context, hunks[number + 1].new_lines.start - shown)
        for line in hunk.after[:below]:
            yield " " + decode_start(line, LINE)
            shown += 1


def measure(shown: Sequence[Shown]) -> int:
    return sum(len("\n".join([*lines, ""])) for _, lines in shown)
