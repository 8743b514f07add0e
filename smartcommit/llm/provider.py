"""Builds the model configuration from the user's settings."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from smartcommit.config import Settings
from smartcommit.errors import ConfigError
from smartcommit.llm.api import OLLAMA, OPENAI, ApiConfig

_OLLAMA = "127.0.0.1:11434"
_OPENAI = "https://api.openai.com/v1"
# Seconds for the probe whether Ollama is running, which only serves a hint.
_PROBE_TIMEOUT = 0.3


def wants_model(settings: Settings) -> bool:
    """Whether to use a model: a provider is configured, or it is `auto` and a model is configured."""
    chosen = settings.text("provider")
    return chosen in (OLLAMA, OPENAI) or (chosen == "auto" and settings.text("model") is not None)


def choose_provider(settings: Settings) -> str:
    """Return OLLAMA or OPENAI, as configured or else by the address: it ends in `/v1` for the OpenAI API."""
    chosen = settings.text("provider")
    if chosen in (OLLAMA, OPENAI):
        return chosen
    path = urlsplit(settings.text("api-base") or "").path.rstrip("/")
    return OPENAI if path.endswith("/v1") else OLLAMA


def api_config(settings: Settings) -> ApiConfig:
    """Return how to reach the configured model.

    Raise ConfigError if no model is configured, or if its address is invalid.
    """
    model = settings.text("model")
    if not model:
        raise ConfigError("no model configured", hint="run 'git config --global smartcommit.model NAME'")
    return ApiConfig(
        choose_provider(settings),
        model,
        find_base(settings),
        key=settings.text("api-key"),
        allow_remote=settings.flag("allow-remote"),
        context=settings.number("context") or 16384,
    )


def find_base(settings: Settings, environment: Mapping[str, str] = os.environ) -> str:
    """Return the server's address: the configured one, else that of OpenAI, or of Ollama on this machine."""
    base = settings.text("api-base")
    if base:
        return base
    if choose_provider(settings) == OPENAI:
        return _OPENAI
    return ollama_address(environment)


def ollama_address(environment: Mapping[str, str] = os.environ) -> str:
    """Return the address of Ollama on this machine, from OLLAMA_HOST, which may be an address to bind to."""
    host = environment.get("OLLAMA_HOST", "").strip() or _OLLAMA
    base = host
    if "://" not in host:
        base = f"http://{host}"
    parts = urlsplit(base)
    with suppress(ValueError):
        if parts.port is None:
            base = f"{base.rstrip('/')}:11434"
    return base.replace("//0.0.0.0", "//127.0.0.1")


def ollama_answers(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether Ollama is running on this machine. Takes some tenths of a second, and imports no HTTP library."""
    parts = urlsplit(ollama_address(environment))
    if parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        return False
    try:
        with socket.create_connection((parts.hostname, parts.port or 80), timeout=_PROBE_TIMEOUT) as connection:
            connection.sendall(b"GET /api/version HTTP/1.0\r\nHost: localhost\r\n\r\n")
            head = connection.recv(64)
    except (OSError, ValueError):
        return False
    return head.startswith(b"HTTP/1.") and b" 200 " in head
