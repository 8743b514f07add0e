"""Tools whose answer is JSON of one shape, also to invalid arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from anyio import to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools.base import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, PrivateAttr, ValidationError

from smartcommit.agent.tool import explain_validation

_PROBLEMS_SHOWN = 8


class JsonTool(Tool):
    """A tool that returns a model with a `status` and a text."""

    _refuse: Callable[[str], BaseModel] = PrivateAttr()

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            problems = explain_validation(error, limit=_PROBLEMS_SHOWN)
            response: Any = await to_thread.run_sync(self._refuse, f"invalid arguments: {problems}")
        else:
            response = await super().run(arguments, context)
        if not hasattr(response, "status"):  # a question to the client
            return response
        return CallToolResult(
            content=[TextContent(type="text", text=response.model_dump_json(by_alias=True, exclude_none=True))],
            structured_content=response.model_dump(mode="json", by_alias=True, exclude_none=True),
            is_error=response.status == "error",
        )


def make_tool(
    method: Callable[..., Any], refuse: Callable[[str], BaseModel], *, reads: bool, replaces: bool, repeatable: bool,
    function: Callable[..., Any] | None = None,
) -> JsonTool:  # fmt: skip
    """Return the tool that calls `method`, or `function` in its place; the docstring of `method` describes it.

    It `reads` alone, or `replaces` something, and may be `repeatable`. `refuse` makes the answer to arguments that are
    invalid or unknown.
    """
    annotations = ToolAnnotations(
        read_only_hint=reads, destructive_hint=replaces, idempotent_hint=repeatable, open_world_hint=False
    )
    described = inspect.getdoc(method) or ""
    tool = JsonTool.from_function(function or method, description=described, annotations=annotations)
    assert isinstance(tool, JsonTool)
    tool._refuse = refuse
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = model.model_json_schema(by_alias=True)
    return tool
