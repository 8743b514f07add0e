"""Reads what servers say is wrong with a request."""

from __future__ import annotations

from collections.abc import Collection

from smartcommit.errors import LLMStatusError
from smartcommit.llm import api
from smartcommit.llm.json_repair import as_list, as_object

# What servers say when a prompt does not fit: the fourth and fifth are Anthropic's and Gemini's words, the last one is
# OpenAI's and Groq's, for more tokens than may be sent in a minute (vanna-ai/vanna-flask#11).
_TOO_LONG = (
    "context length", "context size", "context window", "prompt is too long", "maximum number of tokens",
    "request too large",
)  # fmt: skip
# Groq's error for a call that it could not parse; another try may succeed.
FAILED_CALL = "failed to call a function"
# What errors name if a server does not support it, and which of our parameters that is; the first of these counts.
_QUIRKS = (
    ("tool_choice", "tool_choice", api.NO_FORCE),
    ("max_completion_tokens", "max_tokens", api.NEW_LIMIT),
    ("max_tokens", "max_tokens", api.NEW_LIMIT),
    ("max_completion_tokens", "max_completion_tokens", api.NO_LIMIT),
    ("stream_options", "stream_options", api.NO_USAGE),
    ("stream", "stream", api.NO_STREAM),
    ("reasoning_content", "messages", api.NO_THOUGHTS),
    ("think", "think", api.NO_SWITCH),
    ("chat_template_kwargs", "chat_template_kwargs", api.NO_SWITCH),
    ("think", "chat_template_kwargs", api.NO_SWITCH),
    ("truncate", "truncate", api.NO_EXTRAS),
    ("shift", "shift", api.NO_EXTRAS),
    ("keep_alive", "keep_alive", api.NO_EXTRAS),
    ("temperature", "options", api.NO_EXTRAS),
)
# Status codes of a refused request, and those of gateways that pass on a refusal as a failure: there only names that
# are no ordinary words count.
_REFUSED, _FAILED = (400, 422), (404, 405, 500, 501)
# What parts the words of a parameter's name, which servers write in their own ways: `maxTokens`, "max tokens".
_PARTS = str.maketrans("", "", "_- `")


def mentions(error: LLMStatusError, *words: str) -> bool:
    """Whether the server names any of `words`, which are in lower case."""
    return 400 <= error.status < 600 and any(word in error.text.lower() for word in words)


def find_quirks(error: LLMStatusError, sent: Collection[str]) -> set[str]:
    """Return what the server does not support, according to `error`, of the parameters that were `sent`."""
    text = error.text.lower().replace("upstream", "")
    if "system role" in text:
        # Under 500 too: it is the model's template that fails.
        return {api.NO_SYSTEM}
    if error.status not in (*_REFUSED, *_FAILED):
        return set()
    if "missing" in text:
        # Some servers insist on the thoughts instead.
        text = text.replace("reasoning_content", "")
    text = text.translate(_PARTS)
    for name, parameter, quirk in _QUIRKS:
        is_word = "_" not in name
        if parameter in sent and name.translate(_PARTS) in text and (error.status in _REFUSED or not is_word):
            return {quirk}
    return set()


def is_prompt_too_long(error: LLMStatusError) -> bool:
    """Whether the server says that the prompt does not fit."""
    return error.status == 413 or mentions(error, *_TOO_LONG)


def is_loading(error: LLMStatusError) -> bool:
    """Whether the server is loading the model, as llama.cpp's says until it can answer."""
    return error.status == 503 and mentions(error, "loading")


def read_error(body: bytes) -> str:
    """Return the error message in a JSON body, on one line; empty for anything else, such as an HTML page."""
    # Gemini's errors are a list (n4ze3m/page-assist#406), which is no object.
    found = as_object(f'{{"error": {body.decode("utf-8", "replace")}}}') or {}
    return " ".join(_describe(found).split())


def _describe(value: object) -> str:
    """Return the message in an error, which a server may nest, or list with the rejected fields under `detail`."""
    if isinstance(value, list):
        return "; ".join(map(_describe, value[:3]))
    if not isinstance(value, dict):
        return str(value or "")
    place = ".".join(map(str, as_list(value.get("loc"))))
    if place:
        return f"{place}: {value.get('msg', '')}"
    for name in ("error", "message", "detail"):
        if value.get(name):
            text, parameter = _describe(value[name]), value.get("param")
            # OpenAI's field for the parameter, which the message need not name.
            return f"{text} ({parameter})" if isinstance(parameter, str) and parameter not in text else text
    return ""
