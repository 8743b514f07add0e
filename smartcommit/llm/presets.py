"""Known model servers by name, one row each: address, dialect, key, and what they do not support.

Sources: the providers' documentation and the threads named beside a quirk, as of 2026.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from smartcommit.llm.api import NO_SCHEMA, OLLAMA, OPENAI

AZURE = "azure"
# The switch for thinking of llama.cpp and vLLM.
_SWITCH = "chat_template_kwargs"


@dataclass(frozen=True, slots=True)
class Preset:
    """A known server. `dialect` is OLLAMA or OPENAI.

    `base` is its address, None if every customer has another one. Its key is taken from the first of the environment
    variables `key_variables` that is set, and sent in `key_header`. `quirks` are what it does not support, so that no
    request is spent on finding out.
    """

    dialect: str
    base: str | None
    key_variables: tuple[str, ...] = ()
    key_header: str = "Authorization"
    quirks: frozenset[str] = frozenset()

    def owns(self, base: str) -> bool:
        """Whether `base` is an address of this provider, so that its key may be sent there and its quirks apply."""
        return self.base is None or urlsplit(self.base).netloc == urlsplit(base).netloc


def _service(base: str, *key_variables: str, quirks: Iterable[str] = ()) -> Preset:
    return Preset(OPENAI, base, key_variables, quirks=frozenset(quirks))


PRESETS = {
    "ollama": Preset(OLLAMA, "http://127.0.0.1:11434"),
    # `max_tokens` is rejected by the o-series and gpt-5; all models take the new name. Unknown fields are rejected.
    # Source: https://platform.openai.com/docs/api-reference/chat/create
    "openai": _service("https://api.openai.com/v1", "OPENAI_API_KEY", quirks=("max_tokens", _SWITCH)),
    # `response_format` is ignored. Source: https://platform.claude.com/docs/en/api/openai-sdk
    "anthropic": _service("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", quirks=(NO_SCHEMA, _SWITCH)),
    # Source: https://ai.google.dev/gemini-api/docs/openai
    "gemini": _service(
        "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", "GOOGLE_API_KEY",
        quirks=(_SWITCH,),
    ),
    # Source: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
    AZURE: Preset(OPENAI, None, ("AZURE_OPENAI_API_KEY",), key_header="api-key", quirks=frozenset({_SWITCH})),
    "openrouter": _service("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    # Few models take a JSON schema, and those neither with streaming nor with tools.
    # Source: https://console.groq.com/docs/structured-outputs
    "groq": _service("https://api.groq.com/openai/v1", "GROQ_API_KEY", quirks=(NO_SCHEMA, _SWITCH)),
    # "This response_format type is unavailable now" for a schema (BerriAI/litellm#42245), and "Thinking mode does not
    # support this tool_choice" for models that think (XiaomiMiMo/MiMo-Code#2068).
    "deepseek": _service("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", quirks=(NO_SCHEMA, "tool_choice")),
    # Unknown fields are rejected, `stream_options` among them (avante-corp/avante.nvim#2347).
    "mistral": _service("https://api.mistral.ai/v1", "MISTRAL_API_KEY", quirks=("stream_options", _SWITCH)),
    "lmstudio": Preset(OPENAI, "http://127.0.0.1:1234/v1"),
    "llamacpp": Preset(OPENAI, "http://127.0.0.1:8080/v1"),
    "vllm": Preset(OPENAI, "http://127.0.0.1:8000/v1"),
}  # fmt: skip
