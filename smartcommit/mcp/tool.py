"""Tools whose answer is JSON of one shape, also to invalid arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

from anyio import to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools.base import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import PrivateAttr, ValidationError


class Response(Protocol):
    """A model that a tool returns."""

    status: Literal["success", "error"]

    def as_json(self) -> str:
        """Return it as JSON, without absent fields."""

    def model_dump(self, *, mode: str, by_alias: bool, exclude_none: bool) -> dict[str, Any]:
        """Return its fields."""


class JsonTool(Tool):
    """A tool that returns a `Response`."""

    _refuse: Callable[[str], Response] = PrivateAttr()

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            problems = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
            response: Any = await to_thread.run_sync(self._refuse, f"invalid arguments: {problems}")
        else:
            response = await super().run(arguments, context)
        if not hasattr(response, "as_json"):  # a question to the client
            return response
        return CallToolResult(
            content=[TextContent(type="text", text=response.as_json())],
            structured_content=response.model_dump(mode="json", by_alias=True, exclude_none=True),
            is_error=response.status == "error",
        )


def make_tool(
    function: Callable[..., Any], description: str, annotations: ToolAnnotations, refuse: Callable[[str], Response]
) -> JsonTool:
    """Return the tool that calls `function`; `refuse` makes the answer to arguments that are invalid or unknown."""
    tool = JsonTool.from_function(function, description=description, annotations=annotations)
    assert isinstance(tool, JsonTool)
    tool._refuse = refuse
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = model.model_json_schema(by_alias=True)
    return tool
