"""`smartcommit mcp`: the planner's tools for any client of the Model Context Protocol."""

from __future__ import annotations

import click

from smartcommit.commands.plan import tools_in
from smartcommit.errors import SmartcommitError


@click.command(name="mcp")
@click.option("--repo", default=".", help="A directory inside the jj workspace.", type=click.Path(exists=True))
def command(repo: str) -> None:
    """Serve the commit planner over MCP on standard input and output.

    MCP clients start servers with almost no environment, so pass the repository with --repo.
    """
    try:
        # The protocol takes a second to load and is an extra.
        from smartcommit.mcp.planner import serve
    except ImportError as error:
        raise SmartcommitError(
            f"MCP support is not installed: {error}",
            hint="install the extra 'mcp': 'pip install .[mcp]' in a clone of smartcommit",
        ) from None
    serve(tools_in(repo))
