"""`smartcommit execute run`, `resume` and `status`."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any

import click

from smartcommit import state_files
from smartcommit.commands.execute_view import ERASE, RunView
from smartcommit.config import Settings, load, make_plan_rules, make_rules
from smartcommit.errors import Cancelled, GitError, LockedError, SmartcommitError, TaskPlanError, explain_os_error
from smartcommit.executor import run as runs
from smartcommit.executor.agents import make_agent
from smartcommit.executor.backend import PlanBackend
from smartcommit.executor.commit import PATIENCE as GIT_PATIENCE
from smartcommit.executor.executor import Executor
from smartcommit.executor.git_backend import GitPlanBackend
from smartcommit.executor.jj_backend import NAME, JjPlanBackend, plan_of
from smartcommit.executor.plan import TaskPlan, read_plan
from smartcommit.executor.plan_dir import PLAN, PlanFolder, find, list_folders, prepare_home
from smartcommit.executor.run import Run
from smartcommit.executor.task_message import MessageCheck
from smartcommit.file_lock import hold
from smartcommit.git.grep import matches
from smartcommit.git.repo import Repository
from smartcommit.jj.description import read
from smartcommit.jj.run import PATIENCE as JJ_PATIENCE
from smartcommit.jj.run import NoWorkspace, find_root, is_workspace, read_change, state_directory
from smartcommit.jj.tools import Tools
from smartcommit.message.cleanup import WHITESPACE, Cleaning, strip_space
from smartcommit.message.rules import ERROR, Rules
from smartcommit.message.verbs import to_imperative
from smartcommit.processes.group import Limits
from smartcommit.signals import stop_on_signals
from smartcommit.terminal import printable
from smartcommit.verdict import CheckResult, check_recorded

# What the phase of an attempt means while its run goes on, and after that.
_RUNNING = {runs.AGENT: "agent running", runs.COMMIT: "committing"}
_ENDED = {
    runs.AGENT: "interrupted", runs.COMMIT: "interrupted before its commit was created",
    runs.DUE: "interrupted before its commit was created", runs.FAILED: "failed", runs.STOPPED: "stopped",
}  # fmt: skip
OpenPlan = Callable[[Settings, Run], PlanBackend]
_COUNT = click.IntRange(1)
_OPTIONS = (
    click.option(
        "--agent", metavar="COMMAND", help="Agent: 'claude', or a command that reads the prompt from its input."
    ),
    click.option("--attempts", type=_COUNT, help="Maximum number of attempts per task."),
    click.option("--timeout", "agent_timeout", type=_COUNT, help="Time limit per attempt, in seconds."),
    click.option(
        "--stall", "agent_stall", type=_COUNT, help="Seconds after which an agent that prints nothing is stopped."
    ),
    click.option("--allow-dirty", is_flag=True, help="Run in a dirty working tree, without committing anything."),
    click.option("--no-screen", is_flag=True, help="Do not look for secrets, build artifacts and conflict markers."),
    click.option("--trust-checks", is_flag=True, help="Run check commands that came with the clone."),
)


def options(function: Callable[..., int]) -> Callable[..., int]:
    """Add the options of a run to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.command()
@click.argument("plan", required=False)
@options
def run(*, plan: str | None, **given: Any) -> int:
    """Run PLAN (default: the only incomplete one) from its first incomplete task.

    '@' is the plan in the description of jj's working-copy commit. Exit status: 0 plan completed, 1 not completed,
    130 interrupted.
    """
    return _start(plan, begun=False, given=given)


@click.command()
@click.argument("plan", required=False)
@options
def resume(*, plan: str | None, **given: Any) -> int:
    """Resume PLAN (default: the one in progress) after an interruption, a failure or a crash."""
    return _start(plan, begun=True, given=given)


@click.command()
def status() -> None:
    """Show whether a plan is running in this working tree, and its progress."""
    repository, workspace = find_places()
    running: list[str] = []
    shown: list[str] = []
    if repository is not None:
        unfinished = _find_unfinished(repository)
        _describe_state(repository.git_dir, unfinished.name if unfinished else "", running, shown)
    if workspace is not None:
        directory = state_directory(workspace)
        attempt = runs.load(directory)
        plan, _ = read_jj_plan(workspace)
        is_pending = attempt is not None and plan is not None and plan.name == attempt.plan
        _describe_state(directory, NAME if is_pending else "", running, shown)
    for line in [*(running or ["no plan is running"]), *shown]:
        click.echo(printable(line))


