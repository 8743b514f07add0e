"""The API of OpenAI, `/v1/chat/completions`, as llama.cpp, vLLM, LM Studio and others have it too.

Source: OpenAI's reference, and the servers' deviations as each is named here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from smartcommit.errors import LLMReplyError, LLMStatusError
from smartcommit.llm.api import NEW_LIMIT, NO_SWITCH, QUIET, ApiConfig, Json, Request, ToolCall
from smartcommit.llm.json_repair import as_object, names_in


class OpenAI:
    """Arguments are JSON in a text, every call has an id that must be answered, and a stream is server-sent events."""

    needs_ids = True
    path = "/chat/completions"

    def payload(self, config: ApiConfig, request: Request) -> Json:
        payload: Json = {
            "model": config.model,
            "messages": list(request.messages),
            "stream": request.stream,
            # Without a limit llama.cpp writes until its context is full; newer models of OpenAI know the other name.
            "max_completion_tokens" if NEW_LIMIT in request.quirks else "max_tokens": config.output,
        }
        if request.stream:
            payload["stream_options"] = {"include_usage": True}
        if request.tools:
            payload["tools"] = list(request.tools)
            # A text, never an object: LM Studio refuses that, llama.cpp takes it for `auto`.
            payload["tool_choice"] = "required" if request.force else "auto"
        if request.schema is not None:
            shape = {"name": "answer", "strict": False, "schema": request.schema}
            payload["response_format"] = {"type": "json_schema", "json_schema": shape}
        if QUIET in request.quirks and NO_SWITCH not in request.quirks:
            # llama.cpp and vLLM switch thinking off by it; OpenAI refuses it, which is learned.
            payload["chat_template_kwargs"] = {"enable_thinking": False}
        return payload

    def assemble(self, lines: Iterable[bytes]) -> Json:
        answer = _Answer()
        rest: list[bytes] = []
        for line in lines:
            if line.startswith(b"data:"):
                text = line[5:].strip().decode("utf-8", "replace")
                if text == "[DONE]":
                    answer.done = True
                    break
                answer.add(as_object(text))
            elif line.strip() and not line.startswith((b":", b"event:", b"id:", b"retry:")):
                rest.append(line)
        if rest and not answer.begun:
            return _whole(b"\n".join(rest))
        if not answer.done:
            raise LLMReplyError("the server's answer was cut off")
        return answer.data()

    def message(self, data: Json) -> Json:
        message = data["choices"][0]["message"]
        assert isinstance(message, dict)
        return message

    def arguments(self, value: Mapping[str, object] | str) -> object:
        # What is no JSON makes llama.cpp refuse the whole conversation.
        return json.dumps({} if isinstance(value, str) else value, ensure_ascii=False)

    def result(self, call: ToolCall, content: str) -> Json:
        return {"role": "tool", "tool_call_id": call.call_id or "", "content": content}

    def usage(self, data: Json) -> tuple[int, int]:
        counts = data.get("usage")
        found = [counts.get(name) if isinstance(counts, dict) else 0 for name in ("prompt_tokens", "completion_tokens")]
        prompt, output = (value if isinstance(value, int) else 0 for value in found)
        return prompt, output


@dataclass(slots=True)
class _Call:
    """A call as a stream brings it, in pieces as small as a letter; they are joined once."""

    id: object = None
    name: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)

    def data(self) -> Json:
        return {"id": self.id, "function": {"name": "".join(self.name), "arguments": "".join(self.arguments)}}


class _Answer:
    """What a stream has brought so far; `done` once it has said that it ends."""

    def __init__(self) -> None:
        self.begun = self.done = False
        self._texts: dict[str, list[str]] = {"content": [], "reasoning_content": []}
        self._calls: dict[int, _Call] = {}
        self._usage: object = None
        self._reason: object = None

    def add(self, chunk: Mapping[str, object] | None) -> None:
        if chunk is None:
            raise LLMReplyError("the server's answer is not that of the OpenAI API")
        if chunk.get("error"):
            raise _broken(chunk["error"])
        self.begun = True
        self._usage = chunk.get("usage") or self._usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else {}
        if not isinstance(choice, dict):
            return
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._add_delta(delta)
        if choice.get("finish_reason"):
            # Some servers leave out the line that should follow.
            self._reason, self.done = choice["finish_reason"], True

    def _add_delta(self, delta: Json) -> None:
        for key, parts in self._texts.items():
            parts.append(str(delta.get(key) or ""))
        found = delta.get("tool_calls")
        for position, piece in enumerate(found if isinstance(found, list) else []):
            if isinstance(piece, dict):
                index = piece.get("index")
                self._add_call(index if isinstance(index, int) else position, piece)

    def _add_call(self, index: int, piece: Json) -> None:
        call = self._calls.setdefault(index, _Call())
        call.id = call.id or piece.get("id")
        function = piece.get("function")
        if isinstance(function, dict):
            call.name.append(str(function.get("name") or ""))
            value = function.get("arguments")
            call.arguments.append(json.dumps(value) if isinstance(value, dict) else str(value or ""))

    def data(self) -> Json:
        message = {key: "".join(parts) for key, parts in self._texts.items()}
        calls = [self._calls[index].data() for index in sorted(self._calls)]
        choice = {"message": {"role": "assistant", **message, "tool_calls": calls}, "finish_reason": self._reason}
        return {"choices": [choice], "usage": self._usage}


def _whole(body: bytes) -> Json:
    """An answer that was not streamed although that was asked for."""
    data = as_object(body.decode("utf-8", "replace"))
    if data is not None and data.get("error"):
        raise _broken(data["error"])
    try:
        assert data is not None
        message = data["choices"][0]["message"]  # type: ignore[index]
        assert isinstance(message, dict)
    except (AssertionError, KeyError, IndexError, TypeError):
        raise LLMReplyError("the server's answer is not that of the OpenAI API") from None
    return dict(data)


def _broken(error: object) -> LLMStatusError:
    text = str(error.get("message", error) if isinstance(error, dict) else error)
    return LLMStatusError(f"the server broke off: {text[:200]}", status=200, text=text)


def models(body: bytes) -> list[str]:
    """The names in the answer to `/v1/models`; empty where it is none."""
    return names_in(body, "data", "id")
