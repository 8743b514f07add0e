"""Tools that a model may call: their schema, and the validation of arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from smartcommit.errors import ToolRetry
from smartcommit.llm.api import Json, as_object

Tool = TypeVar("Tool", bound=Callable[..., Any])
# Levels of definitions within definitions that a schema keeps.
_SCHEMA_DEPTH = 12


@dataclass(frozen=True, slots=True)
class Traits:
    """How the loop treats a tool.

    A `whole` result is never truncated or omitted. `evidence` is False if the tool shows changes other than this one. A
    tool that comes `first` can be called at once, with what the first messages say. `read_text` returns the arguments
    of the call that a text stands for, or None. `describe` returns what a call with valid arguments is about, for the
    log, if they do not say it themselves. `find_needed` returns the tool without whose call one of this tool is of no
    use yet.
    """

    whole: bool = False
    evidence: bool = True
    first: bool = False
    read_text: Callable[[str], Mapping[str, object] | None] = lambda text: None
    describe: Callable[[Any], str] = lambda args: ""
    find_needed: Callable[[], Callable[..., Any] | None] = lambda: None


def tool(model: type[BaseModel], **traits: Any) -> Callable[[Tool], Tool]:
    """Make a function a tool with arguments of the type `model` and these Traits.

    The function takes `(args, *, analyzer, **kwargs)` and returns text; its docstring is the description that the model
    reads. It raises ToolRetry, or any ValueError, if the model should fix its arguments, and ToolFailed if it cannot
    help.
    """

    def attach(function: Tool) -> Tool:
        schema = model.model_json_schema()
        parameters = inline(schema, schema.get("$defs", {}))
        # pydantic takes this from the docstring of the class, which is not written for the model.
        parameters.pop("description", None)
        described = {
            "name": function.__name__,
            "description": inspect.cleandoc(function.__doc__ or ""),
            "parameters": parameters,
        }
        spec = {"type": "function", "function": described}
        vars(function).update(_tool_model=model, _tool_spec=spec, _tool_traits=Traits(**traits))
        return function

    return attach


def spec_of(function: Callable[..., Any]) -> Json:
    spec: Json = vars(function)["_tool_spec"]
    return spec


def name_of(function: Callable[..., Any]) -> str:
    return str(spec_of(function)["function"]["name"])


def traits_of(function: Callable[..., Any]) -> Traits:
    traits: Traits = vars(function)["_tool_traits"]
    return traits


def read_arguments(function: Callable[..., Any], arguments: Mapping[str, object] | str) -> Any:
    """Validate the arguments of a call; also accept objects and lists that the model encoded as text, and a text that
    stands for the call.

    Raise ToolRetry, with a description of what is wrong.
    """
    model: type[BaseModel] = vars(function)["_tool_model"]
    given = traits_of(function).read_text(arguments) if isinstance(arguments, str) else arguments
    if given is None:
        raise ToolRetry("the arguments are not a JSON object, or are too long or nested too deeply")
    try:
        return model.model_validate(given)
    except ValidationError as error:
        try:
            return model.model_validate({name: _decode(value) for name, value in given.items()})
        except ValidationError:
            raise ToolRetry(explain_validation(error, limit=8)) from None


def explain_validation(error: ValidationError, *, limit: int) -> str:
    problems = []
    for problem in error.errors(include_url=False, include_input=False)[:limit]:
        place = ".".join(str(part) for part in problem["loc"])
        sentence = f"{place}: {problem['msg']}" if place else problem["msg"]
        problems.append(f"'{place}' is missing" if problem["type"] == "missing" else sentence)
    return "; ".join(problems)


def inline(node: Any, definitions: Json, depth: int = _SCHEMA_DEPTH) -> Any:
    """Return a part of a schema with every `$ref` replaced by its definition, and without titles and defaults.

    Ollama drops a property that is a `$ref`, and vLLM answers one with text. Recursive definitions end as any object.
    """
    if isinstance(node, list):
        return [inline(item, definitions, depth) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        if not depth:
            return {"type": "object"}
        rest = dict(node)
        named = definitions[rest.pop("$ref").rpartition("/")[2]]
        return inline({**named, **rest}, definitions, depth - 1)
    inlined = {}
    for key, value in node.items():
        if key == "properties":
            # A property may be called `title` or `default`.
            inlined[key] = {name: inline(item, definitions, depth) for name, item in value.items()}
        elif key not in ("title", "default", "$defs"):
            inlined[key] = inline(value, definitions, depth)
    return inlined


def _decode(value: object) -> object:
    """Return the JSON object or list that a text encodes, else `value` itself."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        decoded = as_object('{"value": ' + value + "}") or {}
        return decoded.get("value", value)
    return value
