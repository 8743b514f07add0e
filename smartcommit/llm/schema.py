"""JSON schemas in the form that every server understands."""

from __future__ import annotations

from collections.abc import Mapping

from smartcommit.llm.api import Json

_DEPTH = 12


def inline(schema: Json) -> Json:
    """`schema` with every `$ref` replaced by what it names, and without titles and defaults.

    Ollama drops a property that is a `$ref`, and vLLM answers one with text. What is recursive ends as any object.
    """
    definitions = schema.get("$defs", {})
    found = _inline({key: value for key, value in schema.items() if key != "$defs"}, definitions, _DEPTH)
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
        name = str(node["$ref"]).rpartition("/")[2]
        rest = {key: value for key, value in node.items() if key != "$ref"}
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
