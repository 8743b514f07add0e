"""`smartcommit draft`: a message for what is staged, on standard output."""

from __future__ import annotations

import click

from smartcommit import policy
from smartcommit.draft import embedded
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository


@click.command(name="draft")
@click.option("--engine", type=click.Choice(["embedded"]), default="embedded", help="What writes the message.")
def command(engine: str) -> None:
    """Print a message for what is staged; nothing is changed."""
    repository = Repository.find()
    settings = policy.load(repository.worktree)
    message = embedded.draft(repository, repository.head() or repository.empty_tree, None, settings)
    if message is None:
        raise SmartcommitError("nothing is staged to draft a message for")
    click.echo(message, nl=False)
