"""`smartcommit stats`: what became of the drafts in this repository, and what is learned from that."""

from __future__ import annotations

import json

import click

from smartcommit.change.wording import format_count
from smartcommit.config import load
from smartcommit.draft.corrections import Corrections, forget, load_corrections
from smartcommit.draft.habits import PARTS, Habit, split_header
from smartcommit.git.repo import Repository
from smartcommit.message.characters import printable

# The version of the JSON output; it increases when a field is removed or changes its meaning.
VERSION = 2
# The parts of a draft that it always has, or nearly.
_COUNTED = ("type", "scope", "verb")
_ID_LENGTH = 7


@click.command(name="stats")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--forget", "forgets", is_flag=True, help="Delete what is kept.")
def command(*, form: str, forgets: bool) -> int:
    """Show how often you keep the type, scope and verb of a draft, and what is learned from your changes.

    Drafts and the messages you commit are kept in the git directory only; 'git config smartcommit.learn false' stops
    that.
    """
    repository = Repository.find()
    if forgets:
        forget(repository)
        return 0
    settings = load(repository.worktree)
    corrections = load_corrections(repository, settings)
    if form == "json":
        click.echo(json.dumps(_as_object(corrections), indent=2))
    elif settings.flag("learn"):
        _print(corrections)
    else:
        click.echo("no drafts are kept: smartcommit.learn is false")
    return 0


def _as_object(corrections: Corrections) -> dict[str, object]:
    kept = {}
    for part in _COUNTED:
        kept[part] = _count_kept(corrections, part)
    learned = [habit.as_dict() for habit in _list_habits(corrections)]
    return {
        "version": VERSION,
        "drafts": len(corrections.pairs),
        "unchanged": _count_unchanged(corrections),
        "kept": kept,
        "learned": learned,
    }


def _print(corrections: Corrections) -> None:
    click.echo(f"drafts that became commits: {len(corrections.pairs)}")
    if not corrections.pairs:
        return
    click.echo(f"header unchanged: {_count_unchanged(corrections)}")
    for part in _COUNTED:
        click.echo(f"{part} kept: {_count_kept(corrections, part)}")
    habits = _list_habits(corrections)
    if habits:
        click.echo("learned:")
    for habit in habits:
        click.echo(f"  {printable(_format_habit(habit))}")


def _list_habits(corrections: Corrections) -> list[Habit]:
    habits: list[Habit] = []
    for part in PARTS:
        habits += corrections.habits[part].values()
    return habits


def _format_habit(habit: Habit) -> str:
    """Return a line such as `verb: add -> introduce (3 of 4 drafts, last in abc1234)`."""
    source = f"{len(habit.commits)} of {format_count(habit.drafts, 'draft')}"
    if habit.commits[-1]:
        source += f", last in {habit.commits[-1][:_ID_LENGTH]}"
    return f"{habit.part}: {habit.drafted} -> {habit.committed or 'none'} ({source})"


def _count_unchanged(corrections: Corrections) -> int:
    """Return how many drafts were committed with their header."""
    count = 0
    for pair in corrections.pairs:
        count += pair.drafted.split("\n", 1)[0] == pair.committed.split("\n", 1)[0]
    return count


def _count_kept(corrections: Corrections, part: str) -> int:
    """Return how many drafts were committed with their type, scope or verb."""
    count = 0
    for pair in corrections.pairs:
        before, after = split_header(pair.drafted), split_header(pair.committed)
        count += before is not None and after is not None and before[part] == after[part]
    return count
