"""`smartcommit execute`: plans of tasks, and a coding agent run over them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

from smartcommit.change.wording import format_count
from smartcommit.commands.execute_run import find_places, read_jj_plan, resume, run, status
from smartcommit.errors import TaskPlanError
from smartcommit.executor.checklist import Checklist
from smartcommit.executor.jj_backend import NAME, state_folder
from smartcommit.executor.plan import SIZE_LIMIT, TaskPlan
from smartcommit.executor.plan_dir import PlanFolder, create, find, list_folders, new_plan, private_folder
from smartcommit.executor.progress_log import ProgressLog
from smartcommit.executor.run import approve
from smartcommit.git.log import log_command
from smartcommit.git.repo import Repository
from smartcommit.jj.run import find_root
from smartcommit.terminal import printable

MARKS = {"pending": " ", "in_progress": ">", "completed": "x", "failed": "!"}


@click.group(name="execute")
def command() -> None:
    """Run a coding agent on a plan, one commit per task."""


@command.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", help="Name of the plan (default: the document's heading).")
@click.option("--check", metavar="COMMAND", help="Command that must succeed after each task.")
@click.option("--dry-run", is_flag=True, help="Print the plan as JSON without saving it.")
def new(*, file: Path, name: str | None, check: str | None, dry_run: bool) -> None:
    """Create a plan from the document FILE.

    A Markdown checklist is used as is: one '- [ ] title: description' per task, with acceptance criteria and
    'Check: command' lines nested below it. Write one for any other document, or have your agent do it.
    """
    repository = Repository.find()
    top = repository.worktree
    found = Checklist(_read(file))
    if not found.tasks:
        raise TaskPlanError(f"'{file}' has no checklist", hint="write the tasks as '- [ ] title: description'")
    source = os.path.relpath(os.path.realpath(file), os.path.realpath(top))
    if source.startswith(".."):
        source = ""
    name = name or found.name or file.stem
    plan = new_plan(top, name, description=found.description, tasks=found.tasks, sourceFile=source, check=check)
    if dry_run:
        click.echo(plan.to_bytes(ascii_only=True), nl=False)
        return
    folder = create(top, plan)
    approve(repository.git_dir, plan.commands())
    click.echo(f"created plan '{folder.name}' with {format_count(len(plan.tasks), 'task')}")
    click.echo(f"next: smartcommit execute run {plan.name}")


@command.command(name="list")
def list_plans() -> None:
    """List the plans in this repository."""
    repository, workspace = find_places()
    if workspace is not None:
        in_jj, reason = read_jj_plan(workspace)
        if in_jj is not None:
            click.echo(_summarize(NAME, in_jj))
        elif reason:
            click.echo(printable(f"{NAME}  {reason}"))
    if repository is None:
        return
    for folder in list_folders(repository.worktree):
        try:
            click.echo(_summarize(folder.name, folder.load()))
        except TaskPlanError as error:
            click.echo(printable(f"{folder.name}  {error}"))


def _summarize(name: str, plan: TaskPlan) -> str:
    return printable(f"{name}  {plan.status}  {len(plan.completed)}/{len(plan.tasks)} tasks")


@command.command()
@click.argument("plan")
@click.option("--json", "as_json", is_flag=True, help="Print the plan file (JSON).")
def show(*, plan: str, as_json: bool) -> None:
    """Show the tasks of PLAN and their progress.

    '@' is the plan in the description of jj's working-copy commit.
    """
    commits: dict[str, str] = {}
    if plan == NAME:
        workspace = find_root(".")
        in_jj, reason = read_jj_plan(workspace)
        if in_jj is None:
            raise TaskPlanError(reason or "no plan with tasks in the working-copy commit's description")
        found, title = in_jj, in_jj.name
        log = ProgressLog(state_folder(workspace), state_folder(workspace))
    else:
        repository = Repository.find()
        folder = find(repository.worktree, plan)
        found, title = folder.load(), folder.name
        log = ProgressLog(folder, private_folder(repository.git_dir, folder.name))
        commits = find_commits(repository, folder, log)
    if as_json:
        click.echo(found.to_bytes(ascii_only=True), nl=False)
        return
    click.echo(printable(f"{title}: {found.status}"))
    for line in describe(found, commits, log):
        click.echo(printable(line, keep="\t"))


def find_commits(repository: Repository, folder: PlanFolder, log: ProgressLog) -> dict[str, str]:
    """Return the commits of completed tasks by the tasks' ids: those in HEAD's history on top of what the log says."""
    shown = repository.ended(*log_command("%H %P", paths=[folder.place]), expected=(0, 128))
    by_parent = {}
    for line in shown.stdout.decode().split("\0")[:-1]:
        commit, parent, *_ = [*line.split(), ""]
        by_parent[parent] = commit
    found = {}
    for event in log.events():
        commit = by_parent.get(str(event["data"].get("parent", "")), "")
        if event["event"] == "task_completed" and commit:
            found[str(event["data"].get("task_id"))] = commit
    return found


def describe(plan: TaskPlan, commits: Mapping[str, str], log: ProgressLog) -> list[str]:
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
        if reason := log.message_reason(task.id):
            lines.append(f"      {reason}")
        if failure := log.last_failure(task.id):
            lines.append(f"      last failure: {' '.join(failure.splitlines()[:2])}")
    return lines


def _read(document: Path) -> str:
    with document.open("rb") as file:
        content = file.read(SIZE_LIMIT + 1)
    if len(content) > SIZE_LIMIT:
        raise TaskPlanError(f"'{document}' is larger than {SIZE_LIMIT >> 20} MiB")
    return content.decode("utf-8-sig", "replace")


for _command in (run, resume, status):
    command.add_command(_command)
