"""The model client: formats, retries, redaction and sending."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from smartcommit.errors import LLMConnectError, LLMPromptTooLong, LLMStatusError
from smartcommit.llm import api, ollama, openai
from smartcommit.llm.api import ApiConfig, Dialect, Json, Request, ToolCall, Usage
from smartcommit.llm.json_repair import as_list, as_object, inline, objects_in, without_reasoning
from smartcommit.llm.transport import Answer, exchange
from smartcommit.secret_scan import redact_value
from smartcommit.waiting import Deadline

# Status codes of a busy server, how often it is asked again, and the seconds before the first time.
_BUSY = (429, 500, 502, 503, 504, 529)
_RETRIES = 2
_RETRY_DELAY = 0.5
# A token has at least so many bytes, which sizes a prompt, and at most so many, which reveals a truncated prompt.
_BYTES_PER_TOKEN = 3
_MAX_BYTES_PER_TOKEN = 12
# Tokens to leave for tool results. The context only grows, since Ollama reloads the model when it changes.
_ROOM = 4096
_STEP = 4096
# What servers say when a prompt does not fit.
_TOO_LONG = ("context length", "context size", "context window")
# Characters of text and arguments, without thoughts, that are used of an answer; 4,096 tokens are a quarter of it.
_ANSWER = 1 << 16
# Calls that are used of an answer, and characters of a tool's name and of an id; a longer id is replaced.
_CALLS = 32
_NAME, _ID = 64, 1000
# Characters that are kept for the log of arguments that are too long.
_SHOWN = 100
# Keys of the arguments in a call that a model writes as text.
_ARGUMENTS = ("arguments", "parameters", "args", "input")


class LLMClient:
    """A client for one model on one server. Not thread-safe.

    `usage` adds up tokens and requests; `quirks` are the limitations of the server found so far.
    """

    def __init__(self, config: ApiConfig) -> None:
        self.config = config
        self.usage = Usage()
        self.quirks: set[str] = set()
        self._dialect: Dialect = ollama.Ollama() if config.provider == api.OLLAMA else openai.OpenAI()
        self._context = 0
        self._truncated_at = 0
        self._ids = 0

    @property
    def takes_tools(self) -> bool:
        """Whether tools may be offered: the server has not rejected them yet."""
        return api.NO_TOOLS not in self.quirks

    def chat(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), *, deadline: Deadline, force: bool = False
    ) -> Json:
        """Return the model's answer to `messages`, which may call `tools` and, with `force`, has to.

        Raise LLMError, or Cancelled from the deadline's tick.
        """
        if not self.takes_tools:
            tools = ()
        request = self._request(messages, tools, force=force)
        try:
            return self._ask(request, deadline)
        except LLMStatusError as error:
            if not tools or not _mentions(error, "tool"):
                raise
            self.quirks.add(api.NO_TOOLS)
        return self._ask(replace(request, tools=(), force=False), deadline)

    def call_with_tool(
        self, messages: Sequence[Json], tool: Callable[..., Any], *, deadline: Deadline
    ) -> tuple[ToolCall | None, Json]:
        """Force one call of `tool` and return it, or None if the model makes none, with the complete answer.

        If the model does not call it, ask once more, for JSON in the shape of its arguments. Raise LLMError, or
        Cancelled from the deadline's tick.
        """
        spec = tool._tool_spec  # type: ignore[attr-defined]
        name = spec["function"]["name"]
        if self.takes_tools:
            data = self.chat(messages, [spec], deadline=deadline, force=True)
            for call in self.extract_tool_calls(data):
                if call.name == name:
                    return call, data
        data = self._ask_for_json(messages, spec, deadline)
        found = next(objects_in(self.extract_text_content(data)), None)
        if found is None:
            return None, data
        (call,) = self._with_ids([ToolCall(name, _unwrap(found, name))])
        message = self._dialect.message(data)
        message["tool_calls"] = [self._tool_call_entry(call)]
        message["content"] = ""
        return call, data

    def preview(self, messages: Sequence[Json], tools: Sequence[Json] = ()) -> str:
        """Return exactly what `chat` would send first, as indented JSON."""
        return json.dumps(redact_value(self.build_payload(messages, tools)), indent=2, ensure_ascii=False)

    def build_payload(self, messages: Sequence[Json], tools: Sequence[Json] = (), stream: bool = True) -> Json:
        """Return the payload for `messages` in the server's dialect; secrets are not redacted yet."""
        return self._dialect.payload(self.config, self._request(messages, tools, stream=stream))

    def extract_tool_calls(self, data: Json) -> list[ToolCall]:
        """Return the first _CALLS tool calls of an answer, in order; each of them has to be answered."""
        found = as_list(self._dialect.message(data).get("tool_calls"))
        calls = map(_read_call, found[:_CALLS])
        return [call for call in calls if call is not None]

    def count_dropped_calls(self, data: Json) -> int:
        """Return the number of calls that an answer had beyond the first _CALLS."""
        return int(self._dialect.message(data)["dropped_calls"])

    def extract_text_content(self, data: Json) -> str:
        """Return the text of an answer, without tool calls and thoughts."""
        return str(self._dialect.message(data).get("content") or "")

    def format_assistant_tool_call(self, data: Json) -> Json:
        """Return the answer as a message of the conversation, with its tool calls and without thoughts."""
        message: Json = {"role": "assistant", "content": self.extract_text_content(data)}
        calls = self.extract_tool_calls(data)
        if calls:
            message["tool_calls"] = list(map(self._tool_call_entry, calls))
        return message

    def format_tool_result(self, call: ToolCall, content: str) -> Json:
        """Return the result of `call` as a message of the conversation."""
        return self._dialect.result(call, content)

    def summarize_args(self, arguments: Mapping[str, object] | str, width: int = 60) -> str:
        """Return `arguments` on one line of at most `width` characters, for the log."""
        text = arguments
        if not isinstance(text, str):
            text = ", ".join(f"{name}={value!r}" for name, value in text.items())
        text = " ".join(text.split())
        return text if len(text) <= width else text[: width - 3] + "..."

    # The names of these methods in the project's design documents.
    _build_payload_messages = build_payload
    _extract_text_content = extract_text_content
    _format_assistant_tool_call = format_assistant_tool_call
    _format_tool_result = format_tool_result
    _summarize_args = summarize_args

    def _request(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), *, stream: bool = True, force: bool = False,
        schema: Json | None = None,
    ) -> Request:  # fmt: skip
        needed = _size(messages, tools) // _BYTES_PER_TOKEN + self.config.output + _ROOM
        rounded_up = -(-needed // _STEP) * _STEP
        self._context = max(self._context, min(rounded_up, self.config.context))
        return Request(
            messages, tools, stream=stream, force=force, schema=schema, context=self._context,
            quirks=frozenset(self.quirks),
        )  # fmt: skip

    def _ask_for_json(self, messages: Sequence[Json], spec: Json, deadline: Deadline) -> Json:
        function = spec["function"]
        schema = inline(function["parameters"])
        question = f"Answer with one JSON object: the arguments of {function['name']}, and nothing else."
        earlier = _without_calls(messages)
        if api.NO_SCHEMA not in self.quirks:
            try:
                asked = [*earlier, {"role": "user", "content": question}]
                return self._ask(self._request(asked, schema=schema), deadline)
            except LLMStatusError as error:
                if not _mentions(error, "format", "schema", "grammar"):
                    raise
                self.quirks.add(api.NO_SCHEMA)
        question = f"{question} {json.dumps(schema, ensure_ascii=False)}"
        return self._ask(self._request([*earlier, {"role": "user", "content": question}]), deadline)

    def _ask(self, request: Request, deadline: Deadline) -> Json:
        """Return the normalized answer to `request`; retry without each feature that the server does not support."""
        while True:
            request = replace(request, quirks=frozenset(self.quirks))
            try:
                data = self._send(self._dialect.payload(self.config, request), deadline)
                break
            except LLMStatusError as error:
                if _mentions(error, *_TOO_LONG):
                    raise LLMPromptTooLong(str(error), hint="increase the context size on the server") from None
                quirks = _quirks_named_by(error) - self.quirks
                if not quirks:
                    raise
                self.quirks |= quirks
        self._count(data, request)
        self._normalize(data, [spec["function"]["name"] for spec in request.tools])
        return data

    def _send(self, payload: Json, deadline: Deadline) -> Json:
        """Send `payload` with secrets redacted and return the answer. This is the only place that sends anything."""
        if not (self.config.loopback or self.config.allow_remote):
            raise LLMConnectError(
                f"'{self.config.host}' is a remote server, and sending changes to other machines is not allowed",
                hint="run 'git config --global smartcommit.allowRemote true'",
            )
        safe = redact_value({**payload, "messages": []})
        for message in payload["messages"]:
            # Redacting a long conversation takes seconds.
            deadline.check()
            safe["messages"].append(redact_value(message))
        body = json.dumps(safe, ensure_ascii=False).encode("utf-8", "replace")
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.config.key:
            headers["Authorization"] = f"Bearer {self.config.key}"
        for attempt in range(_RETRIES + 1):
            self.usage.requests += 1
            answer = exchange(
                self.config.url(self._dialect.path), body,
                headers=headers, deadline=deadline, loopback=self.config.loopback,
            )  # fmt: skip
            if answer.status == 200:
                return self._dialect.assemble(answer.lines())
            if answer.status not in _BUSY or attempt == _RETRIES:
                break
            deadline.wait(_retry_delay(answer, attempt))
        raise self._status_error(answer)

    def _status_error(self, answer: Answer) -> LLMStatusError:
        reason = _error_text(answer.read())
        if self.config.key:
            reason = reason.replace(self.config.key, "(key)")
        text = f"'{self.config.host}' answered {answer.status}"
        if reason:
            text += f": {reason[:200]}"
        hints = {
            401: "set smartcommit.apiKey or SMARTCOMMIT_API_KEY",
            403: "set smartcommit.apiKey or SMARTCOMMIT_API_KEY",
            404: "set smartcommit.model to a model that the server has, and smartcommit.apiBase to its address",
        }
        return LLMStatusError(text, status=answer.status, text=reason, hint=hints.get(answer.status))

    def _count(self, data: Json, request: Request) -> None:
        prompt, output = self._dialect.usage(data)
        self.usage.prompt += prompt
        self.usage.output += output
        least = _size(request.messages, ()) // _MAX_BYTES_PER_TOKEN
        # A prompt that is truncated again ends about where the last one did.
        if 0 < prompt < least or self._truncated_at < 2 * prompt < 4 * self._truncated_at:
            self._truncated_at = prompt
            raise LLMPromptTooLong(
                f"the server truncated the prompt to {prompt} tokens", hint="increase the context size on the server"
            )

    def _normalize(self, data: Json, offered: Sequence[str]) -> None:
        """Normalize an answer in place: drop thoughts, find calls in prose, and give each call a unique id."""
        message = self._dialect.message(data)
        text = message.get("content")
        content = without_reasoning(text)[:_ANSWER] if isinstance(text, str) else ""
        message["dropped_calls"] = max(0, len(as_list(message.get("tool_calls"))) - _CALLS)
        calls = self.extract_tool_calls(data)
        if not calls:
            calls = _calls_in_text(content, offered)
            if calls:
                content = ""
            elif not content:
                # Thoughts and nothing else: turn thinking off from now on.
                self.quirks.add(api.QUIET)
        message["content"] = content
        calls = list(_limit_arguments(_ANSWER - len(content), calls))
        message["tool_calls"] = [_entry(call, call.arguments) for call in self._with_ids(calls)]

    def _with_ids(self, calls: Sequence[ToolCall]) -> Iterator[ToolCall]:
        """Yield the calls, with a new id for each that is a duplicate, or missing if the dialect needs ids."""
        seen: set[str | None] = set()
        if self._dialect.needs_ids:
            seen.add(None)
        for call in calls:
            call_id = call.call_id
            if call_id in seen:
                self._ids += 1
                call_id = f"call_{self._ids}"
            if call_id is not None:
                seen.add(call_id)
            yield replace(call, call_id=call_id)

    def _tool_call_entry(self, call: ToolCall) -> Json:
        return _entry(call, self._dialect.arguments(call.arguments))


def _entry(call: ToolCall, arguments: object) -> Json:
    entry: Json = {"type": "function", "function": {"name": call.name, "arguments": arguments}}
    if call.call_id is None:
        return entry
    return {"id": call.call_id, **entry}


def _read_call(entry: object) -> ToolCall | None:
    if not isinstance(entry, dict):
        return None
    function = entry.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return None
    call_id = entry.get("id")
    if not isinstance(call_id, str) or not 0 < len(call_id) <= _ID:
        call_id = None
    return ToolCall(function["name"].strip()[:_NAME], _read_arguments(function.get("arguments")), call_id)


def _calls_in_text(text: str, offered: Sequence[str]) -> list[ToolCall]:
    """Return the calls of `offered` tools that a model wrote into its text as JSON, with or without `function`."""
    calls: list[ToolCall] = []
    for found in objects_in(text):
        inner = found.get("function")
        entry = inner if isinstance(inner, dict) else found
        if entry.get("name") in offered:
            calls.append(ToolCall(str(entry["name"]), _read_arguments(_find_arguments(entry))))
    return calls[:_CALLS]


def _read_arguments(value: object) -> Mapping[str, object] | str:
    if value is None or value == "":
        return {}
    found = as_object(value)
    if found is None:
        return str(value)
    return found


def _find_arguments(entry: Mapping[str, object]) -> object:
    for name in _ARGUMENTS:
        if name in entry:
            return entry[name]
    return None


def _limit_arguments(limit: int, calls: Sequence[ToolCall]) -> Iterator[ToolCall]:
    """Yield `calls`; once their arguments exceed `limit` characters in total, keep only the start of each, as text."""
    for call in calls:
        text = call.arguments
        if not isinstance(text, str):
            text = json.dumps(text, ensure_ascii=False)
        limit -= len(text)
        yield call if limit >= 0 else replace(call, arguments=text[:_SHOWN])


def _unwrap(found: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Return the arguments in `found`, which may be a whole call although only its arguments were requested."""
    if found.get("name") != name:
        return found
    inner = as_object(_find_arguments(found))
    if inner is None:
        return found
    return inner


def _without_calls(messages: Sequence[Json]) -> list[Json]:
    """Return the conversation for a request without tools; results become user messages, as some servers need pairs."""
    plain: list[Json] = []
    for message in messages:
        if message.get("role") == "tool":
            plain.append({"role": "user", "content": str(message.get("content", ""))})
        elif message.get("tool_calls"):
            names = ", ".join(call["function"]["name"] for call in message["tool_calls"])
            plain.append({"role": "assistant", "content": f"{message.get('content') or ''} (calls {names})".strip()})
        else:
            plain.append(message)
    return plain


def _size(messages: Sequence[Json], tools: Sequence[Json]) -> int:
    """Return the length of `messages` and `tools` as JSON, in bytes."""
    return len(json.dumps([list(messages), list(tools)], ensure_ascii=False).encode("utf-8", "replace"))


def _mentions(error: LLMStatusError, *words: str) -> bool:
    return 400 <= error.status < 600 and any(word in error.text.lower() for word in words)


def _quirks_named_by(error: LLMStatusError) -> set[str]:
    """Return what the server does not support, according to `error`."""
    text = error.text.lower()
    if error.status not in (400, 422):
        return set()
    if "max_completion_tokens" in text:
        return {api.NEW_LIMIT}
    if "think" in text or "chat_template_kwargs" in text:
        return {api.NO_SWITCH}
    return set()


def _retry_delay(answer: Answer, attempt: int) -> float:
    """Return the seconds to wait before the next attempt, as the server asks or growing exponentially."""
    seconds = answer.headers.get("retry-after", "")
    if seconds.isascii() and seconds.isdigit():
        return float(seconds)
    return _RETRY_DELAY * 2.0**attempt


def _error_text(body: bytes) -> str:
    """Return the error message in a JSON body, on one line; empty for anything else, such as an HTML page."""
    found = as_object(body.decode("utf-8", "replace")) or {}
    error = found.get("error", found.get("message"))
    if isinstance(error, dict):
        error = error.get("message", "")
    return " ".join(str(error or "").split())
