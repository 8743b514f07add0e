"""Conventions learned from recent commits: types and scopes by path."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from smartcommit.change.filetypes import kind_of
from smartcommit.errors import GitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import NO_LAZY_FETCH, head_of_output

COMMITS = 400
# 400 commits rarely print more than 200 KB; an import of a whole tree must not fill the memory.
LIMIT = 4 << 20
# Paths of one commit, or of the change asked about, that count: beyond them a commit says little of any one.
PATHS = 60
# Commits that vote on a new change, and after how many commits a vote counts half: habits change slowly.
NEIGHBOURS = 12
HALF_LIFE = 150
# Folders of a path that count, from the top.
DEPTH = 12

_HEADER = re.compile(r"([A-Za-z]{1,30})(?:\(([^()]{0,100})\))?(!)?: +(\S.*)")
_SCOPE = re.compile(r"[a-z][a-z0-9-]*\Z")
# What machines commit, or people by rote, says how bumps and releases are named and nothing of any other change.
_UPKEEP_SCOPES = {"deps", "deps-dev", "dependencies", "release", "main", "master", "lockfile"}
_UPKEEP_TYPES = {"deps", "release", "bump", "bot"}
_UPKEEP_SUMMARY = re.compile(
    r"(?:bump|update|upgrade|pin|prepare|release)\b.{0,200}(?:\d\.\d|dependenc|\bto v?\d)|v?\d+\.\d", re.I
)
_MARK = b"\x01"

Key = TypeVar("Key")


@dataclass(slots=True)
class PastCommit:
    """One commit of the history. `type` is in lower case, `scope` in our grammar's spelling, None where there is none.

    `upkeep` marks bumps of dependencies and releases.
    """

    type: str | None
    scope: str | None
    summary: str
    paths: tuple[bytes, ...]
    upkeep: bool = False


class History:
    """The last commits, newest first, and what they say about a new change. Nothing in it is ever modified."""

    def __init__(self, commits: Iterable[PastCommit]) -> None:
        self.commits = tuple(commits)
        self._having: dict[bytes, list[int]] = defaultdict(list)
        tokens = [_tokens(commit.paths) for commit in self.commits]
        for index, found in enumerate(tokens):
            for token in found:
                self._having[token].append(index)
        self._norms = [math.sqrt(sum(self._weight(token) ** 2 for token in found)) for found in tokens]

    @classmethod
    def load(cls, repository: Repository, revision: str = "HEAD") -> History:
        """The last commits before `revision`, without merges; one git process. Empty before the first commit.

        Nothing is fetched for it: where objects are missing from a partial clone, there are no habits to know.
        """
        try:
            output, complete = head_of_output(
                ("log", f"-{COMMITS}", "--no-merges", "-z", "--format=%x01%s", "--encoding=UTF-8", "--name-only",
                 "--no-renames", "--no-show-signature", "--no-color", "--no-ext-diff", "--no-relative",
                 "--ignore-submodules=none", "--end-of-options", revision, "--"),
                limit=LIMIT,
                directory=repository.worktree,
                environment=NO_LAZY_FETCH,
            )  # fmt: skip
        except GitError:
            return cls(())
        return cls(_parse(output if complete else output[: output.rfind(b"\0") + 1]))

    def scope_votes(self, paths: Sequence[bytes], *, upkeep: bool = False) -> dict[str | None, float]:
        """How strongly the most similar past changes speak for each scope (None: for no scope); sums to 1, or empty.

        `upkeep` says which past changes are asked: bumps and releases, or all others.
        """
        return _shares((self.commits[index].scope, weight) for index, weight in self._nearest(paths, upkeep))

    def type_votes(self, paths: Sequence[bytes], *, upkeep: bool = False) -> dict[str, float]:
        """How strongly the most similar past changes speak for each type; sums to 1, or empty."""
        return _shares((self.commits[index].type or "", weight) for index, weight in self._nearest(paths, upkeep))

    def type_shares(self, kinds: frozenset[str], *, upkeep: bool = False) -> dict[str, float]:
        """The types of the past changes to the same kinds of files, by share."""
        return _shares(
            (commit.type or "", _age(index))
            for index, commit in self._asked(upkeep)
            if frozenset(self._kinds[index]) == kinds
        )

    def scopes_of_files(self, paths: Sequence[bytes], *, upkeep: bool = False) -> dict[str | None, float]:
        """How strongly the past changes of these very files speak for each scope (None: for no scope), each below 1."""
        asked = set(paths[:PATHS])
        scores: dict[str | None, float] = defaultdict(float)
        shared = Counter(index for path in asked for index in self._having.get(path, ()))
        for index, number in shared.items():
            commit = self.commits[index]
            if commit.type and commit.upkeep == upkeep:
                scores[commit.scope] += _age(index) * number / math.sqrt(len(asked) * len(commit.paths))
        # Half a vote is held back: one change of one file is no habit yet.
        total = sum(scores.values()) + 0.5
        return {scope: score / total for scope, score in scores.items()}

    def scopes_of_places(self, paths: Sequence[bytes]) -> dict[str, float]:
        """Scopes that the paths themselves spell at places where the project's past scopes stood, each from 0 to 1.

        Where changes below `services/` were scoped by the next folder's name, a new folder there is a scope too.
        """
        counted = paths[:PATHS]
        found: dict[str, float] = defaultdict(float)
        for path in counted:
            best: dict[str, float] = {}
            for place, noun in _places(path):
                hits, total = self._place_votes.get(place, (0.0, 0.0))
                best[noun] = max(best.get(noun, 0.0), hits / (total + 1))
            for noun, share in best.items():
                found[noun] += share / len(counted)
        return {noun: share for noun, share in found.items() if share > 0}

    @cached_property
    def scopes(self) -> Counter[str]:
        """Every scope that the project has used, and how often, in the spelling that our grammar has."""
        return Counter(commit.scope for commit in self.commits if commit.scope)

    @cached_property
    def conventional(self) -> int:
        """How many of the commits have a header of ours."""
        return sum(1 for commit in self.commits if commit.type)

    @cached_property
    def _kinds(self) -> list[set[str]]:
        return [{kind_of(path) for path in commit.paths} for commit in self.commits]

    @cached_property
    def _place_votes(self) -> dict[str, tuple[float, float]]:
        """For each place in a path: the aged counts of changes below it scoped by the noun there, and of all."""
        hits: dict[str, float] = defaultdict(float)
        totals: dict[str, float] = defaultdict(float)
        for index, commit in self._asked(upkeep=False):
            hit: dict[str, bool] = {}
            for path in commit.paths[:20]:
                for place, noun in _places(path):
                    hit[place] = hit.get(place, False) or noun == commit.scope
            for place, is_scope in hit.items():
                totals[place] += _age(index)
                hits[place] += _age(index) * is_scope
        return {place: (hits[place], total) for place, total in totals.items()}

    def _asked(self, upkeep: bool) -> Iterator[tuple[int, PastCommit]]:
        return ((i, commit) for i, commit in enumerate(self.commits) if commit.type and commit.upkeep == upkeep)

    def _nearest(self, paths: Sequence[bytes], upkeep: bool) -> list[tuple[int, float]]:
        """The conventional commits most similar to a change of `paths`: cosine of their weighted paths and folders."""
        scores: dict[int, float] = defaultdict(float)
        for token in _tokens(paths):
            weight = self._weight(token) ** 2
            for index in self._having.get(token, ()):
                if self.commits[index].type and self.commits[index].upkeep == upkeep:
                    scores[index] += weight
        ranked = sorted((-score / self._norms[index], index) for index, score in scores.items())
        return [(index, score * score * _age(index)) for score, index in ranked[:NEIGHBOURS]]

    def _weight(self, token: bytes) -> float:
        return math.log((1 + len(self.commits)) / (1 + len(self._having.get(token, ())))) + 0.1


def normal_scope(scope: str) -> str | None:
    """`scope` in the spelling of our grammar, `^[a-z][a-z0-9-]*$`, or None where it has no such spelling."""
    noun = scope.strip().lower().rpartition("/")[2].removesuffix(".md")
    spelled = noun.replace("_", "-").replace(" ", "-").replace(".", "-")
    return spelled if _SCOPE.match(spelled) else None


def nouns_of(path: bytes) -> list[str]:
    """The folders and the bare name of `path` that are spelled like scopes, the outermost first."""
    return [noun for _, noun in _places(path)]


def _places(path: bytes) -> Iterator[tuple[str, str]]:
    """Each noun of `path` with its place: the folder above it, and whether it is a file's name or a folder's."""
    parts = path.decode("utf-8", "replace").split("/")
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if index > DEPTH and not last:
            continue
        noun = normal_scope(part.split(".")[0] or part if last else part)
        if noun:
            yield "/".join(parts[:index]) + ("/*" if last else "/"), noun


def _age(index: int) -> float:
    return float(0.5 ** (index / HALF_LIFE))


def _parse(output: bytes) -> Iterator[PastCommit]:
    paths: list[bytes] = []
    header = None
    for field in output.split(b"\0"):
        if field.startswith(_MARK):
            if header is not None:
                yield past_commit(header, paths)
            header, paths = field[1:], []
        elif field and len(paths) < PATHS:
            # git ends the header by NUL and then still starts the list of paths on a line of its own.
            paths.append(field.removeprefix(b"\n") if not paths else field)
    if header is not None:
        yield past_commit(header, paths)


def past_commit(header: bytes, paths: Iterable[bytes]) -> PastCommit:
    """A commit of the past from its header's bytes, in whatever encoding, and its paths."""
    text = header[:1000].decode("utf-8", "replace")
    found = _HEADER.match(text)
    if not found:
        return PastCommit(None, None, text, tuple(paths))
    kind, scope, summary = found[1].lower(), normal_scope(found[2] or ""), found[4]
    upkeep = scope in _UPKEEP_SCOPES or kind in _UPKEEP_TYPES or _UPKEEP_SUMMARY.match(summary) is not None
    return PastCommit(kind, scope, summary, tuple(paths), upkeep)


def _tokens(paths: Sequence[bytes]) -> list[bytes]:
    """What two changes can have in common: paths, the folders above them, and the files' bare names."""
    tokens: dict[bytes, None] = {}
    for path in paths[:PATHS]:
        tokens[path] = None
        *folders, name = path.split(b"/")
        tokens[b"name:" + name.split(b".")[0].lower()] = None
        for depth in range(1, min(len(folders), DEPTH) + 1):
            tokens[b"/".join(folders[:depth]) + b"/"] = None
    return list(tokens)


def _shares(votes: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    counted: dict[Key, float] = defaultdict(float)
    for key, weight in votes:
        counted[key] += weight
    total = sum(counted.values())
    return {key: weight / total for key, weight in counted.items()} if total else {}
