"""Which model is asked, and where."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from smartcommit.errors import ConfigError

OLLAMA, OPENAI = "ollama", "openai"


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
