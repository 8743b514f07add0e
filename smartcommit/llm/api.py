"""What is sent to a model server and what comes back: configuration, requests and tool calls."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from smartcommit.errors import ConfigError

# JSON from outside: its values may be of any type.
Json = dict[str, Any]
# Quirks: what a server does not support, from its preset or learned from its errors. One is the name of an optional
# parameter of requests, or one of these.
NO_TOOLS = "no tools"  # or its model calls none
NO_SCHEMA = "no schema"  # no answers in the shape of a schema
NO_SYSTEM = "no system"  # no messages of the system
QUIET = "quiet"  # no answer beside the thoughts, unless thinking is off
LONG = "long"  # no room for thoughts and an answer within the usual output limit
SLOW = "slow"  # no answer to the usual prompt before the deadline
TRIED = "tried"  # no limitation: a draft was asked for before, so a timeout is not because the model is being loaded
# Characters of an answer that are used, without its thoughts: 4,096 tokens are a quarter of it.
ANSWER_CHARACTERS = 1 << 16
# Levels of JSON. Answers need about ten, and most code that walks JSON recurses once per level.
_LEVELS_READ = 64
# Maximum bytes of a response; most have a few kilobytes.
RESPONSE_BYTES = 4 << 20
# Characters of a server's or a model's text that are shown.
CHARACTERS_QUOTED = 200
# Tokens of one answer.
OUTPUT = 1024
# Tokens of one answer by a model that thinks first.
THINKING_OUTPUT = 8192
# Names of models that think before they answer, whether or not they are told to.
_THINKERS = re.compile(
    r"(?i)(?:^|[/:_-])(?:o[134](?:$|-)|gpt-5|gpt-oss|deepseek-r|deepseek-reasoner|qwq|magistral|grok-[34]"
    r"|gemini-(?:2\.5|3)|.*(?:thinking|reason))"
)
OLLAMA = "ollama"
OPENAI = "openai"
COMMAND = "command"
# The key of a call with what a server added to it, and keys of a message with thoughts that a server signed.
EXTRA = "extra_content"
SIGNED = ("reasoning_details",)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call made by a model.

    `arguments` is the raw text if it is not a JSON object; `call_id` is None if the server gave no id. `extra` is what
    the server added and wants back, such as Gemini's `thought_signature`.
    """

    name: str
    arguments: Mapping[str, object] | str
    call_id: str | None = None
    extra: Json | None = None


@dataclass(slots=True)
class Usage:
    """Tokens and requests over a client's life; tokens are 0 if the server does not report them."""

    prompt: int = 0
    output: int = 0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """A chat request, independent of the API."""

    messages: Sequence[Json]
    tools: Sequence[Json] = ()
    stream: bool = True
    # Whether a tool has to be called.
    force: bool = False
    # Instead of a call, the answer has to be JSON of this shape.
    schema: Json | None = None
    # The names of the tools that an answer may call, in whatever form.
    offered: Sequence[str] = ()
    # Limits in tokens.
    context: int = 4096
    output: int = OUTPUT
    # The known limitations of the server.
    quirks: frozenset[str] = field(default_factory=frozenset)


def as_count(value: object) -> int:
    return value if isinstance(value, int) else 0


def as_object(value: object) -> Mapping[str, object] | None:
    """Return `value` if it is a JSON object of few levels, or the one it encodes as text, even twice; else None."""
    for _ in range(3):
        if isinstance(value, dict):
            return value if is_shallow(value) else None
        if not isinstance(value, str):
            return None
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return None


def keep_texts(found: Mapping[str, object], keys: Sequence[str]) -> dict[str, object]:
    """Return the items of `found` with these keys that hold something, unless it is too long."""
    return {key: found[key] for key in keys if found.get(key) and len(str(found[key])) <= ANSWER_CHARACTERS}


