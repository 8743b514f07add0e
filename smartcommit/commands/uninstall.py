"""`smartcommit uninstall`: undo `smartcommit install`."""

from __future__ import annotations

import click

from smartcommit.errors import SmartcommitError, describe_error
from smartcommit.git.repo import Repository
from smartcommit.setup.direct_hooks import (
    Changes,
    all_repositories,
    find_installed_hooks,
    hold_lock,
    new_repositories,
)
from smartcommit.setup.hook_scripts import KEPT
from smartcommit.terminal import printable


@click.command()
@click.option("--global", "everywhere", is_flag=True, help="Undo 'smartcommit install --global'.")
@click.option("--template", is_flag=True, help="Undo 'smartcommit install --template'.")
def command(everywhere: bool, template: bool) -> None:
    """Remove the git hooks that `smartcommit install` wrote, and restore those that were there before."""
    if everywhere and template:
        raise click.UsageError("--global and --template cannot be combined")
    try:
        changes = _uninstall_setting(everywhere=everywhere) if everywhere or template else _uninstall_here()
    except OSError as error:
        raise SmartcommitError(describe_error(error)) from error
    if changes is None or not changes.undone:
        click.echo("nothing to do: 'smartcommit install' installed no hooks here")
        if not (everywhere or template) and all_repositories().is_installed():
            click.echo("those of all your repositories are removed by 'smartcommit uninstall --global'")
    if changes is None:
        return
    if changes.removed:
        click.echo(f"removed the hooks from '{printable(changes.path)}'")
    for name in changes.restored:
        click.echo(f"your own {name} is back")
    for name in changes.left:
        click.echo(f"your own '{name}{KEPT}' stays under this name: there is another {name} now")
    for name in changes.edited:
        click.echo(f"a hook that you had edited was kept as '{name}'")


def _uninstall_setting(*, everywhere: bool) -> Changes | None:
    setting = all_repositories() if everywhere else new_repositories()
    if setting.read() is None:
        return None
    with hold_lock():
        return setting.uninstall()


def _uninstall_here() -> Changes:
    repository = Repository.find()
    with hold_lock(repository):
        return find_installed_hooks(repository).uninstall()
