"""Reads tool calls that a model writes as text: as an object, in tags, or as in Python.

Source: the tool formats of Qwen, Hermes, Llama, Mistral, DeepSeek, Kimi, GLM, Gemma and Claude, which servers that do
not parse them pass on as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from smartcommit.llm.api import ToolCall
from smartcommit.llm.loose_json import as_object, find_objects, objects_in

# Keys of the tool's name and of its arguments in a call that is written as an object, and keys of objects with calls.
_NAMES = ("name", "tool_name", "tool", "function", "action", "recipient_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "action_input", "params")
_CALLS = ("function", "function_call", "functionCall", "tool_calls", "tool_call", "calls", "tool_uses")
# What may separate the name of a tool from the object with its arguments, and how many characters before the object the
# name is looked for.
_BETWEEN = r"[^\w.{}]{0,20}(?:\d|json|input|action input|arguments|parameters|tool_sep)?[^\w.{}]{0,20}$"
_NAME_DISTANCE = 120
# Maximum tags that are read in a text or a call.
_PARAMETERS_READ = 40
# `<function=NAME>` and `<invoke name="NAME">`, with `<parameter=KEY>` and `<parameter name="KEY">` in them.
_FUNCTION = re.compile(r"<(function|invoke)(?:=| name=)[\"']?([\w-]{1,64})[\"']?>")
_PARAMETER = re.compile(r"<(parameter)(?:=| name=)[\"']?([\w-]{1,64})[\"']?(?:\s[^<>]{0,80})?>")
# `<KEY>` within `<NAME>`, and `<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>` after `<tool_call>NAME`.
_FIELD = re.compile(r"<(([a-z]\w{0,40}))>")
_PAIRED = re.compile(r"<tool_call>\s*([\w-]{1,64})\s*(?=<arg_key>)")
_PAIR = re.compile(r"<arg_key>([^<]{1,64})</arg_key>\s*<arg_value>(.*?)(?:</arg_value>|$)", re.DOTALL)


def calls_in_text(text: str, offered: Sequence[str]) -> list[ToolCall]:
    """Return the calls of `offered` tools in `text`, all of the first form in which there are any."""
    return list(_tagged_calls(text, offered)) or list(_object_calls(text, offered))


def read_arguments(value: object) -> Mapping[str, object] | str:
    """Return the arguments of a call as an object, or as text if they cannot be read.

    The object may be written as text, in a fence, the only item of a list, or followed by other text.
    """
    if value is None or value == "":
        return {}
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    found = as_object(value)
    if found is None and isinstance(value, str):
        found = next(objects_in(value), None)
    return str(value) if found is None else found


def unwrap(found: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Return the arguments in `found`, which may be a whole call of `name` although only they were requested."""
    inner = as_object(_find_arguments(found)) if found.get("name") == name else None
    return found if inner is None else inner


def _object_calls(text: str, offered: Sequence[str]) -> Iterator[ToolCall]:
    """Yield calls written as objects, with the name in them or before them, or as `tools.NAME(KEY=VALUE)`."""
    end = 0
    for found in find_objects(text):
        before = text[max(end, found.start - _NAME_DISTANCE) : found.start]
        end = found.end
        named = False
        for entry in _list_entries(found.fields):
            name = next(filter(offered.__contains__, map(entry.get, _NAMES)), None)
            if isinstance(name, str):
                named = True
                yield ToolCall(name, read_arguments(_find_arguments(entry)))
        name = _find_name(found.name or before, offered)
        if name is not None and not named:
            yield ToolCall(name, found.fields)


def _list_entries(found: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield `found` and the objects in it that may be the call itself."""
    yield found
    for key in _CALLS:
        inner = found.get(key)
        for entry in inner if isinstance(inner, list) else [inner]:
            if isinstance(entry, dict):
                yield entry
                if isinstance(entry.get("function"), dict):
                    yield entry["function"]


def _find_name(before: str, offered: Sequence[str]) -> str | None:
    for name in offered:
        if re.search(rf"(?i)\b{re.escape(name)}(?:\.call)?{_BETWEEN}", before):
            return name
    return None


def _tagged_calls(text: str, offered: Sequence[str]) -> Iterator[ToolCall]:
    """Yield calls written in tags, with parameters named by attributes or by the tags themselves."""
    for name, inner in _read_tags(_FUNCTION, text):
        if name in offered:
            yield ToolCall(name, dict(_read_tags(_PARAMETER, inner)) or next(objects_in(inner), {}))
    for name in offered:
        _, opening, rest = text.partition(f"<{name}>")
        if opening:
            inner = rest.partition(f"</{name}>")[0]
            yield ToolCall(name, dict(_read_tags(_FIELD, inner)) or next(objects_in(inner), {}))
    for called in _PAIRED.finditer(text):
        if called[1] in offered:
            yield ToolCall(called[1], dict(_PAIR.findall(text[called.end() :].partition("</tool_call>")[0])))


def _read_tags(opening: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """Yield the name in each opening tag, with the text up to the closing tag or, without one, to the end."""
    position = 0
    for _ in range(_PARAMETERS_READ):
        found = opening.search(text, position)
        if found is None:
            return
        inner, closing, _ = text[found.end() :].partition(f"</{found[1]}>")
        yield found[2], inner.strip()
        position = found.end() + len(inner) + len(closing)


def _find_arguments(entry: Mapping[str, object]) -> object:
    return next((entry[name] for name in _ARGUMENTS if name in entry), None)
