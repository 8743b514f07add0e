"""The agentic loop: ask a model, run the tools it calls, until it submits a result."""

from __future__ import annotations

import itertools
import json
from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from smartcommit.agent.results import Results
from smartcommit.agent.tool import name_of, needs_others, read_arguments, spec_of
from smartcommit.errors import GitError, LLMReplyError, NoTerminalCall, ToolFailed, TurnLimitExceeded
from smartcommit.llm.api import OLLAMA, ApiConfig, Json, ToolCall
from smartcommit.llm.client import LLMClient
from smartcommit.secret_scan import redacted
from smartcommit.waiting import Deadline

# From so many turns left on, each turn begins with how many there are.
TURNS_WARN_AT = 6
TURNS, TURNS_AT_MOST = 20, 50
# A model that only talks, or repeats itself, is reminded once and then forced; a forced call may be mended once.
_NUDGES, _FORCED = 1, 2
# Bytes of conversation for each token that the model's context has, with room for the answer.
_BYTES_A_TOKEN = 3
# Messages at the end that are never made smaller: the model is still working on them.
_RECENT = 4


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
        calls = client.extract_tool_calls(data)
        idle += 1
        if not calls and (
            force or (needs_others(terminal_tool) and (idle == turn > _NUDGES or not client.takes_tools))
        ):
            raise NoTerminalCall(f"the model never called '{name}'", text=client.extract_text_content(data))
        for call in calls:
            deadline.check()
            log(f"[{turn}/{turns}] {call.name}({client.summarize_args(call.arguments)})")
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
        remark = _remark(len(calls), client.count_dropped_calls(data), name)
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


class Conversation:
    """`messages` as a loop goes on: it grows in place.

    What the caller put there stays word for word, and so does what the loop says itself: the list of what is to be done
    is never lost. Only old results of tools are left out, once all of it grows too large, and can be asked for; of
    those that are to stay whole the last of each tool stays, which has taken the place of those before it.
    """

    def __init__(self, client: LLMClient, messages: list[Json], results: Results) -> None:
        self._client = client
        self._messages = messages
        self._results = results
        self._given = len(messages)
        self._room = client.config.context * _BYTES_A_TOKEN - client.config.output * _BYTES_A_TOKEN
        self._size = sum(map(_size, messages))
        self._compactable: list[int] = []
        self._whole: dict[str, int] = {}

    def tell(self, text: str) -> None:
        """Say `text` to the model; below our last words where it has not answered them, for turns must alternate."""
        if len(self._messages) > self._given and self._messages[-1].get("role") == "user":
            self._replace(-1, {"role": "user", "content": f"{self._messages[-1]['content']}\n\n{text}"})
        else:
            self._append({"role": "user", "content": text})

    def add(self, data: Json) -> None:
        """Add the model's answer."""
        message = self._client.format_assistant_tool_call(data)
        if not message["content"] and not message.get("tool_calls"):
            # Some servers refuse a message without content, and turns must alternate.
            message["content"] = "..."
        self._append(message)

    def answer(self, call: ToolCall, text: str, *, whole: bool) -> None:
        """Add the result of `call`."""
        place = len(self._messages)
        outdated = self._whole.pop(call.name, None) if whole else place
        if whole:
            self._whole[call.name] = place
        if outdated is not None:
            insort(self._compactable, outdated)
        self._append(self._client.format_tool_result(call, text))
        self._compact()

    def _compact(self) -> None:
        while self._size > self._room and self._compactable and self._compactable[0] < len(self._messages) - _RECENT:
            index = self._compactable.pop(0)
            message = self._messages[index]
            content = str(message["content"])
            stub = f"[left out; query_tool_result shows it, id {self._results.keep(content)}]"
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
    """The tools of one loop, run with what every tool gets: `analyzer` and the like."""

    def __init__(
        self, tools: list[Callable[..., Any]], *, deadline: Deadline, results: Results, given: Mapping[str, Any]
    ) -> None:
        self._tools = {name_of(function): function for function in tools}
        self._given = {**given, "deadline": deadline, "results": results}
        self._results = results
        self._made: set[str] = set()

    def is_whole(self, call: ToolCall) -> bool:
        """Whether the result of `call` must stay as it is."""
        return getattr(self._tools.get(call.name), "_tool_whole", False) is True

    def is_repeated(self, call: ToolCall) -> bool:
        """Whether the very same call was made before."""
        key = f"{call.name} {json.dumps(call.arguments, sort_keys=True, default=str)}"
        repeated = key in self._made
        self._made.add(key)
        return repeated

    def run(self, call: ToolCall) -> tuple[bool, Any]:
        """Whether the tool did its work, and what it returned; else what the model is told instead."""
        function = self._tools.get(call.name)
        if function is None:
            return False, f"there is no tool '{call.name[:60]}'; there are {', '.join(self._tools)}"
        try:
            return True, function(read_arguments(function, call.arguments), **self._given)
        except ValueError as error:
            return False, f"not done, mend the arguments: {error}"
        except (ToolFailed, GitError) as error:
            return False, f"not done: {error}"

    def shown(self, call: ToolCall, result: object) -> str:
        """A result as the model sees it."""
        return str(result) if self.is_whole(call) else self._results.shown(str(result))


def dump(config: ApiConfig, messages: Sequence[Json]) -> bytes:
    """The conversation as it was sent: without secrets, and without the server's address and key."""
    kept = {"provider": config.provider, "model": config.model, "messages": redacted(list(messages))}
    return json.dumps(kept, indent=1, ensure_ascii=False).encode("utf-8", "replace")


class Replay(LLMClient):
    """A client that gives the recorded answers again, in their order, and sends nothing."""

    def __init__(self, transcript: bytes) -> None:
        kept = json.loads(transcript)
        super().__init__(ApiConfig(kept["provider"], kept["model"], "http://localhost"))
        self._answers = iter([message for message in kept["messages"] if message["role"] == "assistant"])

    def _send(self, payload: Json, deadline: Deadline) -> Json:
        deadline.check()
        message = next(self._answers, None)
        if message is None:
            raise LLMReplyError("the transcript has no further answer")
        message = dict(message)
        return {"message": message} if self.config.provider == OLLAMA else {"choices": [{"message": message}]}
