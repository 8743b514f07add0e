"""`smartcommit config`: every setting, the value that holds, and where that comes from."""

from __future__ import annotations

import json

import click

from smartcommit.config import NAMES, Settings, find_policy_file, load, make_rules
from smartcommit.git.repo import Repository
from smartcommit.record import Record
from smartcommit.secrets.redaction import redact
from smartcommit.settings import KEYS, SECRET, Key
from smartcommit.terminal import printable

HIDDEN = "(hidden)"
# Settings that can have a key among their words.
_TEXTS = ("command", "agent", "instructions")


class SettingRow(Record):
    """A setting as it is shown. `value` is of the setting's type, None without a value, and HIDDEN for a secret.

    `effective` says what holds, in words, whether or not a value is set.
    """

    value: object
    effective: str
    source: str


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, as_json: bool) -> None:
    """Show every setting, the value that holds, and where it comes from. Keys and passwords are hidden."""
    rows = list_rows(Repository.find())
    if as_json:
        click.echo(json.dumps({name: row.as_dict() for name, row in rows.items()}))
        return
    width = max(len(row) for row in rows)
    for name, row in rows.items():
        click.echo(f"{name:{width}}  {printable(row.effective)}  ({printable(row.source)})")


def list_rows(repository: Repository) -> dict[str, SettingRow]:
    settings = load(repository.worktree)
    policy = find_policy_file(repository.worktree) or f"HEAD:{NAMES[0]}"
    rows = {}
    for key in KEYS:
        effective, source = _describe(key, settings), settings.source(key.name).replace(NAMES[0], policy)
        if key.name == "types" and source == "default":
            effective, source = _describe_types(settings)
        rows[key.git_name] = SettingRow(_show(key, settings), effective, source)
    return rows


def hide_secrets(address: str) -> str:
    if any(sign in address for sign in "@?#"):
        return HIDDEN
    return address


def _show(key: Key, settings: Settings) -> object:
    value = settings.value(key.name)
    if key.kind == SECRET:
        return (value and HIDDEN) or None
    if key.name == "api-base" and value:
        return hide_secrets(str(value))
    if key.name in _TEXTS and value:
        return redact(str(value))
    return value


def _describe(key: Key, settings: Settings) -> str:
    value = _show(key, settings)
    if value in (None, "", ()):
        return key.unset or "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return " ".join(value)
    return str(value)


def _describe_types(settings: Settings) -> tuple[str, str]:
    rules = make_rules(settings)
    if rules.find_habits is not None:
        rules.adopt(rules.find_habits())
    source = "default"
    if rules.learned:
        source += f", and from the history: {', '.join(rules.learned)}"
    return " ".join(rules.types), source
