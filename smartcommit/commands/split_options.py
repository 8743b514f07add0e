"""The options that `smartcommit split` and the commands that rewrite commits share, and what is done with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import click

from smartcommit.cli import REWRITING
from smartcommit.commands.subcommands import combine
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Pathspecs
from smartcommit.jj.run import find_jj_repository, find_nearest_root
from smartcommit.settings import MESSAGE_HOOKS, parse_words
from smartcommit.split.embedded.partition import STRATEGIES
from smartcommit.split.outcome import CANCELLED, EXPECTED, USAGE, SplitResult, print_result, report_error
from smartcommit.split.plan_file import read_plan
from smartcommit.split.review.questions import open_terminal
from smartcommit.split.source import AUTO, EMBEDDED, ENGINES, MODEL, EngineOptions, SplitOptions

STATUSES = "Exit status: 0 success, 1 nothing to do, 2 model failed, 3 git error, 4 cancelled, 64 usage error."


class Misuse(click.UsageError):
    exit_code = USAGE


class SplitCommand(click.Command):
    """A command that exits with the statuses of `split`, and with 64 for wrong usage."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        try:
            return super().make_context(*arguments, **options)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-")
            if name in REWRITING:
                raise Misuse(f"'{name}' is a command: 'git smart-commit {name}'", error.ctx) from error
            raise Misuse(error.format_message(), error.ctx) from error
        except click.UsageError as error:
            raise Misuse(error.format_message(), error.ctx) from error

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take what follows `--` as paths: nothing of it is a revision."""
        if "--" not in args or not any(parameter.name == "paths" for parameter in self.params):
            return super().parse_args(ctx, args)
        end = args.index("--")
        paths = args[end + 1 :]
        rest = super().parse_args(ctx, args[:end])
        ctx.params["paths"] = (*ctx.params["paths"], *paths)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except EXPECTED as error:
            return report_error(error, complain)
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


repository_option = click.option(
    "--repo",
    metavar="PATH",
    type=click.Path(),
    help="Run in the repository that contains PATH (default: the current directory).",
)
paths_argument = click.argument("paths", nargs=-1, metavar="[-- PATH...]", type=click.Path())
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print only errors, and warnings about secrets.")
# How a plan is made.
planning_options = combine(
    click.option("--engine", type=click.Choice(ENGINES), default=AUTO, help="Engine that creates the plan."),
    click.option(
        "--strategy", type=click.Choice(STRATEGIES), default=AUTO, help="How the built-in splitter groups changes."
    ),
    click.option("--count", type=click.IntRange(min=1), metavar="N", help="Number of commits to aim for."),
    click.option("--show-prompt", is_flag=True, help="Print exactly what would be sent to a model; change nothing."),
)
# What the messages get.
message_options = combine(
    click.option("--ticket", metavar="ID", help="Ticket of these commits, where the project requires one."),
    click.option(
        "-s", "--signoff", "sign_off", is_flag=True, help="Add a Signed-off-by trailer by the committer to each commit."
    ),
    click.option(
        "--run-hooks",
        metavar="NAME[,NAME]",
        multiple=True,
        callback=_parse_hooks,
        help="Run the repository's own prepare-commit-msg or commit-msg hook on each message.",
    ),
)
# What becomes of a plan.
writing_options = combine(
    click.option(
        "--plan",
        type=click.Path(exists=True, dir_okay=False, allow_dash=True),
        metavar="FILE",
        help="Apply the plan in FILE.",
    ),
    click.option(
        "--save-plan", type=click.Path(dir_okay=False), metavar="FILE", help="Also write the plan to FILE as JSON."
    ),
    click.option(
        "--exec", "check", metavar="CMD", help="Run CMD on every commit, and change nothing if it fails on any of them."
    ),
    click.option("--dry-run", is_flag=True, help="Show the plan and the ref updates; change nothing."),
    click.option("--json", is_flag=True, help="Print the plan as JSON and exit; with --yes, the commits created."),
    click.option("-y", "--yes", is_flag=True, help="Create the commits without asking."),
    quiet_option,
)


def find_repository(directory: str | None) -> tuple[str | None, Repository]:
    """Return the root of the jj workspace around `directory` if it is in one, and the git repository."""
    root = find_nearest_root(directory or os.curdir)
    if root is None:
        return None, Repository.find(directory)
    return root, find_jj_repository(root)


def limit_to_paths(words: Sequence[str], directory: str | None) -> Pathspecs | None:
    """Return the pathspecs as they are meant in `directory` (default: the current one), or None if there are none."""
    if not words:
        return None
    return Pathspecs(os.path.realpath(directory or os.curdir), tuple(words))


def refuse_in_jj(option: str, *, given: bool, reason: str) -> None:
    if given:
        raise Misuse(f"'{option}' cannot be used in a jj repository: {reason}")


def run_flow(repository: Repository, flow: Callable[..., SplitResult], **given: Any) -> int:
    """Run `flow` with the options `given`, with a terminal if there will be questions, and print its result."""
    choice = _read_choice(given)
    name, plan, plan_files = given.pop("plan"), None, []
    if name is not None:
        with click.open_file(name, encoding="utf-8", errors="surrogateescape") as file:
            plan = read_plan(file.read())
        plan_files.append("/dev/stdin" if name == "-" else name)
    if given["save_plan"] is not None:
        plan_files.append(given["save_plan"])
    if given["json"]:
        plan_files.append("/dev/stdout")
    given["yes"] = given["yes"] and not given["dry_run"]
    options = SplitOptions(choice, plan=plan, plan_files=plan_files, **given)
    asks_nothing = options.yes or options.dry_run or options.json or options.show_prompt
    terminal = None if asks_nothing else open_terminal(repository.worktree)
    with terminal or nullcontext():
        result = flow(options=options, terminal=terminal, complain=complain)
        print_result(result, click.echo, complain, as_json=options.json)
    return result.status


def complain(text: str) -> None:
    click.echo(text, err=True)


def _read_choice(given: dict[str, Any]) -> EngineOptions:
    """Take the options on how to make a plan out of `given`; raise Misuse if they contradict each other."""
    choice = EngineOptions(given.pop("engine", AUTO), given.pop("strategy", AUTO), count=given.pop("count", None))
    asks_to_plan = choice != EngineOptions() or given.get("show_prompt")
    if given["plan"] is not None and asks_to_plan:
        raise Misuse("'--plan' gives a finished plan, so no option can say how to make one")
    if choice.strategy != AUTO and choice.engine == MODEL:
        raise Misuse("'--strategy' is for the built-in splitter, and '--engine model' does not ask it")
    if given.get("show_prompt") and (choice.engine == EMBEDDED or choice.strategy != AUTO):
        raise Misuse("'--show-prompt' shows what a model is sent, and the built-in splitter sends nothing")
    return choice
