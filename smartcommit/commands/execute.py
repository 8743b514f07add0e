"""`smartcommit execute`: plans of tasks, and a coding agent run over them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click

from smartcommit.commands.demo import demo
from smartcommit.commands.execute_run import find_places, read_jj_plan, resume, run, status
from smartcommit.errors import TaskPlanError
from smartcommit.executor import attempt_state
from smartcommit.executor.checklist import Checklist
from smartcommit.executor.event_log import ProgressLog
from smartcommit.executor.jj_backend import NAME, state_folder
from smartcommit.executor.plan import SIZE_LIMIT, TaskPlan
from smartcommit.executor.plan_dir import create, find, list_folders, new_plan, private_folder
from smartcommit.git.repo import Repository
from smartcommit.jj.run import find_root
from smartcommit.terminal import printable

MARKS = {"pending": " ", "in_progress": ">", "completed": "x", "failed": "!"}


@click.group(name="execute")
def command() -> None:
    """Run a coding agent on a plan, one commit per task."""


@command.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--name", help="Name of the plan (default: the document's heading).")
@click.option("--check", metavar="COMMAND", help="Command that must succeed after each task.")
@click.option("--dry-run", is_flag=True, help="Print the plan as JSON without saving it.")
def new(*, file: str, name: str | None, check: str | None, dry_run: bool) -> None:
    """Create a plan from the document FILE.

    A Markdown checklist is used as is: one '- [ ] title: description' per task, with acceptance criteria and
    'Check: command' lines nested below it. For any other document, the configured model extracts the tasks.
    """
    repository = Repository.find()
    top = repository.worktree
    text = _read(file)
    found = Checklist(text)
    fields: dict[str, Any] = {"name": found.name, "description": found.description, "tasks": found.tasks}
    if not found.tasks:
        # Loading what a model needs takes time, and a checklist needs no model.
        from smartcommit.commands.execute_extract import plan_fields

        fields = plan_fields(text, repository)
    fields["name"] = name or fields["name"] or os.path.splitext(os.path.basename(file))[0]
    source = os.path.relpath(os.path.realpath(file), os.path.realpath(top))
    if source.startswith(".."):
        source = ""
    plan = new_plan(top, sourceFile=source, check=check, **fields)
    if dry_run:
        click.echo(plan.to_bytes(ascii_only=True), nl=False)
        return
    folder = create(top, plan)
    attempt_state.approve(repository.git_dir, plan.commands())
    click.echo(f"created plan '{folder.name}' with {len(plan.tasks)} task{'' if len(plan.tasks) == 1 else 's'}")
    click.echo(f"next: smartcommit execute run {plan.name}")


@command.command(name="list")
def list_plans() -> None:
    """List the plans in this repository."""
    repository, workspace = find_places()
    if workspace is not None:
        in_jj, reason = read_jj_plan(workspace)
        if in_jj is not None:
            click.echo(printable(f"{NAME}  {in_jj.status}  {in_jj.completed}/{len(in_jj.tasks)} tasks"))
        elif reason:
            click.echo(printable(f"{NAME}  {reason}"))
    for folder in list_folders(repository.worktree) if repository is not None else []:
        try:
            plan = folder.load()
        except TaskPlanError as error:
            click.echo(printable(f"{folder.name}  {error}"))
            continue
        click.echo(printable(f"{folder.name}  {plan.status}  {plan.completed}/{len(plan.tasks)} tasks"))


@command.command()
@click.argument("plan")
@click.option("--json", "as_json", is_flag=True, help="Print the plan file (JSON).")
def show(*, plan: str, as_json: bool) -> None:
    """Show the tasks of PLAN and their progress.

    '@' is the plan in the description of jj's working-copy commit.
    """
    if plan == NAME:
        _show_in_jj(find_root("."), as_json=as_json)
        return
    repository = Repository.find()
    folder = find(repository.worktree, plan)
    found = folder.load()
    if as_json:
        click.echo(found.to_bytes(ascii_only=True), nl=False)
        return
    commits: dict[str | None, str | None] = {}
    for entry in attempt_state.read_journal(repository.git_dir):
        if entry.get("plan") == folder.name:
            commits[entry.get("task")] = entry.get("commit")
    click.echo(printable(f"{folder.name}: {found.status}"))
    for line in describe(found, commits, ProgressLog(folder, private_folder(repository.git_dir, folder.name))):
        click.echo(printable(line, keep="\t"))


def _show_in_jj(workspace: str, *, as_json: bool) -> None:
    found, reason = read_jj_plan(workspace)
    if found is None:
        raise TaskPlanError(reason or "no plan with tasks in the working-copy commit's description")
    if as_json:
        click.echo(found.to_bytes(ascii_only=True), nl=False)
        return
    folder = state_folder(workspace)
    click.echo(printable(f"{found.name}: {found.status}"))
    for line in describe(found, {}, ProgressLog(folder, folder)):
        click.echo(printable(line, keep="\t"))


def describe(plan: TaskPlan, commits: Mapping[str | None, str | None], log: ProgressLog) -> list[str]:
    """Return the lines that show a plan; they may contain control characters."""
    lines = plan.description.splitlines()
    if lines:
        lines.append("")
    for task in plan.tasks:
        title = f"[{MARKS[task.status]}] {task.id} {task.title}"
        if task.attempts > 1:
            title += f" ({task.attempts} attempts)"
        lines.append(title)
        lines += [f"      - {criterion}" for criterion in task.acceptance_criteria]
        if task.check:
            lines.append(f"      check: {task.check}")
        if commit := commits.get(task.id):
            lines.append(f"      commit {commit[:12]}")
            reason = log.message_reason(task.id)
            if reason:
                lines.append(f"      {reason}")
        failure = log.last_failure(task.id)
        if failure:
            lines.append(f"      last failure: {' '.join(failure.splitlines()[:2])}")
    return lines


def _read(path: str) -> str:
    with open(path, "rb") as file:
        data = file.read(SIZE_LIMIT + 1)
    if len(data) > SIZE_LIMIT:
        raise TaskPlanError(f"'{path}' is larger than {SIZE_LIMIT >> 20} MiB")
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


for _command in (run, resume, status, demo):
    command.add_command(_command)
