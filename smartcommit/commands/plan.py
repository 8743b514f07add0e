"""`smartcommit plan`: the planner's tools on the command line; and `mcp`: the same for any MCP client."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, BinaryIO

import click

from smartcommit.commands.subcommands import refuse_on_windows
from smartcommit.config import load, make_plan_rules
from smartcommit.errors import SmartcommitError
from smartcommit.jj.description import EditRejected
from smartcommit.jj.models import CommitPlan, TaskNode, ToolResponse
from smartcommit.jj.planner import read_tasks
from smartcommit.jj.run import find_root
from smartcommit.jj.tools import Choice, Planner
from smartcommit.message.characters import printable
from smartcommit.message.header import Header

# How an action is shown, by the status of the response.
_ACTION_STYLES: dict[str, dict[str, Any]] = {"success": {"bold": True}, "error": {"fg": "red"}}
# The commands of the tools that the planner's answers name; one name is a part of another.
_VERBS = {
    "start_planning": "start",
    "update_description": "describe",
    "set_constraints": "constraints",
    "set_tasks": "tasks",
    "mark_task": "mark",
    "unfinish_job": "unfinish",
    "finish_job": "finish",
    "verify_plan": "verify",
}


def make_planner(directory: str) -> Planner:
    """Return the tools for the jj workspace around `directory`, with the rules of its project."""
    return Planner(directory, rules=lambda: make_plan_rules(load(find_root(directory))))


@click.group()
def command() -> None:
    """Manage a plan in the description of jj's working-copy commit."""
    refuse_on_windows("'smartcommit plan'")


def tool(name: str) -> Callable[[Callable[..., ToolResponse]], click.Command]:
    """Make a subcommand of a method of the Planner, or of a function that calls one, and print its response."""

    def decorate(function: Callable[..., ToolResponse]) -> click.Command:
        @command.command(name)
        @click.option("--repo", default=".", help="A directory inside the jj workspace.", type=click.Path(exists=True))
        @click.option("--json", "as_json", is_flag=True, help="Print the MCP tool's response as JSON.")
        @wraps(function)  # with its own options, which click has noted in an attribute
        def run(*, repo: str, as_json: bool, **given: Any) -> int:
            try:
                response = function(make_planner(repo), **given)
            except EditRejected as refusal:
                raise SmartcommitError(f"refused: {refusal}") from None
            failed = response.status == "error"
            if as_json:
                click.echo(response.as_json(indent=2))
            else:
                action = _name_commands(response.action_taken)
                _show(f"smartcommit: {action}" if failed else action, err=failed, **_ACTION_STYLES[response.status])
                _show_state(response, err=failed)
            return int(failed)

        return run

    return decorate


def _show_state(response: ToolResponse, *, err: bool) -> None:
    state = response.current_state
    if state is None:
        return
    if response.plan is not None:
        _show_plan(response.plan)
    if response.constraints is not None:
        _show_constraints(response.constraints)
    if response.tasks is not None:
        _show_tasks(response.tasks, finished=state.phase == "complete")
    _show(f"{state.phase}, {state.completed_tasks} of {state.total_tasks} tasks complete", err=err, dim=True)
    if response.alignment_check is not None:
        _show(f"? {_name_commands(response.alignment_check.question)}", err=err, fg="yellow")
    for step in response.next_actions.recommended:
        _show(f"next: {_name_commands(step)}", err=err, fg="green")
    if response.raw_commit_content is not None and response.raw_commit_content not in response.action_taken:
        _show(response.raw_commit_content.rstrip("\n"), err=err, dim=True)


def _name_commands(text: str) -> str:
    """Return a text of the planner with commands in place of its tools."""
    for tool_name, verb in _VERBS.items():
        text = text.replace(tool_name, f"smartcommit plan {verb}")
    return text


def _show_plan(plan: CommitPlan) -> None:
    parts = plan.header
    _show(str(Header(parts.type, parts.summary, scope=parts.scope, breaking=parts.breaking)), bold=True)
    if plan.description:
        _show(f"\n{plan.description}\n")
    _show_constraints(plan.constraints)
    if plan.tasks:
        _show_tasks(plan.tasks, finished=plan.metadata.is_complete)


def _show_constraints(constraints: Sequence[str]) -> None:
    _show("Constraints:" if constraints else "Constraints: none")
    for constraint in constraints:
        _show(f"- {constraint}", fg="red")


def _show_tasks(tasks: Sequence[TaskNode], *, finished: bool) -> None:
    _show(f"Tasks [{'X' if finished else ' '}]:")
    _show_below(tasks, "")


