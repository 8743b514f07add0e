"""A draft by a model, and the description of the change that it reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from string import Template

from smartcommit import state_files
from smartcommit.agent.git_tools import TOOLS
from smartcommit.agent.loop import agentic_loop, dump, turn_limit
from smartcommit.agent.prompt import STATUS, format_habits, hunk_lines, prompt_variables
from smartcommit.agent.results import take_lines
from smartcommit.agent.tool import spec_of
from smartcommit.change.facts import ChangeFacts, FileFacts
from smartcommit.change.filetypes import why_hidden
from smartcommit.change.history import History
from smartcommit.change.wording import format_count, make_printable, safe_path
from smartcommit.draft.conform import Passes
from smartcommit.draft.request import DraftRequest
from smartcommit.draft.submit import Evidence, MessageGate, salvage, watched
from smartcommit.errors import AgentError, LLMPromptTooLong, NoTerminalCall, ToolRetry
from smartcommit.llm.api import ApiConfig, Json
from smartcommit.llm.client import LLMClient
from smartcommit.message.rules import Rules
from smartcommit.waiting import Deadline

TRANSCRIPT = "transcript.json"
# Turns for a small change; a large one gets more.
_TURNS = 8
# Characters of the summary at least and at most, and tokens for the tools and instructions beside it.
_MIN_ROOM, _MAX_ROOM = 3000, 16_000
_OVERHEAD = 3500
# The share of the room that the list of files may take; the rest is for the hunks.
_FILES_SHARE = 0.4
# The share of the remaining room that the hunks of one file may take, unless it is the last file.
_FILE_SHARE = 0.5
_NAMES = 6


def draft(
    task: DraftRequest,
    client: LLMClient,
    *,
    deadline: Deadline,
    passes: Passes,
    log: Callable[[str], None] = lambda line: None,
    keep: bool = False,
) -> str:
    """Let the model write a message that passes, and return its text; `keep` saves a transcript in the git directory.

    If the prompt is too long for the server, try once more with half of it and half the context.

    Raise LLMError or AgentError if the model does not finish in time, or Cancelled.
    """
    hunks = sum(len(file.diff.hunks) for file in task.change.files)
    for share in (1.0, 0.5):
        messages = prompt(task, client.config, share=share)
        evidence = _collect_evidence(task)
        gate = MessageGate(task.rules, evidence, passes, task.ticket)
        tools = [watched(tool, evidence) for tool in TOOLS]
        try:
            text: str = agentic_loop(
                client, messages, tools, gate.tool, deadline=deadline, turns=turn_limit(hunks, _TURNS), log=log,
                analyzer=task.context,
            )  # fmt: skip
            return text
        except NoTerminalCall as error:
            return _recover_message(error, gate, task.rules)
        except LLMPromptTooLong:
            if share < 1:
                raise
            client.config = replace(client.config, context=client.config.context // 2)
        finally:
            if keep:
                state_files.save(task.context.repository.git_dir, TRANSCRIPT, dump(client.config, messages))
    raise AssertionError("unreachable: the second attempt returns or raises")


def prompt(task: DraftRequest, config: ApiConfig, *, share: float = 1.0) -> list[Json]:
    """Return the first messages of a conversation, with the change in at most `share` of the usual room."""
    room = (config.context - config.output - _OVERHEAD) * 3
    room = max(int(share * _MIN_ROOM), min(int(share * _MAX_ROOM), room))
    content = summarise(task.change, task.history, branch=task.branch, draft=task.draft, room=room)
    if task.instructions:
        content = f"Instructions from the author of the change; follow them:\n{task.instructions[:2000]}\n\n{content}"
    return [{"role": "system", "content": system_prompt(task)}, {"role": "user", "content": content}]


def preview(task: DraftRequest, config: ApiConfig) -> str:
    """Return exactly what a model would be sent first, as JSON; send nothing."""
    gate = MessageGate(task.rules, Evidence(), lambda text: True)
    return LLMClient(config).preview(prompt(task, config), [spec_of(tool) for tool in (*TOOLS, gate.tool)])


def system_prompt(task: DraftRequest) -> str:
    """Return the system prompt, with the project's own rules in it."""
    template = Template(files("smartcommit.agent").joinpath("prompts/draft.md").read_text("utf-8"))
    return template.substitute(prompt_variables(task.rules, task.history, task.language)).strip()


def _collect_evidence(task: DraftRequest) -> Evidence:
    """Return what a message may mention: lines and paths of the change, the branch, and the user's instructions."""
    lines: list[str] = []
    paths: list[bytes] = []
    for file in task.change.files:
        paths += (file.path, file.diff.change.old_path or b"")
        if is_visible(file):
            lines += hunk_text(file)
    names = b"\n".join(paths).decode("utf-8", "replace")
    evidence = Evidence("\n".join(lines), names, task.draft, task.branch, task.instructions)
    evidence.texts.append(f"{len(task.change.files)} files")
    for commit in task.history.commits[:5]:
        evidence.examples.append(commit.summary)
    return evidence


