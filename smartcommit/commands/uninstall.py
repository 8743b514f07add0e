"""`smartcommit uninstall`: undo `smartcommit install`."""

from __future__ import annotations

import click

from smartcommit.commands.install import print_lines
from smartcommit.git.repo import Repository
from smartcommit.setup.channels import Channels, find_user_folder, hold_lock
from smartcommit.setup.config_hooks import ConfigHooks


@click.command()
@click.option("--global", "everywhere", is_flag=True, help="Undo 'smartcommit install --global'.")
def command(everywhere: bool) -> None:
    """Remove what `smartcommit install` installed, and restore what was there before."""
    if everywhere:
        with hold_lock(find_user_folder()):
            done = ConfigHooks().uninstall()
    else:
        repository = Repository.find()
        with hold_lock(repository.common_dir):
            done = Channels(repository).uninstall()
    print_lines(done or ["nothing to do: 'smartcommit install' installed no hooks here"])
