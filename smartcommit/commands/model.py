"""`smartcommit model`: finds what could draft, tries the one that is chosen, and writes the settings."""

from __future__ import annotations

import json
import math
import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from operator import attrgetter

import click

from smartcommit import DOCS
from smartcommit.config import Settings, load
from smartcommit.draft.engine import TIME_LIMIT, draft
from smartcommit.draft.result import Draft
from smartcommit.errors import LLMError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.llm.discovery import Candidate, find_candidates, list_models
from smartcommit.llm.local_ollama import ollama_answers
from smartcommit.llm.provider import api_config
from smartcommit.settings import KEYS
from smartcommit.terminal import Terminal, printable
from smartcommit.waiting import Deadline

GLOBAL, LOCAL = "--global", "--local"
NOTHING = (
    "no model found: no server answers on this machine, no key is in the environment, and no known command is on PATH"
)
HINT = f"install Ollama (https://ollama.com) and run 'ollama pull qwen3:8b', or see {DOCS}/model.md"
# Seconds for a draft of the built-in change: the server may have to load the model first.
_DRAFT_SECONDS = 120
# Number of a service's models that are named as examples.
_MODELS_NAMED = 8
# The built-in change: a file before and after.
_BEFORE = "def parse_port(text):\n    return int(text)\n"
_AFTER = (
    "def parse_port(text):\n    port = int(text)\n    if not 0 < port < 65536:\n"
    '        raise ValueError(f"invalid port: {port}")\n    return port\n'
)
_FILE = "ports.py"
# Settings that a choice replaces, and those that it keeps.
_CHOSEN = {"provider", "model", "api-base", "command"}
_KEPT = ("smartcommit.apikey", "smartcommit.header", "smartcommit.context")
_KEPT_VARIABLES = ("SMARTCOMMIT_API_KEY", "SMARTCOMMIT_HEADER", "SMARTCOMMIT_CONTEXT")
_NAMES = {key.name: key.git_name for key in KEYS}


@click.command()
@click.option("--local", is_flag=True, help="Write the settings for this repository alone.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON, and change nothing.")
def command(*, local: bool, as_json: bool) -> int:
    """Look for models, try one on a small built-in change, and write the settings.

    Without a terminal, print what was found and the commands that choose it.
    """
    scope = LOCAL if local else GLOBAL
    candidates = find_candidates()
    if as_json:
        click.echo(json.dumps([_describe(candidate, scope) for candidate in candidates]))
        return 0
    if not candidates:
        if ollama_answers():
            raise SmartcommitError("Ollama has no model that writes text", hint="run 'ollama pull qwen3:8b'")
        raise SmartcommitError(NOTHING, hint=HINT)
    with (sys.stdout.isatty() and Terminal.open()) or nullcontext() as terminal:
        if terminal is not None:
            return _Dialog(terminal, scope).run(candidates)
    for line in format_found(candidates, scope):
        click.echo(printable(line))
    return 0


def format_found(candidates: Sequence[Candidate], scope: str) -> list[str]:
    """Return lines that say what was found, each followed by the commands that choose it."""
    lines: list[str] = []
    for candidate in candidates:
        lines.append(f"{candidate.name}: {candidate.description}")
        lines += [f"  {shlex.join(words)}" for words in _make_commands(candidate, scope)]
    return lines


def _describe(candidate: Candidate, scope: str) -> dict[str, object]:
    commands = list(map(shlex.join, _make_commands(candidate, scope)))
    return {**asdict(candidate), "model": candidate.model or None, "commands": commands}


def _make_commands(candidate: Candidate, scope: str) -> list[list[str]]:
    """Return the commands that choose `candidate`, with NAME for a model that has to be named."""
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
        self._report(chosen)
        return 0

    def _choose(self, candidates: Sequence[Candidate]) -> Candidate | None:
        """Return the candidate that the user chooses, None without one or if it may not send the changes."""
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
        """Return `chosen` with the model that the user names, None without one."""
        config = api_config(self._make_settings(replace(chosen, model="NAME")))
        try:
            names = list_models(config, Deadline(_DRAFT_SECONDS))
        except LLMError as error:
            self._say(str(error))
            names = []
        if names:
            self._say(f"{len(names)} models, for example {', '.join(names[:_MODELS_NAMED])}")
        name = self._ask("Which model? ")
        if not name:
            return None
        return replace(chosen, model=name)

    def _try(self, chosen: Candidate) -> bool:
        """Draft the built-in change with `chosen`, and return whether that worked."""
        self._say(f"asking {chosen.name} for the message of a small built-in change ...")
        deadline = Deadline(_DRAFT_SECONDS)
        made = draft_example(self._make_settings(chosen), deadline, self._terminal)
        if made.reason is not None:
            self._say(f"that failed: {made.reason}")
            return False
        for line in made.text.rstrip("\n").split("\n"):
            self._say(f"  | {line}".rstrip())
        seconds = math.ceil(deadline.seconds - deadline.remaining)
        self._say(f"that took {seconds} s")
        limit = self._current.number("deadline") or TIME_LIMIT
        if seconds > limit:
            self._say(f"a commit waits {limit} s: run 'git config {self._scope} smartcommit.deadline {2 * seconds}'")
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

    def _report(self, chosen: Candidate) -> None:
        """Say that the choice holds, or what overrides it."""
        settings = load(os.curdir)
        for name, value in chosen.settings().items():
            if name != "allow-remote" and settings.text(name) != value:
                self._say(f"note: {_NAMES[name]} is '{settings.text(name)}' here, from {settings.source(name)}")
        self._say(f"{chosen.name} drafts from now on; 'smartcommit doctor' checks it")

    def _say(self, line: str) -> None:
        self._terminal.write(f"{printable(line)}\n")

    def _ask(self, question: str) -> str:
        return self._terminal.ask(printable(question)) or ""

    def _confirm(self, question: str) -> bool:
        return self._ask(f"{question} [y/N] ").lower() in ("y", "yes")


def draft_example(settings: Settings, deadline: Deadline, terminal: Terminal) -> Draft:
    """Draft a message for the built-in change, in a temporary repository."""
    with tempfile.TemporaryDirectory(prefix="smartcommit-", ignore_cleanup_errors=True) as folder:
        run(("init", "--quiet", "--template=", folder))
        repository = Repository.find(folder)
        trees: list[str] = []
        for text in (_BEFORE, _AFTER):
            with open(os.path.join(folder, _FILE), "w", encoding="utf-8") as file:
                file.write(text)
            repository.run("add", "--all")
            trees.append(repository.run("write-tree").decode().strip())
        made = draft(repository, trees[0], trees[1], settings, deadline=deadline, terminal=terminal)
        assert made is not None, "the example changes a file"
        return made
