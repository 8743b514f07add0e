"""JSON in a model's answer: find it in prose, drop thinking, and simplify schemas for servers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from smartcommit.llm.api import Json

# A longer text is not a tool call, and more unmatched braces are noise: both limits keep this linear.
_CALL_CHARACTERS = 1 << 16
_BRACES_TRIED = 40
# Levels of objects and lists. Answers need about ten, and most code that walks JSON recurses once per level.
_LEVELS_READ = 64
_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|reflection|analysis)(?:\s[^<>]{0,80})?>", re.IGNORECASE)
# The channels of the harmony format: only the text of the last one is the answer.
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w{1,20})[^<]{0,80}(?:<\|message\|>)?")
_MARK = re.compile(r"<\|[\w-]{1,30}\|>")
_SCHEMA_DEPTH = 12


def as_list(value: object) -> list[Any]:
    """Return `value` if it is a list, else an empty list."""
    return value if isinstance(value, list) else []


def as_count(value: object) -> int:
    """Return `value` if it is an integer, else 0."""
    return value if isinstance(value, int) else 0


def as_object(value: object) -> Mapping[str, object] | None:
    """Return `value` if it is a JSON object, or the object it encodes as text, at most twice over.

    Return None if there is none, or if it is nested more than _LEVELS_READ levels deep.
    """
    for _ in range(3):
        if isinstance(value, dict):
            return value if _is_shallow(value) else None
        if not isinstance(value, str):
            return None
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return None


def objects_in(text: str) -> Iterator[Mapping[str, object]]:
    """Yield the outermost JSON objects in `text`, in order, skipping everything between them."""
    text = text[:_CALL_CHARACTERS]
    decoder = json.JSONDecoder(strict=False)
    position = text.find("{")
    for _ in range(_BRACES_TRIED):
        if position < 0:
            return
        try:
            found, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            if isinstance(found, dict) and _is_shallow(found):
                yield found
        position = text.find("{", end)


def read_cut_object(text: str) -> Mapping[str, object] | None:
    """Return the JSON object that `text` begins and does not end, with the fields that are complete, or None."""
    start = text.find("{")
    end = min(len(text), _CALL_CHARACTERS)
    for _ in range(_BRACES_TRIED):
        end = text.rfind(",", start + 1, end) if start >= 0 else -1
        if end < 0:
            return None
        found = as_object(text[start:end] + "}")
        if found:
            return found
    return None


def keep_texts(found: Json, keys: Sequence[str]) -> Json:
    """Return the items of `found` with these keys that hold something, unless it is longer than anyone uses."""
    return {key: found[key] for key in keys if found.get(key) and len(str(found[key])) <= _CALL_CHARACTERS}


def names_in(body: bytes, key: str, field: str) -> list[str]:
    """Return `field` of each entry in the list `key` of a JSON object; empty if `body` is anything else."""
    found = as_object(body.decode("utf-8", "replace")) or {}
    return [str(entry[field]) for entry in as_list(found.get(key)) if isinstance(entry, dict) and field in entry]


def _is_shallow(value: object) -> bool:
    """Whether `value` has at most _LEVELS_READ levels. Not recursive, because deep JSON breaks recursion."""
    level = [value]
    for _ in range(_LEVELS_READ):
        below: list[object] = []
        for item in level:
            if isinstance(item, dict):
                below += item.values()
            elif isinstance(item, list):
                below += item
        if not below:
            return True
        level = below
    return not any(isinstance(item, (dict, list)) for item in level)


def without_reasoning(text: str) -> str:
    """Return `text` without the model's thoughts.

    Tags may be nested. Text before an unopened closing tag and after an unclosed opening tag is a thought as well.
    """
    if "<" not in text:
        return text.strip()
    return _without_tags(_final_channel(text)).strip()


def _final_channel(text: str) -> str:
    channels = list(_CHANNEL.finditer(text))
    if not channels:
        return text
    last = channels[-1]
    if last[1] != "final":
        return ""
    return _MARK.sub("", text[last.end() :])


def _without_tags(text: str) -> str:
    kept: list[str] = []
    depth = position = 0
    for tag in _TAG.finditer(text):
        if not tag[1]:
            if depth == 0:
                kept.append(text[position : tag.start()])
            depth += 1
        elif depth == 0:
            kept.clear()
        else:
            depth -= 1
        position = tag.end()
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept)


def inline(schema: Json) -> Json:
    """Return `schema` with every `$ref` replaced by its definition, and without titles and defaults.

    Ollama drops a property that is a `$ref`, and vLLM answers one with text. Recursive definitions end as any object.
    """
    shape = dict(schema)
    definitions = shape.pop("$defs", {})
    found = _inline(shape, definitions, _SCHEMA_DEPTH)
    assert isinstance(found, dict)
    return found


def _inline(node: object, definitions: Mapping[str, object], depth: int) -> object:
    if isinstance(node, list):
        return [_inline(item, definitions, depth) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        if not depth:
            return {"type": "object"}
        rest = dict(node)
        name = str(rest.pop("$ref")).rpartition("/")[2]
        target = definitions.get(name, {"type": "object"})
        assert isinstance(target, dict)
        return _inline({**target, **rest}, definitions, depth - 1)
    kept: dict[object, object] = {}
    for key, value in node.items():
        if key == "properties" and isinstance(value, dict):
            # A property may be called `title` or `default`.
            kept[key] = {name: _inline(item, definitions, depth) for name, item in value.items()}
        elif key not in ("title", "default"):
            kept[key] = _inline(value, definitions, depth)
    return kept
