"""The planner's tools over the Model Context Protocol, in both of its eras; the only module that needs the extra `mcp`.

A docstring of a tool is what a client's model reads. Questions to a person or to the client's model go through
resolvers, which both eras know; a capability is tested before it is asked for, for asking without it is an error.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal

from anyio import to_thread
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve, Sample
from mcp.server.mcpserver.tools.base import Tool
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
from smartcommit.message.rules import DEFAULT_TYPES
from smartcommit.message.sections import PREFIXES

Answer = Annotated[CallToolResult, ToolResponse]
Planner = Context[Tools, Any]
# Tokens a client's model may take for a reformatted message.
_LENGTH = 4000

_TYPE = Field(description=f"{', '.join(DEFAULT_TYPES)}, or one of the project's own types")
_SUMMARY = Field(description="imperative, one line, at most 120 characters")
_BREAKING = Field(description="whether the change makes the previous interface incompatible")


class TaskInput(BaseModel):
    """A task of the flat list; `level` nests it below the last task above that is one level less."""

    model_config = ConfigDict(extra="forbid")

    summary: Annotated[str, Field(description="one line without ': ', different from its siblings'")]
    details: Annotated[str, Field(description="one line")] = ""
    # The bounds are told, and judged by the planner, whose refusals say where the plan stands.
    level: Annotated[int, Field(description="depth, 0 to 3", json_schema_extra={"minimum": 0, "maximum": 3})] = 0
    completed: Annotated[bool, Field(description="only for work that is done already")] = False


class ChoiceForm(BaseModel):
    """What to do with a message that is no plan."""

    choice: Choice = Field(description="A) reformat this commit, B) work with it as read-only context")


class PlanForm(BaseModel):
    """The message, in the planner's structure."""

    type: str = Field(description=", ".join(DEFAULT_TYPES))
    scope: str = Field(default="", description="lower-case noun, or nothing")
    summary: str = Field(description="imperative, one line")
    breaking: bool = Field(default=False)
    description: str = Field(default="", description=guidance.PARTS)
    constraints: str = Field(default="", description=f"one a line, each beginning with {', '.join(PREFIXES)}")
    tasks: str = Field(default="", description="one a line: '- [ ] summary: details', two spaces a level")


def start_planning(
    ctx: Planner,
    *,
    type: Annotated[str, _TYPE],  # noqa: A002
    summary: Annotated[str, _SUMMARY],
    scope: Annotated[str | None, Field(description="lower-case noun for the affected part, if there is one")] = None,
    breaking: Annotated[bool, _BREAKING] = False,
    confirm: Annotated[bool, Field(description="replace the text that describes the change already")] = False,
) -> Answer:
    """Initialise a new plan in the description of jj's working-copy commit, with its header type(scope): summary.

    Refuses over a plan or a person's text unless confirm is true; ask before you confirm.
    """
    return _result(_tools(ctx).start_planning(type, summary, scope=scope, breaking=breaking, confirm=confirm))


def get_plan(ctx: Planner) -> Annotated[CallToolResult, PlanResponse]:
    """Read the plan: header, description, constraints, tasks with their ids, and where it stands."""
    return _result(_tools(ctx).get_plan())


def update_goal(
    ctx: Planner,
    *,
    type: Annotated[str | None, _TYPE] = None,  # noqa: A002
    scope: Annotated[str | None, Field(description="empty removes the scope")] = None,
    summary: Annotated[str | None, _SUMMARY] = None,
    breaking: Annotated[bool | None, _BREAKING] = None,
) -> Answer:
    """Change parts of the header; what is not given stays."""
    return _result(_tools(ctx).update_goal(type=type, scope=scope, summary=summary, breaking=breaking))


def update_description(
    ctx: Planner, description: Annotated[str, Field(description="prose; it replaces the old description")]
) -> Answer:
    """Write the long description. Four parts make a good one: why the change is necessary; what has to change, at a
    high level; how it is changed; and the context that readers of the code need. They are guidance: none is enforced.
    """
    return _result(_tools(ctx).update_description(description))


