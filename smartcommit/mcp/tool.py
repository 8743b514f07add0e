"""Tools whose answer is JSON of one shape, also to errors and invalid arguments."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

from anyio import to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools.base import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, PrivateAttr, ValidationError

from smartcommit.agent.tool import explain_validation
from smartcommit.errors import SmartcommitError, explain

# Makes the response to a call that cannot be made, of the reason.
Refuse = Callable[[str], BaseModel]
_PROBLEMS_SHOWN = 8
# Tools that only read, those that replace or undo something, and those that do more if they are repeated.
_READS = {"get_plan", "get_constraints", "get_tasks"}
_REPLACES = {"start_planning", "update_description", "set_constraints", "set_tasks", "verify_plan"}
_ACCUMULATES = {"mark_task"}


class JsonTool(Tool):
    """A tool that returns a model with a `status`."""

    _refuse: Refuse = PrivateAttr()

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        try:
            response = await super().run(arguments, context)
        except ToolError as error:
            response = await to_thread.run_sync(self._respond_to, error)
        if not hasattr(response, "status"):  # a question to the client
            return response
        document = response.model_dump(mode="json", by_alias=True, exclude_none=True)
        text = TextContent(type="text", text=json.dumps(document))
        return CallToolResult(content=[text], structured_content=document, is_error=response.status == "error")

    def _respond_to(self, error: ToolError) -> BaseModel:
        cause = error.__cause__
        if isinstance(cause, ValidationError):
            return self._refuse(f"invalid arguments: {explain_validation(cause, limit=_PROBLEMS_SHOWN)}")
        if not isinstance(cause, SmartcommitError):
            raise error
        return self._refuse(explain(cause))


def make_tool(function: Callable[..., Any], refuse: Refuse, *, described: Callable[..., Any]) -> JsonTool:
    """Return the tool that calls `function`, with the docstring of another one for the client's model."""
    name = function.__name__
    annotations = ToolAnnotations(
        read_only_hint=name in _READS, destructive_hint=name in _REPLACES,
        idempotent_hint=name not in _ACCUMULATES, open_world_hint=False,
    )  # fmt: skip
    description = inspect.getdoc(described)
    made = JsonTool.from_function(function, description=description, annotations=annotations)
    assert isinstance(made, JsonTool)
    made._refuse = refuse
    model = made.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    made.parameters = model.model_json_schema(by_alias=True)
    return made
