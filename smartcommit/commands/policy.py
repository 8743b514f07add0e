"""`smartcommit policy`: propose a project's policy file from its history and other tools' configuration."""

from __future__ import annotations

import os

import click

from smartcommit import DOCS
from smartcommit.config import load, name_policy_file
from smartcommit.errors import SmartcommitError, explain_os_error
from smartcommit.git.repo import Repository
from smartcommit.setup.other_tools import Conventions, find_conventions
from smartcommit.state_files import replace_file
from smartcommit.terminal import printable

# Lines on what is not taken over, and characters of each.
_SHOWN, _WIDTH = 20, 300


@click.command()
@click.option("--write", is_flag=True, help="Write the proposal.")
def command(*, write: bool) -> None:
    """Propose a `.smartcommit` with the rules that this project has already.

    They are read from the configuration of commitlint or commitizen, and from the tickets in the last commits. What
    cannot be taken over is named.
    """
    repository = Repository.find()
    file = name_policy_file(repository.worktree)
    path = os.path.join(repository.worktree, file)
    if load(repository.worktree).has_policy or os.path.lexists(path):
        raise SmartcommitError(f"'{file}' exists already", hint="run 'smartcommit config' to see its settings")
    conventions = find_conventions(repository)
    policy = conventions.to_policy()
    if not policy:
        click.echo(
            "nothing to propose: no tool's configuration and no tickets were found, and types follow the history"
        )
        _name_missed(conventions)
        click.echo(f"to write rules of your own, see {DOCS}/checking.md#a-projects-own-rules")
        return
    click.echo(f"rules found in {' and '.join(conventions.sources)}; proposed '{file}':")
    for line in policy.splitlines():
        click.echo(printable(f"+{line}", keep="\t"))
    _name_missed(conventions)
    if not write:
        click.echo("run 'smartcommit policy --write' to write it")
        return
    try:
        replace_file(path, policy.encode())
    except OSError as error:
        raise SmartcommitError(f"cannot write '{file}': {explain_os_error(error)}") from error
    click.echo(f"wrote '{file}'; commit it, and it holds for everybody")


def _name_missed(conventions: Conventions) -> None:
    missed = list(dict.fromkeys(conventions.missed))
    for text in missed[:_SHOWN]:
        click.echo(f"not taken over: {printable(text[:_WIDTH])}")
    if len(missed) > _SHOWN:
        click.echo(f"not taken over: {len(missed) - _SHOWN} more")