def _recover_message(error: NoTerminalCall, gate: MessageGate, rules: Rules) -> str:
    """Return the message in the text that the model wrote last.

    Raise `error` if there is none, or AgentError if the message says what is not in the change.
    """
    message = salvage(error.text, rules.types)
    if message is None:
        raise error
    try:
        return gate.repair(message)
    except ToolRetry as refusal:
        raise AgentError(f"unusable message from the model: {refusal}") from None


def summarise(change: ChangeFacts, history: History, *, branch: str, draft: str, room: int) -> str:
    """Describe a change of any size in about `room` characters. `draft` is the embedded drafter's message."""
    lines: list[str] = []
    if branch:
        lines.append(f"Branch: {make_printable(branch, 100)}")
    lines += [_totals(change), *_listing(change, int(room * _FILES_SHARE))]
    lines += ["", "Rule-based draft:", draft.rstrip("\n"), "", *format_habits(history)]
    head = "\n".join(lines)
    return "\n".join([head, "The change:", *_hunks(change, max(1000, room - len(head)))])


def hunk_text(file: FileFacts) -> Iterator[str]:
    """Yield the lines of a file's hunks as a diff without context."""
    for hunk in file.diff.hunks:
        yield from hunk_lines(hunk)


def is_visible(file: FileFacts) -> bool:
    """Whether a model may see the content of a file."""
    return why_hidden(file.path) is None


def _totals(change: ChangeFacts) -> str:
    added = removed = unread = 0
    for file in change.files:
        added += file.lines_added
        removed += file.lines_removed
        unread += not file.diff.complete
    note = ""
    if unread:
        note = f", {unread} files only partly read"
    return f"Files changed: {len(change.files)} (+{added} -{removed} lines{note})"


def _listing(change: ChangeFacts, room: int) -> list[str]:
    """Return a line per file; if they do not fit, the first ones, and the number of the others in each folder."""
    lines = list(map(_file_line, change.files))
    kept = take_lines(lines, room)
    if len(kept) == len(lines):
        return kept
    kept = take_lines(lines, room // 2)
    rest = change.files[len(kept) :]
    folders = Counter(file.path.rpartition(b"/")[0].split(b"/", 2)[0] for file in rest)
    elsewhere = len(rest)
    places: list[str] = []
    for folder, number in folders.most_common(30):
        places.append(f"{safe_path(folder or b'top level')} ({number})")
        elsewhere -= number
    if elsewhere:
        places.append(f"elsewhere ({elsewhere})")
    return [*kept, f"and {format_count(len(rest), 'more file')}: {', '.join(places)}"]


def _file_line(file: FileFacts) -> str:
    change = file.diff.change
    facts = [f"{STATUS.get(change.status, 'changed')} {safe_path(change.path, 160)}"]
    if change.old_path:
        facts[0] += f" (was {safe_path(change.old_path, 120)})"
    facts.append(f"{file.kind}, {file.nature}, +{file.lines_added} -{file.lines_removed}")
    reason = why_hidden(change.path)
    if reason:
        return "; ".join([*facts, f"not shown: {reason}"])
    for verb, symbols in (
        ("adds", file.symbols.added),
        ("removes", file.symbols.removed),
        ("changes", [after for _, after in file.symbols.changed]),
        ("touches", file.symbols.touched),
    ):
        if symbols:
            facts.append(f"{verb} {', '.join(make_printable(symbol.name, 60) for symbol in symbols[:_NAMES])}")
    for before, after in file.symbols.renamed[:_NAMES]:
        facts.append(f"renames {make_printable(before.name, 60)} to {make_printable(after.name, 60)}")
    return "; ".join(facts)


def _hunks(change: ChangeFacts, room: int) -> Iterator[str]:
    """Yield the hunks that fit into `room` characters, those of the core files first."""
    core = set(map(id, change.core))
    files = list(filter(is_visible, change.core))
    for file in change.files:
        if id(file) not in core and is_visible(file):
            files.append(file)
    for index, file in enumerate(files):
        lines = list(hunk_text(file))
        if not lines:
            continue
        if room < 200:
            yield f"[{format_count(len(files) - index, 'more file')}; use get_diff to see them]"
            return
        is_last = index == len(files) - 1
        kept = take_lines(lines, room if is_last else int(room * _FILE_SHARE))
        section = [f"--- {safe_path(file.path, 160)}", *kept]
        if len(kept) < len(lines):
            section.append(f"[{format_count(len(lines) - len(kept), 'more line')}; use get_diff to see them]")
        room -= sum(map(len, section)) + len(section)
        yield from section
