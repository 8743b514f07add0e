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
    """Show every setting, its value and where it comes from. API keys are hidden."""
    settings = load(Repository.find().worktree)
    rows = {key.git_name: {"value": _format(key, settings), "source": settings.source(key.name)} for key in KEYS}
    if as_json:
        click.echo(json.dumps(rows))
        return
    width = max(map(len, rows))
    for name, row in rows.items():
        click.echo(f"{name:{width}}  {printable(row['value'])}  ({printable(row['source'])})")


def _format(key: Key, settings: Settings) -> str:
    value = settings.value(key.name)
    if value is None or value == ():
        return "-"
    if key.secret:
        return "(hidden)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return " ".join(value)
    return str(value)
