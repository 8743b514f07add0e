"""`smartcommit model`: finds what could draft, and says how to choose it. The doctor tries what is chosen."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click
from pydantic import BaseModel

from smartcommit import DOCS
from smartcommit.agent.tool import spec_of, tool
from smartcommit.config import Settings, wants_model
from smartcommit.errors import SmartcommitError
from smartcommit.git.run import run
from smartcommit.llm.api import OLLAMA, ApiConfig
from smartcommit.llm.client import LLMClient
from smartcommit.llm.discovery import Candidate, find_candidates, list_models
from smartcommit.llm.provider import make_api_config
from smartcommit.message.characters import printable
from smartcommit.secrets.redaction import redact
from smartcommit.settings import KEYS
from smartcommit.waiting import Deadline

NOTHING = "no model found on this machine, no key in the environment, and no known command on PATH"
HINT = f"install Ollama (https://ollama.com) and run 'ollama pull qwen3:8b', or see {DOCS}/model.md"
# Settings that a choice replaces.
_CHOSEN = {"provider", "model", "api-base", "command"}
# Seconds for all questions to a model, which may have to be loaded.
_TIMEOUT = 120
_NAMES = {key.name: key.git_name for key in KEYS}


class AnswerArgs(BaseModel):
    word: str


@tool(AnswerArgs)
def answer(args: AnswerArgs) -> str:
    """Answer with the word you were asked for."""
    return args.word


@click.command()
def command() -> None:
    """Look for models, and print the commands that choose each of them.

    No other machine is contacted, and nothing is changed: afterwards `smartcommit doctor` asks the model for a word.
    """
    candidates = find_candidates()
    if not candidates:
        raise SmartcommitError(NOTHING, hint=HINT)
    for candidate in candidates:
        click.echo(printable(f"{candidate.name}: {candidate.description}"))
        for words in _make_commands(candidate):
            click.echo(printable(f"  {shlex.join(words)}"))
    click.echo("run the commands below one of them; 'smartcommit doctor' tries it")


def _make_commands(candidate: Candidate) -> list[list[str]]:
    """Return the commands that choose a candidate, and remove what an earlier choice has set."""
    settings = candidate.list_settings()
    if candidate.variable:
        settings.setdefault("model", "NAME")
    commands = []
    for name in sorted(_CHOSEN.difference(settings)):
        if run(("config", "--global", "--get-all", _NAMES[name]), expected=(0, 1)).returncode == 0:
            commands.append(["git", "config", "--global", "--unset-all", _NAMES[name]])
    return commands + [["git", "config", "--global", _NAMES[name], value] for name, value in settings.items()]


def diagnose(settings: Settings) -> Iterator[str]:
    """Yield a line for each step that works; raise SmartcommitError, with a hint, at the first that does not."""
    if not wants_model(settings):
        yield f"no model configured: smartcommit.provider is {settings.text('provider')}"
        for candidate in find_candidates():
            yield f"{candidate.name} could draft: {candidate.description}; run 'smartcommit model' to choose it"
        return
    config = make_api_config(settings)
    deadline = Deadline(_TIMEOUT)
    if config.command:
        yield f"command '{redact(shlex.join(config.command))}', which reads a prompt and prints the answer"
    else:
        yield f"model '{config.model}' at '{config.host}', {config.provider} API"
        yield _find_model(config, deadline)
    yield from _try_model(config, deadline)


def _find_model(config: ApiConfig, deadline: Deadline) -> str:
    """Return whether the server has the model, as far as it says; raise SmartcommitError if it has only others."""
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
    before = deadline.remaining
    data = client.chat(asked, [spec_of(answer)], deadline=deadline)
    yield f"the model answered in {before - deadline.remaining:.1f} s"
    if client.extract_tool_calls(data):
        yield "the model supports tool calls"
        return
    call, _ = client.call_with_tool(asked, answer, deadline=deadline)
    if call is None:
        raise SmartcommitError(
            f"'{config.model}' supports neither tool calls nor JSON answers",
            hint="choose a model that supports tool calls; until then the built-in drafter is used",
        )
    yield "the model does not support tool calls; it is asked for JSON instead, and cannot inspect files"
