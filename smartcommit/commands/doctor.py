"""`smartcommit doctor`: what each hook does in a repository, what is wrong, and how to fix it."""

from __future__ import annotations

import json
import platform
import re
import shlex
import subprocess
from collections.abc import Iterator

import click
from pydantic import BaseModel

from smartcommit import __version__
from smartcommit.agent.tool import spec_of, tool
from smartcommit.commands.doctor_findings import (
    ERROR,
    NOTE,
    OK,
    Finding,
    describe_events,
    find_hooks,
    find_settings,
)
from smartcommit.config import Settings, wants_model
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.llm.api import OLLAMA, ApiConfig
from smartcommit.llm.client import LLMClient
from smartcommit.llm.discovery import find_candidates, list_models
from smartcommit.llm.provider import api_config
from smartcommit.secrets.scan import redact
from smartcommit.setup.git_hooks import GitHooks
from smartcommit.setup.hook_scripts import MODULES
from smartcommit.setup.runners import find_runners
from smartcommit.waiting import Deadline

_PROGRAMS = ("git", "pre-commit", "prek", "jj")
# What the JSON has of each hook that git runs: the first fields of an entry.
_ENTRY_FIELDS = ("name", "path", "scope", "caller", "idle")
# Seconds that a program may take to say its version, and for all questions to the model: it may have to be loaded.
_VERSION_TIMEOUT, _TIMEOUT = 10, 120


class AnswerArgs(BaseModel):
    word: str


@tool(AnswerArgs)
def answer(args: AnswerArgs) -> str:
    """Answer with the word you were asked for."""
    return args.word


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, as_json: bool) -> int:
    """Report what each hook does here, and what is wrong, with the command that fixes it.

    A configured model is asked for one word; nothing from the repository is sent, and nothing is written. The exit
    status is 1 if something is broken.
    """
    hooks = GitHooks(Repository.find())
    versions = _read_versions()
    findings: list[Finding] = []
    for found in _examine(hooks, versions):
        if isinstance(found, Finding):
            findings.append(found)
        if not as_json:
            click.echo(found.format() if isinstance(found, Finding) else found)
    broken = any(finding.state == ERROR for finding in findings)
    if as_json:
        runners, events = {}, {}
        for hook in MODULES:
            runners[hook] = [runner._asdict() for runner in find_runners(hooks, hook)]
        for event in hooks.list_events():
            events[event] = [dict(zip(_ENTRY_FIELDS, entry, strict=False)) for entry in hooks.list_entries(event)]
        listed = [finding._asdict() for finding in findings]
        content = {"ok": not broken, "versions": versions, "hooks": runners, "events": events, "findings": listed}
        click.echo(json.dumps(content))
    return int(broken)


def _read_versions() -> dict[str, str | None]:
    versions: dict[str, str | None] = {"smartcommit": __version__, "python": platform.python_version()}
    for name in _PROGRAMS:
        versions[name] = _ask_version(name)
    return versions


def _ask_version(name: str) -> str | None:
    try:
        done = subprocess.run(
            [name, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_VERSION_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"(?<!\S)\d\S{0,39}", done.stdout.decode("utf-8", "replace"))
    return found and found[0]


def _examine(hooks: GitHooks, versions: dict[str, str | None]) -> Iterator[Finding | str]:
    present = [f"{name} {version}" for name, version in versions.items() if version is not None]
    yield Finding("versions", OK, ", ".join(present))
    settings, found = find_settings(hooks.repository)
    yield from find_hooks(hooks, settings)
    yield from describe_events(hooks)
    yield from found
    if settings is None:
        return
    try:
        for line in diagnose(settings):
            yield Finding("model", OK, line)
    except SmartcommitError as error:
        yield Finding("model", ERROR, str(error), error.hint)
        yield Finding("model", NOTE, "until this is fixed, the built-in drafter writes every draft")


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
