"""The model client: sends redacted requests in the form that the server supports, and reads the answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from smartcommit.errors import LLMConnectError, LLMPromptTooLong, LLMStatusError
from smartcommit.json_text import as_list
from smartcommit.llm import api
from smartcommit.llm.api import ApiConfig, Json, Request, ToolCall, Usage, as_object
from smartcommit.llm.dialects import Ollama, OpenAI
from smartcommit.llm.model_text import find_calls, find_objects, open_envelope, read_arguments, unwrap
from smartcommit.llm.program import render_conversation, run_program
from smartcommit.llm.quirks import FAILED_CALL, find_quirk, is_prompt_too_long, mentions
from smartcommit.llm.transport import ask_server
from smartcommit.secrets.redaction import redact_value
from smartcommit.waiting import Deadline

# Maximum bytes of a token: if the server counted too few tokens for the prompt, it was truncated.
_MAX_BYTES_PER_TOKEN = 12
# Calls that are used of an answer, and characters of a tool's name.
_CALLS_USED = 32
_NAME_CHARACTERS = 64
# A longer id is replaced.
_ID_CHARACTERS = 1000
# What some models put around the name of a tool: the namespace before it, and the channel after it.
_NAME_ALONE = re.compile(r"^functions?\.|<\|.*", re.DOTALL)
# Words for an answer that a filter stopped: OpenAI's, Gemini's and Anthropic's (HKUDS/Vibe-Trading#308).
_FILTERED = ("content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "refusal")
# Fields with thoughts that a server wants to see again, as Ollama, DeepSeek and OpenRouter name them.
_THOUGHTS = ("thinking", "reasoning_content", "reasoning_details")
# Characters of too long arguments that are kept for the log.
_CHARACTERS_LOGGED = 100


class LLMClient:
    """A client for one model on one server. Not thread-safe.

    `usage` adds up tokens and requests; `quirks` are the limitations of the server found so far.
    """

    def __init__(self, config: ApiConfig) -> None:
        self.config = config
        self.usage = Usage()
        self.quirks: set[str] = set(config.quirks)
        self._dialect: Ollama | OpenAI = OpenAI()
        if config.provider == api.OLLAMA:
            self._dialect = Ollama()
        # This never changes, even if the prompt has to be shorter: Ollama would load the model again.
        self._context = config.context
        self._ids = 0

    @property
    def takes_tools(self) -> bool:
        return api.NO_TOOLS not in self.quirks

    def chat(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), *, deadline: Deadline, force: bool = False
    ) -> Json:
        """Return the model's answer to `messages`, which may call `tools` and, with `force`, has to. Raise LLMError."""
        if not self.takes_tools:
            tools = ()
        request = self._make_request(messages, tools, force=force)
        try:
            return self._ask(request, deadline)
        except LLMStatusError as error:
            if not tools or not self._can_do_without_tools(error):
                raise
        return self._ask(replace(request, tools=(), force=False), deadline)

    def call_with_tool(
        self, messages: Sequence[Json], tool: Callable[..., Any], *, deadline: Deadline
    ) -> tuple[ToolCall | None, Json]:
        """Force one call of `tool` and return it, or None if the model makes none, with the complete answer.

        If the model does not call it, ask once more, for JSON in the shape of its arguments. Raise LLMError, or
        Cancelled from the deadline's tick.
        """
        spec: Json = vars(tool)["_tool_spec"]
        if self.takes_tools:
            data = self.chat(messages, [spec], deadline=deadline, force=True)
            for call in self.extract_tool_calls(data):
                if call.name == _find_name(spec):
                    return call, data
        data = self.ask_json(messages, [spec], deadline=deadline)
        return next(iter(self.extract_tool_calls(data)), None), data

    def ask_json(
        self, messages: Sequence[Json], tools: Sequence[Json], *, deadline: Deadline, may_call: bool = False
    ) -> Json:
        """Return an answer that calls one of `tools`, as far as the server can hold the model to that.

        It is asked for JSON in the shape of the first tool's arguments, or that names one of the others, which take
        none; where the server takes no schema, for a call if it `may_call`, else for JSON in words. Raise LLMError, or
        Cancelled from the deadline's tick.
        """
        while True:
            request = self._make_held_request(messages, tools, may_call=may_call)
            try:
                data = self._ask(request, deadline)
                break
            except LLMStatusError as error:
                if request.tools and self._can_do_without_tools(error):
                    may_call = False
                elif request.schema is not None and mentions(error, "format", "schema", "grammar"):
                    self.quirks.add(api.NO_SCHEMA)
                else:
                    raise
        if not request.tools:
            self._read_json(data, tools)
        return data

    def _can_do_without_tools(self, error: LLMStatusError) -> bool:
        """Whether the server complains of tools, which are not offered again unless it was of a single call."""
        if mentions(error, FAILED_CALL):
            return True
        if mentions(error, "tool"):
            self.quirks.add(api.NO_TOOLS)
        return not self.takes_tools

    def show(self, payload: Json) -> str:
        """Return `payload` as it would be sent: as indented JSON, or as the text that a command reads."""
        safe = self._redact(payload, lambda: None)
        if self.config.command:
            return render_conversation(safe["messages"])
        return json.dumps(safe, indent=2, ensure_ascii=False)

    def build_payload(self, messages: Sequence[Json], tools: Sequence[Json] = (), *, held: bool = False) -> Json:
        """Return the payload that `chat`, or if `held` `ask_json`, would send first, with secrets still in it."""
        if held:
            return self._make_payload(self._make_held_request(messages, tools))
        return self._make_payload(self._make_request(messages, tools))

    def extract_tool_calls(self, data: Json) -> list[ToolCall]:
        """Return the first _CALLS_USED tool calls of an answer, in order; each of them has to be answered."""
        entries = as_list(_get_message(data).get("tool_calls"))
        return [call for call in map(_read_call, entries[:_CALLS_USED]) if call is not None]

    def extract_text_content(self, data: Json) -> str:
        return str(_get_message(data).get("content") or "")

    def explain_ending(self, data: Json) -> str | None:
        """Return why an answer is not what was asked for, if the server says why it ended early."""
        message = _get_message(data)
        ending = str(data["choices"][0].get("finish_reason") or "").lower()
        refusal = message.get("refusal")
        if refusal:
            return f"the model refused: {' '.join(str(refusal).split())[: api.CHARACTERS_QUOTED]}"
        if ending.startswith(_FILTERED):
            return "the server's content filter stopped the answer"
        if ending != "length":
            return None
        if message["content"] or message["tool_calls"]:
            return "the answer was cut, because it reached the model's limit"
        return "the model was still thinking when it reached its limit"

    def format_assistant_tool_call(self, data: Json) -> Json:
        """Return the answer as a message with its calls, and the thoughts before them: some servers insist."""
        message: Json = {"role": "assistant", "content": self.extract_text_content(data)}
        calls = self.extract_tool_calls(data)
        if calls:
            message |= api.keep_texts(_get_message(data), _THOUGHTS)
            message["tool_calls"] = [_make_entry(call, self._dialect.write_arguments(call.arguments)) for call in calls]
        return message

    def format_tool_result(self, call: ToolCall, content: str) -> Json:
        return self._dialect.write_result(call, content)

    def summarize_args(self, arguments: Mapping[str, object] | str, width: int = 60) -> str:
        text = arguments
        if not isinstance(text, str):
            text = ", ".join(f"{name}={value!r}" for name, value in text.items())
        text = " ".join(text.split())
        return text if len(text) <= width else f"{text[: width - 3]}..."

    # The names of these methods in the project's design documents.
    _build_payload_messages = build_payload
    _extract_text_content = extract_text_content
    _format_assistant_tool_call = format_assistant_tool_call
    _format_tool_result = format_tool_result
    _summarize_args = summarize_args

    def _make_request(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), *, stream: bool = True, force: bool = False,
        schema: Json | None = None,
    ) -> Request:  # fmt: skip
        output = self.config.output
        if api.LONG in self.quirks and output == api.OUTPUT:
            output = api.THINKING_OUTPUT
        return Request(
            messages, tools, stream=stream, force=force, schema=schema, offered=[_find_name(tool) for tool in tools],
            context=self._context, output=min(output, self._context // 2), quirks=frozenset(self.quirks),
        )  # fmt: skip

    def _make_held_request(self, messages: Sequence[Json], tools: Sequence[Json], *, may_call: bool = True) -> Request:
        """Return the request of `ask_json` that the server takes, as far as that is known."""
        takes_schema = api.NO_SCHEMA not in self.quirks
        if not takes_schema and may_call and self.takes_tools:
            return self._make_request(messages, tools, force=True)
        # In words, nothing but the first tool is asked for.
        first, *others = tools if takes_schema else tools[:1]
        schema: Json = {**first["function"]["parameters"], "additionalProperties": False}
        question = f"Answer with nothing but the arguments of {_find_name(first)}, as JSON."
        choices = [schema]
        for other in others:
            name = _find_name(other)
            question += f' Or answer {{"{name}": true}}: {other["function"]["description"]}'
            only = {"properties": {name: {"type": "boolean", "const": True}}, "required": [name]}
            choices.append({"type": "object", **only, "additionalProperties": False})
        if others:
            schema = {"type": "object", "anyOf": choices}
        if not takes_schema:
            question += f"\n\n{json.dumps(schema, ensure_ascii=False)}"
        conversation = _without_calls(messages)
        if conversation and conversation[-1].get("role") == "user":
            question = f"{conversation.pop()['content']}\n\n{question}"
        conversation.append({"role": "user", "content": question})
        request = self._make_request(conversation, schema=schema if takes_schema else None)
        return replace(request, offered=[_find_name(item) for item in (first, *others)])

    def _read_json(self, data: Json, tools: Sequence[Json]) -> None:
        """Make a call of the object in an answer that was asked for: one with fields or a name that `tools` have.

        Any other is it if there is hardly anything beside it; else it is part of what is said.
        """
        message = _get_message(data)
        text = self.extract_text_content(data)
        if message["tool_calls"]:
            return
        first, *others = [_find_name(tool) for tool in tools]
        wanted = {"name", *others, *tools[0]["function"]["parameters"].get("required", ())}
        for written in find_objects(text):
            is_wanted = not wanted.isdisjoint(written.fields)
            is_most = 2 * (written.end - written.start) > len(text)
            if not written.fields or not (is_wanted or is_most):
                continue
            call = ToolCall(first, unwrap(written.fields, first))
            for name in others:
                if written.fields.get(name):
                    call = ToolCall(name, {})
            message["content"] = ""
            message["tool_calls"] = [_make_entry(call, call.arguments) for call in self._with_ids([call])]
            return

    def _ask(self, request: Request, deadline: Deadline) -> Json:
        """Return the normalized answer to `request`; retry without each feature that the server does not support."""
        while True:
            request = replace(request, quirks=frozenset(self.quirks))
            payload = self._make_payload(request)
            try:
                data = self._send(payload, deadline)
                break
            except LLMStatusError as error:
                if is_prompt_too_long(error):
                    raise LLMPromptTooLong(str(error), hint="increase the context size on the server") from None
                quirk = find_quirk(error, payload)
                if quirk is None or quirk in self.quirks:
                    raise
                self.quirks.add(quirk)
        self._count(data, request)
        self._normalize(data, request.offered)
        return data

    def _make_payload(self, request: Request) -> Json:
        payload = self._dialect.make_payload(self.config, request)
        return {name: value for name, value in payload.items() if name not in request.quirks}

    def _send(self, payload: Json, deadline: Deadline) -> Json:
        """Send `payload` with secrets redacted and return the answer. This is the only place that sends anything."""
        remote = self.config.remote
        if remote and not self.config.allow_remote:
            raise LLMConnectError(
                f"{remote}, and sending changes to other machines is not allowed",
                hint="run 'git config --global smartcommit.allowRemote true'",
            )
        safe = self._redact(payload, deadline.check)
        if self.config.command:
            self.usage.requests += 1
            text = render_conversation(safe["messages"])
            answer = run_program(self.config.command, text, deadline=deadline)
            return {"choices": [{"message": {"role": "assistant", "content": answer}}]}
        body = json.dumps(safe, ensure_ascii=False).encode("utf-8", "replace")
        dialect = self._dialect
        return ask_server(self.config, dialect.path, body, dialect.assemble, deadline=deadline, usage=self.usage)

    def _redact(self, payload: Json, check: Callable[[], None]) -> Json:
        """Return `payload` without secrets; what the server signed stays as it is.

        `check` is called in between: a long conversation takes seconds.
        """
        safe: Json = redact_value({**payload, "messages": []})
        for message in payload["messages"]:
            check()
            sent = redact_value(message)
            sent |= {key: message[key] for key in api.SIGNED if key in message}
            for call, entry in zip(message.get("tool_calls", ()), sent.get("tool_calls", ()), strict=True):
                if call.get(api.EXTRA):
                    entry[api.EXTRA] = call[api.EXTRA]
            safe["messages"].append(sent)
        return safe

    def _count(self, data: Json, request: Request) -> None:
        # Servers need not report these.
        counts = as_object(data.get("usage")) or {}
        prompt = api.as_count(counts.get("prompt_tokens"))
        self.usage.prompt += prompt
        self.usage.output += api.as_count(counts.get("completion_tokens"))
        size = len(json.dumps(list(request.messages), ensure_ascii=False).encode("utf-8", "replace"))
        if 0 < prompt < size // _MAX_BYTES_PER_TOKEN:
            raise LLMPromptTooLong(
                f"the server truncated the prompt to {prompt} tokens", hint="increase the context size on the server"
            )

    def _normalize(self, data: Json, offered: Sequence[str]) -> None:
        """Normalize an answer in place: drop thoughts, find calls in prose, and give each call a unique id."""
        message = _get_message(data)
        text = str(message.get("content") or "")
        content = open_envelope(text)[: api.ANSWER_CHARACTERS]
        calls = self.extract_tool_calls(data)
        if not calls:
            calls = find_calls(content, offered)[:_CALLS_USED]
            if calls:
                content = ""
            elif not content and (text or api.keep_texts(message, _THOUGHTS)):
                # Thoughts and nothing else: turn thinking off from now on, or leave room for more than thoughts.
                self.quirks |= {api.QUIET, api.LONG}
        message["content"] = content
        message["tool_calls"] = []
        room = api.ANSWER_CHARACTERS - len(content)
        for call in self._with_ids(calls):
            arguments = call.arguments
            written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
            room -= len(written)
            if room < 0:  # the log still gets the start of what is too long
                arguments = written[:_CHARACTERS_LOGGED]
            message["tool_calls"].append(_make_entry(call, arguments))

    def _with_ids(self, calls: Sequence[ToolCall]) -> Iterator[ToolCall]:
        """Yield the calls, with a new id for each that is a duplicate, or missing if the dialect needs ids."""
        seen: set[str | None] = set()
        if self._dialect.needs_ids:
            seen.add(None)
        for call in calls:
            call_id = call.call_id
            if call_id in seen:
                self._ids += 1
                # Mistral accepts nothing but nine letters and digits (nearai/ironclaw#1241).
                call_id = f"call{self._ids:05}"
            if call_id is not None:
                seen.add(call_id)
            yield replace(call, call_id=call_id)


def _get_message(data: Json) -> Json:
    message: Json = data["choices"][0]["message"]
    return message


def _find_name(spec: Json) -> str:
    return str(spec["function"]["name"])


def _make_entry(call: ToolCall, arguments: object) -> Json:
    entry: Json = {"type": "function", "function": {"name": call.name, "arguments": arguments}}
    if call.call_id is not None:
        entry["id"] = call.call_id
    if call.extra is not None:
        entry[api.EXTRA] = call.extra
    return entry


def _read_call(entry: object) -> ToolCall | None:
    if not isinstance(entry, dict):
        return None
    function = entry.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return None
    call_id = entry.get("id")
    if not isinstance(call_id, str) or not 0 < len(call_id) <= _ID_CHARACTERS:
        call_id = None
    extra = entry.get(api.EXTRA)
    if not isinstance(extra, dict) or len(json.dumps(extra)) > api.ANSWER_CHARACTERS:
        extra = None
    name = _NAME_ALONE.sub("", function["name"].strip())
    return ToolCall(name[:_NAME_CHARACTERS], read_arguments(function.get("arguments")), call_id, extra)


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
