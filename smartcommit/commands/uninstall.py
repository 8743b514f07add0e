"""`smartcommit uninstall`: undo `smartcommit install`."""

from __future__ import annotations

import os

import click

from smartcommit.errors import SmartcommitError, explain_os_error
from smartcommit.git.repo import Repository
from smartcommit.setup.direct_hooks import all_repositories, find_installed_hooks, new_repositories
from smartcommit.terminal import printable


@click.command()
@click.option("--global", "everywhere", is_flag=True, help="Undo 'smartcommit install --global'.")
@click.option("--template", is_flag=True, help="Undo 'smartcommit install --template'.")
def command(everywhere: bool, template: bool) -> None:
    """Remove the git hooks that `smartcommit install` wrote, and restore those that were there before."""
    if everywhere and template:
        raise click.UsageError("--global and --template cannot be combined")
    try:
        if everywhere or template:
            setting = all_repositories() if everywhere else new_repositories()
            directory = setting.uninstall()
        else:
            directory = find_installed_hooks(Repository.find())
            if not directory.uninstall():
                directory = None
    except OSError as error:
        raise SmartcommitError(f"'{error.filename}': {explain_os_error(error)}") from error
    if directory is None:
        click.echo("nothing to do: 'smartcommit install' installed no hooks here")
        if not (everywhere or template) and all_repositories().is_installed():
            click.echo("those of all your repositories are removed by 'smartcommit uninstall --global'")
        return
    click.echo(f"removed the hooks from '{printable(directory.path)}'; what was there before is back")
    if os.path.isdir(directory.path):
        for name in directory.list_edited():
            click.echo(f"a hook that you had edited was kept as '{printable(name)}'")
