"""Ollama's own API, `/api/chat`. Source: Ollama's api/types.go and docs/api.md, 0.11 to 0.33."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from smartcommit.errors import LLMReplyError, LLMStatusError
from smartcommit.llm.api import NO_SWITCH, ApiConfig, Json, Request, ToolCall
from smartcommit.llm.json_repair import as_object, names_in


class Ollama:
    """Arguments are objects both ways, and a stream is one JSON object a line."""

    needs_ids = False
    path = "/api/chat"

    def payload(self, config: ApiConfig, request: Request) -> Json:
        payload: Json = {
            "model": config.model,
            "messages": list(request.messages),
            "stream": request.stream,
            # Without these a prompt that is too long loses its first messages without a word.
            "truncate": False,
            "shift": False,
            "options": {"num_ctx": request.context, "num_predict": config.output, "temperature": 0.2},
        }
        if request.tools:
            payload["tools"] = list(request.tools)
        if request.schema is not None:
            payload["format"] = request.schema
        if NO_SWITCH not in request.quirks:
            # Left unset, the server lets every model think that can.
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
                raise LLMReplyError("the server's answer is not that of Ollama")
            if "error" in chunk:
                # It comes under status 200 once the stream has begun.
                text = str(chunk["error"])
                raise LLMStatusError(f"the server broke off: {text[:200]}", status=200, text=text)
            message = chunk.get("message")
            if isinstance(message, dict):
                for key, parts in texts.items():
                    parts.append(str(message.get(key) or ""))
                found = message.get("tool_calls")
                calls += found if isinstance(found, list) else []
            if chunk.get("done"):
                joined = {key: "".join(parts) for key, parts in texts.items()}
                return {**chunk, "message": {"role": "assistant", **joined, "tool_calls": calls}}
        raise LLMReplyError("the server's answer was cut off")

    def message(self, data: Json) -> Json:
        message = data["message"]
        assert isinstance(message, dict)
        return message

    def arguments(self, value: Mapping[str, object] | str) -> object:
        # Text makes the server refuse the whole conversation.
        return {} if isinstance(value, str) else dict(value)

    def result(self, call: ToolCall, content: str) -> Json:
        # The name is what 0.11 knows a result by, the id what later versions add.
        message: Json = {"role": "tool", "tool_name": call.name, "content": content}
        return message if call.call_id is None else {**message, "tool_call_id": call.call_id}

    def usage(self, data: Json) -> tuple[int, int]:
        return _count(data.get("prompt_eval_count")), _count(data.get("eval_count"))


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def models(body: bytes) -> list[str]:
    """The names in the answer to `/api/tags`; empty where it is none."""
    return names_in(body, "models", "name")
