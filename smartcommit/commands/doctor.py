"""`smartcommit doctor`: tries what drafting needs, step by step, and says what to do about the first that fails."""

from __future__ import annotations

from collections.abc import Iterator

import click
from pydantic import BaseModel

from smartcommit.agent.tool import spec_of, tool
from smartcommit.config import Settings, load
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.llm import ollama, openai
from smartcommit.llm.api import OLLAMA, ApiConfig
from smartcommit.llm.client import LLMClient
from smartcommit.llm.provider import api_config, ollama_address, ollama_answers, wants_model
from smartcommit.llm.transport import exchange
from smartcommit.terminal import printable
from smartcommit.waiting import Deadline

# Seconds: the server may have to load the model first.
_PATIENCE = 120


class AnswerArgs(BaseModel):
    word: str


@tool(AnswerArgs)
def answer(args: AnswerArgs) -> str:
    """Say the word you were asked for."""
    return args.word


@click.command(name="doctor")
def command() -> int:
    """Try what drafting needs and say what is wrong and how to mend it; nothing of the repository is sent."""
    settings = load(Repository.find().worktree)
    try:
        for line in _diagnose(settings):
            click.echo(f"ok     {printable(line)}")
    except SmartcommitError as error:
        click.echo(f"wrong  {printable(str(error))}")
        if error.hint:
            click.echo(f"       hint: {printable(error.hint)}")
        click.echo("ok     until then the embedded drafter writes every draft")
        return 1
    return 0


def _diagnose(settings: Settings) -> Iterator[str]:
    """Yield a line for each step that works; raise SmartcommitError, with a hint, at the first that does not."""
    yield "the embedded drafter is there and needs nothing"
    if not wants_model(settings):
        source = settings.source("provider")
        yield f"no model is asked: provider is {settings.text('provider')} ({source}), and no model is named"
        if ollama_answers():
            yield f"Ollama answers at {ollama_address()}: 'git config --global smartcommit.model NAME' lets it draft"
        return
    config = api_config(settings)
    yield f"the model is '{config.model}' at '{config.host}', asked by the API of {config.provider}"
    deadline = Deadline(_PATIENCE)
    client = LLMClient(config)
    names = _list_models(config, deadline)
    if not names:
        yield "the server does not list its models"
    elif config.model in names or f"{config.model}:latest" in names:
        yield "the server has it"
    else:
        hint = "run 'git config --global smartcommit.model NAME'"
        if config.provider == OLLAMA:
            hint += f", or 'ollama pull {config.model}'"
        raise SmartcommitError(f"the server has no model '{config.model}'; it has {', '.join(names[:8])}", hint=hint)
    asked = [{"role": "user", "content": "Call the tool answer with the word yes."}]
    data = client.chat(asked, [spec_of(answer)], deadline=deadline)
    yield f"it answers, after {_PATIENCE - deadline.remaining:.1f} s"
    if client.extract_tool_calls(data):
        yield "it calls tools"
        return
    call, _ = client.call_with_tool(asked, answer, deadline=deadline)
    if call is None:
        raise SmartcommitError(
            f"'{config.model}' neither calls tools nor answers in JSON",
            hint="choose a model that can call tools; drafts are made without one until then",
        )
    yield "it calls no tools by itself and is asked for JSON instead: drafts will have no look behind the summary"


def _list_models(config: ApiConfig, deadline: Deadline) -> list[str]:
    """Return the names of the server's models, none if it does not list them."""
    if not (config.loopback or config.allow_remote):
        return []
    headers = {}
    if config.key:
        headers["Authorization"] = f"Bearer {config.key}"
    if config.provider == OLLAMA:
        path, parse = "/api/tags", ollama.models
    else:
        path, parse = "/models", openai.models
    found = exchange(config.url(path), None, headers=headers, deadline=deadline, loopback=config.loopback)
    body = found.read()
    return parse(body) if found.status == 200 else []
