"""What is sent to a model server and what comes back: configuration, requests and tool calls."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

from smartcommit.errors import ConfigError

# JSON from outside: its values may be of any type.
Json = dict[str, Any]
# What a server turned out not to support; each is learned once and kept for the client's life.
NO_TOOLS, NO_SCHEMA, NO_SWITCH, NEW_LIMIT, QUIET = "no tools", "no schema", "no switch", "new limit", "quiet"
OLLAMA, OPENAI = "ollama", "openai"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call made by a model.

    `arguments` is the raw text if it is not a JSON object; `call_id` is None if the server gave no id.
    """

    name: str
    arguments: Mapping[str, object] | str
    call_id: str | None = None


@dataclass(slots=True)
class Usage:
    """Tokens and requests over a client's life; tokens are 0 if the server does not report them."""

    prompt: int = 0
    output: int = 0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """A chat request, independent of the API.

    `force` requires a tool call; `schema` requires an answer in JSON of that shape instead. `context` is the context
    size in tokens that the server needs. `quirks` are the known limitations of the server.
    """

    messages: Sequence[Json]
    tools: Sequence[Json] = ()
    stream: bool = True
    force: bool = False
    schema: Json | None = None
    context: int = 4096
    quirks: frozenset[str] = field(default_factory=frozenset)


class Dialect(Protocol):
    """The wire format of one API. `data` is a complete response in the API's non-streaming form."""

    needs_ids: bool
    path: str

    def payload(self, config: ApiConfig, request: Request) -> Json:
        """Return the JSON body for `request`."""

    def assemble(self, lines: Iterable[bytes]) -> Json:
        """Return the complete response from the lines of a stream, or of a body that was not streamed.

        Raise LLMReplyError if it is incomplete or not of this API, LLMStatusError if it reports an error.
        """

    def message(self, data: Json) -> Json:
        """Return the assistant's message in `data`."""

    def arguments(self, value: Mapping[str, object] | str) -> object:
        """Return tool arguments in the form in which messages of this API hold them."""

    def result(self, call: ToolCall, content: str) -> Json:
        """Return the message that answers `call` with `content`."""

    def usage(self, data: Json) -> tuple[int, int]:
        """Return the tokens of the prompt and of the answer, 0 if not reported."""


@dataclass(frozen=True, slots=True)
class ApiConfig:
    """How to reach a model. Built at the entry point and owned by the client.

    `provider` is OLLAMA or OPENAI and selects the dialect. `base` is the server's address, for OPENAI including `/v1`.
    `context` and `output` are limits in tokens: of the context Ollama may be asked for, and of one answer. Raise
    ConfigError if `base` is not an HTTP URL.
    """

    provider: str
    model: str
    base: str
    key: str | None = field(default=None, repr=False)
    allow_remote: bool = False
    context: int = 16384
    output: int = 1024

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.base)
            known = parts.scheme in ("http", "https") and bool(parts.hostname)
            _ = parts.port
        except ValueError:
            known = False
        if not known:
            raise ConfigError(
                "the address of the model server is not an HTTP URL", hint="set smartcommit.apiBase to http://HOST:PORT"
            )

    @property
    def host(self) -> str:
        """Host and port for display, without user name and password."""
        return urlsplit(self.base).netloc.rpartition("@")[2]

    @property
    def loopback(self) -> bool:
        """Whether the server is on this machine, judged by its name or address without a DNS lookup."""
        host = (urlsplit(self.base).hostname or "").rstrip(".").lower()
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    def url(self, path: str) -> str:
        """Return the address of `path` below the base."""
        parts = urlsplit(self.base)
        return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") + path, parts.query, ""))
