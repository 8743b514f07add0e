"""`smartcommit draft`: print a draft, or describe jj's working-copy commit with it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import nullcontext

import click

from smartcommit.config import PROVIDERS, Settings, load
from smartcommit.draft.engine import Draft, draft, time_limit
from smartcommit.draft.request import read_request
from smartcommit.errors import ConfigError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run as run_git
from smartcommit.jj.run import NO_SNAPSHOT, JjChange, describe, find_root, lock, read_change, run_jj
from smartcommit.llm.provider import api_config
from smartcommit.terminal import Terminal, printable
from smartcommit.waiting import Deadline


@click.command(name="draft")
@click.option("--engine", type=click.Choice(PROVIDERS), help="Engine that writes the message.")
@click.option("--model", help="Model to use.")
@click.option("--api-base", help="Address of the model server.")
@click.option("--language", help="Language of the summary and description.")
@click.option("--deadline", type=click.IntRange(min=1), help="Time limit for the draft, in seconds.")
@click.option("--refine", metavar="TEXT", default="", help="What the message should say, or a message to improve.")
@click.option("--amend", is_flag=True, help="Draft for `git commit --amend`: the last commit plus the staged changes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: message, engine, reason.")
@click.option("--jj", is_flag=True, help="Set the description of jj's working-copy commit, and print it.")
@click.option("--show-prompt", is_flag=True, help="Print exactly what would be sent to a model, without sending it.")
def command(*, refine: str, amend: bool, as_json: bool, show_prompt: bool, jj: bool, **given: object) -> None:
    """Draft a commit message for the staged changes and print it. Nothing is changed, except with --jj."""
    given["provider"] = given.pop("engine")
    arguments = {name.replace("_", "-"): value for name, value in given.items()}
    if jj:
        if amend or show_prompt:
            raise click.UsageError("--jj cannot be combined with --amend or --show-prompt")
        with Terminal.open() or nullcontext() as terminal:
            made = describe_change(".", arguments, instructions=refine, terminal=terminal)
        _print(made, as_json=as_json, refined=bool(refine))
        return
    repository = Repository.find()
    settings = load(repository.worktree, arguments=arguments)
    base = _base_of(repository, amend)
    if show_prompt:
        task = read_request(repository, base, None, settings, instructions=refine)
        if task is None:
            raise SmartcommitError("nothing staged to draft a message for")
        # Loading what a model needs takes time, and most drafts are made without one.
        from smartcommit.draft.model import preview

        click.echo(preview(task, api_config(settings)))
        return
    deadline = Deadline(time_limit(settings))
    with Terminal.open() or nullcontext() as terminal:
        made = draft(repository, base, None, settings, deadline=deadline, terminal=terminal, instructions=refine)
    if not made.changed:
        raise SmartcommitError("nothing staged to draft a message for")
    if made.text is None:
        raise ConfigError(made.reason or "could not draft a message that passes the project's rules")
    _print(made, as_json=as_json, refined=bool(refine))


def _base_of(repository: Repository, amend: bool) -> str:
    """Return what to compare the index with: HEAD, its first parent with `amend`, or the empty tree without either."""
    head = repository.head()
    if head is None:
        return repository.empty_tree
    if not amend:
        return head
    parent = repository.run("rev-parse", "--verify", "--quiet", f"{head}^1^{{commit}}", expected=(0, 1))
    return parent.decode().strip() or repository.empty_tree


def _print(made: Draft, *, as_json: bool, refined: bool) -> None:
    if as_json:
        answer = {"message": made.text, "engine": made.engine, "reason": made.reason}
        click.echo(json.dumps({**answer, "remarks": list(made.remarks), "usage": made.usage}))
        return
    click.echo(made.text, nl=False)
    if made.reason:
        click.echo(f"smartcommit: drafted without a model: {printable(made.reason)}", err=True)
    elif refined and made.engine == "embedded":
        click.echo("smartcommit: ignored --refine: it requires a model", err=True)


def describe_change(
    directory: str, arguments: Mapping[str, object], *, instructions: str, terminal: Terminal | None = None
) -> Draft:
    """Describe the working-copy commit of the workspace around `directory` with the engine that `arguments` choose.

    Raise SmartcommitError if it has a description, conflicts or no changes, if another process changes it in the
    meantime, or if jj or git fails.
    """
    root = find_root(directory)
    with lock(root):
        change = read_change(root, snapshot=True)
    if change.description.strip():
        raise SmartcommitError("the change already has a description", hint="run 'jj describe' to edit its description")
    if change.conflict:
        raise SmartcommitError("the change has conflicts", hint="run 'jj resolve' first")
    made = _draft_change(root, change, load(root, arguments=arguments), instructions=instructions, terminal=terminal)
    if not made.changed:
        raise SmartcommitError("the change is empty: nothing to describe")
    if made.text is None:
        raise ConfigError(made.reason or "could not draft a message that passes the project's rules")
    # The lock is not held while the model runs: `describe` fails if the change is another one by then.
    with lock(root):
        describe(root, change, made.text)
    return made


def _draft_change(
    root: str, change: JjChange, settings: Settings, *, instructions: str, terminal: Terminal | None
) -> Draft:
    """Draft a message for the commit that jj keeps in git's object store, compared with its first parent."""
    store = os.fsdecode(run_jj(("git", "root", NO_SNAPSHOT), repository=root)).rstrip("\n")
    # The store is bare, unless git works in the same directory as jj.
    place = store
    if os.path.realpath(store) == os.path.realpath(os.path.join(root, ".git")):
        place = root
    repository = Repository(worktree=place, git_dir=store, common_dir=store, object_format="sha1")
    shown = run_git(("log", "-1", "--no-show-signature", "--format=%T %P", change.commit_id), directory=place).stdout
    tree, _, parents = shown.decode().strip().partition(" ")
    base = parents.split(" ")[0] or repository.empty_tree
    deadline = Deadline(time_limit(settings))
    return draft(repository, base, tree, settings, deadline=deadline, terminal=terminal, instructions=instructions)
