"""The planner's tools for MCP clients.

The tools are the methods of `Tools`, whose docstrings are for the client's model. Questions to the user or to that
model go through resolvers, which both eras have. Requesting a capability that the client lacks is an error, so it is
checked first.
"""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve, Sample
from mcp.types import ClientCapabilities, CreateMessageResult, SamplingMessage, TextContent
from pydantic import BaseModel, Field

from smartcommit.jj import guidance
from smartcommit.jj.guidance import PlanSnapshot
from smartcommit.jj.models import ToolResponse
from smartcommit.jj.tools import Choice, Tools
from smartcommit.mcp.tool import JsonTool, make_tool

ToolsContext = Context[Tools, Any]
# Tokens that a client's model may use for a reformatted message.
_MAX_TOKENS = 4000
INSTRUCTIONS = f"Keeps a plan in the description of jj's working-copy commit. Usual order: {guidance.WORKFLOW}."


class ChoiceForm(BaseModel):
    """What to do with a message that is no plan."""

    choice: Choice = Field(description="A) reformat this commit, B) work with it as read-only context")


def _read_change(ctx: ToolsContext) -> PlanSnapshot:
    return _tools(ctx).take_snapshot()


Change = Annotated[PlanSnapshot, Resolve(_read_change)]


def _request_choice(
    ctx: ToolsContext, choice: Choice | None, snapshot: Change
) -> Elicit[ChoiceForm] | ChoiceForm | None:
    if choice is not None:
        return ChoiceForm(choice=choice)
    if snapshot.reading.malformed and _can_elicit(ctx.client_capabilities):
        return Elicit(guidance.template(snapshot.reading.text), ChoiceForm)
    return None


def _request_sample(
    ctx: ToolsContext,
    snapshot: Change,
    chosen: Annotated[ElicitationResult[ChoiceForm], Resolve(_request_choice)],
) -> Sample | None:
    able = ctx.client_capabilities
    if not snapshot.reading.malformed or _choice(chosen) != "A":
        return None
    if able is None or able.sampling is None:
        return None
    prompt = guidance.sampling_prompt(snapshot.reading.text, snapshot.reading.problems, snapshot.rules)
    return Sample([SamplingMessage(role="user", content=TextContent(type="text", text=prompt))], max_tokens=_MAX_TOKENS)


def verify_plan(
    ctx: ToolsContext,
    *,
    snapshot: Change,
    chosen: Annotated[ElicitationResult[ChoiceForm], Resolve(_request_choice)],
    sampled: Annotated[CreateMessageResult | None, Resolve(_request_sample)],
    choice: Annotated[
        Choice | None, Field(description="A) reformat a malformed message, B) leave it read-only")
    ] = None,
) -> ToolResponse:
    proposal = None
    if sampled is not None:
        # Empty if it is no text.
        proposal = getattr(sampled.content, "text", "")
    return _tools(ctx).verify_plan(_choice(chosen), snapshot=snapshot, proposal=proposal)


def list_tools(tools: Tools) -> list[JsonTool]:
    made = []
    for name in guidance.TOOLS:
        method = getattr(tools, name)
        function = method
        if name == "verify_plan":
            # Only this one may have to ask the client.
            function = verify_plan
        tool = make_tool(function, tools.refuse, described=method)
        if "summary" in tool.parameters["properties"]:
            tool.parameters["properties"]["summary"]["description"] = guidance.describe_summary(tools.rules)
        made.append(tool)
    return made


def add_prompt(server: MCPServer[Any], tools: Tools) -> None:

    @server.prompt(name="plan_a_change", title="Plan a change")
    def plan_a_change(goal: str = "") -> str:
        """How to plan a change with these tools: workflow, practice and format; `goal` is what the change should do."""
        text = guidance.guide(tools.rules)
        if goal:
            text += f"\n\n## The goal\n{goal}"
        return text


def _tools(ctx: ToolsContext) -> Tools:
    return ctx.request_context.lifespan_context


def _choice(outcome: ElicitationResult[ChoiceForm]) -> Choice | None:
    """Return the choice given with the call or by the user, None if the user declined."""
    form: ChoiceForm | None = getattr(outcome, "data", None)
    if form is None:
        return None
    return form.choice


def _can_elicit(capabilities: ClientCapabilities | None) -> bool:
    """Whether the client shows forms. A capability without a mode means forms, the only mode of earlier versions."""
    if capabilities is None or capabilities.elicitation is None:
        return False
    return capabilities.elicitation.form is not None or capabilities.elicitation.url is None
