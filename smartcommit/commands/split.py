"""`smartcommit split`, also `git smart-commit`: the change becomes atomic commits, all of them or none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import click
from click.core import ParameterSource

from smartcommit.git.repo import Repository
from smartcommit.git.transaction.recover import check_unlocked, recover
from smartcommit.git.transaction.undo import undo
from smartcommit.jj.run import find_nearest_root, lock
from smartcommit.jj.store import find_jj_repository
from smartcommit.settings import MESSAGE_HOOKS, parse_words
from smartcommit.split.embedded.partition import STRATEGIES
from smartcommit.split.engine import ENGINES, EngineOptions
from smartcommit.split.flow import split
from smartcommit.split.options import SplitOptions
from smartcommit.split.outcome import CANCELLED, DONE, EXPECTED, USAGE, discard_output, report_error, show_untidy
from smartcommit.split.plan_file import WrittenPlan, read_plan
from smartcommit.split.questions import open_terminal

_PLANNING = ("--engine", "--model", "--api-base", "--strategy", "--count", "--critique", "--show-prompt")
_WRITING = ("--save-plan", "--exec", "--dry-run", "--json", "--yes")
_MESSAGES = ("--ticket", "--signoff", "--run-hooks")
_RANGES = ("--range", "--branches", "--allow-merges", "--allow-pushed")
_SPLITTING = (*_PLANNING, *_WRITING, *_MESSAGES, *_RANGES, "--absorb", "--staged", "--plan", "--include-secrets")
# For each option those that contradict it, or that it would leave without effect.
_EXCLUDED = {
    "--undo": ("--recover", *_SPLITTING),
    "--recover": _SPLITTING,
    "--range": ("--staged", "--include-secrets"),
    "--absorb": (*_PLANNING, *_MESSAGES, "--allow-merges", "--include-secrets"),
    "--plan": (*_PLANNING, "--include-secrets"),
    "--show-prompt": (*_WRITING, *_MESSAGES, "--quiet"),
    "--strategy": ("--engine model", "--model", "--api-base", "--critique", "--show-prompt"),
    "--engine embedded": ("--model", "--api-base", "--critique", "--show-prompt"),
}

STATUSES = "Exit status: 0 success, 1 nothing to split, 2 model failed, 3 git error, 4 cancelled, 64 usage error."


class _Misuse(click.UsageError):
    exit_code = USAGE


class SplitCommand(click.Command):
    """A command that exits with the statuses of `split`, and with 64 for wrong usage."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        try:
            return super().make_context(*arguments, **options)
        except click.UsageError as error:
            raise _Misuse(error.format_message(), error.ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except EXPECTED as error:
            return report_error(error, partial(click.echo, err=True))
        except (click.Abort, KeyboardInterrupt):
            click.echo("cancelled", err=True)
            return CANCELLED


def _parse_hooks(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...] | None:
    """Return the hooks that `--run-hooks` names, as often as it was given; None if it was not."""
    if not values:
        return None
    names = parse_words(values)
    for name in names:
        if name not in MESSAGE_HOOKS:
            raise click.BadParameter(f"'{name}' is not one of {', '.join(MESSAGE_HOOKS)}.", context, parameter)
    return names


@click.command(cls=SplitCommand, name="split", epilog=STATUSES)
@click.option(
    "--repo",
    metavar="PATH",
    type=click.Path(),
    help="Run in the repository that contains PATH (default: the current directory).",
)
@click.option("--staged", is_flag=True, help="Split only the staged changes and leave the rest alone.")
@click.option(
    "--range",
    "revisions",
    metavar="BASE..",
    help="Cut the commits of the current branch since BASE anew; what is not committed stays.",
)
@click.option("--allow-merges", is_flag=True, help="With --range: make merges part of the new commits.")
@click.option("--allow-pushed", is_flag=True, help="With --range: rewrite commits that were pushed, too.")
@click.option("--branches", is_flag=True, help="With --range: make a branch for each commit, as a stack.")
@click.option(
    "--absorb",
    is_flag=True,
    help="Put each hunk into the commit it belongs to, of those that were not pushed, or of --range; the rest stays.",
)
@click.option("--fixup", is_flag=True, help="With --absorb: make 'fixup!' commits, and rewrite nothing.")
@click.option("--engine", type=click.Choice(ENGINES), default="auto", help="Engine that creates the plan.")
@click.option("--model", metavar="NAME", help="Model to use.")
@click.option("--api-base", metavar="URL", help="Address of the model server.")
@click.option(
    "--strategy", type=click.Choice(STRATEGIES), default="auto", help="How the built-in splitter groups changes."
)
@click.option("--count", type=click.IntRange(min=1), metavar="N", help="Number of commits to aim for.")
@click.option(
    "--plan",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Apply the plan in FILE.",
)
@click.option(
    "--save-plan", type=click.Path(dir_okay=False), metavar="FILE", help="Also write the plan to FILE as JSON."
)
@click.option("--critique", metavar="TEXT", default="", help="Feedback on an earlier plan, passed to the model.")
@click.option("--show-prompt", is_flag=True, help="Print exactly what would be sent to a model, without sending it.")
@click.option(
    "--exec", "check", metavar="CMD", help="Run CMD on every commit, and change nothing if it fails on any of them."
)
@click.option("--include-secrets", is_flag=True, help="Also commit files that look like secrets or build artifacts.")
@click.option("--ticket", metavar="ID", help="Ticket of these commits, where the project requires one.")
@click.option(
    "-s", "--signoff", "sign_off", is_flag=True, help="Add a Signed-off-by trailer by the committer to every commit."
)
@click.option(
    "--run-hooks",
    metavar="NAME[,NAME]",
    multiple=True,
    callback=_parse_hooks,
    help="Run the repository's own prepare-commit-msg or commit-msg hook on each message.",
)
@click.option("--dry-run", is_flag=True, help="Show the plan and the ref updates; change nothing.")
@click.option("--json", is_flag=True, help="Print the plan as JSON and exit; with --yes, print the commits created.")
@click.option("-y", "--yes", is_flag=True, help="Create the commits without asking.")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors, and warnings about secrets.")
@click.option("--undo", is_flag=True, help="Undo the last split: restore HEAD and the index, leave files alone.")
@click.option("--recover", is_flag=True, help="Finish or roll back a split that was interrupted by a crash.")
def command(
    *, repo: str | None, staged: bool, yes: bool, undo: bool, recover: bool, plan: str | None, **given: Any
) -> int:
    """Split uncommitted changes into atomic commits: all of them are created, or none."""
    _check_options(click.get_current_context())
    root = find_nearest_root(repo or os.curdir)
    repository = Repository.find(repo) if root is None else find_jj_repository(root)
    if root is not None:
        _check_options_in_jj(click.get_current_context())
    if undo:
        return _undo(repository, quiet=given["quiet"]) if root is None else _undo_in_jj(root, quiet=given["quiet"])
    if recover:
        return _recover(repository, quiet=given["quiet"])
    choice = EngineOptions(
        given.pop("engine"), given.pop("strategy"), count=given.pop("count"), instructions=given.pop("critique")
    )
    revisions, allowed = given.pop("revisions"), {name: given.pop(name) for name in ("allow_merges", "allow_pushed")}
    absorbing = given.pop("absorb")
    plan_files = _list_plan_files(plan, given["save_plan"], json=given["json"])
    options = SplitOptions(choice, plan=_read_plan(plan), plan_files=plan_files, **given)
    terminal = None
    if not (yes or options.dry_run or options.json or options.show_prompt):
        terminal = open_terminal(repository.worktree)
    calling: dict[str, Any] = {"yes": yes and not options.dry_run, "options": options, "out": click.echo}
    calling["complain"] = partial(click.echo, err=True)
    with terminal or nullcontext():
        if root is not None:
            calling |= {"terminal": terminal}
            return _rewrite_in_jj(root, revisions, absorbing=absorbing, pushed=allowed["allow_pushed"], **calling)
        if revisions is None and not absorbing:
            return split(repository, staged=staged, terminal=terminal, **calling)
        from smartcommit.rewrite.absorb import absorb
        from smartcommit.rewrite.commits import find_unpushed_range, read_named_range
        from smartcommit.rewrite.recut import cut_range

        if revisions is None:
            commits = find_unpushed_range(repository)
        else:
            commits = read_named_range(repository, revisions, **allowed)
        if absorbing:
            return absorb(repository, commits, staged=staged, terminal=terminal, **calling)
        return cut_range(repository, commits, terminal=terminal, **calling)


def _rewrite_in_jj(root: str, revisions: str | None, *, absorbing: bool, pushed: bool, **calling: Any) -> int:
    """Split jj's working-copy commit, or rewrite the changes below it."""
    from smartcommit.rewrite.in_jj import split_change
    from smartcommit.rewrite.ranges_in_jj import absorb_change, cut_changes

    if absorbing:
        return absorb_change(root, revisions, allow_pushed=pushed, **calling)
    if revisions is not None:
        return cut_changes(root, revisions, allow_pushed=pushed, **calling)
    return split_change(root, **calling)


def _check_options(context: click.Context) -> None:
    """Raise _Misuse if two options of the command line cannot be used together."""
    given = _given_options(context)
    for option, excluded in _EXCLUDED.items():
        # What is absorbed is not the range, which only says where it may go.
        if option == "--range" and "--absorb" in given:
            continue
        for other in excluded:
            if option in given and other in given:
                raise _Misuse(f"'{option}' and '{other}' cannot be used together", context)
    if "--fixup" in given and "--absorb" not in given:
        raise _Misuse("'--fixup' requires '--absorb'", context)
    for option in _RANGES[1:]:
        if option in given and "--range" not in given:
            raise _Misuse(f"'{option}' requires '--range'", context)


def _check_options_in_jj(context: click.Context) -> None:
    """Raise _Misuse for an option that means nothing in a jj repository."""
    reasons = {
        "--staged": "it has no index",
        "--allow-merges": "changes that are merges stay",
        "--branches": "'jj git push --change' names them",
    }
    for option, reason in reasons.items():
        if option in _given_options(context):
            raise _Misuse(f"'{option}' cannot be used in a jj repository: {reason}", context)


def _given_options(context: click.Context) -> set[str]:
    """Return the options on the command line that differ from the default, both as `--name` and as `--name value`."""
    given = set()
    for option in context.command.params:
        assert option.name is not None
        value = context.params[option.name]
        if context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE and value != option.default:
            name = max(option.opts, key=len)
            given |= {name, f"{name} {value}"}
    return given


def _read_plan(name: str | None) -> WrittenPlan | None:
    if name is None:
        return None
    with click.open_file(name, encoding="utf-8", errors="surrogateescape") as file:
        return read_plan(file.read())


def _list_plan_files(plan: str | None, save_plan: str | None, *, json: bool) -> list[str]:
    """Return the files that a plan is read from and written to, by us or by the shell."""
    names = []
    if plan is not None:
        names.append("/dev/stdin" if plan == "-" else plan)
    if save_plan is not None:
        names.append(save_plan)
    if json:
        names.append("/dev/stdout")
    return names


def _undo(repository: Repository, *, quiet: bool) -> int:
    entry, warnings = undo(repository)
    place = f"HEAD is back at {entry.old[:10]}" if entry.old else "HEAD has no commits again"
    rest = "index and files are unchanged" if entry.keeps_index else "the index is restored, files are unchanged"
    line = f"split undone: {place}, {rest}"
    _report([line], done="the split was undone", quiet=quiet)
    _warn(warnings)
    return DONE


def _undo_in_jj(root: str, *, quiet: bool) -> int:
    from smartcommit.jj.moves import undo_split

    with lock(root):
        operation = undo_split(root)
    line = f"split undone: jj is back at operation {operation[:12]}, files are unchanged"
    _report([line], done="the split was undone", quiet=quiet)
    return DONE


def _recover(repository: Repository, *, quiet: bool) -> int:
    lines = []
    recovered, warnings = recover(repository)
    for entry, in_force in recovered:
        outcome = "completed" if in_force else "rolled back"
        lines.append(f"split {entry.name}: {outcome}")
    _report(lines, done="recovered", quiet=quiet)
    _warn(warnings)
    check_unlocked(repository)
    if not lines:
        _report(["nothing to recover"], done="recovered", quiet=quiet)
    return DONE


def _warn(warnings: Sequence[str]) -> None:
    for line in show_untidy(warnings):
        click.echo(line, err=True)


def _report(lines: Sequence[str], *, done: str, quiet: bool) -> None:
    """Print `lines` unless `quiet`; if printing fails, still say what was `done`."""
    if quiet:
        return
    try:
        for line in lines:
            click.echo(line)
    except OSError as error:
        discard_output()
        click.echo(f"{done}, but the result cannot be printed: {error.strerror}", err=True)
