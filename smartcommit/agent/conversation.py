"""The messages of one loop, kept small enough for the model's context."""

from __future__ import annotations

import json
from bisect import insort
from collections.abc import Callable, Mapping
from typing import Any

from smartcommit.agent.results import Results
from smartcommit.agent.tool import name_of, read_arguments
from smartcommit.errors import GitError, ToolFailed
from smartcommit.llm.api import Json, ToolCall
from smartcommit.llm.client import LLMClient
from smartcommit.waiting import Deadline

# Bytes of conversation for each token that the model's context has, with room for the answer.
_BYTES_A_TOKEN = 3
# Messages at the end that are never made smaller: the model is still working on them.
_RECENT = 4


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
        message = self._client._format_assistant_tool_call(data)
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
        self._append(self._client._format_tool_result(call, text))
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
