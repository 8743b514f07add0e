"""Reads what a model writes into the text of its answer: objects, and calls of tools.

Objects are JSON, or nearly (`loose_json`). Calls are objects with the name of a tool in them or before them, or tags.
Source: the formats of Qwen, Hermes, Llama, Mistral, DeepSeek, Kimi, GLM, Gemma and Claude, which servers that do not
parse them pass on as text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from smartcommit.llm.api import ANSWER_CHARACTERS, ToolCall, as_object, is_shallow
from smartcommit.llm.loose_json import LooseReader
from smartcommit.patterns import compile_on_use

# Limits that keep this linear: no answer that is not quite JSON is longer, and more braces without an object are noise.
_LOOSE_CHARACTERS = 1 << 14
_STARTS_TRIED = 40
_START = compile_on_use(r"\{|\b([A-Za-z_][\w.]{0,80})\(\s*(?=[A-Za-z_]\w{0,40}\s*=)")
# Keys of the tool's name and of its arguments in a call that is written as an object, and keys of objects with calls.
_NAMES = ("name", "tool_name", "tool", "function", "action", "recipient_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "action_input", "params")
_CALLS = ("function", "function_call", "functionCall", "tool_calls", "tool_call", "calls", "tool_uses")
# What may separate the name of a tool from the object with its arguments, and how many characters before the object the
# name is looked for.
_BETWEEN = r"[^\w.{}]{0,20}(?:\d|json|input|action input|arguments|parameters|tool_sep)?[^\w.{}]{0,20}$"
_NAME_DISTANCE = 120
# The tags of a call: `<function=NAME>`, `<invoke name="NAME">`, `<NAME>` or `<tool_call>NAME`.
_OPENING = r"<(?:function|invoke)(?:=| name=)[\"']?({names})[\"']?>|<({names})>|<tool_call>\s*({names})\s*(?=<arg_key>)"
_CLOSING = r"</(?:function|invoke|tool_call|{names})>"
# The tags of its fields: `<arg_key>KEY</arg_key><arg_value>VALUE`, or `<parameter=KEY>VALUE`, `<parameter name="KEY">`
# and `<KEY>`.
_PAIR = compile_on_use(r"<arg_key>([^<]{1,64})</arg_key>\s*<arg_value>(.*?)(?:</arg_value>|$)", re.DOTALL)
_PARAMETER = compile_on_use(
    r"<(?:parameter(?:=| name=)[\"']?([\w-]{1,64})[\"']?(?:\s[^<>]{0,80})?|([a-z]\w{0,40}))>(.*?)"
    r"(?:</parameter>|</\2>|$)",
    re.DOTALL,
)

# What surrounds the text of an answer, in the forms of Qwen, DeepSeek, Llama, Mistral, Gemma, Phi, Kimi, and gpt-oss
# with its channels (the harmony format): servers that know a model's template remove it, others pass it on as text.
_THOUGHTS = r"(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad|seed:think)"
# `<think>`, `[THINK]`, `<|begin_of_thought|>` and `\u25c1think\u25b7`. In backticks, it is part of the text.
_TAG = compile_on_use(
    rf"(?i)(?<!`)(?:[<\u25c1](?P<slash>/?){_THOUGHTS}(?:\s[^<>]{{0,80}})?[>\u25b7]|(?-i:\[(?P<bracket>/?)THINK\])"
    r"|<\|(?P<word>begin|end)_of_thought\|>)"
)
_CHANNEL = compile_on_use(
    r"<\|channel\|>\s*(?P<name>\w{1,20})(?P<to>(?:\s*<\|constrain\|>|[^<]){0,120})(?:<\|message\|>)?"
)
_RECIPIENT = compile_on_use(r"to=(?:functions\.)?([\w-]{1,64})")
# Channels whose tokens a server removed: `analysis`, thoughts, `assistantfinal` and the answer.
_BARE_CHANNELS = compile_on_use(r"(?s)\s*analysis(?=[A-Z\"']).*assistant\s*final")
# Tokens that end a turn, and those that begin one, with the role that follows them.
_END = compile_on_use(
    r"<\|(?:eot_id|eom_id|im_end|end|endoftext|end_of_text|return|call|end_of_turn|END_OF_TURN_TOKEN)\|>|</s>|<eos>"
    r"|<end_of_turn>|<\uff5cend\u2581of\u2581sentence\uff5c>"
)
_BEGIN = compile_on_use(
    r"(?:<\|(?:im_start|start|start_header_id|start_of_role|assistant|START_OF_TURN_TOKEN)\|>|<start_of_turn>"
    r"|<\uff5cAssistant\uff5c>)(?:\s{0,2}(?:assistant|model|system)\b)?(?:<\|end_(?:header_id|of_role)\|>)?"
)
# Any other token of a template.
_TOKEN = compile_on_use(
    r"<\|[\w-]{1,40}\|>|<\uff5c[\w\u2581]{1,40}\uff5c>|\uff5cDSML\uff5c|</?co(?:: ?[\d,]{1,20})?>|</?s>|</?bos>"
    r"|\[/?(?:INST|TOOL_CALLS|ASSISTANT)\]"
)


@dataclass(frozen=True, slots=True)
class WrittenObject:
    """An object in a text: its fields, the offsets of its start and end, and its name if it is a call in Python."""

    fields: Mapping[str, object]
    start: int
    end: int
    name: str = ""


def open_envelope(text: str) -> str:
    """Return the text of an answer without the model's thoughts and the tokens of its template.

    Tags of thoughts may be nested. Text before a closing tag that was never opened, or after an opening tag that is
    never closed, is a thought as well. If there are channels, the answer is the last one if it is named `final`; a call
    in it becomes `<function=NAME>ARGUMENTS</function>`.
    """
    bare = _BARE_CHANNELS.match(text)
    if bare is not None:
        text = text[bare.end() :]
    if not any(item in text for item in "<[\u25c1"):
        return text.strip()
    text = _without_thoughts(_find_final_channel(text))
    question, _, answer = text.rpartition("[/INST]")
    # The first turn that is not empty, without tokens and without the question before it.
    for turn in _END.split(_BEGIN.sub("", answer if answer.strip() else question)):
        said = _TOKEN.sub("", turn.replace("<0x0A>", "\n")).strip()
        if said:
            return said
    return ""


def _find_final_channel(text: str) -> str:
    """Return the text of the final channel, a call, or nothing if there are only thoughts; `text` if it has none."""
    channels = list(_CHANNEL.finditer(text))
    if not channels:
        return text
    last = channels[-1]
    called = _RECIPIENT.search(last["to"]) or _RECIPIENT.search(text[max(0, last.start() - 80) : last.start()])
    rest = text[last.end() :]
    if called is not None and last["name"] != "analysis":
        return f"<function={called[1]}>{_END.split(rest)[0]}</function>"
    return rest if last["name"] == "final" else ""


def _without_thoughts(text: str) -> str:
    parts: list[str] = []
    depth = position = 0
    for tag in _TAG.finditer(text):
        if not (tag["slash"] or tag["bracket"] or tag["word"] == "end"):
            if depth == 0:
                parts.append(text[position : tag.start()])
            depth += 1
        elif depth == 0:
            parts.clear()
        else:
            depth -= 1
        position = tag.end()
    if depth == 0:
        parts.append(text[position:])
    return "".join(parts)


def find_objects(text: str) -> Iterator[WrittenObject]:
    """Yield the outermost objects in `text`, in order. One that is cut off has the fields that are complete."""
    text = text[:ANSWER_CHARACTERS]
    decoder = json.JSONDecoder(strict=False)
    position = 0
    for _ in range(_STARTS_TRIED):
        start = _START.search(text, position)
        if start is None:
            return
        found: object = None
        position = start.end()
        try:
            found, position = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            reader = LooseReader(text[:_LOOSE_CHARACTERS].rstrip("`\n "), start.end())
            try:
                found, position = reader.read_fields(0), reader.position
            except ValueError:
                continue
            if not found:
                continue
        if isinstance(found, dict) and is_shallow(found):
            yield WrittenObject(found, start.start(), position, start[1] or "")


def list_objects(text: str) -> Iterator[Mapping[str, object]]:
    return (written.fields for written in find_objects(text))


def find_calls(text: str, offered: Sequence[str]) -> list[ToolCall]:
    """Return the calls of `offered` tools in `text`, those in tags if there are any."""
    if not offered:
        return []
    return list(_find_tagged_calls(text, "|".join(re.escape(item) for item in offered))) or list(
        _find_object_calls(text, offered)
    )


def read_arguments(value: object) -> Mapping[str, object] | str:
    """Return the arguments of a call as an object, or as text if they cannot be read.

    The object may be written as text, in a fence, the only item of a list, or followed by other text.
    """
    if value is None or value == "":
        return {}
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    arguments = as_object(value)
    if arguments is None and isinstance(value, str):
        arguments = next(list_objects(value), None)
    if arguments is None:
        return str(value)
    return arguments


def unwrap(found: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Return the arguments in `found`, which may be a whole call of `name` although only they were requested."""
    if found.get("name") != name:
        return found
    return as_object(_find_arguments(found)) or found


