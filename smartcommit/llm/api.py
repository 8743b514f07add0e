"""What is sent to a model server and what comes back: configuration, requests and tool calls."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

from smartcommit.errors import ConfigError

# Answers and messages are JSON of somebody else's making, so their values are of any kind.
Json = dict[str, Any]
# What a server turned out not to take; each is learned once and kept for the client's life.
NO_TOOLS, NO_SCHEMA, NO_SWITCH, NEW_LIMIT, QUIET = "no tools", "no schema", "no switch", "new limit", "quiet"
OLLAMA, OPENAI = "ollama", "openai"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that a model makes. `arguments` is the text as it came where it is no JSON object; `call_id` is None
    where the server gives none.
    """

    name: str
    arguments: Mapping[str, object] | str
    call_id: str | None = None


@dataclass(slots=True)
class Usage:
    """Tokens and requests, summed up over a client's life; tokens are 0 where the server does not count."""

    prompt: int = 0
    output: int = 0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One question. `force` demands a tool call, `schema` an answer that is JSON of that shape instead of any call.

    `context` is the number of tokens the server must hold; `quirks` what it was found not to take.
    """

    messages: Sequence[Json]
    tools: Sequence[Json] = ()
    stream: bool = True
    force: bool = False
    schema: Json | None = None
    context: int = 4096
    quirks: frozenset[str] = field(default_factory=frozenset)


class Dialect(Protocol):
    """One API's forms. `data` is a whole answer as the API gives it when it is not streamed."""

    needs_ids: bool
    path: str

    def payload(self, config: ApiConfig, request: Request) -> Json: ...

    def assemble(self, lines: Iterable[bytes]) -> Json:
        """The answer from the lines of its stream, or of its whole body.

        Raises: LLMReplyError when it is cut off or none; LLMStatusError when an error stands in the stream.
        """

    def message(self, data: Json) -> Json: ...

    def arguments(self, value: Mapping[str, object] | str) -> object:
        """Arguments as they stand in a message of this dialect."""

    def result(self, call: ToolCall, content: str) -> Json: ...

    def usage(self, data: Json) -> tuple[int, int]:
        """Tokens of prompt and answer, 0 where they are not told."""


@dataclass(frozen=True, slots=True)
class ApiConfig:
    """How one model is reached; built at the entry point and owned by the client.

    `provider` is OLLAMA or OPENAI, which names the dialect. `base` is the server's address, for OPENAI with its `/v1`.
    `context` and `output` are bounds in tokens: of what Ollama may be asked to hold, and of one answer.
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
                "the model server's address is no http URL", hint="set smartcommit.apiBase to http://HOST:PORT"
            )

    @property
    def host(self) -> str:
        """Host and port as they are shown: never with a name or password."""
        parts = urlsplit(self.base)
        return parts.netloc.rpartition("@")[2]

    @property
    def loopback(self) -> bool:
        """Whether the server is this machine, by its name or number; no name is looked up."""
        host = (urlsplit(self.base).hostname or "").rstrip(".").lower()
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    def url(self, path: str) -> str:
        """The address of `path` below the base."""
        parts = urlsplit(self.base)
        return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") + path, parts.query, ""))
