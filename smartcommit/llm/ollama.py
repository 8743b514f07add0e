"""Ollama's native API, `/api/chat`. Source: Ollama's api/types.go and docs/api.md, 0.11 to 0.33."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from smartcommit.errors import LLMReplyError
from smartcommit.llm.api import ApiConfig, Json, Request, ToolCall, as_count, as_list, as_object, keep_texts
from smartcommit.llm.quirks import report_error


class Ollama:
    """The Ollama dialect, with the methods of `openai.OpenAI`: arguments are JSON objects, and a stream's lines are."""

    needs_ids = False
    path = "/api/chat"

    def payload(self, config: ApiConfig, request: Request) -> Json:
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
                return {**chunk, "message": message}
        raise LLMReplyError("incomplete response from the server")

    def message(self, data: Json) -> Json:
        message: Json = data["message"]
        return message

    def thoughts(self, message: Json) -> Json:
        return keep_texts(message, ("thinking",))

    def arguments(self, value: Mapping[str, object] | str) -> object:
        if isinstance(value, str):
            # With arguments that are text, the server rejects the whole conversation.
            return {}
        return dict(value)

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
