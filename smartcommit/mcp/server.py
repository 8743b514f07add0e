"""The MCP server on standard input and output."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TextIO, cast

from anyio import AsyncFile, from_thread, wrap_file
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server

from smartcommit import __version__
from smartcommit.jj.tools import Tools
from smartcommit.mcp import planner

# A pair of surrogates or any other escape in JSON, which is kept, or half of a pair.
_SURROGATE = re.compile(r"(\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u(?![dD][89a-fA-F])|\\[^u])|\\u....")


def build_server(tools: Tools) -> MCPServer[Tools]:
    # A call that the client cancels must not write: the client may repeat it.
    tools.check = from_thread.check_cancelled

    @asynccontextmanager
    async def lifespan(_: MCPServer[Tools]) -> AsyncIterator[Tools]:
        yield tools

    server = _Server(
        "smartcommit",
        instructions=planner.INSTRUCTIONS,
        version=__version__,
        tools=list(planner.list_tools(tools)),
        lifespan=lifespan,
        log_level="WARNING",
    )
    planner.add_prompt(server, tools)
    return server


def serve(tools: Tools) -> None:
    """Serve on standard input and output, as `build_server`, until the client disconnects."""
    try:
        build_server(tools).run("stdio")
    except* BrokenPipeError:
        pass  # the client has gone without a word


class _Server(MCPServer[Tools]):
    """A server that reads JSON with half a surrogate pair too: the SDK would drop the call and never answer."""

    async def run_stdio_async(self) -> None:
        # Processes that we start must not read what the client sends.
        stdin = os.fdopen(os.dup(0), encoding="utf-8", errors="replace")
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        lines = cast("AsyncFile[str]", _repair(stdin))
        async with stdio_server(lines) as (read, write):
            await self._lowlevel_server.run(read, write, self._lowlevel_server.create_initialization_options())


async def _repair(stdin: TextIO) -> AsyncIterator[str]:
    """Yield the lines of `stdin`, with U+FFFD for each half of a surrogate pair, which no text can hold."""
    async for line in wrap_file(stdin):
        yield _SURROGATE.sub(lambda escape: escape[1] or r"\ufffd", line)
