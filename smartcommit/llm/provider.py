"""The model server that the settings choose: its address and its key."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from smartcommit.config import Settings
from smartcommit.errors import ConfigError
from smartcommit.llm.api import COMMAND, NO_SCHEMA, NO_TOOLS, OLLAMA, OPENAI, ApiConfig, default_output, is_loopback
from smartcommit.llm.local_ollama import ollama_address
from smartcommit.llm.presets import AZURE, PRESETS
from smartcommit.llm.program import name_of, split_command


def name_model(settings: Settings) -> str:
    """Return the configured model for display, or the program that is asked in its place."""
    if settings.text("provider") == COMMAND:
        return name_of(split_command(settings.text("command") or "")[0])
    return settings.text("model") or "a model"


def choose_preset(settings: Settings) -> str:
    """Return the name of the preset that is configured, or else the one that the address belongs to.

    An unknown address that ends in `/v1` is of the OpenAI API, and any other of Ollama's.
    """
    chosen = settings.text("provider") or ""
    if chosen in PRESETS:
        return chosen
    base = settings.text("api-base") or ""
    for name, preset in PRESETS.items():
        if preset.base is not None and preset.base.startswith("https:") and preset.owns(base):
            return name
    if urlsplit(base).path.rstrip("/").endswith("/v1"):
        return OPENAI
    return OLLAMA


def api_config(settings: Settings, environment: Mapping[str, str] = os.environ) -> ApiConfig:
    """Return how to reach the configured model.

    Raise ConfigError if no model or command is configured, or if its address is missing or invalid.
    """
    context, allow_remote = settings.number("context") or 16384, settings.flag("allow-remote")
    if settings.text("provider") == COMMAND:
        command = split_command(settings.text("command") or "")
        return ApiConfig(
            COMMAND, name_of(command[0]), "", allow_remote=allow_remote, context=context,
            quirks=frozenset({NO_TOOLS, NO_SCHEMA}), command=command,
        )  # fmt: skip
    model = settings.text("model")
    if not model:
        raise ConfigError("no model configured", hint="run 'git config --global smartcommit.model NAME'")
    preset = PRESETS[choose_preset(settings)]
    base = find_base(settings, environment)
    headers = [line.partition(":") for line in settings.words("header")]
    quirks: frozenset[str] = frozenset()
    if preset.owns(base):
        quirks = preset.quirks
    return ApiConfig(
        preset.dialect, model, base, key=_find_key(settings, base, environment),
        allow_remote=allow_remote, context=context, output=default_output(model), key_header=preset.key_header,
        headers=tuple((name, value.strip()) for name, _, value in headers), quirks=quirks,
    )  # fmt: skip


def _find_key(settings: Settings, base: str, environment: Mapping[str, str]) -> str | None:
    """Return the configured key for the server at `base`, else the one in the preset's own environment variable.

    The variable counts only if something may be sent there at all, the preset was chosen by name, and `base` is its own
    address.
    """
    key = settings.text("api-key")
    if key and key.strip():
        return key.strip()
    if not settings.flag("allow-remote") or is_loopback(urlsplit(base).hostname):
        return None
    preset = PRESETS.get(settings.text("provider") or "")
    if preset is not None and preset.owns(base):
        for name in preset.key_variables:
            if environment.get(name, "").strip():
                return environment[name].strip()
    return None


def find_base(settings: Settings, environment: Mapping[str, str] = os.environ) -> str:
    """Return the server's address: the configured one, else the preset's, or that of Ollama on this machine.

    Raise ConfigError if the preset has none.
    """
    base = settings.text("api-base")
    name = choose_preset(settings)
    preset = PRESETS[name]
    if base:
        return base
    if name == OLLAMA:
        return ollama_address(environment)
    if preset.base is None:
        address = "https://NAME.openai.azure.com/openai/v1"
        raise ConfigError(
            f"provider {AZURE} needs the address of your resource",
            hint=f"run 'git config --global smartcommit.apiBase {address}'",
        )
    return preset.base
