"""Chooses the scope of a change by the history of the project and by paths."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import ChangeFacts, FileFacts, list_paths
from smartcommit.change.filetypes import classify_path, is_changelog
from smartcommit.change.history import PATHS_COMPARED, History, list_nouns, normalize_scope
from smartcommit.draft.embedded.classify import find_class
from smartcommit.draft.embedded.versions import list_bumps

# Weights of the evidence for no scope and for a scope, fitted by logistic regression to 800 changes of eight public
# projects and tested on those of eight others, and vice versa; both times no other weights tried were better.
_NONE_WEIGHT = 1.75  # of no scope, whatever changed
_VOTES_WEIGHT = 2.0  # of the share of similar past changes
_PLACES_WEIGHT = 3.0  # of a noun where past scopes stood
_FILES_WEIGHT = 1.5  # of the share of past changes of the same files
_NOUN_WEIGHT = 1.0  # of the share of paths that have the noun
# How strongly places of past scopes have to suggest one that people have not written.
_LEAST_OF_PLACE = 0.1
# The share of the files from which on one that only some of them are called after is not too narrow: half, for a source
# and its test, which often stand in folders of different names.
_LEAST_OF_PATHS = 0.5
_LEAST_OF_LINES = 0.5  # and the share of the lines
# A change of the project's own version is about none of these.
_SCOPES_OF_DEPENDENCIES = {"deps", "deps-dev", "dependencies"}
# Folders of any source, and others that contain everything, so that their names say nothing.
_FOLDERS_OF_SOURCE = {"src", "source", "groovy", "java", "kotlin", "python", "scala"}
_CONTAINERS = _FOLDERS_OF_SOURCE | {"lib", "app", "apps", "pkg", "packages", "crates", "internal", "cmd", "main"}


def choose_scope(
    change: ChangeFacts, history: History, allowed: Sequence[str] | None, *, chosen_type: str = ""
) -> str | None:
    """Return the scope, one of `allowed` unless that is None, or None if no single noun covers the change.

    It never repeats `chosen_type`, as in `docs(docs)`.
    """
    core = list_paths(change.core)
    # What has an entry in a changelog is about something else.
    paths = [path for path in change.paths if not is_changelog(path)] or change.paths
    if not history.conventional:
        return _choose_common_noun(core, allowed)
    votes = history.count_scope_votes(paths, upkeep=change.upkeep)
    file_rates = history.rate_scopes_of_files(core, upkeep=change.upkeep)
    place_rates = history.rate_nouns(paths)
    noun_shares, core_shares = _find_noun_shares(paths), _find_noun_shares(core)
    known = set(history.scopes)
    candidates = {*votes, *file_rates, *place_rates, *core_shares}
    if allowed is not None:
        known = set(allowed)
        candidates &= known
    else:
        written = history.count_scopes(upkeep=change.upkeep)
        if written is not None:
            # A new folder may have a scope where those beside it do; one that was written once has to be a noun here.
            nouns = {noun for noun, rate in place_rates.items() if rate >= _LEAST_OF_PLACE}
            nouns |= {noun for noun in core_shares if written[noun]}
            usual = {scope for scope, count in written.items() if count > 1}
            candidates &= usual | (nouns - _FOLDERS_OF_SOURCE)
        if any(bump.own for bump in list_bumps(change.files)):
            candidates -= _SCOPES_OF_DEPENDENCIES
    lines = _count_lines_of_nouns(change.core)
    most = _NONE_WEIGHT + _VOTES_WEIGHT * votes.get(None, 0.0)
    best = None
    for scope in sorted([scope for scope in candidates if scope]):
        if _repeats_type(scope, chosen_type):
            continue
        core_share = core_shares.get(scope, 0.0)
        weight = (
            _VOTES_WEIGHT * votes.get(scope, 0.0)
            + _PLACES_WEIGHT * place_rates.get(scope, 0.0)
            + _FILES_WEIGHT * file_rates.get(scope, 0.0)
            + _NOUN_WEIGHT * noun_shares.get(scope, 0.0)
        )
        if scope in known:
            weight += _NOUN_WEIGHT * core_share
        is_too_narrow = core_share > 0.0 and (core_share < _LEAST_OF_PATHS or lines.get(scope, 0.0) < _LEAST_OF_LINES)
        if weight > most and not is_too_narrow:
            best, most = scope, weight
    return best


def _repeats_type(scope: str, chosen_type: str) -> bool:
    kind = find_class(chosen_type)
    return scope == chosen_type or (kind != "other" and find_class(scope) == kind)


def _find_noun_shares(paths: Sequence[bytes]) -> dict[str, float]:
    """Return the nouns in the paths, each with the share of the paths that have it."""
    counts: Counter[str] = Counter()
    for path in paths[:PATHS_COMPARED]:
        counts.update(set(list_nouns(path)))
    return {noun: number / min(PATHS_COMPARED, len(paths)) for noun, number in counts.items()}


def _count_lines_of_nouns(files: Sequence[FileFacts]) -> dict[str, float]:
    """Return the nouns in the paths of `files`, each with the share of the changed lines that its files have."""
    shares: dict[str, float] = {}
    # One that only moved has no lines.
    sizes = [max(1, file.lines_added + file.lines_removed) for file in files]
    for file, size in zip(files[:PATHS_COMPARED], sizes, strict=False):
        for noun in set(list_nouns(file.path)):
            shares[noun] = shares.get(noun, 0.0) + size / sum(sizes)
    return shares


def _choose_common_noun(paths: Sequence[bytes], allowed: Sequence[str] | None) -> str | None:
    """Return the scope in a project without habits: the innermost common folder of source, unless it is at the top."""
    if allowed is not None:
        shares = _find_noun_shares(paths)
        return next((scope for scope in allowed if shares.get(scope) == 1.0), None)
    if {classify_path(path) for path in paths} != {filetypes.SOURCE}:
        return None
    folder = posixpath.commonpath([posixpath.dirname(path) for path in paths])
    noun = normalize_scope(posixpath.basename(folder).decode("utf-8", "replace"))
    return noun if b"/" in folder and noun not in _CONTAINERS else None