def get_constraints(ctx: Planner) -> Annotated[CallToolResult, ConstraintsResponse]:
    """Read the constraints, which are absolute."""
    return _result(_tools(ctx).get_constraints())


def set_constraints(
    ctx: Planner,
    constraints: Annotated[
        list[str], Field(description=f"one line each, beginning with one of: {' '.join(PREFIXES)}; empty for none")
    ],
) -> Answer:
    """Replace the constraints: what must not happen while the change is made."""
    return _result(_tools(ctx).set_constraints(constraints))


def get_tasks(ctx: Planner) -> Annotated[CallToolResult, TasksResponse]:
    """Read the tasks, nested, with ids and states."""
    return _result(_tools(ctx).get_tasks())


def set_tasks(
    ctx: Planner, tasks: Annotated[list[TaskInput], Field(description="in the order of work; level nests them")]
) -> Answer:
    """Replace the task list. Only leaf tasks contain work; up to four levels. Tasks not given as completed are open, so
    is the heading, and the answer lists what had been complete, for you to mark again what still holds.
    """
    items = [TaskItem(task.summary, task.details, task.level, task.completed) for task in tasks]
    return _result(_tools(ctx).set_tasks(items))


def mark_task(
    ctx: Planner,
    task_id: Annotated[str, Field(description="as get_tasks gives it; a path parent/child where a slug is not unique")],
    completed: Annotated[bool | None, Field(description="toggles when omitted")] = None,
) -> Answer:
    """Mark a leaf task as complete or incomplete; parents follow. Your word is taken: mark what is done, when it is."""
    return _result(_tools(ctx).mark_task(task_id, completed))


def finish_job(ctx: Planner) -> Answer:
    """Mark the whole plan as complete; every task must be."""
    return _result(_tools(ctx).finish_job())


def unfinish_job(ctx: Planner) -> Answer:
    """Mark the whole plan as incomplete again; the tasks keep their states."""
    return _result(_tools(ctx).unfinish_job())


def _looked(ctx: Planner) -> PlanSnapshot | None:
    try:
        return _tools(ctx).look()
    except SmartcommitError:
        return None  # the tool itself meets the same error, and answers with it


def _chosen(
    ctx: Planner, choice: Choice | None, look: Annotated[PlanSnapshot | None, Resolve(_looked)]
) -> Elicit[ChoiceForm] | Choice | None:
    if choice is None and look is not None and look.reading.malformed and _can_elicit(ctx.client_capabilities):
        return Elicit(guidance.template(look.reading.text), ChoiceForm)
    return choice


def _sampled(
    ctx: Planner,
    look: Annotated[PlanSnapshot | None, Resolve(_looked)],
    chosen: Annotated[ElicitationResult[ChoiceForm], Resolve(_chosen)],
) -> Sample | None:
    if look is None or not look.reading.malformed or _choice(chosen) != "A" or not _can_sample(ctx.client_capabilities):
        return None
    prompt = guidance.sampling_prompt(look.reading.text, look.reading.problems)
    return Sample([SamplingMessage(role="user", content=TextContent(type="text", text=prompt))], max_tokens=_LENGTH)


def _filled(
    ctx: Planner,
    look: Annotated[PlanSnapshot | None, Resolve(_looked)],
    chosen: Annotated[ElicitationResult[ChoiceForm], Resolve(_chosen)],
) -> Elicit[PlanForm] | None:
    able = ctx.client_capabilities
    if look is None or not look.reading.malformed or _choice(chosen) != "A":
        return None
    if _can_sample(able) or not _can_elicit(able):
        return None
    return Elicit(guidance.template(look.reading.text), PlanForm)


def verify_plan(
    ctx: Planner,
    *,
    look: Annotated[PlanSnapshot | None, Resolve(_looked)],
    chosen: Annotated[ElicitationResult[ChoiceForm], Resolve(_chosen)],
    sampled: Annotated[CreateMessageResult | None, Resolve(_sampled)],
    filled: Annotated[ElicitationResult[PlanForm], Resolve(_filled)],
    choice: Annotated[
        Choice | None, Field(description="A) reformat a malformed message, B) leave it read-only")
    ] = None,
) -> Answer:
    """Judge the description by the project's rules, and check that states and work agree. A message without the
    planner's structure raises the choice: A) reformat it, or B) work with it as read-only context.
    """
    if look is None:
        return _result(_tools(ctx).verify_plan(choice))
    return _result(_tools(ctx).verify_plan(_choice(chosen), look=look, proposal=_proposal(sampled, filled)))


