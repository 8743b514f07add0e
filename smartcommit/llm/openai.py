"""The OpenAI API, `/v1/chat/completions`, also used by llama.cpp, vLLM, LM Studio and others.

Source: OpenAI's reference, and the servers' deviations as each is named here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from smartcommit.errors import LLMReplyError, LLMStatusError
from smartcommit.llm import api
from smartcommit.llm.api import EXTRA, ApiConfig, Json, Request, ToolCall
from smartcommit.llm.loose_json import as_count, as_list, as_object, keep_texts

# Fields of a message with thoughts: as text, and as objects that the server signed.
_THOUGHTS = ("reasoning_content", "reasoning_details")


class OpenAI:
    """The OpenAI dialect: arguments are JSON as text, every call has an id, and a stream is server-sent events.

    Every dialect has these methods; `data` is a complete response in the form that is not streamed.
    """

    needs_ids = True
    path = "/chat/completions"

    def payload(self, config: ApiConfig, request: Request) -> Json:
        """Return the JSON body for `request`."""
        stream = request.stream and api.NO_STREAM not in request.quirks
        messages = list(request.messages)
        if api.NO_SYSTEM in request.quirks:
            messages = _merge_system(messages)
        if api.NO_THOUGHTS in request.quirks:
            messages = list(map(_drop_thoughts, messages))
        payload: Json = {"model": config.model, "messages": messages, "stream": stream}
        # Without a limit llama.cpp writes until its context is full; newer models of OpenAI use the longer name.
        if api.NO_LIMIT not in request.quirks:
            name = "max_completion_tokens" if api.NEW_LIMIT in request.quirks else "max_tokens"
            payload[name] = request.output
        if stream and api.NO_USAGE not in request.quirks:
            payload["stream_options"] = {"include_usage": True}
        if request.tools:
            payload["tools"] = list(request.tools)
            # Always a string: LM Studio rejects an object, and llama.cpp treats one as `auto`.
            if api.NO_FORCE not in request.quirks:
                payload["tool_choice"] = "required" if request.force else "auto"
        if request.schema is not None:
            shape = {"name": "answer", "strict": False, "schema": request.schema}
            payload["response_format"] = {"type": "json_schema", "json_schema": shape}
        if api.QUIET in request.quirks and api.NO_SWITCH not in request.quirks:
            # This turns thinking off in llama.cpp and vLLM; OpenAI rejects it, which the client learns.
            payload["chat_template_kwargs"] = {"enable_thinking": False}
        return payload

    def assemble(self, lines: Iterable[bytes]) -> Json:
        """Return the complete response from the lines of a stream, or of a body that was not streamed.

        Raise LLMReplyError if it is incomplete or not of this API, LLMStatusError if it reports an error.
        """
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
        """Return the assistant's message."""
        message: Json = data["choices"][0]["message"]
        return message

    def thoughts(self, message: Json) -> Json:
        """Return the fields with thoughts that the server wants to see again, as DeepSeek and OpenRouter name them."""
        return keep_texts(message, _THOUGHTS)

    def arguments(self, value: Mapping[str, object] | str) -> object:
        """Return arguments as messages hold them. If they are no JSON, llama.cpp rejects the whole conversation."""
        return "{}" if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    def result(self, call: ToolCall, content: str) -> Json:
        """Return the message that answers `call`."""
        return {"role": "tool", "tool_call_id": call.call_id or "", "content": content}

    def usage(self, data: Json) -> tuple[int, int]:
        """Return the tokens of the prompt and of the answer, 0 if not reported."""
        counts = as_object(data.get("usage")) or {}
        return as_count(counts.get("prompt_tokens")), as_count(counts.get("completion_tokens"))

    def ending(self, data: Json) -> str:
        """Return the API's word for why the answer ended, empty if not reported."""
        return str(data["choices"][0].get("finish_reason") or "")


