"""Tools that a model may call: their schema, and the validation of arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from smartcommit.errors import ToolRetry
from smartcommit.llm.api import Json
from smartcommit.llm.json_repair import as_object, inline

Tool = TypeVar("Tool", bound=Callable[..., Any])


def tool(
    model: type[BaseModel], *, whole: bool = False, evidence: bool = True, alone: bool = True
) -> Callable[[Tool], Tool]:
    """Make a function a tool whose arguments are a `model`.

    The function takes `(args, *, analyzer, **kwargs)` and returns text; its docstring is what the model reads. What it
    raises as ToolRetry, or any ValueError, tells the model how to mend its arguments; ToolFailed tells why not. `whole`
    results are never cut or left out later. `evidence` is False for tools that show other changes than this one, and
    `alone` for one whose call is worth nothing unless others were made before it.
    """

    def attach(function: Tool) -> Tool:
        function._tool_model = model  # type: ignore[attr-defined]
        function._tool_whole = whole  # type: ignore[attr-defined]
        function._tool_evidence = evidence  # type: ignore[attr-defined]
        function._tool_alone = alone  # type: ignore[attr-defined]
        function._tool_spec = {  # type: ignore[attr-defined]
            "type": "function",
            "function": {
                "name": function.__name__,
                "description": inspect.cleandoc(function.__doc__ or ""),
                "parameters": _parameters(model),
            },
        }
        return function

    return attach


def spec_of(function: Callable[..., Any]) -> Json:
    """What a model is told of a tool."""
    spec: Json = vars(function)["_tool_spec"]
    return spec


def name_of(function: Callable[..., Any]) -> str:
    """The name that the model knows a tool by."""
    name = spec_of(function)["function"]["name"]
    assert isinstance(name, str)
    return name


def needs_others(function: Callable[..., Any]) -> bool:
    """Whether a call of this tool is worth nothing unless others were made before it."""
    return vars(function)["_tool_alone"] is False


def read_arguments(function: Callable[..., Any], arguments: Mapping[str, object] | str) -> Any:
    """The tool's arguments, checked; a value that a model put into text is taken out of it where that helps.

    Raises: ToolRetry with what is wrong with each.
    """
    model = function._tool_model  # type: ignore[attr-defined]
    if isinstance(arguments, str):
        raise ToolRetry("the arguments are not a JSON object, or are too long or nested too deeply")
    try:
        args = model.model_validate(arguments)
    except ValidationError as error:
        try:
            args = model.model_validate({name: _decoded(value) for name, value in arguments.items()})
        except ValidationError:
            raise ToolRetry(_explained(error)) from None
    # A model may bring itself into order once it is read.
    if hasattr(args, "post_process"):
        args.post_process()
    assert isinstance(args, BaseModel)
    return args


def _parameters(model: type[BaseModel]) -> dict[str, Any]:
    shape = inline(model.model_json_schema())
    # What pydantic takes from the class is for its reader, not for the model.
    return {key: value for key, value in shape.items() if key != "description"}


def _decoded(value: object) -> object:
    """What a text holds that is a JSON object or list, else the value as it is."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        found = as_object('{"value": ' + value + "}")
        return found["value"] if found else value
    return value


def _explained(error: ValidationError) -> str:
    problems = []
    for problem in error.errors(include_url=False, include_input=False)[:8]:
        place = ".".join(map(str, problem["loc"]))
        problems.append(f"{place}: {problem['msg']}" if place else problem["msg"])
    return "; ".join(problems)
