"""MCP server for the planner; the only module that needs the `mcp` extra.

The docstrings of the tools are for the client's model. Questions to the user or to that model go through resolvers,
which both eras have. Requesting a capability that the client lacks is an error, so it is checked first.
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
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from smartcommit import __version__
from smartcommit.errors import SmartcommitError
from smartcommit.jj import guidance
from smartcommit.jj.description import compose
from smartcommit.jj.guidance import PlanSnapshot
from smartcommit.jj.models import ConstraintsResponse, PlanResponse, TasksResponse, ToolResponse
from smartcommit.jj.planner import TaskItem
from smartcommit.jj.tools import Choice, Tools
from smartcommit.message.header import Header
from smartcommit.message.plan_sections import PREFIXES
from smartcommit.message.rules import PLAN_TYPES

Answer = Annotated[CallToolResult, ToolResponse]
ToolsContext = Context[Tools, Any]
# Tokens that a client's model may use for a reformatted message.
_MAX_TOKENS = 4000
# A pair of surrogates or any other escape in JSON, which is kept, or half of a pair.
_SURROGATE = re.compile(r"(\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u(?![dD][89a-fA-F])|\\[^u])|\\u....")

_TYPE = Field(description=f"{', '.join(PLAN_TYPES)}, or one of the project's own types")
_SUMMARY = Field(description="imperative, one line")
_BREAKING = Field(description="whether the change makes the previous interface incompatible")


class TaskInput(BaseModel):
    """A task of the flat list; its parent is the last task above it whose `level` is one less."""

    model_config = ConfigDict(extra="forbid")

    summary: Annotated[str, Field(description="one line without ': ', unique among its siblings")]
    details: Annotated[str, Field(description="one line")] = ""
    # The bounds are in the schema only; the planner checks them, since its errors include the state of the plan.
    level: Annotated[int, Field(description="depth, 0 to 3", json_schema_extra={"minimum": 0, "maximum": 3})] = 0
    completed: Annotated[bool, Field(description="only for work that is already done")] = False


class ChoiceForm(BaseModel):
    """What to do with a message that is no plan."""

    choice: Choice = Field(description="A) reformat this commit, B) work with it as read-only context")


class PlanForm(BaseModel):
    """The message, in the planner's structure."""

    type: str = Field(description=", ".join(PLAN_TYPES))
    scope: str = Field(default="", description="lower-case noun, or empty")
    summary: str = Field(description="imperative, one line")
    breaking: bool = Field(default=False)
    description: str = Field(default="", description=guidance.PARTS)
    constraints: str = Field(default="", description=f"one per line, each beginning with {', '.join(PREFIXES)}")
    tasks: str = Field(default="", description="one per line: '- [ ] summary: details', indented two spaces per level")


def start_planning(
    ctx: ToolsContext,
    *,
    type: Annotated[str, _TYPE],  # noqa: A002
    summary: Annotated[str, _SUMMARY],
    scope: Annotated[str | None, Field(description="lower-case noun for the affected part, if any")] = None,
    breaking: Annotated[bool, _BREAKING] = False,
    confirm: Annotated[bool, Field(description="replace the existing description")] = False,
) -> Answer:
    """Start a new plan in the description of jj's working-copy commit, with the header type(scope): summary.

    Refuses to replace an existing plan or description unless confirm is true; ask the user before you confirm.
    """
    return _result(_tools(ctx).start_planning(type, summary, scope=scope, breaking=breaking, confirm=confirm))


def get_plan(ctx: ToolsContext) -> Annotated[CallToolResult, PlanResponse]:
    """Read the plan: header, description, constraints, tasks with their ids, and progress."""
    return _result(_tools(ctx).get_plan())


