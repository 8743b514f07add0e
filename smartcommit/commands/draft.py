"""`smartcommit draft`: print a draft."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import nullcontext

import click

from smartcommit.config import Settings, load, wants_model
from smartcommit.draft.engine import answer, draft_embedded, find_time_limit
from smartcommit.draft.pull_request import describe_branch
from smartcommit.draft.request import DraftRequest, make_guidance, read_request
from smartcommit.draft.result import EMBEDDED, Draft
from smartcommit.errors import ConfigError, GitError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.jj.run import find_nearest_root
from smartcommit.library import read_staged_request
from smartcommit.llm.provider import make_api_config
from smartcommit.message.characters import printable
from smartcommit.message.checks import find_autosquash_target, is_accepted
from smartcommit.message.parse import Parsed, parse
from smartcommit.rewrite.commits import read_named_range
from smartcommit.settings import PROVIDERS
from smartcommit.terminal import Terminal
from smartcommit.waiting import Deadline

# What JSON has of each draft.
_SHOWN = ("engine", "reason", "remarks", "warnings", "usage", "sure", "weak", "second_type", "facts", "source")
_JJ_HINT = "jj stages nothing: set its ui.editor to 'smartcommit jj-editor', and 'jj describe' opens with a draft"
# What a branch was probably made from, the likeliest first.
_DEFAULTS = ("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master")


@click.command()
@click.argument("words", nargs=-1, metavar="")
@click.option("--engine", type=click.Choice(PROVIDERS), help="Engine that writes the message.")
@click.option("--model", help="Model to use.")
@click.option("--api-base", help="Address of the model server.")
@click.option("--language", help="Language of the summary and description.")
@click.option("--deadline", type=click.IntRange(min=1), help="Time limit for the draft, in seconds.")
@click.option("--refine", metavar="TEXT", default="", help="What the message should say, or a message to improve.")
@click.option("--amend", is_flag=True, help="Draft for `git commit --amend`: the last commit plus the staged changes.")
@click.option("--branch", "of_branch", is_flag=True, help="Draft title and description of a pull request.")
@click.option("--base", metavar="REV", help="With --branch: what it was made from, if not the default branch.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: message, engine, reason, how sure the draft is.")
@click.option("--show-prompt", is_flag=True, help="Print exactly what would be sent to a model, without sending it.")
def command(
    *,
    words: Sequence[str],
    refine: str,
    amend: bool,
    of_branch: bool,
    base: str | None,
    as_json: bool,
    show_prompt: bool,
    **given: object,
) -> None:
    """Draft a commit message for the staged changes and print it. Nothing is changed.

    With --branch, the title and the description of a pull request are drafted from the commits of the current branch.
    """
    _check_usage(words, amend=amend, of_branch=of_branch, base=base)
    given["provider"] = given.pop("engine")
    arguments = {name.replace("_", "-"): value for name, value in given.items()}
    try:
        repository = Repository.find()
    except GitError as error:
        if find_nearest_root(os.curdir) is not None:
            error.hint = _JJ_HINT
        raise
    settings = load(repository.worktree, arguments=arguments)
    deadline = Deadline(find_time_limit(settings))
    request: DraftRequest | None
    commits: Sequence[Parsed] = ()
    if of_branch:
        request, commits = _read_branch(repository, settings, base, instructions=refine)
    else:
        request = read_staged_request(repository, settings, amend=amend, instructions=refine)
    if request is None:
        is_jj = os.path.isdir(os.path.join(repository.worktree, ".jj"))
        hint = _JJ_HINT if is_jj else "run 'git add FILE' first"
        raise SmartcommitError("nothing staged to draft a message for", hint=hint)
    if show_prompt:
        # Loading what a model needs takes time, and most drafts are made without one.
        from smartcommit.draft.model.drafter import show_prompt as format_prompt
        from smartcommit.llm.client import LLMClient

        request.guidance = make_guidance(repository, settings)
        click.echo(format_prompt(request, draft_embedded(request), LLMClient(make_api_config(settings))))
        return
    is_asked = bool(refine) and wants_model(settings)
    if len(commits) == 1 and not is_asked and is_accepted(commits[0].lines[0], request.rules):
        drafted = Draft(printable("\n".join(commits[0].lines), keep="\n\t"))
    else:
        with Terminal.open() or nullcontext() as terminal:
            drafted = answer(request, deadline=deadline, terminal=terminal)
        if of_branch:
            drafted.text = describe_branch(commits, drafted, request.rules)
    if not drafted.text:
        raise ConfigError(drafted.reason or "could not draft a message that passes the project's rules")
    _print(drafted, as_json=as_json, refined=bool(refine), of_branch=of_branch)


def _check_usage(words: Sequence[str], *, amend: bool, of_branch: bool, base: str | None) -> None:
    if words and of_branch:
        raise click.UsageError(f"--branch is about the current branch; what it was made from is '--base {words[0]}'")
    if words:
        raise click.UsageError(f"unexpected argument '{words[0]}': what is staged is drafted for, after 'git add'")
    if of_branch and amend:
        raise click.UsageError("--branch and --amend exclude each other")
    if base is not None and not of_branch:
        raise click.UsageError("--base requires --branch")


def _read_branch(
    repository: Repository, settings: Settings, base: str | None, *, instructions: str
) -> tuple[DraftRequest, list[Parsed]]:
    """Return the request for all that was committed since `base`, and the commits but merges and fixups, in order."""
    found = read_named_range(repository, f"{base or _find_base(repository)}..", allow_merges=True, allow_pushed=True)
    commits = []
    for commit in found.commits:
        if len(commit.parents) < 2 and find_autosquash_target(commit.title) is None:
            commits.append(parse(commit.text.replace("\r\n", "\n").rstrip("\n"), comment=""))
    base, head = found.base or repository.empty_tree, found.head
    request = read_request(repository, base, head, settings, instructions=instructions)
    if request is None or not commits:
        raise SmartcommitError("the commits of the branch are merges and fixups, or change nothing together")
    # A title has no sections, and the branch is named after all of its commits.
    request.rules.required = ()
    request.purpose.is_continued = False
    request.subjects = [commit.lines[0] for commit in commits if commit.lines[0]]
    return request, commits


def _find_base(repository: Repository) -> str:
    """Return the default branch, of the remote `origin` or of this repository; raise SmartcommitError if HEAD is it."""
    listing = os.fsdecode(repository.run("for-each-ref", "--format=%(refname)", *_DEFAULTS)).split("\n")
    current = f"refs/heads/{repository.branch_at_work()}"
    for name in _DEFAULTS:
        if name in listing and name != current:
            return name
    raise SmartcommitError("cannot tell what the branch was made from", hint="name it: '--base REV'")


def _print(made: Draft, *, as_json: bool, refined: bool, of_branch: bool) -> None:
    if as_json:
        others = [summary for summary in made.candidates if made.header is None or summary != made.header.summary]
        shown: dict[str, object] = {"message": made.text, "summaries": others}
        if of_branch:
            title, _, description = made.text.partition("\n")
            shown = {"title": title, "description": description.strip("\n")}
        fields = made.as_dict()
        click.echo(json.dumps(shown | {name: fields[name] for name in _SHOWN}))
        return
    click.echo(made.text.rstrip("\n"))
    if made.reason:
        click.echo(f"smartcommit: drafted without a model: {printable(made.reason)}", err=True)
    elif refined and made.engine == EMBEDDED:
        click.echo("smartcommit: ignored --refine: it requires a model", err=True)
    for remark in made.warnings:
        click.echo(f"smartcommit: {printable(remark)}", err=True)
