"""`smartcommit execute`: plans of tasks, and a coding agent run over them."""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from smartcommit import state_files
from smartcommit.change.wording import format_count
from smartcommit.commands.plan import make_planner
from smartcommit.commands.subcommands import combine, refuse_on_windows
from smartcommit.config import load
from smartcommit.errors import Cancelled, JjError, TaskPlanError
from smartcommit.executor import run as runs
from smartcommit.executor.agents import make_agent
from smartcommit.executor.backend import PlanBackend
from smartcommit.executor.executor import Executor, format_duration
from smartcommit.executor.jj_backend import JjPlanBackend
from smartcommit.executor.plan import SIZE_LIMIT, Checklist, TaskPlan
from smartcommit.executor.plan_dir import PLAN, PlanFolder, create, find, list_folders, new_plan, prepare_home
from smartcommit.executor.run import Run
from smartcommit.file_lock import HeldLock
from smartcommit.git.repo import Repository
from smartcommit.jj.description import NO_COMMENT
from smartcommit.jj.run import NO_SNAPSHOT, find_nearest_root, find_state_directory, read_change, read_changes, run_jj
from smartcommit.message.characters import printable
from smartcommit.message.parse import parse
from smartcommit.processes.run import Limits
from smartcommit.signals import stop_on_signals

MARKS = {"pending": " ", "in_progress": ">", "completed": "x", "failed": "!"}
_BEGUN = ("in_progress", "failed")
_STOPPING = "stopping: the agent or a check is ended, a commit is finished; a third Ctrl-C exits at once"
_COUNT = click.IntRange(1)
_options = combine(
    click.option(
        "--agent", metavar="COMMAND", help="Agent: 'claude', or a command that reads the prompt from its input."
    ),
    click.option("--attempts", type=_COUNT, help="Maximum number of attempts per task."),
    click.option("--timeout", "agent_timeout", type=_COUNT, help="Time limit per attempt, in seconds."),
    click.option("--allow-dirty", is_flag=True, help="Run in a dirty working tree, without committing anything."),
    click.option("--trust-checks", is_flag=True, help="Run check commands that came with the clone."),
)


@click.group()
def command() -> None:
    """Run a coding agent on a plan, one commit per task."""
    refuse_on_windows("the executor")


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
    checklist = Checklist(_read(file))
    if all(task["status"] == "completed" for task in checklist.tasks):
        raise TaskPlanError(f"'{file}' has no open task", hint="write the tasks as '- [ ] title: description'")
    source = os.path.relpath(os.path.realpath(file), os.path.realpath(top))
    source = "" if source.startswith("..") else source
    name = name or checklist.name or file.stem
    plan = new_plan(top, name, description=checklist.description, tasks=checklist.tasks, sourceFile=source, check=check)
    folder = create(top, plan)
    runs.approve(repository.git_dir, plan.list_checks())
    click.echo(f"created plan '{folder.name}' with {format_count(len(plan.tasks), 'task')}")
    click.echo(f"next: smartcommit execute run {plan.name}")


@command.command(name="list")
def list_plans() -> None:
    """List the plans in this repository."""
    for folder in list_folders(Repository.find().worktree):
        try:
            plan = folder.load()
            click.echo(printable(f"{folder.name}  {plan.status}  {len(plan.completed)}/{len(plan.tasks)} tasks"))
        except TaskPlanError as error:
            click.echo(printable(f"{folder.name}  {error}"))


@command.command()
@click.argument("plan")
def show(*, plan: str) -> None:
    """Show the tasks of PLAN and their progress."""
    repository = Repository.find()
    folder = find(repository.worktree, plan)
    found = folder.load()
    attempt = runs.load(repository.git_dir)
    if attempt is not None and attempt.plan != folder.name:
        attempt = None
    lines = [f"{folder.name}: {found.status}", *found.description.splitlines()]
    if found.description:
        lines.append("")
    for task in found.tasks:
        title = f"[{MARKS[task.status]}] {task.id} {task.title}"
        if task.attempts > 1:
            title += f" ({task.attempts} attempts)"
        lines.append(title)
        lines += [f"      - {criterion}" for criterion in task.acceptance_criteria]
        if task.check:
            lines.append(f"      check: {task.check}")
        if attempt is not None and attempt.task == task.id and attempt.failure:
            lines.append(f"      last failure: {' '.join(attempt.failure.splitlines()[:2])}")
    for line in lines:
        click.echo(printable(line, keep="\t"))


def _read(document: Path) -> str:
    with document.open("rb") as file:
        content = file.read(SIZE_LIMIT + 1)
    if len(content) > SIZE_LIMIT:
        raise TaskPlanError(f"'{document}' is larger than {SIZE_LIMIT >> 20} MiB")
    return content.decode("utf-8-sig", "replace")


@command.command()
@click.argument("plan", required=False)
@_options
def run(*, plan: str | None, **given: Any) -> int:
    """Run PLAN from its first incomplete task. It may be left out if only one plan is incomplete.

    Exit status: 0 plan completed, 1 not completed, 130 interrupted.
    """
    return _start(plan, given, states=(*_BEGUN, "not_started"))


@command.command()
@click.argument("plan", required=False)
@_options
def resume(*, plan: str | None, **given: Any) -> int:
    """Resume PLAN after an interruption, a failure or a crash. By default it is the one in progress."""
    return _start(plan, given, states=_BEGUN)


