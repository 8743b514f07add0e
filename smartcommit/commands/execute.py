"""`smartcommit execute`: plans of tasks, and a coding agent run over them."""

from __future__ import annotations

import os
from pathlib import Path

import click

from smartcommit.change.wording import format_count
from smartcommit.commands.execute_run import find_places, read_jj_plan, resume, run
from smartcommit.errors import SmartcommitError, TaskPlanError
from smartcommit.executor.checklist import Checklist
from smartcommit.executor.jj_backend import NAME
from smartcommit.executor.plan import SIZE_LIMIT, TaskPlan
from smartcommit.executor.plan_dir import create, find, list_folders, new_plan
from smartcommit.executor.run import PendingAttempt, approve, load
from smartcommit.git.repo import Repository
from smartcommit.jj.run import find_root, state_directory
from smartcommit.terminal import printable

MARKS = {"pending": " ", "in_progress": ">", "completed": "x", "failed": "!"}


@click.group()
def command() -> None:
    """Run a coding agent on a plan, one commit per task."""


@command.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", help="Name of the plan (default: the document's heading).")
@click.option("--check", metavar="COMMAND", help="Command that must succeed after each task.")
def new(*, file: Path, name: str | None, check: str | None) -> None:
    """Create a plan from the document FILE.

    A Markdown checklist is used as is: one '- [ ] title: description' per task, with acceptance criteria and
    'Check: command' lines nested below it. Write one for any other document, or have your agent do it.
    """
    repository = Repository.find()
    top = repository.worktree
    found = Checklist(_read(file))
    if all(task["status"] == "completed" for task in found.tasks):
        raise TaskPlanError(f"'{file}' has no open task", hint="write the tasks as '- [ ] title: description'")
    source = os.path.relpath(os.path.realpath(file), os.path.realpath(top))
    if source.startswith(".."):
        source = ""
    name = name or found.name or file.stem
    plan = new_plan(top, name, description=found.description, tasks=found.tasks, sourceFile=source, check=check)
    folder = create(top, plan)
    approve(repository.git_dir, plan.commands())
    click.echo(f"created plan '{folder.name}' with {format_count(len(plan.tasks), 'task')}")
    click.echo(f"next: smartcommit execute run {plan.name}")


@command.command(name="list")
def list_plans() -> None:
    """List the plans in this repository."""
    repository, workspace = find_places()
    if workspace is not None:
        try:
            in_jj = read_jj_plan(workspace)
        except SmartcommitError as error:
            click.echo(printable(f"{NAME}  {error}"))
        else:
            if in_jj is not None:
                click.echo(_summarize(NAME, in_jj))
    if repository is not None:
        for folder in list_folders(repository.worktree):
            try:
                click.echo(_summarize(folder.name, folder.load()))
            except TaskPlanError as error:
                click.echo(printable(f"{folder.name}  {error}"))


def _summarize(name: str, plan: TaskPlan) -> str:
    return printable(f"{name}  {plan.status}  {len(plan.completed)}/{len(plan.tasks)} tasks")


@command.command()
@click.argument("plan")
def show(*, plan: str) -> None:
    """Show the tasks of PLAN and their progress.

    '@' is the plan in the description of jj's working-copy commit.
    """
    if plan == NAME:
        workspace = find_root(".")
        in_jj = read_jj_plan(workspace)
        if in_jj is None:
            raise TaskPlanError("no plan with tasks in the working-copy commit's description")
        found, name, directory = in_jj, in_jj.name, state_directory(workspace)
    else:
        repository = Repository.find()
        folder = find(repository.worktree, plan)
        found, name, directory = folder.load(), folder.name, repository.git_dir
    attempt = load(directory)
    if attempt is not None and attempt.plan != name:
        attempt = None
    click.echo(printable(f"{name}: {found.status}"))
    for line in describe(found, attempt):
        click.echo(printable(line, keep="\t"))


def describe(plan: TaskPlan, attempt: PendingAttempt | None) -> list[str]:
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
        if attempt is not None and attempt.task == task.id and attempt.failure:
            lines.append(f"      last failure: {' '.join(attempt.failure.splitlines()[:2])}")
    return lines


def _read(document: Path) -> str:
    with document.open("rb") as file:
        content = file.read(SIZE_LIMIT + 1)
    if len(content) > SIZE_LIMIT:
        raise TaskPlanError(f"'{document}' is larger than {SIZE_LIMIT >> 20} MiB")
    return content.decode("utf-8-sig", "replace")


command.add_command(run)
command.add_command(resume)
