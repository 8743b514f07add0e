"""`smartcommit draft`: a message for what is staged, on standard output."""

from __future__ import annotations

import click

from smartcommit import policy
from smartcommit.commands.draft_jj import describe_change
from smartcommit.draft import embedded
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository


@click.command(name="draft")
@click.option("--engine", type=click.Choice(["embedded"]), default="embedded", help="What writes the message.")
@click.option("--jj", is_flag=True, help="Describe jj's working-copy commit, and print what it says now.")
def command(engine: str, *, jj: bool) -> None:
    """Print a message for what is staged; nothing is changed, unless it is jj's change that is described."""
    if jj:
        click.echo(describe_change("."), nl=False)
        return
    repository = Repository.find()
    settings = policy.load(repository.worktree)
    message = embedded.draft(repository, repository.head() or repository.empty_tree, None, settings)
    if message is None:
        raise SmartcommitError("nothing is staged to draft a message for")
    click.echo(message, nl=False)
