"""The agentic loop: ask a model, run the tools it calls, until it submits a result."""

from __future__ import annotations

import itertools
import json
from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from smartcommit.agent.results import Results
from smartcommit.agent.tool import name_of, needs_others, read_arguments, spec_of
from smartcommit.errors import GitError, NoTerminalCall, ToolFailed, TurnLimitExceeded
from smartcommit.llm.api import ApiConfig, Json, ToolCall
from smartcommit.llm.client import LLMClient
from smartcommit.secret_scan import redact_value
from smartcommit.waiting import Deadline

# With fewer turns left than this, each turn begins with a countdown.
TURNS_WARN_AT = 6
TURNS, MAX_TURNS = 20, 50
# Idle turns, with only text or repeated calls, before the terminal call is forced; and how often it is forced.
_IDLE_TURNS, _FORCED_TURNS = 1, 2
# Bytes of conversation per token of the model's context.
_BYTES_PER_TOKEN = 3
# Messages at the end that are never compacted: the model is still working on them.
_RECENT = 4
_ANSWERED = "this exact call was already answered above; continue from there"


def turn_limit(hunks: int, least: int = TURNS) -> int:
    """Return the number of turns allowed for a change with so many hunks."""
    return min(least + 2 * (hunks // 5), MAX_TURNS)


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
    """Run the model until it calls `terminal_tool`, and return what that returns.

    The conversation is appended to `messages`, whatever happens. All calls of a turn are answered, up to the client's
    limit. `countdown_message_fn` makes the message for the number of turns left. `log` gets a line per call,
    `[turn/turns] tool(arguments)`. `kwargs`, such as `analyzer`, and `deadline` are passed to every tool.

    Raise NoTerminalCall if the model does not even make a forced call, or makes no call at all although the terminal
    tool needs others first; TurnLimitExceeded; LLMError; Cancelled.
    """
    results = Results()
    tools = [*intermediate_tools, terminal_tool]
    conversation = Conversation(client, messages, results)
    toolbox = Toolbox(tools, deadline=deadline, results=results, given=kwargs)
    specs = list(map(spec_of, tools))
    name = name_of(terminal_tool)
    countdown = countdown_message_fn or _countdown(name)
    idle = forced = 0
    for turn in itertools.count(1):
        force = turn >= turns or idle > _IDLE_TURNS or not client.takes_tools
        if turn > 1 and turns - turn < TURNS_WARN_AT:
            conversation.add_instruction(countdown(max(1, turns - turn + 1)))
        if force:
            forced += 1
            _, data = client.call_with_tool(messages, terminal_tool, deadline=deadline)
        else:
            data = client.chat(messages, specs, deadline=deadline)
        conversation.add_answer(data)
        calls = client.extract_tool_calls(data)
        idle += 1
        hopeless = needs_others(terminal_tool) and (idle == turn > _IDLE_TURNS or not client.takes_tools)
        if not calls and (force or hopeless):
            raise NoTerminalCall(f"the model never called '{name}'", text=client.extract_text_content(data))
        for call in calls:
            deadline.check()
            log(f"[{turn}/{turns}] {call.name}({client.summarize_args(call.arguments)})")
            if call.name != name and toolbox.is_repeated(call):
                conversation.add_result(call, _ANSWERED, whole=False)
                continue
            done, result = toolbox.run(call)
            if done and call.name == name:
                return result
            if call.name != name:
                idle = 0
            conversation.add_result(call, toolbox.render(call, result), whole=done and toolbox.is_whole(call))
        if forced >= _FORCED_TURNS:
            raise TurnLimitExceeded(f"no valid call to '{name}' in {turn} turns")
        _remind(conversation, len(calls), client.count_dropped_calls(data), name)
    raise AssertionError("unreachable: the turns end above")


def _remind(conversation: Conversation, calls: int, dropped: int, name: str) -> None:
    """Tell the model that it called no tool, or that calls were dropped."""
    if not calls:
        conversation.add_instruction(f"That was not a tool call. Continue with a tool, or call {name} now. /no_think")
    elif dropped:
        conversation.add_instruction(f"Only the first {calls} calls were answered; {dropped} more were dropped.")


def _countdown(name: str) -> Callable[[int], str]:
    return lambda left: f"{left} {'turn is' if left == 1 else 'turns are'} left: call {name} NOW."


class Conversation:
    """The messages of a loop, a list that grows in place.

    Messages of the caller and of the loop itself are never changed, so the task is never lost. If the conversation
    outgrows the model's context, old tool results are omitted, and the model can query them. Of `whole` results the
    last one of each tool stays, since it replaces those before it.
    """

    def __init__(self, client: LLMClient, messages: list[Json], results: Results) -> None:
        self._client = client
        self._messages = messages
        self._results = results
        self._given = len(messages)
        self._room = (client.config.context - client.config.output) * _BYTES_PER_TOKEN
        self._size = sum(map(_size, messages))
        self._compactable: list[int] = []
        self._whole: dict[str, int] = {}

    def add_instruction(self, text: str) -> None:
        """Add `text` as a user message, or to the last one if the model has not answered it: turns must alternate."""
        if len(self._messages) > self._given and self._messages[-1].get("role") == "user":
            self._replace(-1, {"role": "user", "content": f"{self._messages[-1]['content']}\n\n{text}"})
        else:
            self._append({"role": "user", "content": text})

    def add_answer(self, data: Json) -> None:
        """Add the model's answer."""
        message = self._client.format_assistant_tool_call(data)
        if not message["content"] and not message.get("tool_calls"):
            # Some servers reject a message without content, and turns must alternate.
            message["content"] = "..."
        self._append(message)

    def add_result(self, call: ToolCall, text: str, *, whole: bool) -> None:
        """Add the result of `call`; a `whole` one stays until the same tool returns another."""
        compactable: int | None = len(self._messages)
        if whole:
            compactable = self._whole.pop(call.name, None)
            self._whole[call.name] = len(self._messages)
        if compactable is not None:
            insort(self._compactable, compactable)
        self._append(self._client.format_tool_result(call, text))
        self._compact()

    def _compact(self) -> None:
        while self._size > self._room and self._compactable and self._compactable[0] < len(self._messages) - _RECENT:
            index = self._compactable.pop(0)
            message = self._messages[index]
            content = str(message["content"])
            stub = f"[omitted; use query_tool_result with id {self._results.keep(content)} to see it]"
            if len(stub) < len(content):
                self._replace(index, {**message, "content": stub})

    def _append(self, message: Json) -> None:
        self._messages.append(message)
        self._size += _size(message)

    def _replace(self, index: int, message: Json) -> None:
        self._size += _size(message) - _size(self._messages[index])
        self._messages[index] = message


def _size(message: Json) -> int:
    return len(json.dumps(message, ensure_ascii=False))


class Toolbox:
    """The tools of a loop, with the arguments that all of them get: `analyzer` and the like."""

    def __init__(
        self, tools: list[Callable[..., Any]], *, deadline: Deadline, results: Results, given: Mapping[str, Any]
    ) -> None:
        self._tools = {name_of(function): function for function in tools}
        self._given = {**given, "deadline": deadline, "results": results}
        self._results = results
        self._made: set[str] = set()

    def is_whole(self, call: ToolCall) -> bool:
        """Whether the result of `call` must not be shortened."""
        return getattr(self._tools.get(call.name), "_tool_whole", False) is True

    def is_repeated(self, call: ToolCall) -> bool:
        """Whether the same call was made before."""
        key = f"{call.name} {json.dumps(call.arguments, sort_keys=True, default=str)}"
        repeated = key in self._made
        self._made.add(key)
        return repeated

    def run(self, call: ToolCall) -> tuple[bool, Any]:
        """Run a tool; return True and its result, or False and an explanation for the model."""
        function = self._tools.get(call.name)
        if function is None:
            return False, f"no tool named '{call.name[:60]}'; available tools: {', '.join(self._tools)}"
        try:
            return True, function(read_arguments(function, call.arguments), **self._given)
        except ValueError as error:
            return False, f"invalid arguments: {error}; fix them and call again"
        except (ToolFailed, GitError) as error:
            return False, f"failed: {error}"

    def render(self, call: ToolCall, result: object) -> str:
        """Return a result as the model sees it."""
        if self.is_whole(call):
            return str(result)
        return self._results.shorten(str(result))


def dump(config: ApiConfig, messages: Sequence[Json]) -> bytes:
    """Return the conversation as JSON, with secrets redacted and without the server's address and key."""
    kept = {"provider": config.provider, "model": config.model, "messages": redact_value(list(messages))}
    return json.dumps(kept, indent=1, ensure_ascii=False).encode("utf-8", "replace")
