"""`smartcommit stats`: what became of the drafts in this repository, and what is learned from that."""

from __future__ import annotations

import json

import click

from smartcommit.config import load
from smartcommit.draft.corrections import Corrections, forget, load_corrections, settle_draft, split_header
from smartcommit.git.repo import Repository

# The version of the JSON output; it increases when a field is removed or changes its meaning.
VERSION = 1
_PARTS = ("type", "scope", "verb")


@click.command(name="stats")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--forget", "forgets", is_flag=True, help="Delete what is kept.")
def command(*, form: str, forgets: bool) -> int:
    """Show how often you keep the type, scope and verb of a draft, and what is learned from the ones you change.

    Drafts and the messages you commit are kept in the git directory only; 'git config smartcommit.learn false' stops
    that.
    """
    repository = Repository.find()
    if forgets:
        forget(repository)
        return 0
    settings = load(repository.worktree)
    settle_draft(repository, settings, repository.head())
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
    learned = {}
    for part in _PARTS:
        kept[part] = _count_kept(corrections, part)
        learned[part] = corrections.find_habits(part)
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
    for part in _PARTS:
        click.echo(f"{part} kept: {_count_kept(corrections, part)}")
    for part in _PARTS:
        for drafted, committed in corrections.find_habits(part).items():
            click.echo(f"learned: {part} '{committed or 'none'}' instead of '{drafted or 'none'}'")


def _count_unchanged(corrections: Corrections) -> int:
    """Return how many drafts were committed with their header."""
    count = 0
    for drafted, committed in corrections.pairs:
        count += drafted.split("\n", 1)[0] == committed.split("\n", 1)[0]
    return count


def _count_kept(corrections: Corrections, part: str) -> int:
    """Return how many drafts were committed with their type, scope or verb."""
    count = 0
    for drafted, committed in corrections.pairs:
        before, after = split_header(drafted), split_header(committed)
        count += before is not None and after is not None and before[part] == after[part]
    return count
