"""`smartcommit config`: every setting, the value that holds, and where that comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

from smartcommit.change.wording import format_count
from smartcommit.config import NAMES, Settings, find_policy_file, load, make_rules
from smartcommit.draft.corrections import PARTS, forget, load_corrections
from smartcommit.git.repo import Repository
from smartcommit.record import Record
from smartcommit.secrets.scan import redact
from smartcommit.settings import KEYS, SECRET, Key
from smartcommit.terminal import printable

HIDDEN = "(hidden)"
# Settings that can have a key among their words.
_TEXTS = ("command", "agent", "instructions")
_ID_LENGTH = 7


class Row(Record):
    """A setting as it is shown. `value` is of the setting's type, None without a value, and HIDDEN for a secret.

    `effective` says what holds, in words, whether or not a value is set.
    """

    value: object
    effective: str
    source: str


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--forget", "forgets", is_flag=True, help="Delete the drafts that are kept, and what is learned from them."
)
def command(*, as_json: bool, forgets: bool) -> None:
    """Show every setting, the value that holds, and where it comes from, and what is learned from your corrections.

    Keys and passwords are hidden.
    """
    repository = Repository.find()
    if forgets:
        forget(repository)
        return
    rows = list_rows(repository)
    if as_json:
        click.echo(json.dumps({name: row.as_dict() for name, row in rows.items()}))
        return
    width = max(map(len, rows))
    for name, row in rows.items():
        click.echo(f"{name:{width}}  {printable(row.effective)}  ({printable(row.source)})")
    for line in _list_learned(repository):
        click.echo(printable(line))


def _list_learned(repository: Repository) -> Iterator[str]:
    """Yield a line such as `learned verb: add -> introduce (3 of 4 drafts, last in abc1234)` for each habit."""
    corrections = load_corrections(repository, load(repository.worktree))
    for part in PARTS:
        for habit in corrections.habits[part].values():
            source = f"{len(habit.commits)} of {format_count(habit.drafts, 'draft')}"
            if habit.commits[-1]:
                source += f", last in {habit.commits[-1][:_ID_LENGTH]}"
            yield f"learned {part}: {habit.drafted} -> {habit.committed or 'none'} ({source})"


def list_rows(repository: Repository) -> dict[str, Row]:
    settings = load(repository.worktree)
    policy = find_policy_file(repository.worktree) or f"HEAD:{NAMES[0]}"
    rows = {}
    for key in KEYS:
        effective, source = _describe(key, settings), settings.source(key.name).replace(NAMES[0], policy)
        if key.name == "types" and source == "default":
            effective, source = _describe_types(settings)
        rows[key.git_name] = Row(_show(key, settings), effective, source)
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
