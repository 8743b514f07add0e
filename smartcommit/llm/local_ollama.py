"""Finds Ollama on this machine, for a hint in drafts without a model; imports nothing heavy."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

_HOST, _PORT = "127.0.0.1", 11434
# Seconds for the probe, which only serves a hint.
_PROBE_SECONDS = 0.3


def ollama_address(environment: Mapping[str, str] = os.environ) -> str:
    """Return the address of Ollama on this machine, from OLLAMA_HOST, which may be an address to bind to."""
    host = environment.get("OLLAMA_HOST", "").strip()
    if not host:
        return f"http://{_HOST}:{_PORT}"
    base = host
    if "://" not in host:
        base = f"http://{host}"
    from urllib.parse import urlsplit  # few people set the variable

    try:
        if urlsplit(base).port is None:
            base = f"{base.rstrip('/')}:{_PORT}"
    except ValueError:
        pass
    return base.replace("//0.0.0.0", f"//{_HOST}")


def ollama_answers() -> bool:
    """Whether Ollama is running on this machine. Takes some tenths of a second at most."""
    place = _find_server()
    if place is None:
        return False
    try:
        # Of a host as text, the module for international names would be imported.
        host, port = place
        with socket.create_connection((host.encode(), port), timeout=_PROBE_SECONDS) as connection:  # type: ignore[arg-type]
            connection.sendall(b"GET /api/version HTTP/1.0\r\nHost: localhost\r\n\r\n")
            head = connection.recv(64)
    except OSError:
        return False
    return head.startswith(b"HTTP/1.") and b" 200 " in head


def _find_server() -> tuple[str, int] | None:
    """Return the host and the port of Ollama; None if it is on another machine, or if its address is invalid."""
    if not os.environ.get("OLLAMA_HOST", "").strip():
        return _HOST, _PORT
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(ollama_address())
        if parts.hostname in (_HOST, "localhost", "::1"):
            return parts.hostname, parts.port or 80
    except ValueError:
        pass
    return None
