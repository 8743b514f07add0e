"""Renders a plan for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from smartcommit.jj.models import CommitPlan, TaskNode, ToolResponse
from smartcommit.message.header import Header
from smartcommit.terminal import printable


def show_response(response: ToolResponse) -> None:
    """Print a response, a failure to standard error."""
    failed = response.status == "error"
    console = Console(highlight=False, soft_wrap=True, stderr=failed)
    if failed:
        console.print(_text(f"smartcommit: {response.action_taken}", "bold red"))
    else:
        console.print(_text(response.action_taken, "bold"))
    state = response.current_state
    if state is None:
        return
    if response.plan is not None:
        _show_plan(console, response.plan)
    if response.constraints is not None:
        _show_constraints(console, response.constraints)
    if response.tasks is not None:
        _show_tasks(console, response.tasks, finished=state.phase == "complete")
    console.print(_text(f"{state.phase}, {state.completed_tasks} of {state.total_tasks} tasks complete", "dim"))
    if response.alignment_check is not None:
        console.print(_text(f"? {response.alignment_check.question}", "yellow"))
    for step in response.next_actions.recommended:
        console.print(_text(f"next: {step}", "green"))
    if response.raw_commit_content is not None and response.raw_commit_content not in response.action_taken:
        console.print(_text(response.raw_commit_content.rstrip("\n"), "dim"))


def _show_plan(console: Console, plan: CommitPlan) -> None:
    parts = plan.header
    header = Header(parts.type, parts.summary, scope=parts.scope, breaking=parts.breaking)
    console.print(_text(str(header), "bold cyan"))
    if plan.description:
        console.print(_text(f"\n{plan.description}\n"))
    _show_constraints(console, plan.constraints)
    if plan.tasks:
        _show_tasks(console, plan.tasks, finished=plan.metadata.is_complete)


def _show_constraints(console: Console, constraints: Sequence[str]) -> None:
    console.print(_text("Constraints:" if constraints else "Constraints: none"))
    for constraint in constraints:
        console.print(_text(f"- {constraint}", "red"))


def _show_tasks(console: Console, tasks: Sequence[TaskNode], *, finished: bool) -> None:
    tree = Tree(_text(f"Tasks [{'X' if finished else ' '}]:"), guide_style="dim")
    _add_tasks(tree, tasks)
    console.print(tree)


def _add_tasks(tree: Tree, tasks: Sequence[TaskNode]) -> None:
    for task in tasks:
        text = task.summary
        if task.details:
            text += f": {task.details}"
        label = _text(f"[ ] {text}")
        if task.completed:
            label = _text(f"[x] {text}", "green")
        _add_tasks(tree.add(label.append(_text(f"  {task.id}", "dim"))), task.children)


def _text(text: str, style: str = "") -> Text:
    """Return text that is safe to print and is not interpreted as markup."""
    return Text(printable(text, keep="\n"), style=style)