def update_goal(
    ctx: ToolsContext,
    *,
    type: Annotated[str | None, _TYPE] = None,  # noqa: A002
    scope: Annotated[str | None, Field(description="an empty string removes the scope")] = None,
    summary: Annotated[str | None, _SUMMARY] = None,
    breaking: Annotated[bool | None, _BREAKING] = None,
) -> Answer:
    """Change parts of the header; omitted parts stay the same."""
    return _result(_tools(ctx).update_goal(type=type, scope=scope, summary=summary, breaking=breaking))


def update_description(
    ctx: ToolsContext, description: Annotated[str, Field(description="prose; replaces the existing description")]
) -> Answer:
    """Write the long description. A good one has four parts: why the change is necessary, what changes at a
    high level, how it is done, and the context that readers of the code need. This is guidance and not enforced.
    """
    return _result(_tools(ctx).update_description(description))


def get_constraints(ctx: ToolsContext) -> Annotated[CallToolResult, ConstraintsResponse]:
    """Read the constraints. They are absolute."""
    return _result(_tools(ctx).get_constraints())


def set_constraints(
    ctx: ToolsContext,
    constraints: Annotated[
        list[str], Field(description=f"one line each, beginning with one of: {' '.join(PREFIXES)}; empty for none")
    ],
) -> Answer:
    """Replace the constraints: what must not happen in this change."""
    return _result(_tools(ctx).set_constraints(constraints))


def get_tasks(ctx: ToolsContext) -> Annotated[CallToolResult, TasksResponse]:
    """Read the tasks as a tree, with ids and states."""
    return _result(_tools(ctx).get_tasks())


def set_tasks(
    ctx: ToolsContext, tasks: Annotated[list[TaskInput], Field(description="in working order; use level to nest them")]
) -> Answer:
    """Replace the task list. Only leaf tasks contain work; up to four levels. Tasks are open unless given as completed,
    and the heading is reopened. The answer lists the tasks that were complete before, so you can mark those that
    still are.
    """
    items = [TaskItem(task.summary, task.details, task.level, task.completed) for task in tasks]
    return _result(_tools(ctx).set_tasks(items))


def mark_task(
    ctx: ToolsContext,
    task_id: Annotated[
        str, Field(description="the id from get_tasks; use the path parent/child if a slug is not unique")
    ],
    completed: Annotated[
        bool | None, Field(description="give it, so that a call can be repeated; toggles when omitted")
    ] = None,
) -> Answer:
    """Mark a leaf task as complete or incomplete; parents follow. This is not verified: mark a task only when it is
    done.
    """
    return _result(_tools(ctx).mark_task(task_id, completed))


def finish_job(ctx: ToolsContext) -> Answer:
    """Mark the whole plan as complete. Every task must be complete."""
    return _result(_tools(ctx).finish_job())


def unfinish_job(ctx: ToolsContext) -> Answer:
    """Mark the whole plan as incomplete again; task states do not change."""
    return _result(_tools(ctx).unfinish_job())


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


def _request_form(
    ctx: ToolsContext,
    snapshot: Annotated[PlanSnapshot | None, Resolve(_read_change)],
    chosen: Annotated[ElicitationResult[ChoiceForm], Resolve(_request_choice)],
) -> Elicit[PlanForm] | None:
    capabilities = ctx.client_capabilities
    if snapshot is None or not snapshot.reading.malformed or _choice(chosen) != "A":
        return None
    if _can_sample(capabilities) or not _can_elicit(capabilities):
        return None
    return Elicit(guidance.template(snapshot.reading.text), PlanForm)


def verify_plan(
    ctx: ToolsContext,
    *,
    snapshot: Annotated[PlanSnapshot | None, Resolve(_read_change)],
    chosen: Annotated[ElicitationResult[ChoiceForm], Resolve(_request_choice)],
    sampled: Annotated[CreateMessageResult | None, Resolve(_request_sample)],
    filled: Annotated[ElicitationResult[PlanForm], Resolve(_request_form)],
    choice: Annotated[
        Choice | None, Field(description="A) reformat a malformed message, B) leave it read-only")
    ] = None,
) -> Answer:
    """Check the description against the project's rules, and that task states match the work. If the message is not in
    the planner's format, asks you to choose: A) reformat it, or B) work with it as read-only context.
    """
    if snapshot is None:
        return _result(_tools(ctx).verify_plan(choice))
    return _result(_tools(ctx).verify_plan(_choice(chosen), snapshot=snapshot, proposal=_proposal(sampled, filled)))


