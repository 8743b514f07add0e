"""A draft by a model: the change in short, tools for the rest, and one call with a message that passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from string import Template

from smartcommit import state_files
from smartcommit.agent.git_tools import TOOLS
from smartcommit.agent.loop import agentic_loop, turn_limit
from smartcommit.agent.tool import spec_of
from smartcommit.agent.transcript import dump
from smartcommit.change.history import History
from smartcommit.draft.conform import Passes
from smartcommit.draft.grounding import Evidence, watched
from smartcommit.draft.request import DraftRequest
from smartcommit.draft.salvage import salvage
from smartcommit.draft.submit import MessageGate
from smartcommit.draft.summary import hunk_text, shown, summarise
from smartcommit.errors import AgentError, LLMPromptTooLong, NoTerminalCall, ToolRetry
from smartcommit.llm.api import Json
from smartcommit.llm.client import LLMClient
from smartcommit.llm.config import ApiConfig
from smartcommit.message.rules import Rules
from smartcommit.message.types import MEANINGS
from smartcommit.waiting import Deadline

TRANSCRIPT = "transcript.json"
# A draft needs few looks; a large change some more.
_TURNS = 8
# Characters of the summary at least and at most, and tokens that its tools and instructions need beside it.
_ROOM = (3000, 16_000)
_BESIDE = 3500


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
    desk = MessageGate(task.rules, evidence, passes, task.ticket)
    hunks = sum(len(file.diff.hunks) for file in task.change.files)
    try:
        text = agentic_loop(
            client, messages, [watched(tool, evidence) for tool in TOOLS], desk.tool,
            deadline=deadline, turns=turn_limit(hunks, _TURNS), log=log, analyzer=task.context,
        )  # fmt: skip
    except NoTerminalCall as error:
        text = _salvaged(error, desk, task.rules)
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
    desk = MessageGate(task.rules, Evidence(), lambda text: True)
    return LLMClient(config).preview(prompt(task, config), [spec_of(tool) for tool in (*TOOLS, desk.tool)])


def instructions(task: DraftRequest) -> str:
    """The system prompt, with the project's own rules in it."""
    template = Template(files("smartcommit.agent").joinpath("prompts/draft.md").read_text("utf-8"))
    return template.substitute(vocabulary(task.rules, task.history, task.language)).strip()


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


def _salvaged(error: NoTerminalCall, desk: MessageGate, rules: Rules) -> str:
    """The message in what the model said last.

    Raises: the error where there is none, or AgentError where what it says is not in the change.
    """
    message = salvage(error.text, rules.types)
    if message is None:
        raise error
    try:
        return desk.repair(message)
    except ToolRetry as refusal:
        raise AgentError(f"the model's message cannot be used: {refusal}") from None