def find_places() -> tuple[Repository | None, str | None]:
    """Return the git repository and the jj workspace around the current directory; raise GitError if there is none."""
    workspace = None
    with suppress(NoWorkspace):
        workspace = find_root(".")
    try:
        return Repository.find(), workspace
    except GitError:
        if workspace is None:
            raise
        return None, workspace


def read_jj_plan(workspace: str) -> tuple[TaskPlan | None, str]:
    """Return the plan in the description of jj's working-copy commit, None if there is none, or why it is not known."""
    try:
        message = read(read_change(workspace, snapshot=False).description, make_plan_rules(load(workspace))).message
    except SmartcommitError as error:
        return None, str(error)
    if message is None or not message.tasks:
        return None, ""
    return plan_of(message), ""


def _describe_state(directory: str, name: str, running: list[str], shown: list[str]) -> None:
    """Add which process runs a plan whose state is in `directory`, and the lines about its attempt, if it has a `name`.

    The plan is shown as it was when the attempt was saved.
    """
    phases = _ENDED
    try:
        with _lock_worktree(directory):
            pass
    except LockedError as error:
        running.append(str(error))
        phases = _RUNNING
    attempt = runs.load(directory)
    if attempt is None or not name:
        return
    plan = read_plan(attempt.plan_json.encode(), name)
    shown.append(f"plan '{name}': {len(plan.completed)}/{len(plan.tasks)} tasks completed")
    task = plan.find(attempt.task)
    if task is not None:
        phase = phases.get(attempt.phase, "between attempts")
        if phases is _ENDED:
            phase += f"; run 'smartcommit execute resume {name}' to continue"
        shown.append(f"task {task.id} {task.title}, attempt {max(1, task.attempts)}: {phase}")


def _start(wanted: str | None, *, begun: bool, given: dict[str, Any]) -> int:
    if wanted == NAME:
        root = find_root(".")

        def open_jj_plan(settings: Settings, run: Run) -> PlanBackend:
            return JjPlanBackend(run, Tools(root, rules=lambda: make_plan_rules(settings), search=matches))

        return _execute(root, state_directory(root), open_jj_plan, given, patience=JJ_PATIENCE)
    repository, _ = find_places()
    verb = "resume" if begun else "run"
    if repository is None:
        raise TaskPlanError(
            "plans in directories are committed with git, and git does not share this jj repository",
            hint=f"run 'smartcommit execute {verb} {NAME}' to {verb} the plan in the working-copy commit's description",
        )
    _check_undescribed(repository.worktree, verb)
    folder = _choose_plan(repository, wanted, begun=begun)

    def open_plan(settings: Settings, run: Run) -> PlanBackend:
        prepare_home(repository.worktree)
        backend = GitPlanBackend(run, repository, folder)
        _check_commands(repository, backend.plan, trust=given["trust_checks"])
        return backend

    return _execute(repository.worktree, repository.git_dir, open_plan, given, patience=GIT_PATIENCE)


def _execute(directory: str, state: str, open_plan: OpenPlan, given: dict[str, Any], *, patience: float) -> int:
    """Run a plan in `directory`, whose lock is in the directory `state`; return the exit status.

    A commit gets `patience` seconds.
    """
    names = ("agent", "attempts", "agent-timeout", "agent-stall")
    settings = load(directory, arguments={name: given[name.replace("-", "_")] for name in names})
    limits = Limits(float(settings.number("agent-timeout") or 0), float(settings.number("agent-stall") or 0))
    answer = (
        f"stopping: an agent or a check gets {limits.stop:g} s to end, a commit and its hooks {patience / 60:g} min; a "
        "third Ctrl-C exits at once"
    )
    view = RunView()
    if view.is_live:
        answer = ERASE + answer
    with _lock_worktree(state), stop_on_signals(answer) as stopped:
        run = Run(
            directory, secrets.token_hex(8), limits, attempts=settings.number("attempts") or 1,
            allow_dirty=given["allow_dirty"],
            screened=not (given["no_screen"] or given["allow_dirty"]), stopped=stopped,
        )  # fmt: skip
        backend = open_plan(settings, run)
        agent = make_agent(settings.text("agent") or "")
        complete = partial(complete_message, settings, backend)
        with view:
            executor = Executor(run, backend, agent, observer=view, judge=make_judge(settings), complete=complete)
            try:
                executor.run()
            except Cancelled:
                return 130
            finally:
                view.conclude(executor.summary)
    return 0