READS = (get_plan, get_constraints, get_tasks)
# These replace a text; the other edits change one thing and can be repeated.
REPLACES = (start_planning, update_description, set_constraints, set_tasks, verify_plan)
EDITS = (update_goal, mark_task, finish_job, unfinish_job)


def build_server(tools: Tools) -> MCPServer[Tools]:
    """Return a server of `tools`, with a resource for the current plan and a prompt that explains how to plan."""
    # A call that the client cancels must not write: the client may repeat it.
    tools.check = from_thread.check_cancelled
    summary = guidance.describe_summary(tools.rules)

    @asynccontextmanager
    async def lifespan(_: MCPServer[Tools]) -> AsyncIterator[Tools]:
        yield tools

    functions = {function.__name__: function for function in (*READS, *REPLACES, *EDITS)}
    server = _Server(
        "smartcommit",
        title="Commit planner for jj",
        instructions=f"Keeps a plan in the description of jj's working-copy commit. Usual order: {guidance.WORKFLOW}.",
        version=__version__,
        tools=[_tool(functions[name], summary) for name in guidance.TOOLS],
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
    """A tool that responds to invalid arguments, like to any other error, with the state of the plan."""

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            problems = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
            return _result(await to_thread.run_sync(_tools(context).refuse, f"invalid arguments: {problems}"))
        return await super().run(arguments, context, convert_result)


def _tool(function: Callable[..., Any], summary: str) -> Tool:
    """Return `function` as a tool that rejects unknown arguments, such as misspelt ones.

    `summary` describes the summary that some of them have.
    """
    reads = function in READS
    tool = _Tool.from_function(
        function,
        description=inspect.getdoc(function),
        annotations=ToolAnnotations(
            read_only_hint=reads,
            destructive_hint=function in REPLACES,
            idempotent_hint=function is not mark_task,
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


def _result(response: ToolResponse) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=response.as_json())],
        structured_content=response.model_dump(mode="json", by_alias=True, exclude_none=True),
        is_error=response.status == "error",
    )


def _choice(outcome: ElicitationResult[ChoiceForm]) -> Literal["A", "B"] | None:
    """Return the choice given with the call or by the user, None if the user declined."""
    if not isinstance(outcome, AcceptedElicitation):
        return None
    # A value that the resolver returns is wrapped like the user's answer.
    data: Any = outcome.data
    return data.choice if isinstance(data, ChoiceForm) else data


def _proposal(sampled: CreateMessageResult | None, filled: ElicitationResult[PlanForm]) -> str | None:
    """Return the message reformatted by the client's model or the user, None if neither was asked or both declined."""
    if sampled is not None:
        return sampled.content.text if isinstance(sampled.content, TextContent) else ""
    if not isinstance(filled, AcceptedElicitation) or not isinstance(filled.data, PlanForm):
        return None
    form = filled.data
    header = Header(form.type, form.summary, scope=form.scope or None, breaking=form.breaking)
    return compose(header, description=form.description, constraints=form.constraints, tasks=form.tasks)


def _can_sample(capabilities: ClientCapabilities | None) -> bool:
    return capabilities is not None and capabilities.sampling is not None


def _can_elicit(capabilities: ClientCapabilities | None) -> bool:
    """Whether the client shows forms. A capability without a mode means forms, the only mode of earlier versions."""
    if capabilities is None or capabilities.elicitation is None:
        return False
    return capabilities.elicitation.form is not None or capabilities.elicitation.url is None
