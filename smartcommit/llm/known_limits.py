"""Limitations of servers that were detected, kept in the git directory so that they are detected only once."""

from __future__ import annotations

import hashlib
import time
from typing import Any

from smartcommit import state_files
from smartcommit.llm.api import ApiConfig, Json
from smartcommit.llm.json_repair import as_list

FILE = "servers.json"
# Maximum number of servers that are remembered, and for how many seconds: an updated server may support more.
_SERVERS_REMEMBERED = 20
_SECONDS_REMEMBERED = 30 * 24 * 3600


def recall(git_dir: str, config: ApiConfig) -> set[str]:
    """Return the limitations of the server and model of `config` that were found earlier."""
    entry = _load(git_dir).get(_key(config), {})
    return set(map(str, as_list(entry.get("quirks"))))


def remember(git_dir: str, config: ApiConfig, quirks: set[str]) -> None:
    """Remember the limitations of the server and model of `config`, unless `config` has them or they are known."""
    lasting = quirks - config.quirks
    if lasting == recall(git_dir, config):
        return
    known = _load(git_dir)
    known.pop(_key(config), None)
    known[_key(config)] = {"quirks": sorted(lasting), "found": int(time.time())}
    last = list(known.items())[-_SERVERS_REMEMBERED:]
    state_files.save_json(git_dir, FILE, dict(last))


def _load(git_dir: str) -> dict[str, Json]:
    return state_files.load_json(git_dir, FILE, _read) or {}


def _read(found: Any) -> dict[str, Json]:
    known: dict[str, Json] = {}
    for key, entry in found.items():
        if time.time() - entry["found"] < _SECONDS_REMEMBERED:
            known[key] = entry
    return known


def _key(config: ApiConfig) -> str:
    """Return a hash of the server and model: an address or a command may contain a password."""
    server = "\n".join((config.provider, config.base, config.model, *config.command))
    return hashlib.sha256(server.encode("utf-8", "surrogateescape")).hexdigest()[:32]
