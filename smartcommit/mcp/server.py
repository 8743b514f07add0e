"""The MCP server on standard input and output, with the planner's tools.

The tools are the methods of `Planner`, whose docstrings are for the client's model. Each answer is JSON of one shape,
also that to invalid arguments. `verify_plan` may ask the user first, by a resolver: the library sends the question
during the call or as its answer, as the client's version of the protocol has it.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any

from anyio import from_thread, to_thread
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.server.mcpserver.tools.base import Tool
from mcp.types import CallToolResult, ClientCapabilities, TextContent, ToolAnnotations
from pydantic import BaseModel, Field, PrivateAttr, ValidationError

from smartcommit import __version__
from smartcommit.agent.tool import explain_validation
from smartcommit.errors import SmartcommitError, explain
from smartcommit.jj import guidance
from smartcommit.jj.guidance import PlanSnapshot
from smartcommit.jj.models import ToolResponse
from smartcommit.jj.tools import Choice, Planner

ToolsContext = Context[Planner, Any]
_INSTRUCTIONS = f"Keeps a plan in the description of jj's working-copy commit. Usual order: {guidance.WORKFLOW}."
_PROBLEMS_SHOWN = 8
# Tools that only read, those that replace or undo something, and those that do more if they are repeated.
_READS = {"get_plan", "get_constraints", "get_tasks"}
_REPLACES = {"start_planning", "update_description", "set_constraints", "set_tasks", "verify_plan"}
_ACCUMULATES = {"mark_task"}


class JsonTool(Tool):
    """A tool that returns a ToolResponse, also to a call that cannot be made: `_refuse` makes it, of the reason."""

    _refuse: Callable[[str], ToolResponse] = PrivateAttr()

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        try:
            response = await super().run(arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                reason = f"invalid arguments: {explain_validation(cause, limit=_PROBLEMS_SHOWN)}"
            elif isinstance(cause, SmartcommitError):
                reason = explain(cause)
            else:
                raise
            response = await to_thread.run_sync(self._refuse, reason)
        if not isinstance(response, ToolResponse):
            # A question to the user, as the library has it.
            return response
        document = response.model_dump(mode="json", by_alias=True, exclude_none=True)
        text = TextContent(type="text", text=json.dumps(document))
        return CallToolResult(content=[text], structured_content=document, is_error=response.status == "error")


def _make_tool(tools: Planner, name: str) -> JsonTool:
    method = getattr(tools, name)
    # Only this one may have to ask the client.
    function = verify_plan if name == "verify_plan" else method
    annotations = ToolAnnotations(
        read_only_hint=name in _READS, destructive_hint=name in _REPLACES,
        idempotent_hint=name not in _ACCUMULATES, open_world_hint=False,
    )  # fmt: skip
    tool = JsonTool.from_function(function, description=inspect.getdoc(method), annotations=annotations)
    assert isinstance(tool, JsonTool)
    tool._refuse = tools.refuse
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = model.model_json_schema(by_alias=True)
    if "summary" in tool.parameters["properties"]:
        tool.parameters["properties"]["summary"]["description"] = guidance.describe_summary(tools.rules)
    return tool


class ChoiceForm(BaseModel):
    """What to do with a message that is no plan."""

    choice: Choice = Field(description="A) reformat this commit, B) work with it as read-only context")


def _find_planner(ctx: ToolsContext) -> Planner:
    """Return what `build_server` has served, which is the library's lifespan context."""
    return ctx.request_context.lifespan_context


def _read_change(ctx: ToolsContext) -> PlanSnapshot:
    return _find_planner(ctx).take_snapshot()


Change = Annotated[PlanSnapshot, Resolve(_read_change)]


def _request_choice(
    ctx: ToolsContext, choice: Choice | None, snapshot: Change
) -> Elicit[ChoiceForm] | ChoiceForm | None:
    if choice is not None:
        return ChoiceForm(choice=choice)
    # A question to a client that cannot show it is an error of the call.
    if snapshot.reading.malformed and _can_elicit(ctx.client_capabilities):
        return Elicit(guidance.write_template(snapshot.reading.text), ChoiceForm)
    return None


def verify_plan(
    ctx: ToolsContext,
    *,
    snapshot: Change,
    chosen: Annotated[ElicitationResult[ChoiceForm], Resolve(_request_choice)],
    choice: Annotated[
        Choice | None, Field(description="A) reformat a malformed message, B) leave it read-only")
    ] = None,
) -> ToolResponse:
    """Verify by what was `chosen`, which `_request_choice` finds in `choice` or asks the user for.

    The user may have declined, or nothing had to be asked.
    """
    if isinstance(chosen, AcceptedElicitation) and chosen.data is not None:
        return _find_planner(ctx).verify_plan(chosen.data.choice, snapshot=snapshot)
    return _find_planner(ctx).verify_plan(None, snapshot=snapshot)


def _can_elicit(capabilities: ClientCapabilities | None) -> bool:
    """Whether the client shows forms. A capability without a mode means forms, the only mode of earlier versions."""
    asking = capabilities.elicitation if capabilities is not None else None
    return asking is not None and (asking.form is not None or asking.url is None)


def build_server(tools: Planner) -> MCPServer[Planner]:
    # A call that the client cancels must not write: the client may repeat it.
    tools.check = from_thread.check_cancelled

    @asynccontextmanager
    async def lifespan(_: MCPServer[Planner]) -> AsyncIterator[Planner]:
        yield tools

    server = MCPServer[Planner](
        "smartcommit",
        instructions=_INSTRUCTIONS,
        version=__version__,
        tools=[_make_tool(tools, name) for name in guidance.TOOLS],
        lifespan=lifespan,
        log_level="WARNING",
    )

    @server.prompt(name="plan_a_change", title="Plan a change")
    def plan_a_change(goal: str = "") -> str:
        """How to plan a change with these tools: workflow, practice and format; `goal` is what the change should do."""
        text = guidance.write_guide(tools.rules)
        if goal:
            text += f"\n\n## The goal\n{goal}"
        return text

    return server


def serve(tools: Planner) -> None:
    """Serve on standard input and output, as `build_server`, until the client disconnects."""
    try:
        build_server(tools).run("stdio")
    except* BrokenPipeError:
        pass  # the client has gone without a word
