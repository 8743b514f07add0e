"""`smartcommit doctor`: tries what drafting needs, step by step, and says what to do about the first that fails."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click
from pydantic import BaseModel

from smartcommit.agent.tool import spec_of, tool
from smartcommit.config import Settings, load, wants_model
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.llm.api import OLLAMA, ApiConfig
from smartcommit.llm.client import LLMClient
from smartcommit.llm.discovery import find_candidates, list_models
from smartcommit.llm.provider import api_config
from smartcommit.terminal import printable
from smartcommit.waiting import Deadline

# Seconds: the server may have to load the model first.
_TIMEOUT = 120


class AnswerArgs(BaseModel):
    word: str


@tool(AnswerArgs)
def answer(args: AnswerArgs) -> str:
    """Answer with the word you were asked for."""
    return args.word


@click.command(name="doctor")
def command() -> int:
    """Check everything that drafting needs, report problems and suggest fixes. Nothing from the repository is sent."""
    settings = load(Repository.find().worktree)
    try:
        for line in _diagnose(settings):
            click.echo(f"ok     {printable(line)}")
    except SmartcommitError as error:
        click.echo(f"error  {printable(str(error))}")
        if error.hint:
            click.echo(f"       hint: {printable(error.hint)}")
        click.echo("note   until this is fixed, the built-in drafter writes every draft")
        return 1
    return 0


def _diagnose(settings: Settings) -> Iterator[str]:
    """Yield a line for each step that works; raise SmartcommitError, with a hint, at the first that does not."""
    yield "built-in drafter available, nothing to set up"
    if not wants_model(settings):
        source = settings.source("provider")
        yield f"no model configured: provider is {settings.text('provider')} (from {source})"
        for candidate in find_candidates():
            yield f"{candidate.name} could draft: {candidate.description}; run 'smartcommit model' to choose it"
        return
    config = api_config(settings)
    if config.command:
        yield f"command '{shlex.join(config.command)}', which reads a prompt and prints the answer"
    else:
        yield f"model '{config.model}' at '{config.host}', {config.provider} API"
        yield _find_model(config, Deadline(_TIMEOUT))
    yield from _try_model(config, Deadline(_TIMEOUT))


def _find_model(config: ApiConfig, deadline: Deadline) -> str:
    """Return whether the server has the model; raise SmartcommitError if it lists others only."""
    names = list_models(config, deadline)
    if not names:
        return "the server does not list its models, so the name cannot be checked"
    if not {config.model, f"{config.model}:latest", f"models/{config.model}"}.isdisjoint(names):
        return "the server has this model"
    hint = "run 'git config --global smartcommit.model NAME'"
    if config.provider == OLLAMA:
        hint += f", or 'ollama pull {config.model}'"
    raise SmartcommitError(
        f"model '{config.model}' not found on the server; available: {', '.join(names[:8])}", hint=hint
    )


def _try_model(config: ApiConfig, deadline: Deadline) -> Iterator[str]:
    """Ask the model for a tool call, and yield what it can do; raise SmartcommitError if that is nothing."""
    client = LLMClient(config)
    asked = [{"role": "user", "content": "Call the tool answer with the word yes."}]
    data = client.chat(asked, [spec_of(answer)], deadline=deadline)
    yield f"the model answered in {_TIMEOUT - deadline.remaining:.1f} s"
    if client.extract_tool_calls(data):
        yield "the model supports tool calls"
        return
    call, _ = client.call_with_tool(asked, answer, deadline=deadline)
    if call is None:
        raise SmartcommitError(
            f"'{config.model}' supports neither tool calls nor JSON answers",
            hint="choose a model that supports tool calls; until then the built-in drafter is used",
        )
    yield (
        "the model does not support tool calls; it is asked for JSON instead and cannot inspect files while drafting"
    )
