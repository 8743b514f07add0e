"""MCP server for the planner; the only module that needs the `mcp` extra.

The tools are the methods of `Tools`, whose docstrings are for the client's model. Questions to the user or to that
model go through resolvers, which both eras have. Requesting a capability that the client lacks is an error, so it is
checked first.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal, TextIO, cast

from anyio import AsyncFile, from_thread, to_thread, wrap_file
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve, Sample
from mcp.server.mcpserver.tools.base import Tool
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolResult,
    ClientCapabilities,
    CreateMessageResult,
    SamplingMessage,
    TextContent,
    ToolAnnotations,
)
from pydantic import BaseModel, Field, ValidationError

from smartcommit import __version__
from smartcommit.errors import SmartcommitError
from smartcommit.jj import guidance
from smartcommit.jj.guidance import PlanSnapshot
from smartcommit.jj.models import ToolResponse
from smartcommit.jj.tools import Choice, Tools

ToolsContext = Context[Tools, Any]
# Tokens that a client's model may use for a reformatted message.
_MAX_TOKENS = 4000
# A pair of surrogates or any other escape in JSON, which is kept, or half of a pair.
_SURROGATE = re.compile(r"(\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u(?![dD][89a-fA-F])|\\[^u])|\\u....")
_READS = ("get_plan", "get_constraints", "get_tasks")
# These replace a text; the other edits change one thing.
_REPLACES = ("start_planning", "update_description", "set_constraints", "set_tasks", "verify_plan")


class ChoiceForm(BaseModel):
    """What to do with a message that is no plan."""

    choice: Choice = Field(description="A) reformat this commit, B) work with it as read-only context")


def _read_change(ctx: ToolsContext) -> PlanSnapshot | None:
    """Return the change, None if that fails: the tool itself then meets the same error, and responds with it."""
    try:
        return _tools(ctx).take_snapshot()
    except SmartcommitError:
        return None


def _request_choice(
    ctx: ToolsContext, choice: Choice | None, snapshot: Annotated[PlanSnapshot | None, Resolve(_read_change)]
) -> Elicit[ChoiceForm] | Choice | None:
    if choice is None and snapshot is not None and snapshot.reading.malformed and _can_elicit(ctx.client_capabilities):
        return Elicit(guidance.template(snapshot.reading.text), ChoiceForm)
    return choice


def _request_sample(
    ctx: ToolsContext,
    snapshot: Annotated[PlanSnapshot | None, Resolve(_read_change)],
    chosen: Annotated[ElicitationResult[ChoiceForm], Resolve(_request_choice)],
) -> Sample | None:
    if snapshot is None or not snapshot.reading.malformed or _choice(chosen) != "A":
        return None
    if not _can_sample(ctx.client_capabilities):
        return None
    prompt = guidance.sampling_prompt(snapshot.reading.text, snapshot.reading.problems, snapshot.rules)
    return Sample([SamplingMessage(role="user", content=TextContent(type="text", text=prompt))], max_tokens=_MAX_TOKENS)


def verify_plan(
    ctx: ToolsContext,
    *,
    snapshot: Annotated[PlanSnapshot | None, Resolve(_read_change)],
    chosen: Annotated[ElicitationResult[ChoiceForm], Resolve(_request_choice)],
    sampled: Annotated[CreateMessageResult | None, Resolve(_request_sample)],
    choice: Annotated[
        Choice | None, Field(description="A) reformat a malformed message, B) leave it read-only")
    ] = None,
) -> ToolResponse:
    if snapshot is not None:
        choice = _choice(chosen)
    proposal = None
    if sampled is not None:
        proposal = sampled.content.text if isinstance(sampled.content, TextContent) else ""
    return _tools(ctx).verify_plan(choice, snapshot=snapshot, proposal=proposal)


def build_server(tools: Tools) -> MCPServer[Tools]:
    """Return a server of `tools`, with a resource for the current plan and a prompt that explains how to plan."""
    # A call that the client cancels must not write: the client may repeat it.
    tools.check = from_thread.check_cancelled
    summary = guidance.describe_summary(tools.rules)

    @asynccontextmanager
    async def lifespan(_: MCPServer[Tools]) -> AsyncIterator[Tools]:
        yield tools

    server = _Server(
        "smartcommit",
        title="Commit planner for jj",
        instructions=f"Keeps a plan in the description of jj's working-copy commit. Usual order: {guidance.WORKFLOW}.",
        version=__version__,
        tools=[_make_tool(getattr(tools, name), summary) for name in guidance.TOOLS],
        lifespan=lifespan,
        log_level="WARNING",
    )

    @server.resource("plan://current", name="current plan", mime_type="application/json")
    def current_plan() -> str:
        """The plan in the working-copy commit's description, as returned by get_plan."""
        return tools.get_plan().as_json(indent=2)

    @server.prompt(name="plan_a_change", title="Plan a change")
    def plan_a_change(goal: str = "") -> str:
        """How to plan a change with these tools: workflow, practice and format; `goal` is what the change should do."""
        text = guidance.guide(tools.rules)
        if goal:
            text += f"\n\n## The goal\n{goal}"
        return text

    return server


