"""`smartcommit mcp`: the planner's tools for any client of the Model Context Protocol."""

from __future__ import annotations

import click

from smartcommit.commands.plan import tools_in
from smartcommit.errors import SmartcommitError


@click.command(name="mcp")
@click.option("--repo", default=".", help="A directory of the jj workspace.", type=click.Path(exists=True))
def command(repo: str) -> None:
    """Serve the commit planner on standard input and output.

    Clients start servers with hardly any environment, so the repository is named here and not by a variable.
    """
    try:
        # The protocol takes a second to load and is an extra.
        from smartcommit.jj.server import serve
    except ImportError as error:
        raise SmartcommitError(
            f"the Model Context Protocol is not installed: {error}",
            hint="install smartcommit with its extra 'mcp', as with pip install '.[mcp]' in a clone of it",
        ) from None
    serve(tools_in(repo))
