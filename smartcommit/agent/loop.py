"""The agentic loop: ask a model, run the tools it calls, until it submits a result."""

from __future__ import annotations

import json
from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from smartcommit.agent.shown import Results
from smartcommit.agent.tool import name_of, read_arguments, spec_of, tool, traits_of
from smartcommit.change.wording import format_count
from smartcommit.errors import AgentError, GitError, NoTerminalCall, NoToolCalls, ToolFailed, TurnLimitExceeded
from smartcommit.llm.api import NO_TOOLS, Json, ToolCall
from smartcommit.llm.client import LLMClient
from smartcommit.waiting import Deadline

# With fewer turns left than this, each turn begins with a countdown.
TURNS_WARN_AT = 6
TURNS = 20
MAX_TURNS = 50
# Idle turns, with only text or repeated calls, before a call is forced.
_IDLE_TURNS = 1
# How often a call is forced, also as the last turns.
_FORCED_TURNS = 2
# Bytes of conversation per token of the model's context.
_BYTES_PER_TOKEN = 3
# Number of messages at the end that are never compacted: the model is still working on them.
_MESSAGES_KEPT = 4
# Characters that are quoted of a text that is no call.
_CHARACTERS_QUOTED = 100
# Characters of why a call was rejected.
_REASON_CHARACTERS = 300
_OPENED = "the other tools are available now; use them, then finish"
_ANSWERED = "this exact call was already answered above; continue from there"


