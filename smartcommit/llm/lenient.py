"""JSON where a model was asked for it: as an object, as text, encoded twice, or somewhere in prose."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

# A longer text is no tool call, and more braces that open nothing are noise: both bounds keep this linear.
_LENGTH = 1 << 16
_TRIES = 40


def as_object(value: object) -> Mapping[str, object] | None:
    """The JSON object that `value` is or, as text, encodes; at most twice over. None where it is none."""
    for _ in range(3):
        if isinstance(value, dict):
            return value
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
            if isinstance(found, dict):
                yield found
        position = text.find("{", end)
