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
    scheme, _, place = environment.get("OLLAMA_HOST", "").strip().rpartition("://")
    place = place.rstrip("/") or _HOST
    if ":" not in place.rpartition("]")[2]:
        place = f"{place}:{_PORT}"
    return f"{scheme or 'http'}://{place}".replace("//0.0.0.0", f"//{_HOST}")


def ollama_answers() -> bool:
    """Whether Ollama is running on this machine. Takes some tenths of a second at most."""
    host, _, port = ollama_address().rpartition("//")[2].rpartition(":")
    host = host.strip("[]")
    if host not in (_HOST, "localhost", "::1"):
        return False
    try:
        # Of a host as text, the module for international names would be imported.
        with socket.create_connection((host.encode(), int(port)), timeout=_PROBE_SECONDS) as connection:  # type: ignore[arg-type]
            connection.sendall(b"GET /api/version HTTP/1.0\r\nHost: localhost\r\n\r\n")
            head = connection.recv(64)
    except (OSError, ValueError, OverflowError):
        return False
    return head.startswith(b"HTTP/1.") and b" 200 " in head
