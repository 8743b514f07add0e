"""Type and scope of a change."""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import ChangeFacts, FileFacts, is_typo, text_of
from smartcommit.change.filetypes import kind_of
from smartcommit.change.history import PATHS, History, normal_scope, nouns_of
from smartcommit.change.sentences import only_rename
from smartcommit.message.rules import TYPES_OF_KIND, decide, type_of_kind

# Evidence for what a change of source is, beside `fix`, which scores 0 throughout. Fitted by logistic regression to the
# source changes of eight public projects and rounded. With the habits below, the type of 0.55 of the changes of eight
# other projects is right, of any kind of files (0.68 of the eight it was fitted to).
_SOURCE_WEIGHTS = {
    "feature": {
        "bias": -1.4, "lines added": 1.0, "lines removed": -0.4, "growth": 0.6, "documentation": 1.2,
        "names added": 0.8, "names removed": -0.2, "signatures": 0.4, "tiny": -1.2, "guards": -1.0, "files": 1.0,
        "manifest": 0.4, "tests": -0.2, "moves": 0.2, "ci": 0.6,
        # By definition, not by measure: what only adds names, or only files, adds functionality; what moves does not.
        "only new names": 1.5, "only new files": 1.5,
    },
    "refactoring": {
        "bias": -1.4, "lines added": 0.6, "lines removed": 0.8, "growth": -1.2, "documentation": 0.2,
        "names added": 0.4, "names removed": 0.6, "signatures": 0.4, "tiny": -0.6, "guards": -0.6, "options": -0.2,
        "files": 0.8, "manifest": 0.8, "tests": -0.6, "moves": 0.4, "ci": 0.4, "files added": 0.4,
        "only moves": 2.5,
    },
    "configuration": {
        "bias": -1.2, "lines removed": 0.2, "growth": -1.2, "documentation": 0.4, "signatures": -0.2, "tiny": -0.4,
        "guards": -1.0, "files": 0.8, "manifest": 1.2, "tests": -0.6, "moves": 0.4, "ci": 0.6, "only removals": 0.8,
        "files added": 0.2,
    },
}  # fmt: skip
_BRANCH = re.compile(r"(?:\}?\s*else )?(?:if|elif|unless|match|switch|when)\b")
_FAILURE = re.compile(r"(?i)(?:\b|_)(?:try|except|catch|raise|throw|err\(|errors?)")
_REPAIR = re.compile(
    r"(?i)(?:\b|_)(?:fix|bug|regress|workaround|edge case|panic|crash|overflow|invalid|missing|fall ?back|escape"
    r"|incorrect|wrong|avoid|ensure|leak|race)"
)
_OPTION = re.compile(r"--[a-z][a-z-]{2,}")
_LINES = 500
_KIND_OF_TYPE = {name: kind for kind, names in reversed(TYPES_OF_KIND.items()) for name in reversed(names[:1])} | {
    "tests": "tests", "lint": "formatting", "chore": "configuration", "bugfix": "fix", "feature": "feature",
    "doc": "documentation",
}  # fmt: skip
_KIND_OF_FILES = {
    filetypes.TESTS: "tests",
    filetypes.DOCUMENTATION: "documentation",
    filetypes.CI: "ci",
    filetypes.BUILD: "build",
    filetypes.MANIFEST: "build",
    filetypes.LOCK: "dependencies",
    filetypes.CONFIGURATION: "configuration",
    filetypes.GENERATED: "configuration",
    filetypes.ASSET: "configuration",
}
# How much a habit weighs beside the facts, and how little a type that the project never used is held against.
_KINDS_WEIGHT, _PATHS_WEIGHT, _FLOOR = 0.5, 0.5, 0.05
# What speaks for a scope, and for none. Fitted by logistic regression to 800 changes of eight public projects and then
# of eight others: each time the changes of the other half were scoped better than by any weights tried before.
_NONE, _VOTES, _PLACES, _FILES, _SPELLED, _WORD = 1.75, 2.0, 3.0, 1.5, 1.0, 0.5
# Lines of a change that are looked into for the names of scopes.
_SCOPE_LINES = 1000
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


def choose_type(change: ChangeFacts, history: History, types: Sequence[str]) -> str:
    """The type, one of `types`: by the decision matrix where the facts are plain, else by their weight."""
    plain = _plain_kind(change)
    if plain == "dependencies":
        return _habit_of_upkeep(change, history, types) or type_of_kind(plain, types)
    if plain:
        return type_of_kind(plain, types)
    facts = _source_scores(change) if _has_source(change) else dict.fromkeys(_kinds_of_files(change), 0.0)
    scores: dict[str, float] = {}
    for kind, score in facts.items():
        name = type_of_kind(kind, types)
        scores[name] = max(scores.get(name, -math.inf), score)
    habits = _habits(change, history, types)
    if not _has_source(change):
        first = decide(scores, types)
        scores = {name: (1.5 if name == first else 0.0) for name in {*scores, *habits}}
    return max(sorted(scores, key=types.index), key=lambda name: scores[name] + habits.get(name, 0.0))


def plain_type(change: ChangeFacts, history: History, types: Sequence[str]) -> str | None:
    """The type where the facts alone decide, and neither weighing nor anybody's opinion is needed; None elsewhere."""
    return choose_type(change, history, types) if _plain_kind(change) else None


def _habit_of_upkeep(change: ChangeFacts, history: History, types: Sequence[str]) -> str | None:
    votes = _ours(history.type_votes(change.paths, upkeep=True), types)
    return max(sorted(votes), key=lambda name: votes[name]) if votes else None


