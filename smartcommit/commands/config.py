"""`smartcommit config`: every setting, its value and where that comes from."""

from __future__ import annotations

import json

import click

from smartcommit.config import KEYS, Key, Settings, load
from smartcommit.git.repo import Repository
from smartcommit.terminal import printable


@click.command(name="config")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """Show every setting, its value and where that comes from; keys are hidden."""
    settings = load(Repository.find().worktree)
    rows = [(key, _shown(key, settings), settings.source(key.name)) for key in KEYS]
    if as_json:
        click.echo(json.dumps({key.git_name: {"value": value, "source": source} for key, value, source in rows}))
        return
    width = max(len(key.git_name) for key, _, _ in rows)
    for key, value, source in rows:
        click.echo(f"{key.git_name:{width}}  {printable(value)}  ({printable(source)})")


def _shown(key: Key, settings: Settings) -> str:
    value = settings.value(key.name)
    if value is None:
        return "-"
    if key.secret:
        return "(hidden)"
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(value) or "-" if isinstance(value, tuple) else str(value)
