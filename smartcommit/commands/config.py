"""`smartcommit config`: every setting, the value that holds, and where that comes from."""

from __future__ import annotations

import json

import click

from smartcommit.config import NAMES, Settings, find_policy_file, load, make_rules
from smartcommit.git.repo import Repository
from smartcommit.message.characters import printable
from smartcommit.secrets.redaction import redact
from smartcommit.settings import KEYS, SECRET, Key

HIDDEN = "(hidden)"
# Settings that can have a key among their words.
_TEXTS = ("command", "agent", "instructions")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, as_json: bool) -> None:
    """Show every setting, the value that holds, and where it comes from. Keys and passwords are hidden."""
    directory = Repository.find().worktree
    settings = load(directory)
    policy = find_policy_file(directory) or f"HEAD:{NAMES[0]}"
    rows = {}
    for key in KEYS:
        value = _show(key, settings)
        source = settings.source(key.name).replace(NAMES[0], policy)
        effective = _describe(value) or key.unset or "-"
        if key.name == "types" and source == "default":
            rules = make_rules(settings)
            if rules.find_habits is not None:
                rules.adopt(rules.find_habits())
            effective = " ".join(rules.types)
            if rules.learned:
                source += f", and from the history: {', '.join(rules.learned)}"
        # `effective` says what holds, in words, whether or not a value is set.
        rows[key.git_name] = {"value": value, "effective": effective, "source": source}
    if as_json:
        click.echo(json.dumps(rows))
        return
    width = max(len(name) for name in rows)
    for name, row in rows.items():
        click.echo(printable(f"{name:{width}}  {row['effective']}  ({row['source']})"))


def _show(key: Key, settings: Settings) -> object:
    value = settings.value(key.name)
    if key.kind == SECRET:
        return (value and HIDDEN) or None
    if key.name == "api-base" and any(sign in str(value) for sign in "@?#"):
        return HIDDEN
    if key.name in _TEXTS and value:
        return redact(str(value))
    return value


def _describe(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return " ".join(value)
    return str(value)
