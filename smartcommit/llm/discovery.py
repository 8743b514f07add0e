"""Looks for what could draft here: model servers on this machine, keys in the environment, and known programs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from smartcommit.errors import LLMError
from smartcommit.llm.api import (
    COMMAND,
    OLLAMA,
    ApiConfig,
    as_list,
    as_object,
    is_cloud_model,
    is_loopback,
    shorten_model,
)
from smartcommit.llm.local_ollama import ollama_address
from smartcommit.llm.presets import PRESETS, guess_api
from smartcommit.llm.program import KNOWN
from smartcommit.llm.transport import exchange
from smartcommit.waiting import Deadline

# Seconds that a server on this machine may take to list its models, and maximum number of models that are offered.
_LIST_SECONDS = 2.0
_MODELS_OFFERED = 12
# Parts of the names of models that do not write text.
_OTHER_KINDS = ("embed", "rerank", "whisper")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that could draft. `provider` is a preset's name or COMMAND.

    `model` is empty if it has to be named first. `base` is the server's address if it is not the preset's own.
    `command` is a command line. `receiver` says where it sends what it reads, None if that stays on this machine.
    `variable` is the environment variable that holds its key.
    """

    provider: str
    model: str = ""
    base: str | None = None
    command: str | None = None
    receiver: str | None = None
    variable: str | None = None

    @property
    def name(self) -> str:
        """What it is called in a list."""
        return self.command or shorten_model(self.model) or self.provider

    @property
    def description(self) -> str:
        """Where it runs, on one line."""
        place = "on this machine" if self.receiver is None else f"sends the change {self.receiver}"
        if self.command:
            return place
        return f"{f'{self.variable} is set' if self.variable else self.provider}, {place}"

    def settings(self) -> dict[str, str]:
        """Return the settings that choose it, by their names in kebab case."""
        sends = "true" if self.receiver is not None else None
        found = {
            "provider": self.provider, "model": self.model, "api-base": self.base, "command": self.command,
            "allow-remote": sends,
        }  # fmt: skip
        return {name: value for name, value in found.items() if value}


def find_candidates(addresses: Iterable[str] = ()) -> list[Candidate]:
    """Return what could draft, first what runs on this machine. Other machines are not contacted.

    `addresses` are those of further servers on this machine.
    """
    found = list(_find_models(addresses))
    for name, preset in PRESETS.items():
        base = preset.base or _find_resource()
        for variable in preset.key_variables:
            if os.environ.get(variable, "").strip() and base is not None:
                host = urlsplit(base).hostname
                own = None if preset.base else base
                found.append(Candidate(name, base=own, receiver=f"to {host}", variable=variable))
                break
    for program, (line, receiver) in KNOWN.items():
        if shutil.which(program):
            found.append(Candidate(COMMAND, command=line, receiver=receiver))
    # A local model that is really elsewhere comes after those that are not.
    return sorted(found, key=lambda candidate: candidate.receiver is not None)


def _find_resource() -> str | None:
    """Return the address of the Azure resource that the variable of Azure's own tools names, None without one."""
    try:
        parts = urlsplit(os.environ.get("AZURE_OPENAI_ENDPOINT", "").strip())
    except ValueError:
        return None
    if parts.scheme != "https" or not parts.hostname:
        return None
    return f"https://{parts.hostname}/openai/v1"


def _find_models(addresses: Iterable[str]) -> Iterator[Candidate]:
    """Yield the models that write text of the servers on this machine, the presets' own and those at `addresses`."""
    places = [(guess_api(address), address, True) for address in addresses]
    for name, preset in PRESETS.items():
        base = ollama_address() if name == OLLAMA else preset.base
        places.append((name, base or "", False))
    seen: set[str] = set()
    for name, base, is_other in places:
        if base in seen or not is_loopback(urlsplit(base).hostname):
            continue
        seen.add(base)
        models: list[str] = []
        with suppress(LLMError):  # there is no server
            models = list_models(ApiConfig(PRESETS[name].dialect, "", base), Deadline(_LIST_SECONDS))
        for model in list(filter(_writes_text, models))[:_MODELS_OFFERED]:
            receiver = "through Ollama to its cloud" if is_cloud_model(model) else None
            yield Candidate(name, model, base=base if is_other else None, receiver=receiver)


def _writes_text(model: str) -> bool:
    """Whether a model seems to write text, by its name."""
    return not any(map(model.lower().__contains__, _OTHER_KINDS))


def list_models(config: ApiConfig, deadline: Deadline) -> list[str]:
    """Return the names of the server's models, none if it does not list them or may not be asked. Raise LLMError."""
    if config.remote and not config.allow_remote:
        return []
    path, key, field = "/models", "data", "id"
    if config.provider == OLLAMA:
        path, key, field = "/api/tags", "models", "name"
    answer = exchange(config, path, None, deadline=deadline)
    listed = as_object(answer.read().decode("utf-8", "replace")) if answer.status == 200 else None
    entries = as_list((listed or {}).get(key))
    return [str(entry[field]) for entry in entries if isinstance(entry, dict) and field in entry]
