"""JSON from model servers, whose values may be of any type, and schemas in the form that all of them take."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from smartcommit.llm.api import Json

# A longer text is no part of an answer that anyone uses.
_CHARACTERS = 1 << 16
# Levels of objects and lists. Answers need about ten, and most code that walks JSON recurses once per level.
_LEVELS_READ = 64
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
            return value if is_shallow(value) else None
        if not isinstance(value, str):
            return None
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return None


def keep_texts(found: Json, keys: Sequence[str]) -> Json:
    """Return the items of `found` with these keys that hold something, unless it is longer than anyone uses."""
    return {key: found[key] for key in keys if found.get(key) and len(str(found[key])) <= _CHARACTERS}


def names_in(body: bytes, key: str, field: str) -> list[str]:
    """Return `field` of each entry in the list `key` of a JSON object; empty if `body` is anything else."""
    found = as_object(body.decode("utf-8", "replace")) or {}
    return [str(entry[field]) for entry in as_list(found.get(key)) if isinstance(entry, dict) and field in entry]


def is_shallow(value: object) -> bool:
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