READS = (get_plan, get_constraints, get_tasks)
# Tools that put a new text in place of an old one; the others change one thing and can be called twice.
REPLACES = (start_planning, update_description, set_constraints, set_tasks, verify_plan)
EDITS = (update_goal, mark_task, finish_job, unfinish_job)


def build_server(tools: Tools) -> MCPServer[Tools]:
    """A server of `tools`, with a resource for the current plan and a prompt that says how planning is done."""

    @asynccontextmanager
    async def lifespan(_: MCPServer[Tools]) -> AsyncIterator[Tools]:
        yield tools

    functions = {name: function for function in (*READS, *REPLACES, *EDITS) for name in [function.__name__]}
    server = MCPServer(
        "smartcommit",
        title="Commit planner for jj",
        instructions=f"Keeps a plan in the description of jj's working-copy commit. Usual order: {guidance.WORKFLOW}.",
        version=__version__,
        tools=[_tool(functions[name]) for name in guidance.TOOLS],
        lifespan=lifespan,
        log_level="WARNING",
    )

    @server.resource("plan://current", name="current plan", mime_type="application/json")
    def current_plan() -> str:
        """The plan in the working-copy commit's description, as get_plan answers."""
        return tools.get_plan().as_json(indent=2)

    @server.prompt(name="plan_a_change", title="Plan a change")
    def plan_a_change(goal: str = "") -> str:
        """How to plan a change with these tools: workflow, practice, form; `goal` is what the change is to do."""
        return guidance.guide() + (f"\n\n## The goal\n{goal}" if goal else "")

    return server


def serve(tools: Tools) -> None:
    """Serve `tools` on standard input and output until the client leaves."""
    build_server(tools).run("stdio")


class _Tool(Tool):
    """A tool that answers wrong arguments as it answers every refusal: with where the plan stands."""

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            told = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
            return _result(await to_thread.run_sync(_tools(context).refuse, f"wrong arguments: {told}"))
        return await super().run(arguments, context, convert_result)


def _tool(function: Callable[..., Any]) -> Tool:
    """The tool with a closed schema: a misspelt argument is refused and not passed over."""
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
    return tool


def _tools(ctx: Planner) -> Tools:
    return ctx.request_context.lifespan_context


def _result(response: ToolResponse) -> CallToolResult:
    text = response.as_json()
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=response.model_dump(mode="json", by_alias=True, exclude_none=True),
        is_error=response.status == "error",
    )


def _choice(outcome: ElicitationResult[ChoiceForm]) -> Literal["A", "B"] | None:
    """The choice given with the call, or by the person; None where it was declined."""
    if not isinstance(outcome, AcceptedElicitation):
        return None
    # A resolver's own value arrives in the same wrapping as a person's answer.
    data: Any = outcome.data
    return data.choice if isinstance(data, ChoiceForm) else data


def _proposal(sampled: CreateMessageResult | None, filled: ElicitationResult[PlanForm]) -> str | None:
    if sampled is not None:
        return sampled.content.text if isinstance(sampled.content, TextContent) else ""
    if not isinstance(filled, AcceptedElicitation) or not isinstance(filled.data, PlanForm):
        return None
    form = filled.data
    header = Header(form.type, form.summary, scope=form.scope or None, breaking=form.breaking)
    return compose(header, description=form.description, constraints=form.constraints, tasks=form.tasks)


def _can_sample(able: ClientCapabilities | None) -> bool:
    return able is not None and able.sampling is not None


def _can_elicit(able: ClientCapabilities | None) -> bool:
    """Whether the client shows forms; a bare capability means forms, as before there were other modes."""
    elicitation = able.elicitation if able is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)
