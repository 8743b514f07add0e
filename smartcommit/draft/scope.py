"""The scope of a change: what the project gave to such changes before, weighed with what the paths spell."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import ChangeFacts, FileFacts, text_of
from smartcommit.change.filetypes import kind_of
from smartcommit.change.history import PATHS, History, normal_scope, nouns_of

# What speaks for a scope, and for none. Fitted by logistic regression to 800 changes of eight public projects and then
# of eight others: each time the changes of the other half were scoped better than by any weights tried before.
_NONE, _VOTES, _PLACES, _FILES, _SPELLED, _WORD = 1.75, 2.0, 3.0, 1.5, 1.0, 0.5
# Lines of a change that are looked into for the names of scopes.
_LINES = 1000
# Folders that hold everything and so name nothing.
_CONTAINERS = {
    "src",
    "lib",
    "app",
    "apps",
    "pkg",
    "packages",
    "crates",
    "internal",
    "cmd",
    "main",
    "java",
    "python",
    "source",
}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS = re.compile(r"[a-z][a-z0-9]+")


def choose_scope(change: ChangeFacts, history: History, allowed: Sequence[str] | None) -> str | None:
    """The scope, one of `allowed` where that is not None, or None where no one noun covers the change."""
    core = [file.path for file in change.core]
    if not history.conventional:
        return _common_noun(core, allowed)
    votes = history.scope_votes(change.paths, upkeep=change.upkeep)
    files = history.scopes_of_files(core, upkeep=change.upkeep)
    places = history.scopes_of_places(change.paths)
    everywhere, spelled = _spelled(change.paths), _spelled(core)
    known = set(history.scopes if allowed is None else allowed)
    words = known & _words(change.core)
    best, most = None, _NONE + _VOTES * votes.get(None, 0.0)
    for scope in sorted({*votes, *files, *places, *spelled} - {None}, key=str):
        if scope is None or (allowed is not None and scope not in allowed):
            continue
        weight = (
            _VOTES * votes.get(scope, 0.0)
            + _PLACES * places.get(scope, 0.0)
            + _FILES * files.get(scope, 0.0)
            + _SPELLED * everywhere.get(scope, 0.0)
            + _SPELLED * spelled.get(scope, 0.0) * (scope in known)
            + _WORD * (scope in words)
        )
        if weight > most:
            best, most = scope, weight
    return best


def _spelled(paths: Sequence[bytes]) -> dict[str, float]:
    """The nouns that the paths spell, each with the share of the paths that have it."""
    counted = Counter(noun for path in paths[:PATHS] for noun in set(nouns_of(path)))
    return {noun: number / min(PATHS, len(paths)) for noun, number in counted.items()}


def _words(files: Sequence[FileFacts]) -> set[str]:
    """The words of the changed lines, and of the compound names in them."""
    lines = [line for file in files for hunk in file.diff.hunks for line in (*hunk.added, *hunk.removed)]
    return {word for line in text_of(lines, _LINES) for word in _WORDS.findall(_CAMEL.sub(" ", line).lower())}


def _common_noun(paths: Sequence[bytes], allowed: Sequence[str] | None) -> str | None:
    """For a project without habits: the innermost folder that holds all the source, where it stands below another."""
    if allowed is not None:
        everywhere = _spelled(paths)
        return next((scope for scope in allowed if everywhere.get(scope, 0.0) == 1.0), None)
    if any(kind_of(path) != filetypes.SOURCE for path in paths):
        return None
    folder = posixpath.commonpath([posixpath.dirname(path) for path in paths])
    noun = normal_scope(posixpath.basename(folder).decode("utf-8", "replace"))
    return noun if b"/" in folder and noun not in _CONTAINERS else None
