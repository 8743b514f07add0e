"""Model servers: those known by name, and the address and key of the one that the settings choose.

Sources: the providers' documentation and the threads named beside a quirk, as of 2026.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from smartcommit.config import Settings
from smartcommit.errors import ConfigError
from smartcommit.llm.api import COMMAND, NO_SCHEMA, NO_TOOLS, OLLAMA, OPENAI, ApiConfig, choose_output, is_loopback
from smartcommit.llm.program import find_program_name, split_command

AZURE = "azure"
# The field by which llama.cpp and vLLM are told not to think; services that refuse unknown fields have it as a quirk.
_THINKING_SWITCH = "chat_template_kwargs"
_LOOPBACK = "127.0.0.1"
_OLLAMA_PORT = 11434
# The ports of OLLAMA_HOST where it has a scheme and no port.
_PORTS_OF_SCHEMES = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Preset:
    """A known server, which has the API `dialect`, OLLAMA or OPENAI.

    `base` is its address, None if every customer has another one. Its key is taken from the first of the environment
    variables `key_variables` that is set, and sent in the HTTP header `key_header`. `quirks` are what it does not
    support (see `llm.api`), so that no request is spent on finding out.
    """

    dialect: str
    base: str | None
    key_variables: tuple[str, ...] = ()
    key_header: str = "Authorization"
    quirks: frozenset[str] = frozenset()

    def owns(self, base: str) -> bool:
        """Whether `base` is an address of this provider, so that its key may be sent there and its quirks apply.

        Every customer of Azure has another host, so any address counts that is configured together with its name.
        """
        return self.base is None or urlsplit(self.base).netloc == urlsplit(base).netloc


def _make(base: str, *key_variables: str, quirks: Iterable[str] = ()) -> Preset:
    return Preset(OPENAI, base, key_variables, quirks=frozenset(quirks))


PRESETS = {
    "ollama": Preset(OLLAMA, f"http://{_LOOPBACK}:{_OLLAMA_PORT}"),
    # `max_tokens` is rejected by the o-series and gpt-5; all models take the new name. Unknown fields are rejected.
    # Source: https://platform.openai.com/docs/api-reference/chat/create
    "openai": _make("https://api.openai.com/v1", "OPENAI_API_KEY", quirks=("max_tokens", _THINKING_SWITCH)),
    # `response_format` is ignored. Source: https://platform.claude.com/docs/en/api/openai-sdk
    "anthropic": _make("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", quirks=(NO_SCHEMA, _THINKING_SWITCH)),
    # Source: https://ai.google.dev/gemini-api/docs/openai
    "gemini": _make(
        "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", "GOOGLE_API_KEY",
        quirks=(_THINKING_SWITCH,),
    ),
    # Source: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
    AZURE: Preset(OPENAI, None, ("AZURE_OPENAI_API_KEY",), key_header="api-key", quirks=frozenset({_THINKING_SWITCH})),
    "openrouter": _make("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    # Few models take a JSON schema, and those neither with streaming nor with tools.
    # Source: https://console.groq.com/docs/structured-outputs
    "groq": _make("https://api.groq.com/openai/v1", "GROQ_API_KEY", quirks=(NO_SCHEMA, _THINKING_SWITCH)),
    # "This response_format type is unavailable now" for a schema (BerriAI/litellm#42245), and "Thinking mode does not
    # support this tool_choice" for models that think (XiaomiMiMo/MiMo-Code#2068).
    "deepseek": _make("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", quirks=(NO_SCHEMA, "tool_choice")),
    # Unknown fields are rejected, `stream_options` among them (avante-corp/avante.nvim#2347).
    "mistral": _make("https://api.mistral.ai/v1", "MISTRAL_API_KEY", quirks=("stream_options", _THINKING_SWITCH)),
    "lmstudio": Preset(OPENAI, "http://127.0.0.1:1234/v1"),
    "llamacpp": Preset(OPENAI, "http://127.0.0.1:8080/v1"),
    "vllm": Preset(OPENAI, "http://127.0.0.1:8000/v1"),
}  # fmt: skip


def name_model(settings: Settings) -> str:
    """Return the configured model for display, or the program that is asked in its place."""
    if settings.text("provider") == COMMAND:
        return find_program_name(split_command(settings.text("command") or "")[0])
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
        # What is on a port of this machine may be any server, and any customer's address Azure's.
        if preset.base is not None and preset.base.startswith("https:") and preset.owns(base):
            return name
    if urlsplit(base).path.rstrip("/").endswith("/v1"):
        return OPENAI
    return OLLAMA


def make_api_config(settings: Settings, environment: Mapping[str, str] = os.environ) -> ApiConfig:
    """Return how to reach the configured model; raise ConfigError if none is, or its address is missing or invalid."""
    context = settings.number("context")
    assert context is not None  # it has a default
    allow_remote = settings.flag("allow-remote")
    if settings.text("provider") == COMMAND:
        command = split_command(settings.text("command") or "")
        return ApiConfig(
            COMMAND, find_program_name(command[0]), "", allow_remote=allow_remote, context=context,
            quirks=frozenset({NO_TOOLS, NO_SCHEMA}), command=command,
        )  # fmt: skip
    model = settings.text("model")
    if not model:
        raise ConfigError("no model configured", hint="run 'git config --global smartcommit.model NAME'")
    preset = PRESETS[choose_preset(settings)]
    base = find_base(settings, environment)
    headers = [line.partition(":") for line in settings.words("header")]
    quirks = preset.quirks if preset.owns(base) else frozenset()
    return ApiConfig(
        preset.dialect, model, base, key=_find_key(settings, base, environment),
        allow_remote=allow_remote, context=context, output=choose_output(model), key_header=preset.key_header,
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
        keys = [environment.get(name, "").strip() for name in preset.key_variables]
        return next((key for key in keys if key), None)
    return None


def find_base(settings: Settings, environment: Mapping[str, str] = os.environ) -> str:
    """Return the configured address, else the preset's or that of Ollama here; raise ConfigError if there is none."""
    base = settings.text("api-base")
    name = choose_preset(settings)
    if name == OLLAMA:
        return base or find_ollama_address(environment)
    base = base or PRESETS[name].base
    if base is None:
        raise ConfigError(
            f"provider {AZURE} needs the address of your resource",
            hint="run 'git config --global smartcommit.apiBase https://NAME.openai.azure.com/openai/v1'",
        )
    return base


def find_ollama_address(environment: Mapping[str, str] = os.environ) -> str:
    """Return the address in OLLAMA_HOST; what it leaves out is as Ollama has it. Source: its envconfig/config.go.

    A server listens everywhere if it names no host or a wildcard: then it is asked on this machine.
    """
    value = environment.get("OLLAMA_HOST", "").strip().strip("'\"").strip()
    scheme, _, address = value.rpartition("://")
    authority, slash, path = address.rstrip("/").partition("/")
    if authority.count(":") > 1 and "[" not in authority:
        authority = f"[{authority}]"  # an IPv6 address
    host, colon, port = authority.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = authority, str(_PORTS_OF_SCHEMES.get(scheme, _OLLAMA_PORT))
    if host in ("", "0.0.0.0", "[::]"):
        host = _LOOPBACK
    return f"{scheme or 'http'}://{host}:{port}{slash}{path}"
