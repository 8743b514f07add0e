"""What a server does not support, and what else is wrong: read from its errors, and kept so that it is found once."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection

from smartcommit import state_files
from smartcommit.errors import LLMStatusError
from smartcommit.json_text import as_list
from smartcommit.llm import api
from smartcommit.llm.api import ApiConfig, Json, as_object

# In the git directory.
FILE = "servers.json"
# Maximum number of servers that are remembered, and for how many seconds: an updated server may support more.
_SERVERS_REMEMBERED = 20
_SECONDS_REMEMBERED = 30 * 24 * 3600

# What servers say when a prompt does not fit: the fourth and fifth are Anthropic's and Gemini's words, the last one is
# OpenAI's and Groq's, for more tokens than may be sent in a minute (vanna-ai/vanna-flask#11).
_TOO_LONG = (
    "context length", "context size", "context window", "prompt is too long", "maximum number of tokens",
    "request too large",
)  # fmt: skip
# Groq's error for a call that it could not parse; another try may succeed.
FAILED_CALL = "failed to call a function"
# Optional parameters; of two that an error names, the first one counts.
_OPTIONAL = (
    "tool_choice", "max_completion_tokens", "max_tokens", "stream_options", "chat_template_kwargs", "keep_alive",
    "stream", "think", "truncate", "shift",
)  # fmt: skip
# Status codes of a refused request, and those of gateways that pass on a refusal as a failure: there only names that
# are no ordinary words count.
_REFUSED = (400, 422)
_FAILED = (404, 405, 500, 501)
# What parts the words of a parameter's name, which servers write in their own ways: `maxTokens`, "max tokens".
_PARTS = str.maketrans("", "", "_- `")


def mentions(error: LLMStatusError, *words: str) -> bool:
    return 400 <= error.status < 600 and any(word in error.text.lower() for word in words)


def find_quirk(error: LLMStatusError, sent: Collection[str]) -> str | None:
    """Return what the server does not support, according to `error`, of the parameters that were `sent`."""
    text = error.text.lower().replace("upstream", "")
    if "system role" in text:
        # Under 500 too: it is the model's template that fails.
        return api.NO_SYSTEM
    text = text.translate(_PARTS)
    for name in _OPTIONAL:
        counts = error.status in _REFUSED or (error.status in _FAILED and "_" in name)
        if counts and name in sent and name.translate(_PARTS) in text:
            return name
    return None


def is_prompt_too_long(error: LLMStatusError) -> bool:
    return error.status == 413 or mentions(error, *_TOO_LONG)


def report_error(error: object) -> LLMStatusError:
    text = _describe(error)
    return LLMStatusError(f"the server aborted the response: {text[: api.CHARACTERS_QUOTED]}", status=200, text=text)


def read_error(body: bytes) -> str:
    """Return the error message in a JSON body, on one line; empty for anything else, such as an HTML page."""
    # Gemini's errors are a list (n4ze3m/page-assist#406), which is no object.
    error = as_object(f'{{"error": {body.decode("utf-8", "replace")}}}') or {}
    return " ".join(_describe(error).split())


def _describe(value: object) -> str:
    """Return the message in an error, which a server may nest, or list with the rejected fields under `detail`."""
    if isinstance(value, list):
        return "; ".join(_describe(item) for item in value[:3])
    if not isinstance(value, dict):
        return str(value or "")
    place = ".".join(str(part) for part in as_list(value.get("loc")))
    if place:
        return f"{place}: {value.get('msg', '')}"
    for name in ("error", "message", "detail"):
        if value.get(name):
            text = _describe(value[name])
            parameter = value.get("param")
            # OpenAI's field for the parameter, which the message need not name.
            if isinstance(parameter, str) and parameter not in text:
                return f"{text} ({parameter})"
            return text
    return ""


def recall(git_dir: str, config: ApiConfig) -> set[str]:
    return {str(item) for item in as_list(_load(git_dir).get(_key(config), {}).get("quirks"))}


def remember(git_dir: str, config: ApiConfig, quirks: set[str]) -> None:
    """Remember what the server and model of `config` do not support, unless `config` has it or it is known."""
    lasting = quirks - config.quirks
    if lasting == recall(git_dir, config):
        return
    servers = _load(git_dir)
    servers.pop(_key(config), None)
    servers[_key(config)] = {"quirks": sorted(lasting), "found": int(time.time())}
    state_files.save_json(git_dir, FILE, dict(list(servers.items())[-_SERVERS_REMEMBERED:]))


def _load(git_dir: str) -> dict[str, Json]:
    def read(found: dict[str, Json]) -> dict[str, Json]:
        oldest = time.time() - _SECONDS_REMEMBERED
        return {key: entry for key, entry in found.items() if entry["found"] > oldest}

    return state_files.load_json(git_dir, FILE, read) or {}


def _key(config: ApiConfig) -> str:
    """Return a hash of the server and model: an address or a command may contain a password."""
    server = "\n".join((config.provider, config.base, config.model, *config.command))
    return hashlib.sha256(server.encode("utf-8", "surrogateescape")).hexdigest()[:32]
