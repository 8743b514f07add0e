"""The agentic loop: ask a model, run the tools it calls, until it submits a result."""

from __future__ import annotations

import itertools
import json
from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from smartcommit.agent.results import Results
from smartcommit.agent.tool import comes_first, name_of, needs_others, read_arguments, read_text, spec_of, tool
from smartcommit.errors import GitError, NoTerminalCall, ToolFailed, TurnLimitExceeded
from smartcommit.llm.api import NO_TOOLS, ApiConfig, Json, ToolCall
from smartcommit.llm.client import LLMClient
from smartcommit.secrets.scan import redact_value
from smartcommit.waiting import Deadline

# With fewer turns left than this, each turn begins with a countdown.
TURNS_WARN_AT = 6
TURNS, MAX_TURNS = 20, 50
# Idle turns, with only text or repeated calls, before the terminal call is forced; and how often it is forced.
_IDLE_TURNS, _FORCED_TURNS = 1, 2
# Bytes of conversation per token of the model's context.
_BYTES_PER_TOKEN = 3
# Number of messages at the end that are never compacted: the model is still working on them.
_MESSAGES_KEPT = 4
# Characters that are quoted of a text that is no call.
_CHARACTERS_QUOTED = 100
_OPENED = "the other tools are available now; use them, then finish"
_ANSWERED = "this exact call was already answered above; continue from there"


