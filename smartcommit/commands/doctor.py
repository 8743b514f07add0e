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

# Seconds for a model that has to be loaded first; nobody commits meanwhile.
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
        for line in examine(settings):
            click.echo(f"ok     {printable(line)}")
    except SmartcommitError as error:
        click.echo(f"wrong  {printable(str(error))}")
        if error.hint:
            click.echo(f"       hint: {printable(error.hint)}")
        click.echo("ok     until then the embedded drafter writes every draft")
        return 1
    return 0


def examine(settings: Settings) -> Iterator[str]:
    """What works, one step after the other.

    Raises: SmartcommitError, with its hint, at the first step that does not.
    """
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
    names = _models(config, deadline)
    if names and not any(name in (config.model, f"{config.model}:latest") for name in names):
        raise SmartcommitError(
            f"the server has no model '{config.model}'; it has {', '.join(names[:8])}",
            hint="run 'git config --global smartcommit.model NAME'"
            + (f", or 'ollama pull {config.model}'" if config.provider == OLLAMA else ""),
        )
    yield "the server has it" if names else "the server does not list its models"
    asked = [{"role": "user", "content": "Call the tool answer with the word yes."}]
    data = client.chat(asked, [spec_of(answer)], deadline=deadline)
    yield f"it answers, after {_PATIENCE - deadline.remaining:.1f} s"
    if client._extract_tool_calls(data):
        yield "it calls tools"
        return
    call, _ = client.call_with_tool(asked, answer, deadline=deadline)
    if call is None:
        raise SmartcommitError(
            f"'{config.model}' neither calls tools nor answers in JSON",
            hint="choose a model that can call tools; drafts are made without one until then",
        )
    yield "it calls no tools by itself and is asked for JSON instead: drafts will have no look behind the summary"


def _models(config: ApiConfig, deadline: Deadline) -> list[str]:
    """What the server says it has; empty where it does not say."""
    if not (config.loopback or config.allow_remote):
        return []
    headers = {"Authorization": f"Bearer {config.key}"} if config.key else {}
    native = config.provider == OLLAMA
    found = exchange(
        config.url("/api/tags" if native else "/models"), None,
        headers=headers, deadline=deadline, loopback=config.loopback,
    )  # fmt: skip
    body = found.read()
    if found.status != 200:
        return []
    return ollama.models(body) if native else openai.models(body)