def _show_below(tasks: Sequence[TaskNode], indent: str) -> None:
    for task in tasks:
        details = f": {task.details}" if task.details else ""
        _show(f"{indent}- [{'x' if task.completed else ' '}] {task.summary}{details}  {task.id}")
        _show_below(task.children, f"{indent}  ")


def _show(text: str, *, err: bool = False, **style: Any) -> None:
    click.secho(printable(text, keep="\n"), err=err, **style)


tool("show")(Planner.get_plan)


@tool("start")
@click.argument("type_name", metavar="TYPE")
@click.argument("summary")
@click.option("--scope", help="Scope: a lower-case noun naming the affected part.")
@click.option("--breaking", is_flag=True, help="Mark this as a breaking change.")
@click.option("--confirm", is_flag=True, help="Replace the existing description.")
def start(
    tools: Planner, *, type_name: str, summary: str, scope: str | None, breaking: bool, confirm: bool
) -> ToolResponse:
    """Start a plan for the working-copy commit."""
    return tools.start_planning(type_name, summary, scope=scope, breaking=breaking, confirm=confirm)


@tool("goal")
@click.option("--type", "type_name")
@click.option("--scope", help="New scope; an empty string removes it.")
@click.option("--summary")
@click.option("--breaking/--no-breaking", default=None)
def goal(
    tools: Planner, *, type_name: str | None, scope: str | None, summary: str | None, breaking: bool | None
) -> ToolResponse:
    """Change parts of the header."""
    return tools.update_goal(type=type_name, scope=scope, summary=summary, breaking=breaking)


@tool("describe")
@click.argument("text", default="-")
def describe(tools: Planner, *, text: str) -> ToolResponse:
    """Write the long description: TEXT, or standard input."""
    if text == "-":
        text = _read(sys.stdin.buffer)
    return tools.update_description(text)


@tool("constraints")
@click.argument("items", metavar="[ITEM]...", nargs=-1)
@click.option("--none", "nothing", is_flag=True, help="Record that there are no constraints.")
def constraints(tools: Planner, *, items: tuple[str, ...], nothing: bool) -> ToolResponse:
    """Show the constraints, or replace them with ITEMs. An ITEM is a line such as 'Never: log a key'."""
    if nothing and items:
        raise click.UsageError("specify at least one ITEM, or --none")
    if items or nothing:
        return tools.set_constraints(items)
    return tools.get_constraints()


@tool("tasks")
@click.argument("file", type=click.File("rb"), required=False)
def tasks(tools: Planner, *, file: Any) -> ToolResponse:
    """Show the tasks, or replace them with those in FILE. '-' is standard input.

    One task per line, '- [ ] summary: details', indented two spaces per level.
    """
    if file is None:
        return tools.get_tasks()
    return tools.set_tasks(read_tasks(_read(file)))


@tool("mark")
@click.argument("task_id", metavar="TASK")
@click.option("--done/--open", "completed", default=None, help="Set the state instead of toggling it.")
def mark(tools: Planner, *, task_id: str, completed: bool | None) -> ToolResponse:
    """Mark a leaf task as complete, or reopen it."""
    return tools.mark_task(task_id, completed)


tool("finish")(Planner.finish_job)
tool("unfinish")(Planner.unfinish_job)


@tool("verify")
@click.option("--choice", type=click.Choice(["A", "B"]), help="A: reformat a malformed message; B: leave it unchanged.")
def verify(tools: Planner, *, choice: Choice | None) -> ToolResponse:
    """Check the description against the project's rules."""
    return tools.verify_plan(choice)


def _read(file: BinaryIO) -> str:
    """Return the text of `file`; raise SmartcommitError if it is not in UTF-8, whatever the locale is."""
    try:
        return file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SmartcommitError(f"invalid UTF-8 at byte {error.start + 1}", hint="convert the text to UTF-8") from None


@click.command()
@click.option("--repo", default=".", help="A directory inside the jj workspace.", type=click.Path(exists=True))
def mcp(repo: str) -> None:
    """Serve the commit planner over MCP on standard input and output.

    MCP clients start servers with almost no environment, so pass the repository with --repo.
    """
    try:
        # The protocol takes a second to load and is an extra.
        from smartcommit.mcp.server import serve
    except ImportError as error:
        raise SmartcommitError(
            f"MCP support is not installed: {error}",
            hint="in a clone of smartcommit, run: pipx install --force '.[mcp]'",
        ) from None
    serve(make_planner(repo))
