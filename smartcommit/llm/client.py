"""The client that every flow talks to a model through: forms, retries, and the one place where anything is sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from smartcommit.errors import LLMConnectError, LLMPromptTooLong, LLMStatusError
from smartcommit.llm import ollama, openai
from smartcommit.llm.api import (
    NEW_LIMIT,
    NO_SCHEMA,
    NO_SWITCH,
    NO_TOOLS,
    OLLAMA,
    QUIET,
    ApiConfig,
    Dialect,
    Json,
    Request,
    ToolCall,
    Usage,
)
from smartcommit.llm.json_repair import as_object, inline, objects_in, without_reasoning
from smartcommit.llm.transport import Answer, exchange
from smartcommit.secret_scan import redacted
from smartcommit.waiting import Deadline

# What a server answers while it is busy, and how often it is asked again.
_BUSY = (429, 500, 502, 503, 504, 529)
_RETRIES = 2
_PATIENCE = 0.5
# Bytes that a token has at least; a prompt is sized by it. At most so many, which tells a prompt that was cut.
_BYTES_A_TOKEN = 3
_MOST_BYTES_A_TOKEN = 12
# Room for what the tools bring, in tokens; the size only grows, for Ollama loads the model anew when it changes.
_ROOM = 4096
_STEP = 4096
# How servers speak of a prompt that they have no room for.
_TOO_LONG = ("context length", "context size", "context window")
# Characters of text and arguments, thoughts left out, that are used of one answer; 4,096 tokens need a quarter of it.
_ANSWER = 1 << 16
# Calls that are used of one answer, characters of a tool's name, and of an id; a longer id is replaced.
_CALLS = 32
_NAME, _ID = 64, 1000
# Characters that are kept of arguments that are too long, for the log.
_SHOWN = 100
# Where names and arguments of a call stand when a model writes it as text.
_ARGUMENTS = ("arguments", "parameters", "args", "input")


class LLMClient:
    """One model on one server. Not for two threads at once.

    `usage` sums up what was spent, and `quirks` is what the server turned out not to take.
    """

    def __init__(self, config: ApiConfig) -> None:
        self.config = config
        self.usage = Usage()
        self.quirks: set[str] = set()
        self._dialect: Dialect = ollama.Ollama() if config.provider == OLLAMA else openai.OpenAI()
        self._context = 0
        self._cut = 0
        self._named = 0

    @property
    def takes_tools(self) -> bool:
        """Whether tools may be offered: the server has not refused them yet."""
        return NO_TOOLS not in self.quirks

    def chat(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), *, deadline: Deadline, force: bool = False
    ) -> Json:
        """The model's answer to `messages`, which may call `tools` and, with `force`, has to.

        Raises: LLMError, or Cancelled by the deadline's tick.
        """
        if tools and not self.takes_tools:
            tools = ()
        request = self._request(messages, tools, force=force)
        try:
            return self._ask(request, deadline)
        except LLMStatusError as error:
            if not tools or not _means(error, "tool"):
                raise
            self.quirks.add(NO_TOOLS)
        return self._ask(replace(request, tools=(), force=False), deadline)

    def call_with_tool(
        self, messages: Sequence[Json], tool: Callable[..., Any], *, deadline: Deadline
    ) -> tuple[ToolCall | None, Json]:
        """One forced call of `tool`, and the whole answer; None where the model makes none in any form.

        Servers that cannot be forced are asked once more, for JSON of the shape that the arguments have.

        Raises: LLMError, or Cancelled by the deadline's tick.
        """
        spec = tool._tool_spec  # type: ignore[attr-defined]
        name = spec["function"]["name"]
        if self.takes_tools:
            data = self.chat(messages, [spec], deadline=deadline, force=True)
            for call in self._extract_tool_calls(data):
                if call.name == name:
                    return call, data
        data = self._ask_for_json(messages, spec, deadline)
        found = next(objects_in(self._extract_text_content(data)), None)
        if found is None:
            return None, data
        call = ToolCall(name, _unwrapped(found, name), self._new_id() if self._dialect.needs_ids else None)
        self._dialect.message(data)["tool_calls"] = [self._form(call)]
        self._dialect.message(data)["content"] = ""
        return call, data

    def preview(self, messages: Sequence[Json], tools: Sequence[Json] = ()) -> str:
        """Exactly what `chat` would send first, as JSON to be read."""
        payload = redacted(self._dialect.payload(self.config, self._request(messages, tools)))
        return json.dumps(payload, indent=2, ensure_ascii=False)

    def _build_payload_messages(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), stream: bool = True, *, force: bool = False
    ) -> Json:
        """The payload that asks `messages`, in the server's dialect; secrets are still in it."""
        return self._dialect.payload(self.config, self._request(messages, tools, stream=stream, force=force))

    def _extract_tool_calls(self, data: Json) -> list[ToolCall]:
        """The calls of an answer, the first _CALLS of them, in their order: each has to be answered."""
        found = self._dialect.message(data).get("tool_calls")
        calls = map(_read_call, found[:_CALLS] if isinstance(found, list) else ())
        return [call for call in calls if call is not None]

    def _count_dropped_calls(self, data: Json) -> int:
        """How many calls an answer had beyond the first _CALLS."""
        return int(self._dialect.message(data)["dropped_calls"])

    def _extract_text_content(self, data: Json) -> str:
        """What the model says beside its calls, without its thoughts."""
        return str(self._dialect.message(data).get("content") or "")

    def _format_assistant_tool_call(self, data: Json) -> Json:
        """The answer as a message of the conversation: what is said and what is called, without thoughts."""
        message: Json = {"role": "assistant", "content": self._extract_text_content(data)}
        calls = [self._form(call) for call in self._extract_tool_calls(data)]
        return {**message, "tool_calls": calls} if calls else message

    def _format_tool_result(self, call: ToolCall, content: str) -> Json:
        """What a tool answers to `call`, as a message of the conversation."""
        return self._dialect.result(call, content)

    def _summarize_args(self, arguments: Mapping[str, object] | str, width: int = 60) -> str:
        """Arguments on one line of at most `width` characters."""
        if isinstance(arguments, str):
            text = arguments
        else:
            text = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        text = " ".join(text.split())
        return text if len(text) <= width else text[: width - 3] + "..."

    def _request(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), *, stream: bool = True, force: bool = False,
        schema: Json | None = None,
    ) -> Request:  # fmt: skip
        needed = _size(messages, tools) // _BYTES_A_TOKEN + self.config.output + _ROOM
        steps = -(-needed // _STEP) * _STEP
        self._context = max(self._context, min(steps, self.config.context))
        return Request(
            messages, tools, stream=stream, force=force, schema=schema, context=self._context,
            quirks=frozenset(self.quirks),
        )  # fmt: skip

    def _ask_for_json(self, messages: Sequence[Json], spec: Json, deadline: Deadline) -> Json:
        function = spec["function"]
        wish = {
            "role": "user",
            "content": f"Answer with one JSON object: the arguments of {function['name']}, and nothing else.",
        }
        asked = [*_without_calls(messages), wish]
        if NO_SCHEMA not in self.quirks:
            try:
                return self._ask(self._request(asked, schema=inline(function["parameters"])), deadline)
            except LLMStatusError as error:
                if not _means(error, "format", "schema", "grammar"):
                    raise
                self.quirks.add(NO_SCHEMA)
        shape = json.dumps(inline(function["parameters"]), ensure_ascii=False)
        return self._ask(self._request([*asked[:-1], {**wish, "content": f"{wish['content']} {shape}"}]), deadline)

    def _ask(self, request: Request, deadline: Deadline) -> Json:
        """The settled answer to `request`; what the server turns out not to take is left out, each thing once."""
        while True:
            request = replace(request, quirks=frozenset(self.quirks))
            try:
                data = self._send(self._dialect.payload(self.config, request), deadline)
                break
            except LLMStatusError as error:
                if _means(error, *_TOO_LONG):
                    raise LLMPromptTooLong(str(error), hint="give the server a larger context") from None
                learned = _learned(error) - self.quirks
                if not learned:
                    raise
                self.quirks |= learned
        self._count(data, request)
        self._settle(data, [spec["function"]["name"] for spec in request.tools])
        return data

    def _send(self, payload: Json, deadline: Deadline) -> Json:
        """Send `payload` with every secret replaced, and wait for the answer. Nothing is sent from anywhere else."""
        if not (self.config.loopback or self.config.allow_remote):
            raise LLMConnectError(
                f"'{self.config.host}' is not this machine, and sending the change there was not allowed",
                hint="run 'git config --global smartcommit.allowRemote true'",
            )
        safe = redacted({**payload, "messages": []})
        for message in payload["messages"]:
            # Replacing the secrets of a long conversation takes seconds.
            deadline.check()
            safe["messages"].append(redacted(message))
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
            deadline.wait(_wanted_wait(answer, attempt))
        raise self._refused(answer)

    def _refused(self, answer: Answer) -> LLMStatusError:
        said = _said(answer.read())
        if self.config.key:
            said = said.replace(self.config.key, "(key)")
        text = f"'{self.config.host}' answered {answer.status}" + (f": {said[:200]}" if said else "")
        hints = {
            401: "set smartcommit.apiKey or SMARTCOMMIT_API_KEY",
            403: "set smartcommit.apiKey or SMARTCOMMIT_API_KEY",
            404: "set smartcommit.model to a model that the server has, and smartcommit.apiBase to its address",
        }
        return LLMStatusError(text, status=answer.status, text=said, hint=hints.get(answer.status))

    def _count(self, data: Json, request: Request) -> None:
        prompt, output = self._dialect.usage(data)
        self.usage.prompt += prompt
        self.usage.output += output
        least = _size(request.messages, ()) // _MOST_BYTES_A_TOKEN
        # A prompt that is cut again ends about where the last one did.
        if 0 < prompt < least or self._cut < 2 * prompt < 4 * self._cut:
            self._cut = prompt
            raise LLMPromptTooLong(
                f"the server read {prompt} tokens of a prompt that has more",
                hint="give the server a larger context",
            )

    def _settle(self, data: Json, offered: Sequence[str]) -> None:
        """Bring an answer into order: thoughts out, calls well-formed with ids of their own, calls in prose found."""
        message = self._dialect.message(data)
        said = message.get("content")
        content = without_reasoning(said)[:_ANSWER] if isinstance(said, str) else ""
        found = message.get("tool_calls")
        message["dropped_calls"] = max(0, len(found) - _CALLS) if isinstance(found, list) else 0
        calls = self._extract_tool_calls(data)
        if not calls and offered:
            calls = [
                ToolCall(str(entry["name"]), _arguments(_first(entry, _ARGUMENTS)))
                for entry in map(_flat, objects_in(content))
                if entry.get("name") in offered
            ][:_CALLS]
            content = "" if calls else content
        if not calls and not content:
            # Thoughts and nothing else: from now on they are switched off.
            self.quirks.add(QUIET)
        message["content"] = content
        calls = list(_within(_ANSWER - len(content), calls))
        message["tool_calls"] = [_entry(call, call.arguments) for call in self._with_ids(calls)]

    def _with_ids(self, calls: Sequence[ToolCall]) -> Iterator[ToolCall]:
        """The calls with an id each, where the dialect has ids: one that is missing or taken gets another."""
        seen: set[str | None] = {None} if self._dialect.needs_ids else set()
        for call in calls:
            call_id = self._new_id() if call.call_id in seen else call.call_id
            seen |= {call_id} - {None}
            yield replace(call, call_id=call_id)

    def _form(self, call: ToolCall) -> Json:
        return _entry(call, self._dialect.arguments(call.arguments))

    def _new_id(self) -> str:
        self._named += 1
        return f"call_{self._named}"


def _entry(call: ToolCall, arguments: object) -> Json:
    entry: Json = {"type": "function", "function": {"name": call.name, "arguments": arguments}}
    return entry if call.call_id is None else {"id": call.call_id, **entry}


def _read_call(entry: object) -> ToolCall | None:
    if not isinstance(entry, dict):
        return None
    function = entry.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return None
    call_id = entry.get("id")
    return ToolCall(
        function["name"].strip()[:_NAME],
        _arguments(function.get("arguments")),
        call_id if isinstance(call_id, str) and 0 < len(call_id) <= _ID else None,
    )


def _arguments(value: object) -> Mapping[str, object] | str:
    if value is None or value == "":
        return {}
    found = as_object(value)
    return found if found is not None else str(value)


def _within(room: int, calls: Sequence[ToolCall]) -> Iterator[ToolCall]:
    """`calls`; once their arguments exceed `room` characters in total, only the start of each is kept, as text."""
    for call in calls:
        given = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
        room -= len(given)
        yield call if room >= 0 else replace(call, arguments=given[:_SHOWN])


def _flat(entry: Mapping[str, object]) -> Mapping[str, object]:
    """A call in text without the `function` around it."""
    inner = entry.get("function")
    return inner if isinstance(inner, dict) else entry


def _first(entry: Mapping[str, object], names: Sequence[str]) -> object:
    return next((entry[name] for name in names if name in entry), None)


def _unwrapped(found: Mapping[str, object], name: str) -> Mapping[str, object]:
    """The arguments, also where the model put a whole call where they were asked for."""
    if found.get("name") == name:
        inner = as_object(_first(found, _ARGUMENTS))
        if inner is not None:
            return inner
    return found


def _without_calls(messages: Sequence[Json]) -> list[Json]:
    """The conversation for a request without tools: results as the user's words, since some servers want the pair."""
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
    return len(json.dumps([list(messages), list(tools)], ensure_ascii=False).encode("utf-8", "replace"))


def _means(error: LLMStatusError, *words: str) -> bool:
    return 400 <= error.status < 600 and any(word in error.text.lower() for word in words)


def _learned(error: LLMStatusError) -> set[str]:
    """What a refusal says the server does not take."""
    if error.status not in (400, 422):
        return set()
    text = error.text.lower()
    if "max_completion_tokens" in text:
        return {NEW_LIMIT}
    return {NO_SWITCH} if "think" in text or "chat_template_kwargs" in text else set()


def _wanted_wait(answer: Answer, attempt: int) -> float:
    wanted = answer.headers.get("retry-after", "")
    if wanted.isascii() and wanted.isdigit():
        return float(wanted)
    return _PATIENCE * 2.0**attempt


def _said(body: bytes) -> str:
    """What a server says in a body that is JSON; an HTML page says nothing to a person."""
    found = as_object(body.decode("utf-8", "replace"))
    error = found.get("error", found.get("message")) if found else ""
    if isinstance(error, dict):
        error = error.get("message", "")
    return " ".join(str(error or "").split())
