"""Renders a plan for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from smartcommit.change.wording import format_count
from smartcommit.git.log import log_command
from smartcommit.git.run import run
from smartcommit.jj.models import CommitPlan, ConstraintsResponse, PlanResponse, TaskNode, TasksResponse, ToolResponse
from smartcommit.terminal import printable


def show_response(response: ToolResponse, *, colocated: str | None = None) -> None:
    """Print a response, a failure to standard error, and what git sees in the repository with the root `colocated`."""
    failed = response.status == "error"
    console = Console(highlight=False, soft_wrap=True, stderr=failed)
    if failed:
        console.print(_text(f"smartcommit: {response.action_taken}", "bold red"))
    else:
        console.print(_text(response.action_taken, "bold"))
    state = response.current_state
    if state is None:
        return
    if isinstance(response, PlanResponse) and response.plan is not None:
        _show_plan(console, response.plan)
    if isinstance(response, ConstraintsResponse) and response.constraints is not None:
        _show_constraints(console, response.constraints)
    if isinstance(response, TasksResponse) and response.tasks is not None:
        _show_tasks(console, response.tasks, finished=state.phase == "complete")
    console.print(_text(f"{state.phase}, {state.completed_tasks} of {state.total_tasks} tasks complete", "dim"))
    if response.alignment_check is not None:
        console.print(_text(f"? {response.alignment_check.question}", "yellow"))
    for step in response.next_actions.recommended:
        console.print(_text(f"next: {step}", "green"))
    if response.raw_commit_content is not None and response.raw_commit_content not in response.action_taken:
        console.print(_text(response.raw_commit_content.rstrip("\n"), "dim"))
    if colocated is not None:
        console.print(_text(f"git sees: {_describe_git(colocated)}", "cyan"))


def _show_plan(console: Console, plan: CommitPlan) -> None:
    header = plan.header
    title = header.type
    if header.scope:
        title += f"({header.scope})"
    if header.breaking:
        title += "!"
    console.print(_text(f"{title}: {header.summary}", "bold cyan"))
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
        label = _text(f"[x] {text}", "green") if task.completed else _text(f"[ ] {text}")
        _add_tasks(tree.add(label.append(_text(f"  {task.id}", "dim"))), task.children)


def _describe_git(root: str) -> str:
    """Return HEAD and the number of changed paths, according to git."""
    head = run(log_command("HEAD %h '%s'", last=1), directory=root, expected=(0, 128)).stdout
    branch = run(("symbolic-ref", "-q", "--short", "HEAD"), directory=root, expected=(0, 1)).stdout.decode().strip()
    status = run(("status", "--porcelain", "-z", "--no-renames"), directory=root).stdout
    seen = head.decode("utf-8", "replace").rstrip("\0") or "no commit yet"
    return f"{seen}, {f'on {branch}' if branch else 'detached'}, {format_count(status.count(bytes(1)), 'changed path')}"


def _text(text: str, style: str = "") -> Text:
    """Return text that is safe to print and is not interpreted as markup."""
    return Text(printable(text, keep="\n"), style=style)