def serve(tools: Tools) -> None:
    """Serve `tools` on standard input and output until the client disconnects."""
    try:
        build_server(tools).run("stdio")
    except* BrokenPipeError:
        pass  # the client has gone without a word


class _Server(MCPServer[Tools]):
    """A server that reads JSON with half a surrogate pair too: the SDK would drop the call and never answer."""

    async def run_stdio_async(self) -> None:
        # Processes that we start must not read what the client sends.
        stdin = os.fdopen(os.dup(0), encoding="utf-8", errors="replace")
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        lines = cast("AsyncFile[str]", _repair(stdin))
        async with stdio_server(lines) as (read, write):
            await self._lowlevel_server.run(read, write, self._lowlevel_server.create_initialization_options())


async def _repair(stdin: TextIO) -> AsyncIterator[str]:
    """Yield the lines of `stdin`, with U+FFFD for each half of a surrogate pair, which no text can hold."""
    async for line in wrap_file(stdin):
        yield _SURROGATE.sub(lambda escape: escape[1] or r"\ufffd", line)


class _Tool(Tool):
    """A tool that returns a `ToolResponse`, also to invalid arguments: with the state of the plan, as to any error."""

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            problems = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
            response = await to_thread.run_sync(_tools(context).refuse, f"invalid arguments: {problems}")
        else:
            response = await super().run(arguments, context)
        if not isinstance(response, ToolResponse):  # a question to the client
            return response
        return CallToolResult(
            content=[TextContent(type="text", text=response.as_json())],
            structured_content=response.model_dump(mode="json", by_alias=True, exclude_none=True),
            is_error=response.status == "error",
        )


def _make_tool(method: Callable[..., ToolResponse], summary: str) -> Tool:
    """Return the tool for a method of `Tools`; it rejects unknown arguments, such as misspelt ones.

    `summary` describes the summary that some of them have.
    """
    name = method.__name__
    tool = _Tool.from_function(
        # Only this one may have to ask the client.
        verify_plan if name == "verify_plan" else method,
        description=inspect.getdoc(method),
        annotations=ToolAnnotations(
            read_only_hint=name in _READS,
            destructive_hint=name in _REPLACES,
            # A task is toggled unless its state is given.
            idempotent_hint=name != "mark_task",
            open_world_hint=False,
        ),
    )
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = model.model_json_schema(by_alias=True)
    if "summary" in tool.parameters["properties"]:
        tool.parameters["properties"]["summary"]["description"] = summary
    return tool


def _tools(ctx: ToolsContext) -> Tools:
    return ctx.request_context.lifespan_context


def _choice(outcome: ElicitationResult[ChoiceForm]) -> Literal["A", "B"] | None:
    """Return the choice given with the call or by the user, None if the user declined."""
    if not isinstance(outcome, AcceptedElicitation):
        return None
    # A value that the resolver returns is wrapped like the user's answer.
    data: Any = outcome.data
    return data.choice if isinstance(data, ChoiceForm) else data


def _can_sample(capabilities: ClientCapabilities | None) -> bool:
    return capabilities is not None and capabilities.sampling is not None


def _can_elicit(capabilities: ClientCapabilities | None) -> bool:
    """Whether the client shows forms. A capability without a mode means forms, the only mode of earlier versions."""
    if capabilities is None or capabilities.elicitation is None:
        return False
    return capabilities.elicitation.form is not None or capabilities.elicitation.url is None