def _find_tagged_calls(text: str, names: str) -> Iterator[ToolCall]:
    """Yield calls written in tags; `names` is a pattern of the tools."""
    for part in re.split(_CLOSING.format(names=names), text):
        opening = re.search(_OPENING.format(names=names), part)
        if opening is not None:
            name = next(group for group in opening.groups() if group)
            inside = part[opening.end() :]
            fields: dict[str, object] = dict(_PAIR.findall(inside))
            if not fields and not inside.lstrip().startswith("{"):
                for named, tag, value in _PARAMETER.findall(inside):
                    fields[named or tag] = value.strip()
            yield ToolCall(name, fields or next(list_objects(inside), {}))


def _find_object_calls(text: str, offered: Sequence[str]) -> Iterator[ToolCall]:
    """Yield calls written as objects, with the name in them or before them, or as `tools.NAME(KEY=VALUE)`."""
    end = 0
    for written in find_objects(text):
        before = text[max(end, written.start - _NAME_DISTANCE) : written.start]
        end = written.end
        calls = list(_find_named_calls(written.fields, offered))
        for name in offered:
            if not calls and re.search(rf"(?i)\b{re.escape(name)}(?:\.call)?{_BETWEEN}", written.name or before):
                calls.append(ToolCall(name, written.fields))
        yield from calls


def _find_named_calls(found: Mapping[str, object], offered: Sequence[str]) -> Iterator[ToolCall]:
    """Yield the call that `found` is, and those in it."""
    entries = [found]
    for key in _CALLS:
        inner = found.get(key)
        for entry in inner if isinstance(inner, list) else [inner]:
            if isinstance(entry, dict):
                entries += [item for item in (entry, as_object(entry.get("function"))) if item]
    for entry in entries:
        name = next((entry[key] for key in _NAMES if entry.get(key) in offered), None)
        if isinstance(name, str):
            yield ToolCall(name, read_arguments(_find_arguments(entry)))


def _find_arguments(entry: Mapping[str, object]) -> object:
    return next((entry[name] for name in _ARGUMENTS if name in entry), None)
