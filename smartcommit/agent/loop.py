"""The multi-turn loop: the model calls tools, and ends by the one call that carries the result."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from smartcommit.agent.conversation import Conversation, Toolbox
from smartcommit.agent.results import Results
from smartcommit.agent.tool import name_of, needs_others, spec_of
from smartcommit.errors import NoTerminalCall, TurnLimitExceeded
from smartcommit.llm.api import Json
from smartcommit.llm.client import LLMClient
from smartcommit.waiting import Deadline

# From so many turns left on, each turn begins with how many there are.
TURNS_WARN_AT = 6
TURNS, TURNS_AT_MOST = 20, 50
# A model that only talks, or repeats itself, is reminded once and then forced; a forced call may be mended once.
_NUDGES, _FORCED = 1, 2


def turn_limit(hunks: int, least: int = TURNS) -> int:
    """The turns that a change of so many hunks is worth."""
    return min(least + 2 * (hunks // 5), TURNS_AT_MOST)


def agentic_loop(
    client: LLMClient,
    messages: list[Json],
    intermediate_tools: Sequence[Callable[..., Any]],
    terminal_tool: Callable[..., Any],
    *,
    deadline: Deadline,
    countdown_message_fn: Callable[[int], str] | None = None,
    turns: int = TURNS,
    log: Callable[[str], None] = lambda line: None,
    **kwargs: Any,
) -> Any:
    """Let the model work until it calls `terminal_tool`; what that returns is the result.

    `messages` grows by the conversation, so that it can be kept whatever happens. Every call of a turn is answered, up
    to the client's limit; the model is told how many were dropped. The deadline is checked before each call and passed
    to every tool.
    `countdown_message_fn` says, for the number of turns that are left, what to do with them. `log` gets a line a call,
    `[turn/turns] tool(arguments)`. `kwargs` go to every tool, `analyzer` among them.

    Raises: NoTerminalCall when even a forced call was not made, or a model calls nothing and that call needs others
    before it; TurnLimitExceeded; LLMError; Cancelled.
    """
    results = Results()
    conversation = Conversation(client, messages, results)
    toolbox = Toolbox([*intermediate_tools, terminal_tool], deadline=deadline, results=results, given=kwargs)
    specs = [spec_of(tool) for tool in (*intermediate_tools, terminal_tool)]
    name, idle, forced = name_of(terminal_tool), 0, 0
    for turn in itertools.count(1):
        force = turn >= turns or idle > _NUDGES or not client.takes_tools
        if turn > 1 and turns - turn < TURNS_WARN_AT:
            left = max(1, turns - turn + 1)
            conversation.tell((countdown_message_fn or _countdown(name))(left))
        if force:
            forced += 1
            _, data = client.call_with_tool(messages, terminal_tool, deadline=deadline)
        else:
            data = client.chat(messages, specs, deadline=deadline)
        conversation.add(data)
        calls = client._extract_tool_calls(data)
        idle += 1
        if not calls and (
            force or (needs_others(terminal_tool) and (idle == turn > _NUDGES or not client.takes_tools))
        ):
            raise NoTerminalCall(f"the model never called '{name}'", text=client._extract_text_content(data))
        for call in calls:
            deadline.check()
            log(f"[{turn}/{turns}] {call.name}({client._summarize_args(call.arguments)})")
            if call.name != name and toolbox.is_repeated(call):
                conversation.answer(call, "this very call was answered above; go on from there", whole=False)
                continue
            done, result = toolbox.run(call)
            if done and call.name == name:
                return result
            idle = 0 if call.name != name else idle
            conversation.answer(call, toolbox.shown(call, result), whole=done and toolbox.is_whole(call))
        if forced >= _FORCED:
            raise TurnLimitExceeded(f"no call of '{name}' could be accepted in {turn} turns")
        remark = _remark(len(calls), client._count_dropped_calls(data), name)
        if remark:
            conversation.tell(remark)
    raise AssertionError("unreachable: the turns end above")


def _remark(calls: int, dropped: int, name: str) -> str:
    """What to tell the model after a turn in which so many calls were answered and dropped; empty for nothing."""
    if not calls:
        return f"That was no tool call. Go on with a tool, or call {name} now. /no_think"
    return f"Only the first {calls} calls were answered; {dropped} more were dropped." if dropped else ""


def _countdown(name: str) -> Callable[[int], str]:
    return lambda left: f"{left} {'turn is' if left == 1 else 'turns are'} left: call {name} NOW."
