"""`smartcommit mcp`: the planner's tools, and splits, for any client of the Model Context Protocol."""

from __future__ import annotations

import click

from smartcommit.commands.plan import tools_in
from smartcommit.errors import SmartcommitError


@click.command()
@click.option("--repo", default=".", help="A directory inside the repository.", type=click.Path(exists=True))
@click.option("--split", "with_split", is_flag=True, help="Serve splits, and sessions of coding agents.")
@click.option(
    "--planner", "with_planner", is_flag=True, help="Serve the commit planner too; without --split, it is served alone."
)
@click.option("--exec", "check", metavar="CMD", help="With --split: run CMD on every commit before any is created.")
def command(repo: str, *, with_split: bool, with_planner: bool, check: str | None) -> None:
    """Serve the commit planner or splits over MCP on standard input and output.

    MCP clients start servers with almost no environment, so pass the repository with --repo.
    """
    if check is not None and not with_split:
        raise click.UsageError("--exec requires --split")
    try:
        # The protocol takes a second to load and is an extra.
        from smartcommit.mcp.server import serve
        from smartcommit.mcp.session import SessionTools
        from smartcommit.mcp.split import SplitTools
    except ImportError as error:
        raise SmartcommitError(
            f"MCP support is not installed: {error}",
            hint="install the extra 'mcp': 'pip install .[mcp]' in a clone of smartcommit",
        ) from None
    if not with_split:
        serve(tools_in(repo))
        return
    planner = None
    if with_planner:
        planner = tools_in(repo)
    serve(planner, SplitTools(repo, check=check), SessionTools(repo, check=check))
