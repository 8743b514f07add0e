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
from smartcommit.agent.prompt import STATUS, habits, hunk_lines, vocabulary
from smartcommit.agent.results import cut
from smartcommit.agent.tool import spec_of
from smartcommit.change.facts import ChangeFacts, FileFacts
from smartcommit.change.filetypes import why_hidden
from smartcommit.change.history import History
from smartcommit.change.wording import safe, safe_path
from smartcommit.draft.conform import Passes
from smartcommit.draft.request import DraftRequest
from smartcommit.draft.submit import Evidence, MessageGate, salvage, watched
from smartcommit.errors import AgentError, LLMPromptTooLong, NoTerminalCall, ToolRetry
from smartcommit.llm.api import ApiConfig, Json
from smartcommit.llm.client import LLMClient
from smartcommit.message.rules import Rules
from smartcommit.waiting import Deadline

TRANSCRIPT = "transcript.json"
# A draft needs few looks; a large change some more.
_TURNS = 8
# Characters of the summary at least and at most, and tokens that its tools and instructions need beside it.
_ROOM = (3000, 16_000)
_BESIDE = 3500
# Of the room there is, what the list of files may take; what it leaves belongs to the hunks.
_FILES_SHARE = 0.4
# Characters that one file's hunks may take while others wait.
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
    """The text of a message that passes; the conversation is kept in the git directory where `keep` asks for it.

    A server that has no room for the prompt is asked once more, with half of it.

    Raises: LLMError or AgentError when the model does not come to one in time; Cancelled.
    """
    try:
        return _asked(task, client, deadline=deadline, passes=passes, log=log, keep=keep)
    except LLMPromptTooLong:
        client.config = replace(client.config, context=client.config.context // 2)
        return _asked(task, client, deadline=deadline, passes=passes, log=log, keep=keep, share=0.5)


def _asked(
    task: DraftRequest,
    client: LLMClient,
    *,
    deadline: Deadline,
    passes: Passes,
    log: Callable[[str], None],
    keep: bool,
    share: float = 1.0,
) -> str:
    messages = prompt(task, client.config, share=share)
    evidence = _evidence(task)
    gate = MessageGate(task.rules, evidence, passes, task.ticket)
    hunks = sum(len(file.diff.hunks) for file in task.change.files)
    try:
        text = agentic_loop(
            client, messages, [watched(tool, evidence) for tool in TOOLS], gate.tool,
            deadline=deadline, turns=turn_limit(hunks, _TURNS), log=log, analyzer=task.context,
        )  # fmt: skip
    except NoTerminalCall as error:
        text = _salvaged(error, gate, task.rules)
    finally:
        if keep:
            state_files.save(task.context.repository.git_dir, TRANSCRIPT, dump(client.config, messages))
    assert isinstance(text, str)
    return text


def prompt(task: DraftRequest, config: ApiConfig, *, share: float = 1.0) -> list[Json]:
    """The messages that a conversation begins with, the change in `share` of the room that there is at most."""
    least, most = (int(share * size) for size in _ROOM)
    room = max(least, min(most, (config.context - config.output - _BESIDE) * 3))
    told = summarise(task.change, task.history, branch=task.branch, draft=task.draft, room=room)
    if task.wish:
        told = f"The author says about the message, and this is to be followed:\n{task.wish[:2000]}\n\n{told}"
    return [{"role": "system", "content": instructions(task)}, {"role": "user", "content": told}]


def preview(task: DraftRequest, config: ApiConfig) -> str:
    """Exactly what a model would be sent first, as JSON; nothing is sent."""
    gate = MessageGate(task.rules, Evidence(), lambda text: True)
    return LLMClient(config).preview(prompt(task, config), [spec_of(tool) for tool in (*TOOLS, gate.tool)])


def instructions(task: DraftRequest) -> str:
    """The system prompt, with the project's own rules in it."""
    template = Template(files("smartcommit.agent").joinpath("prompts/draft.md").read_text("utf-8"))
    return template.substitute(vocabulary(task.rules, task.history, task.language)).strip()


def _evidence(task: DraftRequest) -> Evidence:
    """What a message may name: lines and paths of the change, the branch, and what its author says."""
    lines = [line for file in task.change.files if shown(file) for line in hunk_text(file)]
    paths = [
        path.decode("utf-8", "replace")
        for file in task.change.files
        for path in (file.path, file.diff.change.old_path or b"")
    ]
    evidence = Evidence("\n".join(lines), "\n".join(paths), task.draft, task.branch, task.wish)
    evidence.texts.append(f"{len(task.change.files)} files")
    evidence.examples += [commit.summary for commit in task.history.commits[:5]]
    return evidence


def _salvaged(error: NoTerminalCall, gate: MessageGate, rules: Rules) -> str:
    """The message in what the model said last.

    Raises: the error where there is none, or AgentError where what it says is not in the change.
    """
    message = salvage(error.text, rules.types)
    if message is None:
        raise error
    try:
        return gate.repair(message)
    except ToolRetry as refusal:
        raise AgentError(f"the model's message cannot be used: {refusal}") from None


def summarise(change: ChangeFacts, history: History, *, branch: str, draft: str, room: int) -> str:
    """The change in at most about `room` characters, whatever its size. `draft` is the embedded drafter's message."""
    parts = [
        f"Branch: {safe(branch, 100)}" if branch else "",
        _totals(change),
        *_listing(change, int(room * _FILES_SHARE)),
        "",
        "A draft by rules:",
        draft.rstrip("\n"),
        "",
        *habits(history),
    ]
    head = "\n".join(part for index, part in enumerate(parts) if part or index)
    return "\n".join([head, "The change:", *_hunks(change, max(1000, room - len(head)))])


def hunk_text(file: FileFacts) -> Iterator[str]:
    """The lines of a file's hunks, as a diff without context."""
    for hunk in file.diff.hunks:
        yield from hunk_lines(hunk)


def shown(file: FileFacts) -> bool:
    """Whether the content of a file may be looked at."""
    return why_hidden(file.path) is None


def _totals(change: ChangeFacts) -> str:
    added = sum(file.lines_added for file in change.files)
    removed = sum(file.lines_removed for file in change.files)
    unread = sum(not file.diff.complete for file in change.files)
    note = f", {unread} files not read to their end" if unread else ""
    return f"Files changed: {len(change.files)} (+{added} -{removed} lines{note})"


def _listing(change: ChangeFacts, room: int) -> list[str]:
    """A line a file; where they do not fit, the first of them and the others counted by folder."""
    lines = [_file_line(file) for file in change.files]
    kept = cut(lines, room)
    rest = change.files[len(kept) :]
    if not rest:
        return kept
    kept = cut(lines, room // 2)
    rest = change.files[len(kept) :]
    folders = Counter(file.path.rpartition(b"/")[0].split(b"/", 2)[0] for file in rest)
    counted = [
        f"{safe_path(folder) if folder else 'top level'} ({number})" for folder, number in folders.most_common(30)
    ]
    others = sum(number for _, number in folders.most_common()[30:])
    more = [f"elsewhere ({others})"] if others else []
    return [*kept, f"and {len(rest)} more files: {', '.join([*counted, *more])}"]


def _file_line(file: FileFacts) -> str:
    change = file.diff.change
    moved = f" (was {safe_path(change.old_path, 120)})" if change.old_path else ""
    facts = [
        f"{STATUS.get(change.status, 'changed')} {safe_path(change.path, 160)}{moved}",
        f"{file.kind}, {file.nature}, +{file.lines_added} -{file.lines_removed}",
    ]
    reason = why_hidden(change.path)
    if reason:
        return "; ".join([*facts, f"not shown: {reason}"])
    for word, symbols in (
        ("adds", file.symbols.added),
        ("removes", file.symbols.removed),
        ("changes", [after for _, after in file.symbols.changed]),
        ("touches", file.symbols.touched),
    ):
        if symbols:
            facts.append(f"{word} {', '.join(safe(symbol.name, 60) for symbol in symbols[:_NAMES])}")
    facts += [f"renames {safe(a.name, 60)} to {safe(b.name, 60)}" for a, b in file.symbols.renamed[:_NAMES]]
    return "; ".join(facts)


def _hunks(change: ChangeFacts, room: int) -> Iterator[str]:
    core = {id(file) for file in change.core}
    files = [file for file in (*change.core, *(f for f in change.files if id(f) not in core)) if shown(file)]
    left = room
    for index, file in enumerate(files):
        lines = list(hunk_text(file))
        if not lines:
            continue
        if left < 200:
            yield f"[{len(files) - index} more files; get_diff shows them]"
            return
        kept = cut(lines, int(left * _FILE_SHARE) if index < len(files) - 1 else left)
        note = [f"[{len(lines) - len(kept)} more lines; get_diff shows them]"] if len(kept) < len(lines) else []
        section = [f"--- {safe_path(file.path, 160)}", *kept, *note]
        left -= sum(len(line) + 1 for line in section)
        yield from section
