"""`smartcommit install`: git hooks without pre-commit."""

from __future__ import annotations

import click

from smartcommit.commands.doctor_findings import report_briefly
from smartcommit.commands.policy import offer_policy
from smartcommit.errors import SmartcommitError, describe_error
from smartcommit.git.repo import Repository
from smartcommit.setup.direct_hooks import (
    all_repositories,
    find_repository_hooks,
    hold_lock,
    new_repositories,
)
from smartcommit.setup.git_hooks import FRAMEWORKS
from smartcommit.setup.hook_scripts import KEPT, MODULES
from smartcommit.setup.installed_hooks import find_runners
from smartcommit.terminal import printable


@click.command()
@click.option(
    "--hooks",
    "names",
    type=click.Choice(list(MODULES)),
    multiple=True,
    help="Hook to install; repeat it for several (default: both).",
)
@click.option("--global", "everywhere", is_flag=True, help="Install them for all your repositories, by core.hooksPath.")
@click.option("--template", is_flag=True, help="Install them in repositories that you create or clone from now on.")
def command(names: tuple[str, ...], everywhere: bool, template: bool) -> None:
    """Install the git hooks in this repository, without pre-commit.

    Hooks that are there already are kept and run first. A commit costs less than with a framework, but every user of
    the repository has to run this command.
    """
    if everywhere and template:
        raise click.UsageError("--global and --template cannot be combined")
    chosen = names or tuple(MODULES)
    repository = None
    try:
        if everywhere or template:
            setting = all_repositories() if everywhere else new_repositories()
            setting.check()  # a refusal leaves nothing behind, not even the lock
            with hold_lock():
                changes = setting.install(chosen)
            undo = f"smartcommit uninstall {'--global' if everywhere else '--template'}"
        else:
            repository = Repository.find()
            with hold_lock(repository):
                _refuse_twice(repository)
                changes = find_repository_hooks(repository).install(chosen)
            undo = "smartcommit uninstall"
    except OSError as error:
        raise SmartcommitError(describe_error(error)) from error
    click.echo(f"installed {' and '.join(chosen)} in '{printable(changes.path)}'")
    for name in changes.kept:
        click.echo(f"your own {name} was kept as '{name}{KEPT}' and runs first")
    for name in changes.idle:
        click.echo(f"your own {name} was kept as '{name}{KEPT}', but does not run: it is not executable")
    for name in changes.edited:
        click.echo(f"a hook that you had edited was kept as '{name}' and does not run")
    click.echo(f"undo: {undo}")
    if repository is not None:
        offer_policy(repository)
        report_briefly(repository)


def _refuse_twice(repository: Repository) -> None:
    """Raise SmartcommitError if pre-commit or prek runs our hooks here: they would run twice."""
    for hook in MODULES:
        for runner in find_runners(repository, hook):
            if runner.name in FRAMEWORKS:
                raise SmartcommitError(
                    f"{runner.name} already runs these hooks here",
                    hint="keep that, or run 'smartcommit init --remove' first",
                )
