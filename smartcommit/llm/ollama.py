"""Ollama's native API, `/api/chat`. Source: Ollama's api/types.go and docs/api.md, 0.11 to 0.33."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from smartcommit.errors import LLMReplyError, LLMStatusError
from smartcommit.llm.api import NO_EXTRAS, NO_SWITCH, ApiConfig, Json, Request, ToolCall
from smartcommit.llm.loose_json import as_count, as_list, as_object, keep_texts


class Ollama:
    """The Ollama dialect, with the methods of `openai.OpenAI`: arguments are JSON objects, and a stream's lines are."""

    needs_ids = False
    path = "/api/chat"

    def payload(self, config: ApiConfig, request: Request) -> Json:
        payload: Json = {
            "model": config.model,
            "messages": list(request.messages),
            "stream": request.stream,
            "options": {"num_ctx": request.context, "num_predict": request.output},
        }
        if NO_EXTRAS not in request.quirks:
            payload["options"]["temperature"] = 0.2
            # Without these, Ollama silently drops the first messages of a prompt that is too long.
            payload |= {"truncate": False, "shift": False}
            # By default a model is unloaded after five minutes, and loading it can take longer than a draft may.
            payload["keep_alive"] = "30m"
        if request.tools:
            payload["tools"] = list(request.tools)
        if request.schema is not None:
            payload["format"] = request.schema
        if NO_SWITCH not in request.quirks:
            # Otherwise every model that can think will.
            payload["think"] = False
        return payload

    def assemble(self, lines: Iterable[bytes]) -> Json:
        texts: dict[str, list[str]] = {"content": [], "thinking": []}
        calls: list[object] = []
        for line in lines:
            if not line.strip():
                continue
            chunk = as_object(line.decode("utf-8", "replace"))
            if chunk is None:
                raise LLMReplyError("unexpected response: not from the Ollama API")
            if "error" in chunk:
                # Errors come with status 200 once the stream has begun.
                text = str(chunk["error"])
                raise LLMStatusError(f"the server aborted the response: {text[:200]}", status=200, text=text)
            message = chunk.get("message")
            if isinstance(message, dict):
                for key, parts in texts.items():
                    parts.append(str(message.get(key) or ""))
                calls += as_list(message.get("tool_calls"))
            if chunk.get("done"):
                joined = {key: "".join(parts) for key, parts in texts.items()}
                return {**chunk, "message": {"role": "assistant", **joined, "tool_calls": calls}}
        raise LLMReplyError("incomplete response from the server")

    def message(self, data: Json) -> Json:
        message: Json = data["message"]
        return message

    def thoughts(self, message: Json) -> Json:
        return keep_texts(message, ("thinking",))

    def arguments(self, value: Mapping[str, object] | str) -> object:
        # With arguments that are text, the server rejects the whole conversation.
        return {} if isinstance(value, str) else dict(value)

    def result(self, call: ToolCall, content: str) -> Json:
        # By its name as 0.11 expects it, and by its id for later versions.
        message: Json = {"role": "tool", "tool_name": call.name, "content": content}
        if call.call_id is not None:
            message["tool_call_id"] = call.call_id
        return message

    def usage(self, data: Json) -> tuple[int, int]:
        return as_count(data.get("prompt_eval_count")), as_count(data.get("eval_count"))

    def ending(self, data: Json) -> str:
        return str(data.get("done_reason") or "")
