"""`smartcommit install`: git hooks without pre-commit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import click

from smartcommit.commands.doctor_findings import report_briefly
from smartcommit.commands.policy import offer_policy
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.setup import hook_lines, user_hooks
from smartcommit.setup.config_hooks import PREFIX, ConfigHooks, is_supported
from smartcommit.setup.direct_hooks import (
    Changes,
    find_installed_hooks,
    find_owner,
    find_repository_hooks,
    hold_lock,
)
from smartcommit.setup.git_hooks import FRAMEWORKS, HUSKY, LEFTHOOK, OTHER
from smartcommit.setup.hook_scripts import MODULES, find_kept_folder
from smartcommit.setup.runners import find_runners
from smartcommit.terminal import printable

# What a program needs that refuses to install hooks while core.hooksPath is set.
_WITHOUT_GLOBAL = f"GIT_CONFIG_GLOBAL={os.devnull}"
_OLD_GIT = "git before 2.54 runs no hooks of its configuration"


@click.command()
@click.option(
    "--hooks",
    "names",
    type=click.Choice(list(MODULES)),
    multiple=True,
    help="Hook to install; repeat it for several (default: both).",
)
@click.option("--config", "way", flag_value="config", help="Install them in git's configuration (git 2.54 and later).")
@click.option("--files", "way", flag_value="files", help="Install them as files where git looks for hooks.")
@click.option(
    "--add-lines", "way", flag_value="add-lines", help="Add lines that run them to the hooks in the working tree."
)
@click.option("--global", "everywhere", is_flag=True, help="Install them for all your repositories.")
def command(names: tuple[str, ...], way: str | None, everywhere: bool) -> None:
    """Install the git hooks in this repository, without pre-commit.

    Without an option, they are files in '.git/hooks', or, with git 2.54 and later, in git's configuration if the hooks
    of this repository are somebody else's. Hooks that are there already run as before. A commit costs less than with a
    framework, but every user of the repository has to run this command.
    """
    if everywhere and way in ("files", "add-lines"):
        raise click.UsageError(f"--global and --{way} cannot be combined")
    if way == "config" and not is_supported():
        raise SmartcommitError(_OLD_GIT, hint="update git, or install the hooks without --config")
    chosen = names or tuple(MODULES)
    if everywhere:
        _install_everywhere(chosen)
    else:
        _install_here(Repository.find(), chosen, way)


def _install_everywhere(chosen: Sequence[str]) -> None:
    """Install the hooks in the configuration of the user, or, with an older git, in a directory for all."""
    if is_supported():
        with hold_lock():
            path = ConfigHooks().install(chosen)
            replaced = user_hooks.has_folder()
            if replaced:
                user_hooks.uninstall_folder()
        _print_configured(chosen, path)
        if replaced:
            _print_replaced(user_hooks.find_folder())
    else:
        user_hooks.check_folder()  # a refusal leaves nothing behind, not even the lock
        with hold_lock():
            folder = user_hooks.install_folder(chosen)
        _print(f"installed {' and '.join(chosen)} in '{folder}'")
        _print(f"to install the hooks of other programs in a repository: {_WITHOUT_GLOBAL} pre-commit install")
    _print("undo: smartcommit uninstall --global")


def _install_here(repository: Repository, chosen: Sequence[str], way: str | None) -> None:
    with hold_lock(repository):
        if way != "add-lines":
            _refuse_twice(repository, chosen)
        if way is None and set(chosen) <= set(user_hooks.list_installed()):
            _print("nothing to do: 'smartcommit install --global' has installed these hooks for all your repositories")
            return
        if way == "add-lines":
            _add_lines(repository, chosen)
        elif way == "files" or (way is None and not _is_left_to_others(repository, chosen)):
            _install_files(repository, chosen)
        else:
            _install_config(repository, chosen)
    _print("undo: smartcommit uninstall")
    offer_policy(repository)
    report_briefly(repository)


def _is_left_to_others(repository: Repository, chosen: Sequence[str]) -> bool:
    """Whether the hooks of this repository are somebody else's, so that ours are better off in the configuration.

    Raise SmartcommitError, and print the lines to add, if only lines in the working tree would do.
    """
    owner = find_owner(repository, chosen)
    if owner is None:
        return False
    if is_supported():
        _print(f"{owner}, so its hooks stay as they are")
        return True
    for place in hook_lines.find_places(repository, chosen) or ():
        _print(f"'{os.path.relpath(place.path, repository.worktree)}' needs these lines, at its beginning:")
        _print(hook_lines.LINES[place.name])
    return False


def _install_files(repository: Repository, chosen: Sequence[str]) -> None:
    configuration = ConfigHooks(repository)
    directory = find_repository_hooks(repository)
    chosen = _join(chosen, configuration.list_installed())
    changes = directory.install(chosen)
    configuration.uninstall()
    _print(f"installed {' and '.join(chosen)} in '{changes.path}'")
    kept = find_kept_folder(changes.path)
    for name in changes.kept:
        _print(f"your own {name} was kept as '{os.path.join(kept, name)}' and runs first")
    for name in changes.idle:
        _print(f"your own {name} was kept as '{os.path.join(kept, name)}', but does not run: it is not executable")
    _print_edited(changes)


def _install_config(repository: Repository, chosen: Sequence[str]) -> None:
    directory = find_installed_hooks(repository)
    chosen = _join(chosen, directory.list_installed())
    path = ConfigHooks(repository).install(chosen)
    changes = directory.uninstall()
    _print_configured(chosen, path)
    _print_restored(changes)
    for name in chosen:
        key = f"hook.{PREFIX}{name}.enabled"
        if repository.run("config", "--type=bool", "--get", key, expected=(0, 1)) == b"false\n":
            _print(f"{name} does not run: it is switched off by {key}")


def _add_lines(repository: Repository, chosen: Sequence[str]) -> None:
    places = hook_lines.find_places(repository, chosen)
    if places is None:
        raise SmartcommitError(
            "git looks for no hooks in this working tree", hint="run 'smartcommit install' without --add-lines"
        )
    has_lines = hook_lines.list_added(repository)
    _refuse_twice(repository, [name for name in chosen if name not in has_lines])
    added = hook_lines.add(places)
    for path in added:
        _print(f"added lines to '{os.path.relpath(path, repository.worktree)}'")
    if not added:
        _print("these hooks have our lines already")
    for path in ConfigHooks(repository).uninstall():
        _print_replaced(path)
    changes = find_installed_hooks(repository).uninstall()
    if changes.removed:
        _print_replaced(changes.path)
    _print_restored(changes)


def _join(chosen: Sequence[str], installed: Iterable[str]) -> list[str]:
    """Return the hooks `chosen` and those that were `installed` in another way, which changes for all of them."""
    return [name for name in MODULES if name in chosen or name in installed]


def _print_configured(chosen: Sequence[str], path: str) -> None:
    _print(f"installed {' and '.join(chosen)} in '{path}', which git 2.54 and later reads")


def _print_replaced(path: str) -> None:
    _print(f"removed the hooks from '{path}', where an earlier command had installed them")


def _print_restored(changes: Changes) -> None:
    for name in changes.restored:
        _print(f"your own {name} is back")
    _print_edited(changes)


def _print_edited(changes: Changes) -> None:
    for name in changes.edited:
        _print(f"a hook that you had edited was kept as '{name}' and does not run")


def _refuse_twice(repository: Repository, chosen: Sequence[str]) -> None:
    """Raise SmartcommitError if something else runs our hooks here: they would run twice."""
    for hook in chosen:
        for runner in find_runners(repository, hook):
            if runner.name in FRAMEWORKS:
                raise SmartcommitError(
                    f"{runner.name} already runs these hooks here",
                    hint="keep that, or run 'smartcommit init --remove' first",
                )
            if runner.name in (HUSKY, LEFTHOOK, OTHER):
                raise SmartcommitError(
                    f"'{os.path.relpath(runner.path, repository.worktree)}' already runs {hook} here",
                    hint="keep that, or remove its lines first; 'smartcommit uninstall' removes those of --add-lines",
                )


def _print(text: str) -> None:
    click.echo(printable(text, keep="\n"))
