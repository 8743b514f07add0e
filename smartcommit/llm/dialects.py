"""The APIs of model servers: OpenAI's, which llama.cpp, vLLM, LM Studio and others have too, and Ollama's.

Source: OpenAI's reference, and the servers' deviations as each is named here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from smartcommit.errors import LLMReplyError
from smartcommit.json_text import as_list
from smartcommit.llm import api
from smartcommit.llm.api import EXTRA, ApiConfig, Json, Request, ToolCall, as_object
from smartcommit.llm.quirks import report_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

# Fields of a message that are texts, and the one with thoughts as objects that the server signed.
_TEXTS = ("content", "reasoning_content", "refusal")
_DETAILS = "reasoning_details"
_UNEXPECTED = "unexpected response: not JSON of the OpenAI API, or nested too deeply"


class OpenAI:
    """`/v1/chat/completions`: arguments are JSON as text, every call has an id, and a stream is server-sent events.

    Every dialect has these methods; a complete response has the form of this API when it is not streamed.
    """

    needs_ids = True
    path = "/chat/completions"

    def make_payload(self, config: ApiConfig, request: Request) -> Json:
        messages = list(request.messages)
        if api.NO_SYSTEM in request.quirks and len(messages) > 1 and messages[0].get("role") == "system":
            system, user, *others = messages
            messages = [{"role": "user", "content": f"{system['content']}\n\n{user['content']}"}, *others]
        payload: Json = {"model": config.model, "messages": messages, "stream": request.stream}
        if request.stream and "stream" not in request.quirks:
            payload["stream_options"] = {"include_usage": True}
        # Without a limit llama.cpp writes until its context is full; newer models of OpenAI use the longer name.
        limit = "max_tokens"
        if limit in request.quirks:
            limit = "max_completion_tokens"
        payload[limit] = request.output
        if request.tools:
            # Always a string: LM Studio rejects an object, and llama.cpp treats one as `auto`.
            payload |= {"tools": list(request.tools), "tool_choice": "auto"}
            if request.force:
                payload["tool_choice"] = "required"
        if request.schema is not None:
            shape = {"name": "answer", "strict": False, "schema": request.schema}
            payload["response_format"] = {"type": "json_schema", "json_schema": shape}
        if api.QUIET in request.quirks:
            # This turns thinking off in llama.cpp and vLLM; OpenAI rejects it, which the client learns.
            payload["chat_template_kwargs"] = {"enable_thinking": False}
        return payload

    def assemble(self, lines: Iterable[bytes]) -> Json:
        """Return the complete response from the lines of a stream or body. Raise LLMReplyError or LLMStatusError."""
        answer = _Answer()
        rest: list[bytes] = []
        for line in lines:
            if line.startswith(b"data:"):
                text = line[5:].strip().decode("utf-8", "replace")
                if text == "[DONE]":
                    answer.done = True
                    break
                answer.add(as_object(text), "delta")
            elif line.strip() and not line.startswith((b":", b"event:", b"id:", b"retry:")):
                rest.append(line)
        if rest and not answer.begun:
            # A response that was not streamed although a stream was requested.
            answer.add(as_object(b"\n".join(rest).decode("utf-8", "replace")), "message")
        if not answer.done:
            raise LLMReplyError("incomplete response from the server")
        return answer.finish()

    def write_arguments(self, value: Mapping[str, object] | str) -> object:
        """Return arguments as messages hold them. If they are no JSON, llama.cpp rejects the whole conversation."""
        if isinstance(value, str):
            return "{}"
        return json.dumps(value, ensure_ascii=False)

    def write_result(self, call: ToolCall, content: str) -> Json:
        return {"role": "tool", "tool_call_id": call.call_id or "", "content": content}


class _Answer:
    """The part of a response that has arrived, streamed or not; `done` once its end has been seen."""

    def __init__(self) -> None:
        self.begun = self.done = False
        self._message: Json = {"role": "assistant", **dict.fromkeys(_TEXTS, ""), _DETAILS: [], "tool_calls": []}
        # The calls that were begun, by the index that the server gives them.
        self._calls: dict[int, Json] = {}
        self._usage: object = None
        self._reason: object = None

    def add(self, chunk: Mapping[str, object] | None, field: Literal["delta", "message"]) -> None:
        """Add what the first choice of `chunk` has in `field`: a part, or the whole message."""
        if chunk is None:
            raise LLMReplyError(_UNEXPECTED)
        if chunk.get("error"):
            raise report_error(chunk["error"])
        self.begun = True
        self._usage = chunk.get("usage") or self._usage
        choices = as_list(chunk.get("choices"))
        choice = as_object(choices[0] if choices else None) or {}
        is_whole = field == "message"
        if is_whole and not isinstance(choice.get(field), dict):
            raise LLMReplyError(_UNEXPECTED)
        delta = as_object(choice.get(field)) or {}
        for key in _TEXTS:
            self._message[key] += _join_parts(delta.get(key))
        self._message[_DETAILS] += as_list(delta.get(_DETAILS))
        for position, part in enumerate(as_list(delta.get("tool_calls"))):
            if isinstance(part, dict):
                index = part.get("index")
                self._add_call(index if isinstance(index, int) else position, part)
        if choice.get("finish_reason") or is_whole:
            # Some servers omit the final `[DONE]`.
            self._reason, self.done = choice.get("finish_reason"), True

    def _add_call(self, index: int, part: Json) -> None:
        call = self._calls.get(index)
        # Gemini gives calls that it makes at once the same index, and each an id (NousResearch/hermes-agent#62940).
        if call is None or (call["id"] and part.get("id") not in (None, "", call["id"])):
            call = self._calls[index] = {"id": None, "function": {"name": "", "arguments": ""}, EXTRA: None}
            self._message["tool_calls"].append(call)
        for key in ("id", EXTRA):
            call[key] = call[key] or part.get(key)
        function = as_object(part.get("function")) or {}
        call["function"]["name"] += str(function.get("name") or "")
        arguments = function.get("arguments") or ""
        if isinstance(arguments, dict):
            arguments = json.dumps(arguments)
        call["function"]["arguments"] += str(arguments)

    def finish(self) -> Json:
        return {"choices": [{"message": self._message, "finish_reason": self._reason}], "usage": self._usage}


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


class Ollama:
    """Ollama's native API, `/api/chat`: arguments are JSON objects, and so is each line of a stream.

    Source: Ollama's api/types.go and docs/api.md, 0.11 to 0.33.
    """

    needs_ids = False
    path = "/api/chat"

    def make_payload(self, config: ApiConfig, request: Request) -> Json:
        payload: Json = {
            "model": config.model,
            "messages": list(request.messages),
            "stream": request.stream,
            "options": {"num_ctx": request.context, "num_predict": request.output, "temperature": 0.2},
            # Otherwise every model that can think will.
            "think": False,
            # Otherwise Ollama silently drops the first messages of a prompt that is too long.
            "truncate": False,
            "shift": False,
            # By default a model is unloaded after five minutes, and loading it can take longer than a draft may.
            "keep_alive": "30m",
        }
        if request.tools:
            payload["tools"] = list(request.tools)
        if request.schema is not None:
            payload["format"] = request.schema
        return payload

    def assemble(self, lines: Iterable[bytes]) -> Json:
        message: Json = {"role": "assistant", "content": "", "thinking": "", "tool_calls": []}
        for line in lines:
            if not line.strip():
                continue
            chunk = as_object(line.decode("utf-8", "replace"))
            if chunk is None:
                raise LLMReplyError("unexpected response: not JSON of the Ollama API, or nested too deeply")
            if "error" in chunk:
                # Errors come with status 200 once the stream has begun.
                raise report_error(chunk["error"])
            part = as_object(chunk.get("message")) or {}
            for key in ("content", "thinking"):
                message[key] += str(part.get(key) or "")
            message["tool_calls"] += as_list(part.get("tool_calls"))
            if chunk.get("done"):
                usage = {"prompt_tokens": chunk.get("prompt_eval_count"), "completion_tokens": chunk.get("eval_count")}
                return {"choices": [{"message": message, "finish_reason": chunk.get("done_reason")}], "usage": usage}
        raise LLMReplyError("incomplete response from the server")

    def write_arguments(self, value: Mapping[str, object] | str) -> object:
        if isinstance(value, str):
            # With arguments that are text, the server rejects the whole conversation.
            return {}
        return dict(value)

    def write_result(self, call: ToolCall, content: str) -> Json:
        # By its name as 0.11 expects it, and by its id for later versions.
        message: Json = {"role": "tool", "tool_name": call.name, "content": content}
        if call.call_id is not None:
            message["tool_call_id"] = call.call_id
        return message
