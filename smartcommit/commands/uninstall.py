"""`smartcommit uninstall`: undo `smartcommit install`."""

from __future__ import annotations

import os

import click

from smartcommit.git.repo import Repository
from smartcommit.setup import hook_lines, user_hooks
from smartcommit.setup.config_hooks import ConfigHooks
from smartcommit.setup.direct_hooks import Changes, find_installed_hooks, hold_lock
from smartcommit.setup.hook_scripts import find_kept_folder
from smartcommit.terminal import printable


@click.command()
@click.option("--global", "everywhere", is_flag=True, help="Undo 'smartcommit install --global'.")
def command(everywhere: bool) -> None:
    """Remove the git hooks that `smartcommit install` wrote, and restore those that were there before."""
    if everywhere:
        undone = _uninstall_everywhere()
    else:
        undone = _uninstall_here(Repository.find())
    if undone:
        return
    click.echo("nothing to do: 'smartcommit install' installed no hooks here")
    if not everywhere and user_hooks.list_installed():
        click.echo("those of all your repositories are removed by 'smartcommit uninstall --global'")


def _uninstall_everywhere() -> bool:
    """Return whether there was anything to undo."""
    configuration = ConfigHooks()
    if not configuration.list_installed() and not user_hooks.has_folder():
        return False
    with hold_lock():
        paths = configuration.uninstall()
        left = user_hooks.uninstall_folder()
    folder = user_hooks.find_folder()
    if left is not None:
        paths.append(folder)
    for path in paths:
        _print(f"removed the hooks from '{path}'")
    for name in left or ():
        _print(f"'{os.path.join(folder, name)}' stays, but git does not look there any more")
    return True


def _uninstall_here(repository: Repository) -> bool:
    """Return whether there was anything to undo."""
    with hold_lock(repository):
        paths = ConfigHooks(repository).uninstall()
        changes = find_installed_hooks(repository).uninstall()
        edited = hook_lines.remove(repository)
    for path in paths:
        _print(f"removed the hooks from '{path}'")
    _report(changes)
    for path in edited:
        _print(f"removed our lines from '{os.path.relpath(path, repository.worktree)}'")
    return bool(paths or changes.undone or edited)


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


def _print(line: str) -> None:
    click.echo(printable(line))