def make_judge(settings: Settings) -> MessageCheck:
    """Return a function that returns why the commit-msg hook would refuse a message, or an empty text."""
    rules = make_rules(settings)

    def find_errors(text: str) -> str:
        verdict = _check(text, rules)
        if verdict.exempt is not None:
            return f"it is {verdict.exempt}"
        return "; ".join(f"{one.code}: {one.text}" for one in verdict.violations if one.level == ERROR)

    return find_errors


def complete_message(settings: Settings, backend: PlanBackend, text: str) -> str | None:
    """Return a message whose header has no type with the type and scope of a draft, and its verb in the imperative."""
    codes = [one.code for one in _check(text, make_rules(settings)).violations]
    if "header-form" not in codes:
        return None
    # A draft takes as long to load as a small task, and few messages need one.
    from smartcommit.draft.message_file import complete_header

    header, end, body = text.partition("\n")
    header = to_imperative(header) or header
    try:
        change = backend.stage()
        if change is None:
            return None
        completed = complete_header(change.repository, settings, header, change=change)
    except SmartcommitError:  # the commit reports what is wrong
        return None
    return None if completed is None else f"{completed}{end}{body}"


def _check(text: str, rules: Rules) -> CheckResult:
    cleaned = strip_space(text.encode("utf-8", "surrogateescape"), b"")
    return check_recorded(cleaned.text, cleaned.lines, Cleaning(WHITESPACE, editor=False), rules=rules, search=matches)


def _lock_worktree(directory: str) -> AbstractContextManager[None]:
    path = state_files.path(directory, runs.LOCK)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    except OSError as error:
        raise TaskPlanError(
            f"cannot create directory '{os.path.dirname(path)}': {explain_os_error(error)}",
            hint="remove whatever is in the way, and check that the parent directory is writable",
        ) from None
    return hold(path, patience=0, what="this working tree")


def _check_undescribed(directory: str, verb: str) -> None:
    """Raise TaskPlanError in a jj workspace if the change has a description: commits by git would leave it behind."""
    if is_workspace(directory) and read_change(directory, snapshot=False).description.strip():
        raise TaskPlanError(
            "this is a jj repository: commits made with git would leave the described change behind",
            hint=f"run 'smartcommit execute {verb} {NAME}' for the plan in its description, or run 'jj new' first",
        )


def _choose_plan(repository: Repository, wanted: str | None, *, begun: bool) -> PlanFolder:
    unfinished = _find_unfinished(repository)
    if unfinished is not None and wanted in (None, unfinished.name, *unfinished.name.split("-", 1)):
        return unfinished
    if wanted is not None:
        return find(repository.worktree, wanted)
    states = ("in_progress", "failed") if begun else ("in_progress", "failed", "not_started")
    found = []
    for folder in list_folders(repository.worktree):
        try:
            if folder.load().status in states:
                found.append(folder)
        except TaskPlanError as error:
            click.echo(printable(str(error)), err=True)
    if len(found) == 1:
        return found[0]
    if not found:
        verb = "resume" if begun else "run"
        raise TaskPlanError(f"no plan to {verb}", hint="run 'smartcommit execute new FILE' to create one")
    names = ", ".join(f"'{folder.name}'" for folder in found)
    raise TaskPlanError(f"more than one plan: {names}", hint="specify which plan")


def _find_unfinished(repository: Repository) -> PlanFolder | None:
    """Return the plan with a pending attempt; an agent that was interrupted may have removed its folder."""
    unfinished = runs.load(repository.git_dir)
    if unfinished is None:
        return None
    folder = PlanFolder(repository.worktree, unfinished.plan)
    return folder if unfinished.unsettled or folder.has(PLAN) else None


def _check_commands(repository: Repository, plan: TaskPlan, *, trust: bool) -> None:
    """Raise TaskPlanError if a plan, as one in a clone, has check commands that nobody has approved here."""
    if trust:
        runs.approve(repository.git_dir, plan.commands())
    approved = runs.read_approved(repository.git_dir)
    if foreign := [command for command in plan.commands() if command not in approved]:
        raise TaskPlanError(
            f"the plan contains check commands that were not created here: {'; '.join(foreign)}",
            hint="review them, then run again with '--trust-checks'",
        )
