"""Looks for what could draft here: model servers on this machine, keys in the environment, and known programs."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from smartcommit.errors import LLMError
from smartcommit.json_text import as_list
from smartcommit.llm.api import COMMAND, OLLAMA, ApiConfig, as_object, is_cloud_model, is_loopback
from smartcommit.llm.program import KNOWN_PROGRAMS
from smartcommit.llm.provider import PRESETS, find_ollama_address
from smartcommit.llm.transport import exchange
from smartcommit.waiting import Deadline

# Seconds that a server on this machine may take to list its models, and maximum number of models that are offered.
_LIST_SECONDS = 2.0
_MODELS_OFFERED = 12
# Parts of the names of models that do not write text.
_OTHER_KINDS = re.compile(r"(?i)embed|rerank|whisper")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that could draft. `provider` is a preset's name or COMMAND.

    `model` is empty if it has to be named first. `command` is a command line. `receiver` says where it sends what it
    reads, None if that stays on this machine. `variable` is the environment variable that holds its key.
    """

    provider: str
    model: str = ""
    command: str | None = None
    receiver: str | None = None
    variable: str | None = None

    @property
    def name(self) -> str:
        return self.command or self.model or self.provider

    @property
    def description(self) -> str:
        """Where it runs, on one line."""
        what = self.provider
        if self.variable:
            what = f"{self.variable} is set"
        where = "on this machine" if self.receiver is None else f"sends the change {self.receiver}"
        return where if self.command else f"{what}, {where}"

    def list_settings(self) -> dict[str, str]:
        """Return the settings that choose it, by their names in kebab case."""
        settings = {"provider": self.provider, "model": self.model, "command": self.command}
        if self.receiver is not None:
            settings["allow-remote"] = "true"
        return {name: value for name, value in settings.items() if value}


def find_candidates() -> list[Candidate]:
    """Return what could draft, first what runs on this machine. Other machines are not contacted."""
    candidates: list[Candidate] = []
    for name, preset in PRESETS.items():
        base = find_ollama_address() if name == OLLAMA else preset.base
        if base is None:
            continue
        host = urlsplit(base).hostname
        models: list[str] = []
        if is_loopback(host):
            with suppress(LLMError):  # there is no server
                models = list_models(ApiConfig(preset.dialect, "", base), Deadline(_LIST_SECONDS))
        writers = [model for model in models if not _OTHER_KINDS.search(model)]
        for model in writers[:_MODELS_OFFERED]:
            receiver = "through Ollama to its cloud" if is_cloud_model(model) else None
            candidates.append(Candidate(name, model, receiver=receiver))
        for variable in preset.key_variables:
            if os.environ.get(variable, "").strip():
                candidates.append(Candidate(name, receiver=f"to {host}", variable=variable))
                break
    for program, (line, receiver) in KNOWN_PROGRAMS.items():
        if shutil.which(program):
            candidates.append(Candidate(COMMAND, command=line, receiver=receiver))
    # A local model that is really elsewhere comes after those that are not.
    return sorted(candidates, key=lambda candidate: candidate.receiver is not None)


def list_models(config: ApiConfig, deadline: Deadline) -> list[str]:
    """Return the names of the server's models, none if it does not list them or may not be asked. Raise LLMError."""
    if config.remote and not config.allow_remote:
        return []
    path = "/api/tags" if config.provider == OLLAMA else "/models"
    answer = exchange(config, path, None, b"\n".join, deadline=deadline)
    if answer.status != 200:
        return []
    listing = as_object(answer.content.decode("utf-8", "replace")) or {}
    # Ollama answers `{"models": [{"name": ...}]}`, and the others `{"data": [{"id": ...}]}`.
    models, name = ("models", "name") if config.provider == OLLAMA else ("data", "id")
    entries = [as_object(item) or {} for item in as_list(listing.get(models))]
    return [str(entry[name]) for entry in entries if name in entry]
