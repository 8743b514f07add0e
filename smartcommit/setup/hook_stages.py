"""Finds hooks that run several times for one commit, because nothing says at which stages they run.

pre-commit and prek run a hook at the stages of its entry, else of its repository's manifest, else at `default_stages`;
without any of these it runs for every git hook that is installed. Source: pre-commit 4.7, `repository._hook`.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from typing import Any, NamedTuple
from urllib.parse import quote

import yaml

from smartcommit.errors import ConfigError
from smartcommit.setup.other_tools.yaml_data import as_list, as_mapping, read_yaml
from smartcommit.setup.precommit_config import (
    LOCAL,
    MESSAGE_TYPES,
    STAGES_KEY,
    TYPES_KEY,
    find_name,
    format_stages,
    list_entries,
    parse,
)

# Stages that git runs for each commit; `manual` is run on request only.
AT_COMMIT = ("pre-commit", *MESSAGE_TYPES, "post-commit")
_DEFAULT, _MANUAL = "pre-commit", "manual"
# Values in place of a repository, for hooks that have no manifest with stages.
_WITHOUT_STAGES = (LOCAL, "meta")
# Bytes of a manifest that are read.
_MANIFEST_BYTES = 1 << 20


class StagelessHook(NamedTuple):
    """A hook without stages in a configuration; `certain` if its manifest has none either, else that is not known."""

    id: str
    certain: bool


def parse_file(path: str) -> dict[str, Any]:
    """Return the configuration of pre-commit or prek at `path` as data, empty if it cannot be read."""
    try:
        with open(path, "rb") as file:
            text = file.read(_MANIFEST_BYTES).decode("utf-8", "replace")
        if path.endswith(".toml"):
            return tomllib.loads(text)
        return parse(text)
    except (OSError, ConfigError, tomllib.TOMLDecodeError, RecursionError):
        return {}


def list_stageless(configuration: dict[str, Any], origins: Sequence[str]) -> list[StagelessHook]:
    """Return the hooks of others that run at every stage as far as is known; ours come from `origins`."""
    if configuration.get(STAGES_KEY):
        return []
    found = []
    for entry, hook in list_entries(configuration):
        if hook.get("stages") or find_name(entry, hook, origins) is not None:
            continue
        address, name = entry.get("repo"), hook.get("id")
        if not isinstance(name, str):
            continue
        if address in _WITHOUT_STAGES:
            found.append(StagelessHook(name, certain=True))
            continue
        staged = _read_manifest(address, entry.get("rev"))
        if staged is None or name not in staged:
            found.append(StagelessHook(name, certain=staged is not None))
    return found


def count_runs(types: Collection[str]) -> int:
    """Return how often a hook at every stage runs for a commit, with git hooks of `types` installed."""
    return len(set(AT_COMMIT).intersection(types))


def propose_stages(types: Iterable[str]) -> list[str]:
    """Return the `default_stages` with which a hook runs before a commit, at `types` and on request."""
    return list(dict.fromkeys((_DEFAULT, *types, _MANUAL)))


def explain_remedy(configuration: dict[str, Any], origins: Sequence[str], types: Iterable[str], name: str) -> str:
    """Return what to write into the file `name` for hooks without stages, with git hooks of `types` installed."""
    for entry, hook in list_entries(configuration):
        # `default_stages` would hold for this hook of ours, too.
        if entry.get("repo") == LOCAL and not hook.get("stages") and find_name(entry, hook, origins) in MESSAGE_TYPES:
            return f"set 'stages' for each hook in '{name}'"
    kept = [kind for kind in types if kind not in (*MESSAGE_TYPES, "post-commit")]
    if name.endswith(".toml"):
        return f"begin '{name}' with '{STAGES_KEY} = {json.dumps(propose_stages(kept))}'"
    return f"add the line '{format_stages(propose_stages(kept))}' to '{name}'"


def find_needed_stages(
    configuration: dict[str, Any], origins: Sequence[str], *, added: Collection[str], installed: Sequence[str]
) -> list[str]:
    """Return the `default_stages` that keep hooks without stages from running at the `added` hook types.

    They go on running where they do now, by the hook types that the configuration lists and that are `installed`.
    The list is empty if no hook would run more often, or if the configuration has `default_stages`.
    """
    if set(added) <= {_DEFAULT, *installed} or STAGES_KEY in configuration:
        return []
    if not list_stageless(configuration, origins):
        return []
    return propose_stages([*as_list(configuration.get(TYPES_KEY)), *installed])


def describe_repetition(hooks: Sequence[StagelessHook], runs: int) -> str:
    """Return how often hooks without stages run for a commit, as a sentence without its end."""
    shown = [hook for hook in hooks if hook.certain]
    verb = "run"
    if not shown:
        shown, verb = list(hooks), "may run"
    elif len(shown) == 1:
        verb = "runs"
    names = ", ".join(f"'{hook.id}'" for hook in shown[:3])
    if len(shown) > 3:
        names += f" and {len(shown) - 3} more"
    return f"{names} {verb} {runs} times for each commit"


def _read_manifest(address: Any, rev: Any) -> set[str] | None:
    """Return the ids of the hooks that have stages in the manifest that pre-commit has cached, None without one."""
    if not isinstance(address, str) or not isinstance(rev, str):
        return None
    home = os.environ.get("PRE_COMMIT_HOME") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "pre-commit"
    )
    folder = _find_checkout(os.path.join(os.path.abspath(home), "db.db"), address, rev)
    if folder is None:
        return None
    try:
        with open(os.path.join(folder, ".pre-commit-hooks.yaml"), "rb") as file:
            manifest, _ = read_yaml(file.read(_MANIFEST_BYTES))
    except (OSError, yaml.YAMLError):
        return None
    staged = set()
    for hook in as_list(manifest):
        name = as_mapping(hook).get("id")
        if isinstance(name, str) and hook.get("stages"):
            staged.add(name)
    return staged


def _find_checkout(database: str, address: str, rev: str) -> str | None:
    """Return the folder in which pre-commit, whose cache has this `database`, keeps a repository, None without one."""
    try:
        import sqlite3
    except ImportError:
        return None
    try:
        # Read only, so that no cache is made where there is none.
        with closing(sqlite3.connect(f"file:{quote(database)}?mode=ro", uri=True, timeout=1)) as connection:
            query = "SELECT path FROM repos WHERE repo = ? AND ref = ?"
            row = connection.execute(query, (address, rev)).fetchone()
    except (sqlite3.Error, ValueError):
        return None
    if row is None:
        return None
    return str(row[0])