def is_shallow(value: object) -> bool:
    """Whether `value` has at most _LEVELS_READ levels. Not recursive, because deep JSON breaks recursion."""
    level = [value]
    for _ in range(_LEVELS_READ):
        below: list[object] = []
        for item in level:
            if isinstance(item, dict):
                below += item.values()
            elif isinstance(item, list):
                below += item
        if not below:
            return True
        level = below
    return not any(isinstance(item, (dict, list)) for item in level)


def choose_output(model: str) -> int:
    """Return the usual output limit of a model, in tokens, judged by its name."""
    return THINKING_OUTPUT if _THINKERS.search(model) else OUTPUT


def is_loopback(host: str | None) -> bool:
    """Whether `host` is this machine, judged by its name or address without a DNS lookup."""
    host = (host or "").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_cloud_model(name: str) -> bool:
    """Whether `name` is a model that a local Ollama forwards to another machine, as in `glm-4.6:cloud`.

    Source: https://docs.ollama.com/cloud
    """
    # Ollama ignores case and spaces here.
    return "".join(name.lower().split()).endswith(("-cloud", ":cloud"))


@dataclass(frozen=True, slots=True)
class ApiConfig:
    """How to reach a model. Built at the entry point and owned by the client.

    Raise ConfigError if `base` is not an HTTP URL.
    """

    # OLLAMA or OPENAI selects the dialect; with COMMAND there is no address.
    provider: str
    model: str
    # The server's address, for OPENAI including `/v1`.
    base: str
    key: str | None = field(default=None, repr=False)
    allow_remote: bool = False
    # Limits in tokens: of the context Ollama is asked for, and of one answer.
    context: int = 16384
    output: int = OUTPUT
    # The HTTP header with the key, and others that are sent as they are, and win over ours.
    key_header: str = "Authorization"
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    # Those that are known before the first request.
    quirks: frozenset[str] = frozenset()
    # The words of the command line.
    command: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.provider == COMMAND:
            return
        try:
            parts = urlsplit(self.base)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
            _ = parts.port
        except ValueError:
            is_address = False
        if not is_address:
            raise ConfigError(
                "the address of the model server is not an HTTP URL", hint="set smartcommit.apiBase to http://HOST:PORT"
            )

    @property
    def host(self) -> str:
        """Host and port for display, without user name and password."""
        return urlsplit(self.base).netloc.rpartition("@")[2]

    @property
    def loopback(self) -> bool:
        return is_loopback(urlsplit(self.base).hostname)

    @property
    def remote(self) -> str | None:
        """Why what is sent would or could leave this machine, as a sentence; None if it stays here."""
        if self.provider == COMMAND:
            return f"'{self.model}' may send what it reads to another machine"
        if not self.loopback:
            return f"'{self.host}' is a remote server"
        if is_cloud_model(self.model):
            return f"'{self.model}' is a cloud model, to which Ollama forwards what it is sent"
        return None

    @property
    def exposed(self) -> str | None:
        """What anybody between here and the server can read, as a sentence.

        None if the connection is encrypted or local, or if nothing that is sent identifies the user.
        """
        parts = urlsplit(self.base)
        if parts.scheme != "http" or self.loopback:
            return None
        if self.key or self.headers or parts.username is not None:
            return f"the key for '{self.host}' and all changes are sent unencrypted, over HTTP"
        return None

    def make_headers(self) -> dict[str, str]:
        """Return the headers of a request that identify the user: the key, and what the user set."""
        headers = {}
        if self.key:
            headers[self.key_header] = f"Bearer {self.key}" if self.key_header == "Authorization" else self.key
        return {**headers, **dict(self.headers)}

    def hide_secrets(self, text: str) -> str:
        """Return `text` without the key and the values of the user's headers, which an error may quote."""
        for secret in (self.key, *dict(self.headers).values()):
            if secret:
                text = text.replace(secret, "(key)")
        return text

    def make_url(self, path: str) -> str:
        parts = urlsplit(self.base)
        return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") + path, parts.query, ""))