def _has_source(change: ChangeFacts) -> bool:
    return any(file.kind == filetypes.SOURCE for file in change.core)


def _plain_kind(change: ChangeFacts) -> str | None:
    """The kind of a change that needs no weighing, or None."""
    natures = {file.nature for file in change.files}
    if change.upkeep or change.only_submodules:
        return "dependencies"
    for kind, plain in (
        ("formatting", filetypes.FORMATTING),
        ("configuration", {"mode", "link", "type"}),
        ("refactoring", {"moved", "copied"} if filetypes.SOURCE in change.kinds else set()),
    ):
        if natures <= plain:
            return kind
    if only_rename([file for file in change.files if file.kind == filetypes.SOURCE]):
        return "refactoring"
    prose = {filetypes.SOURCE, filetypes.TESTS, filetypes.DOCUMENTATION}
    if change.kinds <= prose and all(file.kind == filetypes.DOCUMENTATION or _is_prose(file) for file in change.files):
        return "documentation"
    return None


def _is_prose(file: FileFacts) -> bool:
    hunks = file.diff.hunks
    return file.nature == "comments" or (file.diff.complete and bool(hunks) and all(is_typo(hunk) for hunk in hunks))


def _kinds_of_files(change: ChangeFacts) -> set[str]:
    core = change.core
    if any(file.kind not in (filetypes.LOCK, filetypes.GENERATED, filetypes.ASSET) for file in core):
        core = [file for file in core if file.kind not in (filetypes.LOCK, filetypes.GENERATED, filetypes.ASSET)]
    return {_KIND_OF_FILES[file.kind] for file in core}


def _source_scores(change: ChangeFacts) -> dict[str, float]:
    evidence = _evidence(change)
    scores = {
        kind: sum(weight * evidence[name] for name, weight in weights.items())
        for kind, weights in _SOURCE_WEIGHTS.items()
    }
    return {"fix": 0.0, **scores}


def _evidence(change: ChangeFacts) -> dict[str, float]:
    """Measures of a change of source, each between 0 and about 1.5."""
    files = [file for file in change.core if file.kind == filetypes.SOURCE]
    added = sum(file.lines_added for file in files)
    removed = sum(file.lines_removed for file in files)
    lines = _lines(files, "added")
    symbols = [file.symbols for file in files]
    all_new = all(file.nature == "added" for file in files)
    names_added = sum(symbol.kind not in ("key", "test") for found in symbols for symbol in found.added)
    options = set(_OPTION.findall("\n".join(lines))) - set(_OPTION.findall("\n".join(_lines(files, "removed"))))
    return {
        "bias": 1.0,
        "lines added": math.log1p(added) / 6,
        "lines removed": math.log1p(removed) / 6,
        "growth": added / (added + removed + 1),
        "only removals": float(added == 0),
        "only new names": float(removed == 0 and names_added > 0),
        "only new files": float(all_new),
        # A small edit is mostly a repair; a small new file is not.
        "tiny": float(added + removed <= 2 and not all_new),
        "names added": _upto(4, names_added),
        "names removed": _upto(4, sum(len(found.removed) for found in symbols)),
        "signatures": _upto(3, sum(len(found.changed) for found in symbols)),
        "options": _upto(2, len(options)),
        "guards": min(1.0, sum(_share(pattern, lines) for pattern in (_BRANCH, _FAILURE, _REPAIR)) / 2),
        "files": _upto(10, len(files)),
        "files added": _upto(2, sum(file.nature == "added" for file in files)),
        "only moves": float(all(file.diff.change.status == "R" for file in files)),
        "moves": float(any(file.diff.change.status == "R" for file in files)),
        "tests": float(filetypes.TESTS in change.kinds),
        "documentation": float(filetypes.DOCUMENTATION in change.kinds),
        "manifest": float(filetypes.MANIFEST in change.kinds),
        "ci": float(filetypes.CI in change.kinds),
    }


def _lines(files: Iterable[FileFacts], side: str) -> list[str]:
    lines = [line for file in files for hunk in file.diff.hunks for line in getattr(hunk, side)]
    return list(text_of(lines, _LINES))


def _share(pattern: re.Pattern[str], lines: Sequence[str]) -> float:
    search = pattern.match if pattern is _BRANCH else pattern.search
    return min(1.0, 4 * sum(search(line) is not None for line in lines) / max(3, len(lines)))


def _upto(most: int, number: int) -> float:
    return min(most, number) / most


def _habits(change: ChangeFacts, history: History, types: Sequence[str]) -> dict[str, float]:
    """For each type that the project gave to such changes a logarithm of how often; empty where it has no habits."""
    by_kinds = _ours(history.type_shares(change.kinds), types)
    by_paths = _ours(history.type_votes([file.path for file in change.core]), types)
    return {
        name: (_KINDS_WEIGHT * math.log(_FLOOR + by_kinds.get(name, 0.0)) if by_kinds else 0.0)
        + (_PATHS_WEIGHT * math.log(_FLOOR + by_paths.get(name, 0.0)) if by_paths else 0.0)
        for name in types
    }


def _ours(shares: Mapping[str, float], types: Sequence[str]) -> dict[str, float]:
    """Shares of the project's past types as shares of `types`: one that is not among them counts for its kind's."""
    counted: dict[str, float] = defaultdict(float)
    for name, share in shares.items():
        kind = _KIND_OF_TYPE.get(name)
        if name in types:
            counted[name] += share
        elif kind:
            counted[type_of_kind(kind, types)] += share
    return dict(counted)


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
    return {word for line in text_of(lines, _SCOPE_LINES) for word in _WORDS.findall(_CAMEL.sub(" ", line).lower())}


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
