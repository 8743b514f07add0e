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
    model: type[BaseModel],
    *,
    whole: bool = False,
    evidence: bool = True,
    first: bool = False,
    read_text: Callable[[str], Mapping[str, object] | None] = lambda text: None,
    describe: Callable[[Any], str] = lambda args: "",
    find_needed: Callable[[], Callable[..., Any] | None] = lambda: None,
) -> Callable[[Tool], Tool]:
    """Make a function a tool with arguments of the type `model`.

    The function takes `(args, *, analyzer, **kwargs)` and returns text; its docstring is the description that the model
    reads. It raises ToolRetry, or any ValueError, if the model should fix its arguments, and ToolFailed if it cannot
    help. A `whole` result is never truncated or omitted. `evidence` is False if the tool shows changes other than this
    one. A tool that comes `first` can be called at once, with what the first messages say. `read_text` returns the
    arguments of the call that a text stands for, or None. `describe` returns what a call with valid arguments is about,
    for the log, if they do not say it themselves. `find_needed` returns the tool without whose call one of this tool is
    of no use yet.
    """

    def attach(function: Tool) -> Tool:
        described = {
            "name": function.__name__,
            "description": inspect.cleandoc(function.__doc__ or ""),
            "parameters": _parameters(model),
        }
        vars(function).update(
            _tool_model=model,
            _tool_whole=whole,
            _tool_evidence=evidence,
            _tool_first=first,
            _tool_read_text=read_text,
            _tool_describe=describe,
            _tool_find_needed=find_needed,
            _tool_spec={"type": "function", "function": described},
        )
        return function

    return attach


def spec_of(function: Callable[..., Any]) -> Json:
    """Return the specification of a tool, as model servers take it."""
    spec: Json = vars(function)["_tool_spec"]
    return spec


def name_of(function: Callable[..., Any]) -> str:
    """Return the name by which the model calls a tool."""
    name = spec_of(function)["function"]["name"]
    assert isinstance(name, str)
    return name


def find_needed(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the tool without whose call one of this tool is of no use yet, None if it is of use."""
    needed: Callable[..., Any] | None = vars(function)["_tool_find_needed"]()
    return needed


def comes_first(function: Callable[..., Any]) -> bool:
    """Whether this tool can be called at once, with what the first messages say."""
    return vars(function)["_tool_first"] is True


def read_text(function: Callable[..., Any], text: str) -> Mapping[str, object] | None:
    """Return the arguments of the call of this tool that `text` stands for, or None."""
    found: Mapping[str, object] | None = vars(function)["_tool_read_text"](text)
    return found


def describe_call(function: Callable[..., Any], arguments: Mapping[str, object] | str) -> str:
    """Return what a call of this tool is about; empty if its arguments say that, or are invalid."""
    try:
        described: str = vars(function)["_tool_describe"](read_arguments(function, arguments))
    except ValueError:
        return ""
    return described


def read_arguments(function: Callable[..., Any], arguments: Mapping[str, object] | str) -> Any:
    """Validate the arguments of a call; also accept objects and lists that the model encoded as text, and a text that
    stands for the call.

    Raise ToolRetry, with a description of what is wrong.
    """
    model: type[BaseModel] = vars(function)["_tool_model"]
    given = read_text(function, arguments) if isinstance(arguments, str) else arguments
    if given is None:
        raise ToolRetry("the arguments are not a JSON object, or are too long or nested too deeply")
    try:
        args = model.model_validate(given)
    except ValidationError as error:
        try:
            args = model.model_validate({name: _decode(value) for name, value in given.items()})
        except ValidationError:
            raise ToolRetry(explain_validation(error, limit=8)) from None
    # Models of arguments may clean up their values.
    if hasattr(args, "post_process"):
        args.post_process()
    assert isinstance(args, BaseModel)
    return args


def explain_validation(error: ValidationError, *, limit: int) -> str:
    """Return the first `limit` errors of pydantic as text, each with the path of the value."""
    problems = []
    for problem in error.errors(include_url=False, include_input=False)[:limit]:
        place = ".".join(map(str, problem["loc"]))
        problems.append(": ".join(filter(None, (place, problem["msg"]))))
    return "; ".join(problems)


def _parameters(model: type[BaseModel]) -> dict[str, Any]:
    schema = inline(model.model_json_schema())
    # pydantic takes this from the docstring of the class, which is not written for the model.
    schema.pop("description", None)
    return schema


def _decode(value: object) -> object:
    """Return the JSON object or list that a text encodes, else `value` itself."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        found = as_object('{"value": ' + value + "}") or {}
        return found.get("value", value)
    return value