def _start(wanted: str | None, given: dict[str, Any], *, states: Sequence[str]) -> int:
    root = find_nearest_root(os.curdir)
    folder = None
    if root is None or not _is_in_jj(root, wanted):
        repository = Repository.find()
        top, state = repository.worktree, repository.git_dir
        folder = _choose_plan(repository, wanted, states)
    elif given["allow_dirty"]:
        raise TaskPlanError("'--allow-dirty' is for plans in git: jj records the working tree whenever it runs")
    else:
        top, state = root, find_state_directory(root)
    names = ("agent", "attempts", "agent-timeout")
    settings = load(top, arguments={name: given[name.replace("-", "_")] for name in names})
    limits = Limits(float(settings.number("agent-timeout") or 0), float(settings.number("agent-stall") or 0))
    begun = time.monotonic()

    def tell(lines: Sequence[str]) -> None:
        elapsed = format_duration(time.monotonic() - begun)
        _print([f"{elapsed:>7} {line}" for line in lines])

    lock = state_files.find_path(state, runs.LOCK)
    os.makedirs(os.path.dirname(lock), mode=0o700, exist_ok=True)
    with HeldLock(lock, patience=0, what="this working tree"), stop_on_signals(_STOPPING) as stopped:
        run = Run(
            top, secrets.token_hex(8), limits, attempts=settings.number("attempts") or 1,
            allow_dirty=given["allow_dirty"], stopped=stopped,
        )  # fmt: skip
        if folder is None:
            if wanted is not None:
                _edit_change(top, wanted)
            backend: PlanBackend = JjPlanBackend(run, make_planner(top))
        else:
            prepare_home(top)
            backend = PlanBackend(run, repository, folder)
            _check_commands(repository, backend.plan, trust=given["trust_checks"])
        agent = make_agent(settings.text("agent") or "")
        executor = Executor(run, backend, agent, settings, tell=tell)
        try:
            executor.run()
        except Cancelled:
            return 130
        finally:
            _print(executor.summary)
    return 0


def _is_in_jj(root: str, wanted: str | None) -> bool:
    """Whether the plan is in a description of the jj workspace at `root`, and not in a folder shared with git.

    Raise TaskPlanError if it is in a folder, and commits made with git would leave a described change behind.
    """
    if not os.path.lexists(os.path.join(root, ".git")) or runs.load(find_state_directory(root)) is not None:
        return True
    description = read_change(root, snapshot=False).description
    if wanted is None:
        if _has_tasks(description) or not list_folders(root):
            return True
    else:
        try:
            find(root, wanted)
        except TaskPlanError:
            return True
    if description.strip():
        raise TaskPlanError(
            "this is a jj repository: commits made with git would leave the described change behind",
            hint="run 'jj new' first",
        )
    return False


def _edit_change(root: str, revset: str) -> None:
    """Make the change with a plan that `revset` names the working-copy commit, unless a run has to be recovered."""
    attempt = runs.load(find_state_directory(root))
    if attempt is not None and attempt.killed:
        return
    changes = []
    with suppress(JjError):
        changes = read_changes(root, revset, NO_SNAPSHOT)
    if len(changes) != 1 or not _has_tasks(changes[0].description):
        raise TaskPlanError(
            f"'{revset}' names neither a plan in this tree nor one change with a plan in its description",
            hint="see 'smartcommit execute list' and 'jj log'",
        )
    if changes[0].change_id != read_change(root, snapshot=False).change_id:
        run_jj(("edit", "-r", changes[0].change_id), repository=root)


def _has_tasks(description: str) -> bool:
    return bool(parse(description, comment=NO_COMMENT).message.tasks)


def _print(lines: Sequence[str]) -> None:
    """Print `lines`, which may contain anything; a run continues when nobody reads them any more, as after `| head`."""
    try:
        click.echo("".join(f"{printable(line)}\n" for line in lines), nl=False)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _choose_plan(repository: Repository, wanted: str | None, states: Sequence[str]) -> PlanFolder:
    unfinished = runs.load(repository.git_dir)
    if unfinished is not None and wanted in (None, unfinished.plan, *unfinished.plan.split("-", 1)):
        folder = PlanFolder(repository.worktree, unfinished.plan)
        if unfinished.killed or folder.has(PLAN):
            return folder
    if wanted is not None:
        return find(repository.worktree, wanted)
    folders = []
    for folder in list_folders(repository.worktree):
        try:
            if folder.load().status in states:
                folders.append(folder)
        except TaskPlanError as error:
            click.echo(printable(str(error)), err=True)
    if len(folders) == 1:
        return folders[0]
    if not folders:
        raise TaskPlanError("no plan to run", hint="run 'smartcommit execute new FILE' to create one")
    names = ", ".join(f"'{folder.name}'" for folder in folders)
    raise TaskPlanError(f"more than one plan: {names}", hint="specify which plan")


def _check_commands(repository: Repository, plan: TaskPlan, *, trust: bool) -> None:
    """Raise TaskPlanError if a plan, as one in a clone, has check commands that nobody has approved here."""
    if trust:
        runs.approve(repository.git_dir, plan.list_checks())
    approved = runs.read_approved(repository.git_dir)
    if foreign := [command for command in plan.list_checks() if command not in approved]:
        raise TaskPlanError(
            f"the plan contains check commands that were not created here: {'; '.join(foreign)}",
            hint="review them, then run again with '--trust-checks'",
        )
