"""`smartcommit draft`: print a draft."""

from __future__ import annotations

import json
from contextlib import nullcontext

import click

from smartcommit.config import Settings, load
from smartcommit.draft.engine import draft, draft_embedded, time_limit
from smartcommit.draft.request import make_guidance, read_request
from smartcommit.draft.result import EMBEDDED, Draft
from smartcommit.errors import ConfigError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.llm.provider import api_config
from smartcommit.settings import PROVIDERS
from smartcommit.terminal import Terminal, printable
from smartcommit.waiting import Deadline

_NOTHING_STAGED, _STAGE = "nothing staged to draft a message for", "run 'git add FILE' first"


@click.command()
@click.option("--engine", type=click.Choice(PROVIDERS), help="Engine that writes the message.")
@click.option("--model", help="Model to use.")
@click.option("--api-base", help="Address of the model server.")
@click.option("--language", help="Language of the summary and description.")
@click.option("--deadline", type=click.IntRange(min=1), help="Time limit for the draft, in seconds.")
@click.option("--refine", metavar="TEXT", default="", help="What the message should say, or a message to improve.")
@click.option("--amend", is_flag=True, help="Draft for `git commit --amend`: the last commit plus the staged changes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: message, engine, reason, how sure the draft is.")
@click.option("--show-prompt", is_flag=True, help="Print exactly what would be sent to a model, without sending it.")
def command(
    *,
    refine: str,
    amend: bool,
    as_json: bool,
    show_prompt: bool,
    **given: object,
) -> None:
    """Draft a commit message for the staged changes and print it. Nothing is changed."""
    given["provider"] = given.pop("engine")
    arguments = {name.replace("_", "-"): value for name, value in given.items()}
    repository = Repository.find()
    settings = load(repository.worktree, arguments=arguments)
    base = _base_of(repository, amend)
    if show_prompt:
        _show_prompt(repository, base, settings, refine)
        return
    with Terminal.open() or nullcontext() as terminal:
        deadline = Deadline(time_limit(settings))
        drafted = draft(repository, base, None, settings, deadline=deadline, terminal=terminal, instructions=refine)
    if drafted is None:
        raise SmartcommitError(_NOTHING_STAGED, hint=_STAGE)
    if not drafted.text:
        raise ConfigError(drafted.reason or "could not draft a message that passes the project's rules")
    _print(drafted, as_json=as_json, refined=bool(refine))


def _show_prompt(repository: Repository, base: str, settings: Settings, instructions: str) -> None:
    request = read_request(repository, base, None, settings, instructions=instructions)
    if request is None:
        raise SmartcommitError(_NOTHING_STAGED, hint=_STAGE)
    # Loading what a model needs takes time, and most drafts are made without one.
    from smartcommit.draft.model.drafter import show_prompt
    from smartcommit.llm.client import LLMClient

    request.guidance = make_guidance(repository, settings)
    click.echo(show_prompt(request, draft_embedded(request), LLMClient(api_config(settings))))


def _base_of(repository: Repository, amend: bool) -> str:
    head = repository.head()
    if head is None:
        return repository.empty_tree
    if not amend:
        return head
    parent = repository.run("rev-parse", "--verify", "--quiet", f"{head}^1^{{commit}}", expected=(0, 1))
    return parent.decode().strip() or repository.empty_tree


def _print(made: Draft, *, as_json: bool, refined: bool) -> None:
    if as_json:
        others = [summary for summary in made.candidates if made.header is None or summary != made.header.summary]
        shown: dict[str, object] = {"message": made.text, "summaries": others}
        for name in ("engine", "reason", "remarks", "warnings", "usage", "sure", "weak", "second_type", "facts"):
            shown[name] = getattr(made, name)
        click.echo(json.dumps(shown))
        return
    click.echo(made.text, nl=False)
    if made.reason:
        click.echo(f"smartcommit: drafted without a model: {printable(made.reason)}", err=True)
    elif refined and made.engine == EMBEDDED:
        click.echo("smartcommit: ignored --refine: it requires a model", err=True)
    for remark in made.warnings:
        click.echo(f"smartcommit: {printable(remark)}", err=True)
