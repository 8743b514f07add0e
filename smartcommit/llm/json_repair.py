"""JSON where a model was asked for it: as an object, as text, encoded twice, or somewhere in prose."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

# A longer text is no tool call, and more braces that open nothing are noise: both bounds keep this linear.
_LENGTH = 1 << 16
_TRIES = 40
# Levels of objects and lists. Answers need about ten, and most code that walks JSON recurses once per level.
_DEPTH = 64


def as_object(value: object) -> Mapping[str, object] | None:
    """The JSON object that `value` is or, as text, encodes; at most twice over.

    None where it is none, or is nested more than _DEPTH levels deep.
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
    """The outermost JSON objects in `text`, in order; everything between them is passed over."""
    text = text[:_LENGTH]
    decoder = json.JSONDecoder(strict=False)
    position = text.find("{")
    for _ in range(_TRIES):
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


def names_in(body: bytes, key: str, field: str) -> list[str]:
    """`field` of each entry in the list `key` of a JSON object; empty where `body` is anything else."""
    found = as_object(body.decode("utf-8", "replace"))
    entries = found.get(key) if found is not None else None
    if not isinstance(entries, list):
        return []
    return [str(entry[field]) for entry in entries if isinstance(entry, dict) and field in entry]


def _is_shallow(value: object) -> bool:
    """Whether `value` has at most _DEPTH levels; without recursion, which is what deep JSON breaks."""
    level = [value]
    for _ in range(_DEPTH):
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
