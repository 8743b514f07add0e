"""`smartcommit model`: finds what could draft, tries the one that is chosen, and writes the settings."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from operator import attrgetter

import click
from pydantic import BaseModel

from smartcommit import DOCS
from smartcommit.agent.tool import spec_of, tool
from smartcommit.config import Settings, load, wants_model
from smartcommit.errors import SmartcommitError
from smartcommit.git.run import run
from smartcommit.llm.api import OLLAMA, ApiConfig
from smartcommit.llm.client import LLMClient
from smartcommit.llm.discovery import Candidate, find_candidates, list_models
from smartcommit.llm.provider import api_config
from smartcommit.secrets.scan import redact
from smartcommit.settings import KEYS
from smartcommit.terminal import Terminal, printable
from smartcommit.waiting import Deadline

GLOBAL, LOCAL = "--global", "--local"
NOTHING = "no model found on this machine, no key in the environment, and no known command on PATH"
HINT = f"install Ollama (https://ollama.com) and run 'ollama pull qwen3:8b', or see {DOCS}/model.md"
# Settings that a choice replaces, and those that it keeps.
_CHOSEN = {"provider", "model", "api-base", "command"}
_KEPT = ("smartcommit.apikey", "smartcommit.header", "smartcommit.context")
_KEPT_VARIABLES = ("SMARTCOMMIT_API_KEY", "SMARTCOMMIT_HEADER", "SMARTCOMMIT_CONTEXT")
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
@click.option("--local", is_flag=True, help="Write the settings for this repository alone.")
def command(*, local: bool) -> int:
    """Look for models, ask one for a word, and write the settings.

    Without a terminal, print what was found and the commands that choose it.
    """
    scope = LOCAL if local else GLOBAL
    candidates = find_candidates()
    if not candidates:
        raise SmartcommitError(NOTHING, hint=HINT)
    with (sys.stdout.isatty() and Terminal.open()) or nullcontext() as terminal:
        if terminal is not None:
            return _Dialog(terminal, scope).run(candidates)
    for candidate in candidates:
        click.echo(printable(f"{candidate.name}: {candidate.description}"))
        for words in _make_commands(candidate, scope):
            click.echo(printable(f"  {shlex.join(words)}"))
    return 0


def _make_commands(candidate: Candidate, scope: str) -> list[list[str]]:
    settings = candidate.settings()
    if candidate.variable:
        settings.setdefault("model", "NAME")
    return [["git", "config", scope, _NAMES[name], value] for name, value in settings.items()]


class _Dialog:
    """The questions on a terminal. `scope` is the option of `git config` that says where settings are written."""

    def __init__(self, terminal: Terminal, scope: str) -> None:
        self._terminal = terminal
        self._scope = scope
        self._current = load(os.curdir)

    def run(self, candidates: Sequence[Candidate]) -> int:
        """Let the user choose, try the choice, and write it; return the exit status."""
        chosen = self._choose(candidates)
        if chosen is not None and chosen.variable:
            chosen = self._name_model(chosen)
        if chosen is None:
            self._say("nothing was changed")
            return 0
        tried = self._try(chosen)
        commands = self._list_stale(chosen) + _make_commands(chosen, self._scope)
        for words in commands:
            self._say(f"  {shlex.join(words)}")
        question = "Run these commands?"
        if not tried:
            question = "Run these commands anyway?"
        if not self._confirm(question):
            self._say("nothing was changed")
            return 0
        for words in commands:
            run(words[1:])
        self._say(f"{chosen.name} drafts from now on; 'smartcommit doctor' checks it")
        return 0

    def _choose(self, candidates: Sequence[Candidate]) -> Candidate | None:
        width = max(map(len, map(attrgetter("name"), candidates)))
        for number, candidate in enumerate(candidates, start=1):
            self._say(f"{number:2}  {candidate.name:{width}}  {candidate.description}")
        answer = self._ask(f"Which one drafts? [1-{len(candidates)}, Enter for none] ")
        if answer not in map(str, range(1, len(candidates) + 1)):
            return None
        chosen = candidates[int(answer) - 1]
        if chosen.receiver is not None and not self._confirm(
            f"Your changes would be sent {chosen.receiver}. Allow that?"
        ):
            return None
        return chosen

    def _name_model(self, chosen: Candidate) -> Candidate | None:
        name = self._ask("Which model? ")
        if not name:
            return None
        return replace(chosen, model=name)

    def _try(self, chosen: Candidate) -> bool:
        try:
            for line in diagnose(self._make_settings(chosen)):
                self._say(line)
        except SmartcommitError as error:
            self._say(f"that failed: {error}")
            return False
        return True

    def _make_settings(self, chosen: Candidate) -> Settings:
        """Return the settings that would hold: those that choose the candidate, and the user's keys and headers."""
        environment = {name: value for name, value in os.environ.items() if name in _KEPT_VARIABLES}
        return Settings(
            git=[entry for entry in self._current.git if entry[0] in _KEPT],
            arguments={**chosen.settings(), "allow-remote": chosen.receiver is not None},
            environment=environment,
        )

    def _list_stale(self, chosen: Candidate) -> list[list[str]]:
        """Return the commands that remove what an earlier choice has set, and this one does not."""
        commands: list[list[str]] = []
        for name in sorted(_CHOSEN.difference(chosen.settings())):
            words = ("config", self._scope, "--get-all", _NAMES[name])
            if run(words, expected=(0, 1)).returncode == 0:
                commands.append(["git", "config", self._scope, "--unset-all", _NAMES[name]])
        return commands

    def _say(self, line: str) -> None:
        self._terminal.write(f"{printable(line)}\n")

    def _ask(self, question: str) -> str:
        return self._terminal.ask(printable(question)) or ""

    def _confirm(self, question: str) -> bool:
        return self._ask(f"{question} [y/N] ").lower() in ("y", "yes")


def diagnose(settings: Settings) -> Iterator[str]:
    """Yield a line for each step that works; raise SmartcommitError, with a hint, at the first that does not."""
    if not wants_model(settings):
        yield f"no model configured: smartcommit.provider is {settings.text('provider')}"
        for candidate in find_candidates():
            yield f"{candidate.name} could draft: {candidate.description}; run 'smartcommit model' to choose it"
        return
    config = api_config(settings)
    deadline = Deadline(_TIMEOUT)
    if config.command:
        yield f"command '{redact(shlex.join(config.command))}', which reads a prompt and prints the answer"
    else:
        yield f"model '{config.model}' at '{config.host}', {config.provider} API"
        yield _find_model(config, deadline)
    yield from _try_model(config, deadline)


def _find_model(config: ApiConfig, deadline: Deadline) -> str:
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
    yield (
        "the model does not support tool calls; it is asked for JSON instead and cannot inspect files while drafting"
    )
