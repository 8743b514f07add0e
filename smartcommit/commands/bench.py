"""`smartcommit bench`: replay the repository's own history, and say how near drafts and splits are to it."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import click

from smartcommit.bench.history import copy_git_dir, fold_commits, read_commits
from smartcommit.bench.replay import DraftScore, Results, SplitScore, replay_drafts, replay_splits
from smartcommit.change.wording import format_count
from smartcommit.config import load
from smartcommit.git.repo import Repository
from smartcommit.settings import PROVIDERS
from smartcommit.terminal import printable

# The version of the JSON output; it increases when a field is removed or changes its meaning.
VERSION = 1

Item = TypeVar("Item")
Found = TypeVar("Found")
AnyResults = Results[DraftScore] | Results[SplitScore]


@click.command(name="bench")
@click.option("--last", type=click.IntRange(min=1), default=100, show_default=True, help="Commits to replay.")
@click.option(
    "--engine", type=click.Choice(PROVIDERS), default="embedded", show_default=True, help="Engine to measure."
)
@click.option("--model", help="Model to use.")
@click.option("--api-base", help="Address of the model server.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, last: int, engine: str, model: str | None, api_base: str | None, as_json: bool) -> None:
    """Draft and split this repository's last commits again, and compare the result with what was recorded.

    Drafts are made for each commit with a header 'type(scope): summary', and splits for two to four commits of one
    author in a row, folded together; those in which several commits changed the same file are also listed apart. The
    baselines need no judgement. Nothing is changed.
    """
    found = Repository.find()
    settings = load(found.worktree, arguments={"provider": engine, "model": model, "api-base": api_base})
    with copy_git_dir(found) as repository:
        commits = read_commits(repository, last)
        changes = list(fold_commits(repository, commits))
        drafts = _watch(commits, "drafts", lambda items: replay_drafts(repository, items, settings))
        splits = _watch(changes, "splits", lambda items: replay_splits(repository, items, settings))
    if as_json:
        click.echo(
            json.dumps(
                {
                    "version": VERSION,
                    "drafts": _to_object(drafts),
                    "splits": _to_object(splits.all),
                    "splits_within_files": _to_object(splits.divided),
                },
                indent=2,
            )
        )
        return
    _print_table(f"drafts of {format_count(drafts.count, 'commit')}", drafts)
    click.echo()
    if splits.all.count:
        _print_table(f"splits of {format_count(splits.all.count, 'folded change')}", splits.all)
        if splits.divided.count:
            click.echo()
            _print_table(f"{splits.divided.count} of them within a file", splits.divided)
    else:
        click.echo("no splits: no commits of one author in a row that can be folded together; try more with --last")


def _watch(items: Sequence[Item], label: str, replay: Callable[[Iterable[Item]], Found]) -> Found:
    """Replay `items` beneath a progress bar, if a person is watching."""
    if not sys.stderr.isatty():
        return replay(items)
    with click.progressbar(items, label=label, file=sys.stderr) as bar:
        return replay(bar)


def _to_object(results: AnyResults) -> dict[str, object]:
    scores = list(map(dataclasses.asdict, results.scores))
    return {"count": results.count, "scores": scores, "fallbacks": dict(Counter(results.fallbacks))}


def _print_table(title: str, results: AnyResults) -> None:
    rows = []
    for score in results.scores:
        rows.append(dataclasses.asdict(score))
    columns = list(rows[0])[1:]
    width = max(len(title), *(len(row["name"]) for row in rows))
    click.echo("  ".join([title.ljust(width), *(column.replace("_", " ") for column in columns)]))
    for row in rows:
        cells = [row["name"].ljust(width)]
        for column in columns:
            cells.append(_format(row[column]).rjust(len(column)))
        click.echo("  ".join(cells))
    for reason, number in Counter(results.fallbacks).items():
        click.echo(f"{number} of {results.count} made without the model: {printable(reason)}")


def _format(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