def turn_limit(hunks: int, least: int = TURNS) -> int:
    """Return the number of turns allowed for a change with so many hunks."""
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
    opens the others; if there are no others, so does every turn. `countdown_message_fn` makes the message for the
    number of turns left. `log` gets a line per call, `[turn/turns] tool(arguments)`. `kwargs`, such as `analyzer`, and
    `deadline` are passed to every tool.

    Raise NoTerminalCall if the model does not even make a forced call, or makes no call at all although the terminal
    tool needs others first; TurnLimitExceeded; LLMError; Cancelled.
    """
    loop = _Loop(
        client, messages, intermediate_tools, terminal_tool,
        deadline=deadline, turns=turns, log=log, given=kwargs,
    )  # fmt: skip
    countdown = countdown_message_fn or _countdown(loop.name)
    for turn in itertools.count(1):
        if turn > 1 and turns - turn < TURNS_WARN_AT:
            loop.conversation.add_instruction(countdown(max(1, turns - turn + 1)))
        if loop.take(turn, loop.ask(turn)):
            return loop.result
    raise AssertionError("unreachable: the turns end above")


class _Loop:
    """The state of a loop between its turns; `result` is what the terminal tool returned."""

    def __init__(
        self,
        client: LLMClient,
        messages: list[Json],
        intermediate: Sequence[Callable[..., Any]],
        terminal: Callable[..., Any],
        *,
        deadline: Deadline,
        turns: int,
        log: Callable[[str], None],
        given: Mapping[str, Any],
    ) -> None:
        results = Results()
        self.result: Any = None
        self.name = name_of(terminal)
        self.conversation = Conversation(client, messages, results)
        self._client = client
        self._messages = messages
        self._terminal = terminal
        self._specs = list(map(spec_of, (*intermediate, terminal)))
        # How often the terminal call is forced: where there is nothing else to call, all turns count.
        self._alone = not intermediate
        self._limit = _FORCED_TURNS + self._alone
        self._toolbox = Toolbox([*intermediate, terminal], deadline=deadline, results=results, given=given)
        self._deadline = deadline
        self._turns = turns
        self._log = log
        # Turns since the last call of another tool, and forced ones.
        self._idle = self._forced = 0
        self._answers_json = False

    def ask(self, turn: int) -> Json:
        """Return the model's answer in this turn, and add it to the conversation."""
        if self._is_held(turn):
            data = self._client.call_one_of(self._messages, self._choices(), deadline=self._deadline)
            self._answers_json = bool(self._client.extract_tool_calls(data))
            self._forced += self._alone
        elif self._is_forced(turn):
            self._forced += 1
            _, data = self._client.call_with_tool(self._messages, self._terminal, deadline=self._deadline)
        else:
            data = self._client.chat(self._messages, self._specs, deadline=self._deadline)
        self._idle += 1
        self.conversation.add_answer(data)
        return data

    def take(self, turn: int, data: Json) -> bool:
        """Run what an answer calls; return True once the terminal tool has returned, which ends the loop.

        Raise NoTerminalCall or TurnLimitExceeded if the model will not get there.
        """
        forced = self._forced
        calls = self._client.extract_tool_calls(data)
        if not calls:
            text = self._client.extract_text_content(data)
            if self._take_text(turn, text):
                return True
            if forced or self._is_hopeless(turn):
                raise self._explain_silence(data, text)
            if self._answers_json and not self._is_held(turn):
                # It keeps to a schema and only talks where it is offered tools.
                self._client.quirks.add(NO_TOOLS)
        for call in calls:
            self._deadline.check()
            if self._take_call(turn, call):
                return True
        if forced >= self._limit:
            raise TurnLimitExceeded(f"no valid call to '{self.name}' in {turn} turns")
        _remind(self.conversation, len(calls), self._client.count_dropped_calls(data), self.name)
        return False

    def _explain_silence(self, data: Json, text: str) -> NoTerminalCall:
        """Return the error for a model whose last answer, with `text`, calls nothing."""
        ending = self._client.explain_ending(data)
        if ending is not None:
            reason, hint = ending
            return NoTerminalCall(reason, text=text, hint=hint)
        reason = f"the model never called '{self.name}'"
        if text.strip():
            reason += f", and said: {' '.join(text.split())[:_CHARACTERS_QUOTED]}"
        return NoTerminalCall(reason, text=text)

    def _is_held(self, turn: int) -> bool:
        return comes_first(self._terminal) and (turn == 1 or self._alone)

    def _is_forced(self, turn: int) -> bool:
        return turn >= self._turns or self._idle > _IDLE_TURNS or not self._client.takes_tools

    def _is_hopeless(self, turn: int) -> bool:
        """Whether the model made no call at all, although the terminal tool needs others first."""
        talks = self._idle == turn > _IDLE_TURNS or not self._client.takes_tools
        return needs_others(self._terminal) and talks

    def _choices(self) -> list[Json]:
        """Return what the first turn offers: no look at tools that are not there, or that the server does not take."""
        chosen = [spec_of(self._terminal)]
        if self._client.takes_tools and not self._alone:
            chosen.append(spec_of(look_closer))
        return chosen

    def _take_text(self, turn: int, text: str) -> bool:
        """Take a text without calls for the terminal call that it may stand for; tell the model if it is refused."""
        written = read_text(self._terminal, text)
        if written is None:
            return False
        self._log_call(turn, ToolCall(self.name, written))
        done, result = self._toolbox.run(ToolCall(self.name, written))
        if done:
            self.result = result
        else:
            self.conversation.add_instruction(str(result))
        return done

    def _take_call(self, turn: int, call: ToolCall) -> bool:
        self._log_call(turn, call)
        if call.name == name_of(look_closer) and self._is_held(turn):
            self._idle = 0
            self.conversation.add_result(call, _OPENED, whole=False)
            return False
        if call.name != self.name and self._toolbox.is_repeated(call):
            self.conversation.add_result(call, _ANSWERED, whole=False)
            return False
        call = self._name_call(call)
        done, result = self._toolbox.run(call)
        if call.name == self.name:
            self.result = result
            if done:
                return True
        else:
            self._idle = 0
        whole = done and self._toolbox.is_whole(call)
        self.conversation.add_result(call, self._toolbox.render(call, result), whole=whole)
        return False

    def _name_call(self, call: ToolCall) -> ToolCall:
        """Return `call`, or the terminal call if it is of no tool that there is and its arguments stand for that."""
        if self._toolbox.has(call.name):
            return call
        written = read_text(self._terminal, json.dumps(call.arguments, ensure_ascii=False))
        return call if written is None else replace(call, name=self.name, arguments=written)

    def _log_call(self, turn: int, call: ToolCall) -> None:
        # A call that had to be forced can take one more turn.
        self._log(
            f"[{min(turn, self._turns)}/{self._turns}] {call.name}({self._client.summarize_args(call.arguments)})"
        )


def _remind(conversation: Conversation, calls: int, dropped: int, name: str) -> None:
    """Tell the model that it called no tool, or that calls were dropped."""
    if not calls:
        conversation.add_instruction(f"That was not a tool call. Continue with a tool, or call {name} now. /no_think")
    elif dropped:
        conversation.add_instruction(f"Only the first {calls} calls were answered; {dropped} more were dropped.")


def _countdown(name: str) -> Callable[[int], str]:
    return lambda left: f"{count_turns(left)} left: call {name} NOW."


def count_turns(left: int) -> str:
    """Return "1 turn is" or, for example, "2 turns are"."""
    if left == 1:
        return "1 turn is"
    return f"{left} turns are"


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
        while (
            self._size > self._room
            and self._compactable
            and self._compactable[0] < len(self._messages) - _MESSAGES_KEPT
        ):
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
        self._tools = dict(zip(map(name_of, tools), tools, strict=True))
        self._given = {**given, "deadline": deadline, "results": results}
        self._results = results
        self._made: set[str] = set()

    def has(self, name: str) -> bool:
        """Whether there is a tool `name`."""
        return name in self._tools

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
