"""`smartcommit uninstall`: undo `smartcommit install`."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from smartcommit.errors import SmartcommitError, describe_error
from smartcommit.git.repo import Repository
from smartcommit.setup import config_hooks, hook_lines
from smartcommit.setup.direct_hooks import (
    Changes,
    all_repositories,
    find_everywhere,
    find_installed_hooks,
    hold_lock,
    new_repositories,
    user_configuration,
)
from smartcommit.setup.hook_scripts import find_kept_folder
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
            undone = _uninstall_setting(everywhere=everywhere)
        else:
            undone = _uninstall_here()
    except OSError as error:
        raise SmartcommitError(describe_error(error)) from error
    if undone:
        return
    click.echo("nothing to do: 'smartcommit install' installed no hooks here")
    if not (everywhere or template) and find_everywhere():
        click.echo("those of all your repositories are removed by 'smartcommit uninstall --global'")


def _uninstall_setting(*, everywhere: bool) -> bool:
    """Return whether there was anything to undo."""
    setting = all_repositories() if everywhere else new_repositories()
    configuration = user_configuration()
    configured = everywhere and bool(configuration.list_installed())
    changes = None
    if configured or setting.read() is not None:
        with hold_lock():
            if configured:
                configuration.uninstall()
            changes = setting.uninstall()
    if configured:
        _print(f"removed the hooks from '{configuration.path}'")
    if changes is not None:
        _report(changes)
    elsewhere = config_hooks.find_elsewhere() if everywhere else []
    _report_elsewhere(elsewhere)
    return bool(configured or elsewhere or (changes is not None and changes.undone))


def _uninstall_here() -> bool:
    """Return whether there was anything to undo."""
    repository = Repository.find()
    configuration = config_hooks.of_repository(repository)
    with hold_lock(repository):
        configured = configuration.uninstall()
        changes = find_installed_hooks(repository).uninstall()
        paths = hook_lines.remove(repository)
    if configured:
        _print(f"removed the hooks from '{configuration.path}'")
    _report(changes)
    for path in paths:
        _print(f"removed our lines from '{os.path.relpath(path, repository.worktree)}'")
    elsewhere = config_hooks.find_elsewhere(repository)
    _report_elsewhere(elsewhere)
    return bool(configured or changes.undone or paths or elsewhere)


def _report(changes: Changes) -> None:
    if changes.removed:
        _print(f"removed the hooks from '{changes.path}'")
    for name in changes.restored:
        _print(f"your own {name} is back")
    for name in changes.left:
        place = os.path.join(find_kept_folder(changes.path), name)
        _print(f"your own '{place}' stays under this name: there is another {name} now")
    for name in changes.edited:
        _print(f"a hook that you had edited was kept as '{name}'")
    for name in changes.stranded:
        _print(f"'{os.path.join(changes.path, name)}' stays, but git does not look there any more")


def _report_elsewhere(paths: Sequence[str]) -> None:
    for path in paths:
        _print(f"'{path}' has hooks of ours, too: remove its sections [hook \"{config_hooks.PREFIX}...\"] by hand")


def _print(line: str) -> None:
    click.echo(printable(line))
