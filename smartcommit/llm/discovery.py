"""Looks for what could draft here: model servers on this machine, keys in the environment, and known programs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from smartcommit.errors import LLMError
from smartcommit.llm import ollama, openai
from smartcommit.llm.api import COMMAND, OLLAMA, ApiConfig, is_cloud_model, is_loopback, shorten_model
from smartcommit.llm.known_commands import KNOWN
from smartcommit.llm.local_ollama import ollama_address
from smartcommit.llm.presets import PRESETS, guess_api
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
        place = "on this machine"
        if self.receiver is not None:
            place = f"sends the change {self.receiver}"
        if self.command:
            return place
        if self.variable:
            return f"{self.variable} is set, {place}"
        return f"{self.provider}, {place}"

    def settings(self) -> dict[str, str]:
        """Return the settings that choose it, by their names in kebab case."""
        found = {"provider": self.provider}
        if self.model:
            found["model"] = self.model
        if self.base:
            found["api-base"] = self.base
        if self.command:
            found["command"] = self.command
        if self.receiver is not None:
            found["allow-remote"] = "true"
        return found


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
    for program, known in KNOWN.items():
        if shutil.which(program):
            found.append(Candidate(COMMAND, command=known.line, receiver=known.sends))
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
    """Yield the models of the servers on this machine."""
    places: list[tuple[str, str, bool]] = []
    for address in addresses:
        places.append((guess_api(address), address, True))
    for name, preset in PRESETS.items():
        base = preset.base
        if name == OLLAMA:
            base = ollama_address()
        if base is not None:
            places.append((name, base, False))
    seen: set[str] = set()
    for name, base, is_other in places:
        if base in seen or not is_loopback(urlsplit(base).hostname):
            continue
        seen.add(base)
        for model in _list_local(name, base):
            receiver = "through Ollama to its cloud" if is_cloud_model(model) else None
            yield Candidate(name, model, base=base if is_other else None, receiver=receiver)


def _list_local(provider: str, base: str) -> list[str]:
    """Return the models that write text on a server on this machine, none if it does not answer."""
    try:
        config = ApiConfig(PRESETS[provider].dialect, "", base)
        names = list_models(config, Deadline(_LIST_SECONDS))
    except LLMError:
        return []
    return list(filter(_writes_text, names))[:_MODELS_OFFERED]


def _writes_text(name: str) -> bool:
    """Whether a model seems to write text, by its name."""
    return not any(kind in name.lower() for kind in _OTHER_KINDS)


def list_models(config: ApiConfig, deadline: Deadline) -> list[str]:
    """Return the names of the server's models, none if it does not list them or may not be asked. Raise LLMError."""
    if config.remote and not config.allow_remote:
        return []
    path, parse = "/models", openai.models
    if config.provider == OLLAMA:
        path, parse = "/api/tags", ollama.models
    found = exchange(config.url(path), None, headers=config.make_headers(), deadline=deadline, loopback=config.loopback)
    if found.status != 200:
        return []
    return parse(found.read())
