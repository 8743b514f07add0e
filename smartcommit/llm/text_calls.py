"""Tool calls that a model writes as text instead of making them: as JSON, in tags, or as in Python.

Source: the tool formats of Qwen, Hermes, Llama and Claude, as models repeat them for servers that do not parse them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from smartcommit.llm.api import ToolCall
from smartcommit.llm.json_repair import as_object, objects_in

# Keys of the arguments in a call that a model writes as text.
_ARGUMENTS = ("arguments", "parameters", "args", "input")
# Characters of one call in Python's form, whose parser takes memory for each; closing parentheses that may end it, and
# parameters of one call in tags.
_PYTHON_CHARACTERS, _ENDS_TRIED, _PARAMETERS_READ = 8000, 40, 40
# `<function=NAME>` and `<invoke name="NAME">`, with `<parameter=KEY>` and `<parameter name="KEY">` in them.
_FUNCTION = re.compile(r"<(function|invoke)(?:=| name=)[\"']?([\w-]{1,64})[\"']?>")
_PARAMETER = re.compile(r"<(parameter)(?:=| name=)[\"']?([\w-]{1,64})[\"']?>")
# `<KEY>` within `<NAME>`.
_FIELD = re.compile(r"<(([a-z]\w{0,40}))>")


def calls_in_text(text: str, offered: Sequence[str]) -> list[ToolCall]:
    """Return the calls of `offered` tools in the first form that `text` has any in."""
    for found in (_json_calls(text, offered), _tagged_calls(text, offered), _python_calls(text, offered)):
        calls = list(found)
        if calls:
            return calls
    return []


def read_arguments(value: object) -> Mapping[str, object] | str:
    """Return the arguments of a call as an object, or as text if they are none.

    They may be text, in a fence, the only item of a list, or followed by more than they need.
    """
    if value is None or value == "":
        return {}
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    found = as_object(value)
    if found is None and isinstance(value, str):
        found = next(objects_in(value), None)
    if found is None:
        return str(value)
    return found


def unwrap(found: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Return the arguments in `found`, which may be a whole call of `name` although only they were requested."""
    if found.get("name") != name:
        return found
    inner = as_object(_find_arguments(found))
    if inner is None:
        return found
    return inner


def _json_calls(text: str, offered: Sequence[str]) -> Iterator[ToolCall]:
    """Yield calls written as JSON, with or without `function` around them."""
    for found in objects_in(text):
        inner = found.get("function")
        entry = inner if isinstance(inner, dict) else found
        if entry.get("name") in offered:
            yield ToolCall(str(entry["name"]), read_arguments(_find_arguments(entry)))


def _tagged_calls(text: str, offered: Sequence[str]) -> Iterator[ToolCall]:
    """Yield calls written in tags, the parameters named in attributes or by the tags themselves."""
    for name, inner in _read_tags(_FUNCTION, text):
        if name in offered:
            yield ToolCall(name, dict(_read_tags(_PARAMETER, inner)))
    for name in offered:
        _, opening, rest = text.partition(f"<{name}>")
        if opening:
            yield ToolCall(name, dict(_read_tags(_FIELD, rest.partition(f"</{name}>")[0])))


def _read_tags(opening: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """Yield what each opening tag names, and the text up to its closing tag or, without one, to the end."""
    position = 0
    for _ in range(_PARAMETERS_READ):
        found = opening.search(text, position)
        if found is None:
            return
        inner, closing, _ = text[found.end() :].partition(f"</{found[1]}>")
        yield found[2], inner.strip()
        position = found.end() + len(inner) + len(closing)


def _python_calls(text: str, offered: Sequence[str]) -> Iterator[ToolCall]:
    """Yield calls with keywords, whose values are literals."""
    for name in offered:
        start = end = text.find(f"{name}(")
        for _ in range(_ENDS_TRIED):
            end = text.find(")", end + 1, start + _PYTHON_CHARACTERS)
            if start < 0 or end < 0:
                break
            arguments = _read_keywords(text[start : end + 1])
            if arguments:
                yield ToolCall(name, arguments)
                break


def _read_keywords(source: str) -> dict[str, object]:
    """Return the keywords of a call in Python; empty if `source` is none, or not yet a whole one."""
    try:
        call = ast.parse(source, mode="eval").body
        assert isinstance(call, ast.Call)
        return {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
    except (SyntaxError, ValueError, AssertionError, RecursionError, MemoryError):
        return {}


def _find_arguments(entry: Mapping[str, object]) -> object:
    for name in _ARGUMENTS:
        if name in entry:
            return entry[name]
    return None
