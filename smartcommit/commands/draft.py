"""`smartcommit draft`: print a draft."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext

import click

from smartcommit.config import load
from smartcommit.draft.embedded.intent import read_unfinished
from smartcommit.draft.engine import answer, draft_embedded, time_limit
from smartcommit.draft.request import DraftRequest, make_guidance, read_request
from smartcommit.draft.result import EMBEDDED, Draft
from smartcommit.errors import ConfigError, SmartcommitError
from smartcommit.git.query import log_command
from smartcommit.git.repo import Repository
from smartcommit.llm.provider import api_config
from smartcommit.session import task
from smartcommit.settings import PROVIDERS
from smartcommit.terminal import Terminal, printable
from smartcommit.waiting import Deadline


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
    deadline = Deadline(time_limit(settings))
    base, subject = _read_base(repository, amend=amend)

    def find_said(paths: Sequence[bytes]) -> Mapping[str, str]:
        return {"wip-commits": read_unfinished(subject), **task.find_said(repository, paths)}

    request = read_request(repository, base, None, settings, instructions=refine, find_said=find_said)
    if request is None:
        raise SmartcommitError("nothing staged to draft a message for", hint="run 'git add FILE' first")
    if show_prompt:
        _show_prompt(request)
        return
    with Terminal.open() or nullcontext() as terminal:
        drafted = answer(request, deadline=deadline, terminal=terminal)
    if not drafted.text:
        raise ConfigError(drafted.reason or "could not draft a message that passes the project's rules")
    _print(drafted, as_json=as_json, refined=bool(refine))


def _show_prompt(request: DraftRequest) -> None:
    # Loading what a model needs takes time, and most drafts are made without one.
    from smartcommit.draft.model.drafter import show_prompt
    from smartcommit.llm.client import LLMClient

    request.guidance = make_guidance(request.context.repository, request.settings)
    click.echo(show_prompt(request, draft_embedded(request), LLMClient(api_config(request.settings))))


def _read_base(repository: Repository, *, amend: bool) -> tuple[str, str]:
    """Return what the draft's change is upon, and the subject of the commit that is amended."""
    head = repository.head()
    if head is None:
        return repository.empty_tree, ""
    if not amend:
        return head, ""
    output = repository.run(*log_command("%P%x00%s", last=1, revisions=[head])).decode("utf-8", "replace")
    parents, subject, *_ = output.split("\0")
    return next(iter(parents.split()), repository.empty_tree), subject


def _print(made: Draft, *, as_json: bool, refined: bool) -> None:
    if as_json:
        others = [summary for summary in made.candidates if made.header is None or summary != made.header.summary]
        shown: dict[str, object] = {"message": made.text, "summaries": others}
        for name in (
            "engine",
            "reason",
            "remarks",
            "warnings",
            "usage",
            "sure",
            "weak",
            "second_type",
            "facts",
            "source",
        ):
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