def find_turn_limit(hunks: int, least: int = TURNS) -> int:
    return min(least + 2 * (hunks // 5), MAX_TURNS)


class LookCloserArgs(BaseModel):
    pass


@tool(LookCloserArgs)
def look_closer(args: LookCloserArgs, **_: Any) -> str:
    """See more of the change or the project first, if this does not suffice."""
    return _OPENED


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
    limit. If `terminal_tool` comes first, the first turn offers it alone, held to its schema, and `look_closer`, which
    opens the others; if there are no others, so does every turn. A model that idles, or that is at the end of its
    turns, has to call the terminal tool, or the tool without which that is of no use yet.
    `countdown_message_fn` makes the message for the number of turns left. `log` gets a line per call,
    `[turn/turns] tool(arguments)`, and one per rejection. `kwargs`, such as `analyzer`, and `deadline` are passed to
    every tool.

    Raise NoTerminalCall if the model does not even make a forced call, NoToolCalls if it makes none at all although the
    terminal tool needs others first; TurnLimitExceeded; LLMError; Cancelled.
    """
    loop = _Loop(
        client, messages, (*intermediate_tools, terminal_tool),
        given={**kwargs, "deadline": deadline}, turns=turns, log=log,
    )  # fmt: skip
    for turn in range(1, turns + 1):
        left = turns - turn + 1
        if turn > 1 and left <= TURNS_WARN_AT:
            say = countdown_message_fn or (lambda left: f"{count_turns(left)} left: call {loop.name} NOW.")
            loop.conversation.add_instruction(say(left))
        if loop.take_turn(turn):
            return loop.result
    raise AssertionError("unreachable: the last turn returns or raises")


class _Loop:
    """The state of a loop between its turns; `result` is what the last of `tools`, the terminal one, returned."""

    def __init__(
        self, client: LLMClient, messages: list[Json], tools: Sequence[Callable[..., Any]], *,
        given: Mapping[str, Any], turns: int, log: Callable[[str], None],
    ) -> None:  # fmt: skip
        self.result: Any = None
        self._results = Results()
        self.conversation = Conversation(client, messages, self._results)
        self._client = client
        self._messages = messages
        self._deadline = given["deadline"]
        self._given = {**given, "results": self._results}
        self._tools = {name_of(function): function for function in tools}
        self._terminal = tools[-1]
        self.name = name_of(self._terminal)
        self._traits = traits_of(self._terminal)
        self._turn = 0
        self._turns = turns
        self._log = log
        # Whether there is nothing else to call.
        self._alone = len(tools) == 1
        # How often a model that idles is forced: where it is alone, all turns count.
        self._limit = _FORCED_TURNS + 1 if self._alone else _FORCED_TURNS
        # Turns since the last call of another tool, and how many of these were forced.
        self._idle = 0
        self._forced = 0
        # Whether it has answered by JSON where it was held to a schema.
        self._answers_json = False
        # The tool that the model has to call in this turn, empty if it may choose.
        self._asked = ""
        # Whether a forced call is asked for as JSON, because the model did not make it otherwise.
        self._in_json = self._alone
        # Why the last call was rejected.
        self._rejection = ""
        # The calls of other tools that were made, with their arguments.
        self._made: set[str] = set()

    def take_turn(self, turn: int) -> bool:
        """Ask the model, and run what it calls; return True once the terminal tool has returned, which ends the loop.

        Raise NoTerminalCall or TurnLimitExceeded if the model will not get there.
        """
        self._turn = turn
        data = self._ask()
        self._idle += 1
        message = self._client.format_assistant_tool_call(data)
        if not message["content"] and not message.get("tool_calls"):
            # Some servers reject a message without content, and turns must alternate.
            message["content"] = "..."
        self._messages.append(message)
        calls = self._client.extract_tool_calls(data)
        if not calls and self._take_text(data):
            return True
        for call in calls:
            self._deadline.check()
            if self._take_call(call):
                return True
        if turn == self._turns or self._forced >= self._limit:
            raise self._explain(TurnLimitExceeded, data)
        self._in_json = self._in_json or (self._asked not in ("", *(call.name for call in calls)))
        if not calls:
            name = self._asked or self.name
            instruction = f"That was not a tool call. Continue with a tool, or call {name} now. /no_think"
            self.conversation.add_instruction(instruction)
        return False

    def _ask(self) -> Json:
        """Offer the model the terminal tool alone, the tool that it has to call now, or all of them."""
        self._asked = ""
        needed = self._traits.find_needed()
        last_turns = _FORCED_TURNS if needed is None else TURNS_WARN_AT
        if self._is_held():
            # No look is offered at tools that are not there, or that the server does not take.
            chosen = [spec_of(self._terminal)]
            if self._client.takes_tools and not self._alone:
                chosen.append(spec_of(look_closer))
            data = self._client.ask_json(self._messages, chosen, deadline=self._deadline, may_call=True)
            self._answers_json = bool(self._client.extract_tool_calls(data))
            if self._alone:
                self._asked = self.name
                self._forced += 1
            return data
        is_idle = self._idle > _IDLE_TURNS
        if self._turns - self._turn >= last_turns and not is_idle and self._client.takes_tools:
            offered = [spec_of(tool) for tool in self._tools.values()]
            return self._client.chat(self._messages, offered, deadline=self._deadline)
        if is_idle:
            self._forced += 1
        self._in_json = self._in_json or not self._client.takes_tools
        tool = needed or self._terminal
        self._asked = name_of(tool)
        if self._in_json:
            return self._client.ask_json(self._messages, [spec_of(tool)], deadline=self._deadline)
        return self._client.chat(self._messages, [spec_of(tool)], deadline=self._deadline, force=True)

    def _explain(self, kind: type[AgentError], data: Json) -> AgentError:
        """Return the error for a model that makes no valid call.

        It says how the server says that the last answer ended; else why a call was rejected last; else what was said.
        """
        ending = self._client.explain_ending(data)
        if ending is not None:
            return kind(ending, hint="choose another model")
        if self._rejection:
            tried = f"no usable answer in {format_count(self._turn, 'turn')}"
            return kind(f"{tried}: {self._rejection[:_REASON_CHARACTERS]}")
        quoted_text = " ".join(self._client.extract_text_content(data).split())[:_CHARACTERS_QUOTED]
        if not quoted_text:
            return kind("the model gave no answer")
        return kind(f"the model gave no usable answer, and said: {quoted_text}")

    def _is_held(self) -> bool:
        """Whether a turn offers the terminal tool alone, held to its schema, and not the tools to look closer."""
        return self._traits.first and (self._turn == 1 or self._alone)

    def _take_text(self, data: Json) -> bool:
        """Take a text without calls for the terminal call that it may stand for; tell the model if it is refused."""
        text = self._client.extract_text_content(data)
        written = self._traits.read_text(text)
        if written is not None:
            done, self.result = self._run(ToolCall(self.name, written))
            if done:
                return True
            self.conversation.add_instruction(str(self.result))
        talks = self._idle == self._turn > _IDLE_TURNS or not self._client.takes_tools
        if talks and self._traits.find_needed() is not None:
            # It made no call at all, and the terminal tool needs others first.
            raise self._explain(NoToolCalls, data)
        if self._asked and (self._in_json or self._turn == self._turns):
            raise self._explain(NoTerminalCall, data)
        if self._answers_json and not self._is_held():
            # It keeps to a schema and only talks where it is offered tools.
            self._client.quirks.add(NO_TOOLS)
        return False

    def _take_call(self, call: ToolCall) -> bool:
        answer = None
        if call.name == name_of(look_closer) and self._is_held():
            self._idle = 0
            answer = _OPENED
        elif call.name != self.name:
            key = f"{call.name} {json.dumps(call.arguments, sort_keys=True, default=str)}"
            if key in self._made:
                answer = _ANSWERED
            self._made.add(key)
        if answer is not None:
            self._log_call(call)
            self.conversation.add_result(call, answer, whole=False)
            return False
        if call.name not in self._tools:
            # Its arguments may stand for the terminal call.
            written = self._traits.read_text(json.dumps(call.arguments, ensure_ascii=False))
            if written is not None:
                call = replace(call, name=self.name, arguments=written)
        done, result = self._run(call)
        if call.name == self.name:
            self.result = result
            if done:
                return True
        else:
            self._idle = 0
            if done:
                self._forced = 0
        shown = str(result)
        whole = call.name in self._tools and traits_of(self._tools[call.name]).whole
        if not whole:
            shown = self._results.shorten(shown)
        self.conversation.add_result(call, shown, whole=done and whole)
        return False

    def _run(self, call: ToolCall) -> tuple[bool, Any]:
        """Run a tool; return True and its result, or False and why it was rejected, for the model. Log both."""
        self._log_call(call)
        function = self._tools.get(call.name)
        try:
            if function is not None:
                return True, function(read_arguments(function, call.arguments), **self._given)
            self._rejection = f"no tool named '{call.name[:60]}'"
            result = f"{self._rejection}; available tools: {', '.join(self._tools)}"
        except ValueError as error:
            self._rejection, result = str(error), f"invalid arguments: {error}; fix them and call again"
        except (ToolFailed, GitError) as error:
            self._rejection = result = f"failed: {error}"
        self._log(f"[{self._turn}/{self._turns}] {call.name} rejected: {self._rejection[:_REASON_CHARACTERS]}")
        return False, result

    def _log_call(self, call: ToolCall) -> None:
        shown = ""
        with suppress(KeyError, ValueError):
            function = self._tools[call.name]
            shown = traits_of(function).describe(read_arguments(function, call.arguments))
        self._log(f"[{self._turn}/{self._turns}] {call.name}({shown or self._client.summarize_args(call.arguments)})")


def count_turns(left: int) -> str:
    return "1 turn is" if left == 1 else f"{left} turns are"


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
        self._compactable: list[int] = []
        self._whole: dict[str, int] = {}

    def add_instruction(self, text: str) -> None:
        """Add `text` as a user message, or to the last one if the model has not answered it: turns must alternate."""
        if len(self._messages) > self._given and self._messages[-1].get("role") == "user":
            text = f"{self._messages.pop()['content']}\n\n{text}"
        self._messages.append({"role": "user", "content": text})

    def add_result(self, call: ToolCall, text: str, *, whole: bool) -> None:
        """Add the result of `call`; a `whole` one stays until the same tool returns another."""
        compactable: int | None = len(self._messages)
        if whole:
            compactable = self._whole.pop(call.name, None)
            self._whole[call.name] = len(self._messages)
        if compactable is not None:
            insort(self._compactable, compactable)
        self._messages.append(self._client.format_tool_result(call, text))
        last = len(self._messages) - _MESSAGES_KEPT
        while self._compactable and self._compactable[0] < last:
            if len(json.dumps(self._messages, ensure_ascii=False)) <= self._room:
                break
            index = self._compactable.pop(0)
            content = str(self._messages[index]["content"])
            stub = f"[omitted; use query_tool_result with id {self._results.keep(content)} to see it]"
            if len(stub) < len(content):
                self._messages[index] = {**self._messages[index], "content": stub}