@dataclass(slots=True)
class _Call:
    """A tool call in a stream; its parts can be as small as a character and are joined once."""

    id: object = None
    name: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    extra: object = None

    def data(self) -> Json:
        function = {"name": "".join(self.name), "arguments": "".join(self.arguments)}
        return {"id": self.id, "function": function, EXTRA: self.extra}


class _Answer:
    """The part of a stream that has arrived; `done` once its end has been seen."""

    def __init__(self) -> None:
        self.begun = self.done = False
        self._texts: dict[str, list[str]] = {"content": [], "reasoning_content": [], "refusal": []}
        self._details: list[object] = []
        self._calls: list[_Call] = []
        self._begun_calls: dict[int, _Call] = {}
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
            parts.append(_join_parts(delta.get(key)))
        self._details += as_list(delta.get("reasoning_details"))
        for position, part in enumerate(as_list(delta.get("tool_calls"))):
            if isinstance(part, dict):
                index = part.get("index")
                if not isinstance(index, int):
                    index = position
                self._add_call(index, part)

    def _add_call(self, index: int, part: Json) -> None:
        call = self._begun_calls.get(index)
        # Gemini gives calls that it makes at once the same index, and each an id (NousResearch/hermes-agent#62940).
        if call is None or (call.id and part.get("id") not in (None, "", call.id)):
            call = self._begun_calls[index] = _Call()
            self._calls.append(call)
        call.id = call.id or part.get("id")
        call.extra = call.extra or part.get(EXTRA)
        function = part.get("function")
        if isinstance(function, dict):
            call.name.append(str(function.get("name") or ""))
            value = function.get("arguments")
            if isinstance(value, dict):
                value = json.dumps(value)
            call.arguments.append(str(value or ""))

    def data(self) -> Json:
        message: Json = {"role": "assistant", "reasoning_details": self._details}
        for key, parts in self._texts.items():
            message[key] = "".join(parts)
        message["tool_calls"] = [call.data() for call in self._calls]
        return {"choices": [{"message": message, "finish_reason": self._reason}], "usage": self._usage}


def answer_of(text: str) -> Json:
    """Return a complete response that consists of `text`, for a model that is not behind a server."""
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


def _merge_system(messages: list[Json]) -> list[Json]:
    """Return the conversation with the system's messages at the start of the user's first one."""
    system: list[str] = []
    others: list[Json] = []
    for message in messages:
        if message.get("role") == "system":
            system.append(str(message.get("content", "")))
        else:
            others.append(message)
    if system and others and others[0].get("role") == "user":
        others[0] = {**others[0], "content": "\n\n".join([*system, str(others[0].get("content", ""))])}
    return others


def _whole(body: bytes) -> Json:
    """Return a response that was not streamed although a stream was requested."""
    data = as_object(body.decode("utf-8", "replace")) or {}
    if data.get("error"):
        raise _stream_error(data["error"])
    choices = as_list(data.get("choices"))
    if not choices or not isinstance(choices[0], dict) or not isinstance(choices[0].get("message"), dict):
        raise LLMReplyError("unexpected response: not from the OpenAI API")
    message = choices[0]["message"]
    message["content"] = _join_parts(message.get("content"))
    return dict(data)


def _join_parts(content: object) -> str:
    """Return a message's content as text. Mistral gives that of a model that thinks in parts, and thoughts get tags."""
    if not isinstance(content, list):
        return str(content or "")
    texts: list[str] = []
    for part in content:
        if isinstance(part, dict) and "thinking" in part:
            texts.append(f"<think>{_join_parts(part['thinking'])}</think>")
        elif isinstance(part, dict):
            texts.append(str(part.get("text") or ""))
    return "".join(texts)


def _drop_thoughts(message: Json) -> Json:
    return {key: value for key, value in message.items() if key not in _THOUGHTS}


def _stream_error(error: object) -> LLMStatusError:
    if isinstance(error, dict):
        error = error.get("message", error)
    text = str(error)
    return LLMStatusError(f"the server aborted the response: {text[:200]}", status=200, text=text)
