"""`smartcommit draft`: print a draft, or describe jj's working-copy commit with it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext

import click

from smartcommit.config import Settings, load
from smartcommit.draft.engine import answer, draft, draft_embedded, load_last, time_limit
from smartcommit.draft.guidance import make_guidance
from smartcommit.draft.message_file import preview
from smartcommit.draft.request import read_request
from smartcommit.draft.result import EMBEDDED, Draft
from smartcommit.errors import ConfigError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.jj.description import NO_COMMENT, is_plan
from smartcommit.jj.run import JjChange, describe, find_root, lock, read_change
from smartcommit.jj.store import find_jj_repository, list_bases
from smartcommit.llm.provider import api_config
from smartcommit.message.parse import parse
from smartcommit.settings import PROVIDERS
from smartcommit.terminal import Terminal, printable
from smartcommit.waiting import Deadline

# Stands between several drafts.
SEPARATOR = "---"
_PLAN_STAYS = (
    "the description still holds the plan: run 'smartcommit split', or \"jj split -m MESSAGE 'all()'\", to move the "
    "work into changes below it"
)
_NOTHING_STAGED = "nothing staged to draft a message for"


@click.command(name="draft")
@click.option("--engine", type=click.Choice(PROVIDERS), help="Engine that writes the message.")
@click.option("--model", help="Model to use.")
@click.option("--api-base", help="Address of the model server.")
@click.option("--language", help="Language of the summary and description.")
@click.option("--deadline", type=click.IntRange(min=1), help="Time limit for the draft, in seconds.")
@click.option("--refine", metavar="TEXT", default="", help="What the message should say, or a message to improve.")
@click.option("-n", "candidates", type=click.IntRange(1, 5), default=1, help="Drafts by a model to choose from.")
@click.option("--again", is_flag=True, help="Let the model write another draft than its last one.")
@click.option("--amend", is_flag=True, help="Draft for `git commit --amend`: the last commit plus the staged changes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: message, engine, reason, how sure the draft is.")
@click.option("--editor", "in_editor", is_flag=True, help="Print what the editor would open with.")
@click.option(
    "--jj", is_flag=True, help="Describe jj's working-copy commit, unless it holds a plan, and print the draft."
)
@click.option("--show-prompt", is_flag=True, help="Print exactly what would be sent to a model, without sending it.")
def command(
    *,
    refine: str,
    candidates: int,
    again: bool,
    amend: bool,
    as_json: bool,
    in_editor: bool,
    show_prompt: bool,
    jj: bool,
    **given: object,
) -> None:
    """Draft a commit message for the staged changes and print it. Nothing is changed, except with --jj."""
    given["provider"] = given.pop("engine")
    if in_editor and (as_json or show_prompt or candidates > 1):
        raise click.UsageError("--editor cannot be combined with -n, --json or --show-prompt")
    arguments = {name.replace("_", "-"): value for name, value in given.items()}
    if jj:
        if amend or in_editor or show_prompt or again or candidates > 1:
            raise click.UsageError("--jj cannot be combined with -n, --again, --amend, --editor or --show-prompt")
        with Terminal.open() or nullcontext() as terminal:
            made = describe_change(".", arguments, instructions=refine, terminal=terminal)
        _print(made, as_json=as_json, refined=bool(refine))
        return
    repository = Repository.find()
    settings = load(repository.worktree, arguments=arguments)
    base = _base_of(repository, amend)
    if show_prompt:
        _show_prompt(repository, base, settings, refine)
        return
    with Terminal.open() or nullcontext() as terminal:
        found = _draft_several(repository, base, settings, terminal, instructions=refine, count=candidates, again=again)
        if terminal is not None and len(found) > 1:
            found = [found[_choose(terminal, found)]]
    if in_editor:
        click.echo(preview(found[0], settings), nl=False)
    else:
        _print_all(found, as_json=as_json, refined=bool(refine))
    if found[0].engine == EMBEDDED:
        _print_ignored({"-n": candidates > 1, "--again": again})


def _show_prompt(repository: Repository, base: str, settings: Settings, instructions: str) -> None:
    request = read_request(repository, base, None, settings, instructions=instructions)
    if request is None:
        raise SmartcommitError(_NOTHING_STAGED, hint="run 'git add FILE' first")
    # Loading what a model needs takes time, and most drafts are made without one.
    from smartcommit.draft.model.drafter import show_prompt
    from smartcommit.llm.client import LLMClient

    request.guidance = make_guidance(repository, settings)
    sent, parts = show_prompt(request, draft_embedded(request), LLMClient(api_config(settings)))
    click.echo(sent)
    click.echo("\n".join(parts), err=True)


def _draft_several(
    repository: Repository,
    base: str,
    settings: Settings,
    terminal: Terminal | None,
    *,
    instructions: str,
    count: int,
    again: bool,
) -> list[Draft]:
    """Return up to `count` different drafts, one if no model writes them; each has its own deadline.

    Raise SmartcommitError if nothing is staged, ConfigError if no message can pass the project's rules.
    """
    request = read_request(repository, base, None, settings, instructions=instructions)
    if request is None:
        raise SmartcommitError(_NOTHING_STAGED, hint="run 'git add FILE' first")
    unwanted: list[str] = []
    if again:
        unwanted.append(load_last(repository) or "")
    found: list[Draft] = []
    for _ in range(count):
        made = answer(request, deadline=Deadline(time_limit(settings)), terminal=terminal, unwanted=unwanted)
        if not made.text:
            raise ConfigError(made.reason or "could not draft a message that passes the project's rules")
        if not found or (made.engine != EMBEDDED and made.text not in unwanted):
            found.append(made)
        if made.engine == EMBEDDED:
            break
        unwanted.append(made.text)
    return found


def _choose(terminal: Terminal, made: Sequence[Draft]) -> int:
    """Let the user choose one of several drafts, and return its position; the first one if there is no answer."""
    for number, each in enumerate(made, start=1):
        text = printable(each.text, keep="\n").rstrip("\n").replace("\n", "\n    ")
        terminal.write(f"{number:2}  {text}\n")
    answer = terminal.ask(f"Which one? [1-{len(made)}, Enter for 1] ") or ""
    if answer in map(str, range(1, len(made) + 1)):
        return int(answer) - 1
    return 0


def _base_of(repository: Repository, amend: bool) -> str:
    """Return what to compare the index with: HEAD, its first parent with `amend`, or the empty tree without either."""
    head = repository.head()
    if head is None:
        return repository.empty_tree
    if not amend:
        return head
    parent = repository.run("rev-parse", "--verify", "--quiet", f"{head}^1^{{commit}}", expected=(0, 1))
    return parent.decode().strip() or repository.empty_tree


def _to_object(made: Draft) -> dict[str, object]:
    return {
        "message": made.text,
        "engine": made.engine,
        "reason": made.reason,
        "remarks": list(made.remarks),
        "warnings": list(made.warnings),
        "usage": made.usage,
        "sure": made.sure,
        "weak": made.weak,
        "summaries": list(made.candidates),
        "second_type": made.second_type,
        "facts": list(made.facts),
    }


def _print_all(found: Sequence[Draft], *, as_json: bool, refined: bool) -> None:
    if as_json and len(found) > 1:
        click.echo(json.dumps({"candidates": list(map(_to_object, found))}))
        return
    for number, each in enumerate(found):
        if number:
            click.echo(SEPARATOR)
        _print(each, as_json=as_json, refined=refined)


def _print(made: Draft, *, as_json: bool, refined: bool) -> None:
    if as_json:
        click.echo(json.dumps(_to_object(made)))
        return
    click.echo(made.text, nl=False)
    if made.reason:
        click.echo(f"smartcommit: drafted without a model: {printable(made.reason)}", err=True)
    elif refined and made.engine == EMBEDDED:
        click.echo("smartcommit: ignored --refine: it requires a model", err=True)
    for remark in made.warnings:
        click.echo(f"smartcommit: {printable(remark)}", err=True)


def _print_ignored(options: Mapping[str, bool]) -> None:
    """Say which of the given options had no effect without a model."""
    for name, is_given in options.items():
        if is_given:
            click.echo(f"smartcommit: ignored {name}: it requires a model", err=True)


def describe_change(
    directory: str, arguments: Mapping[str, object], *, instructions: str, terminal: Terminal | None = None
) -> Draft:
    """Describe the working-copy commit of the workspace around `directory` with the engine that `arguments` choose.

    A plan stays: then a warning of the draft says how to commit the work.

    Raise SmartcommitError if it has another description, conflicts or no changes, if another process changes it in the
    meantime, or if jj or git fails.
    """
    root = find_root(directory)
    with lock(root):
        change = read_change(root, snapshot=True)
    planned = is_plan(parse(change.description, comment=NO_COMMENT).message)
    if change.description.strip() and not planned:
        raise SmartcommitError("the change already has a description", hint="run 'jj describe' to edit its description")
    if change.conflict:
        raise SmartcommitError("the change has conflicts", hint="run 'jj resolve' first")
    made = _draft_change(root, change, load(root, arguments=arguments), instructions=instructions, terminal=terminal)
    if made is None:
        raise SmartcommitError("the change is empty: nothing to describe")
    if not made.text:
        raise ConfigError(made.reason or "could not draft a message that passes the project's rules")
    if planned:
        made.warnings = (*made.warnings, _PLAN_STAYS)
        return made
    # The lock is not held while the model runs: `describe` fails if the change is another one by then.
    with lock(root):
        describe(root, change, made.text)
    return made


def _draft_change(
    root: str, change: JjChange, settings: Settings, *, instructions: str, terminal: Terminal | None
) -> Draft | None:
    """Draft a message for the commit that jj keeps in git's object store, compared with its first parent."""
    repository = find_jj_repository(root)
    base = list_bases(repository, change.commit_id)[0]
    return draft(
        repository,
        base,
        change.commit_id,
        settings,
        deadline=Deadline(time_limit(settings)),
        terminal=terminal,
        instructions=instructions,
    )
