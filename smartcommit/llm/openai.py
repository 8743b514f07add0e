"""The OpenAI API, `/v1/chat/completions`, also used by llama.cpp, vLLM, LM Studio and others.

Source: OpenAI's reference, and the servers' deviations as each is named here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from smartcommit.errors import LLMReplyError, LLMStatusError
from smartcommit.llm.api import NEW_LIMIT, NO_SWITCH, QUIET, ApiConfig, Json, Request, ToolCall
from smartcommit.llm.json_repair import as_count, as_list, as_object, names_in


class OpenAI:
    """The OpenAI dialect: arguments are JSON as text, every call has an id, and a stream is server-sent events."""

    needs_ids = True
    path = "/chat/completions"

    def payload(self, config: ApiConfig, request: Request) -> Json:
        """Return the JSON body for `request`."""
        payload: Json = {"model": config.model, "messages": list(request.messages), "stream": request.stream}
        # Without a limit llama.cpp writes until its context is full; newer models of OpenAI use the longer name.
        if NEW_LIMIT in request.quirks:
            payload["max_completion_tokens"] = config.output
        else:
            payload["max_tokens"] = config.output
        if request.stream:
            payload["stream_options"] = {"include_usage": True}
        if request.tools:
            payload["tools"] = list(request.tools)
            # Always a string: LM Studio rejects an object, and llama.cpp treats one as `auto`.
            payload["tool_choice"] = "required" if request.force else "auto"
        if request.schema is not None:
            shape = {"name": "answer", "strict": False, "schema": request.schema}
            payload["response_format"] = {"type": "json_schema", "json_schema": shape}
        if QUIET in request.quirks and NO_SWITCH not in request.quirks:
            # This turns thinking off in llama.cpp and vLLM; OpenAI rejects it, which the client learns.
            payload["chat_template_kwargs"] = {"enable_thinking": False}
        return payload

    def assemble(self, lines: Iterable[bytes]) -> Json:
        """Return the complete response; see `Dialect.assemble` for the errors."""
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
            raise LLMReplyError("incomplete response from the server")
        return answer.data()

    def message(self, data: Json) -> Json:
        """Return the assistant's message in `data`."""
        message = data["choices"][0]["message"]
        assert isinstance(message, dict)
        return message

    def arguments(self, value: Mapping[str, object] | str) -> object:
        """Return the arguments as JSON text; if they are not JSON, llama.cpp rejects the whole conversation."""
        if isinstance(value, str):
            return "{}"
        return json.dumps(value, ensure_ascii=False)

    def result(self, call: ToolCall, content: str) -> Json:
        """Return the message that answers `call`, by its id."""
        return {"role": "tool", "tool_call_id": call.call_id or "", "content": content}

    def usage(self, data: Json) -> tuple[int, int]:
        """Return the tokens of the prompt and of the answer, 0 if not reported."""
        counts = data.get("usage")
        if not isinstance(counts, dict):
            return 0, 0
        return as_count(counts.get("prompt_tokens")), as_count(counts.get("completion_tokens"))


@dataclass(slots=True)
class _Call:
    """A tool call in a stream; its parts can be as small as a character and are joined once."""

    id: object = None
    name: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)

    def data(self) -> Json:
        return {"id": self.id, "function": {"name": "".join(self.name), "arguments": "".join(self.arguments)}}


class _Answer:
    """The part of a stream that has arrived; `done` once its end has been seen."""

    def __init__(self) -> None:
        self.begun = self.done = False
        self._texts: dict[str, list[str]] = {"content": [], "reasoning_content": []}
        self._calls: dict[int, _Call] = {}
        self._usage: object = None
        self._reason: object = None

    def add(self, chunk: Mapping[str, object] | None) -> None:
        if chunk is None:
            raise LLMReplyError("unexpected response: not from the OpenAI API")
        if chunk.get("error"):
            raise _stream_error(chunk["error"])
        self.begun = True
        self._usage = chunk.get("usage") or self._usage
        choices = as_list(chunk.get("choices"))
        if not choices or not isinstance(choices[0], dict):
            return
        delta = choices[0].get("delta")
        if isinstance(delta, dict):
            self._add_delta(delta)
        if choices[0].get("finish_reason"):
            # Some servers omit the final `[DONE]`.
            self._reason, self.done = choices[0]["finish_reason"], True

    def _add_delta(self, delta: Json) -> None:
        for key, parts in self._texts.items():
            parts.append(str(delta.get(key) or ""))
        for position, part in enumerate(as_list(delta.get("tool_calls"))):
            if isinstance(part, dict):
                index = part.get("index")
                if not isinstance(index, int):
                    index = position
                self._add_call(index, part)

    def _add_call(self, index: int, part: Json) -> None:
        call = self._calls.setdefault(index, _Call())
        call.id = call.id or part.get("id")
        function = part.get("function")
        if isinstance(function, dict):
            call.name.append(str(function.get("name") or ""))
            value = function.get("arguments")
            if isinstance(value, dict):
                value = json.dumps(value)
            call.arguments.append(str(value or ""))

    def data(self) -> Json:
        message: Json = {"role": "assistant"}
        for key, parts in self._texts.items():
            message[key] = "".join(parts)
        message["tool_calls"] = [self._calls[index].data() for index in sorted(self._calls)]
        return {"choices": [{"message": message, "finish_reason": self._reason}], "usage": self._usage}


def _whole(body: bytes) -> Json:
    """Return a response that was not streamed although a stream was requested."""
    data = as_object(body.decode("utf-8", "replace")) or {}
    if data.get("error"):
        raise _stream_error(data["error"])
    choices = as_list(data.get("choices"))
    if not choices or not isinstance(choices[0], dict) or not isinstance(choices[0].get("message"), dict):
        raise LLMReplyError("unexpected response: not from the OpenAI API")
    return dict(data)


def _stream_error(error: object) -> LLMStatusError:
    if isinstance(error, dict):
        error = error.get("message", error)
    text = str(error)
    return LLMStatusError(f"the server aborted the response: {text[:200]}", status=200, text=text)


def models(body: bytes) -> list[str]:
    """Return the model names in a response of `/v1/models`; empty if it is anything else."""
    return names_in(body, "data", "id")
