"""Conventions learned from recent commits: types and scopes by path."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, cached_property

from smartcommit.change.filetypes import classify_path
from smartcommit.change.text import has_digit
from smartcommit.errors import GitError
from smartcommit.git.habits import find_day, find_used_types
from smartcommit.git.query import make_log_command
from smartcommit.git.repo import Repository
from smartcommit.git.run import NO_LAZY_FETCH, read_head
from smartcommit.message.header import is_word, parse_loose_header
from smartcommit.message.rules import DEFAULT_TYPES
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Key = TypeVar("Key")

COMMITS_READ = 400
# Maximum bytes of the log: 400 commits rarely print more than 200 KB, but the import of a whole tree could fill memory.
LOG_BYTES_READ = 4 << 20
# Number of paths of a commit, or of the new change, that count: a larger commit says little about any one of them.
PATHS_COMPARED = 60
# Number of past commits that vote on a new change, and the age, in commits, at which a vote counts half.
COMMITS_VOTING = 12
HALF_LIFE = 150
# Number of typed headers of people after which they show all scopes of a project.
_HEADERS_OF_PEOPLE = 20
# Number of a path's folders that count, from the top.
FOLDERS_COMPARED = 12

# Routine commits show how bumps and releases are named and say nothing about other changes.
_UPKEEP_SCOPES = {"deps", "deps-dev", "dependencies", "release", "main", "master", "lockfile"}
_UPKEEP_TYPES = {"deps", "release", "bump", "bot"}
# Names and addresses of authors that are programs.
_BOT = compile_on_use(rb"(?i)\bbot\b|dependabot|renovate|github-actions|weblate")
_USUAL_TYPES = {*DEFAULT_TYPES, *_UPKEEP_TYPES, "tests"}
_UPKEEP_SUMMARY = compile_on_use(
    r"(?:bump|update|upgrade|pin|prepare|release)\b.{0,200}(?:\d\.\d|dependenc|\bto v?\d)|v?\d+\.\d", re.I
)
_UNSEEN_VOTES = 0.1  # given to a plain scope that no past change has
_HABIT_VOTES = 2.0  # needed to write a folder before a scope
# Number of a change's paths in which its scope is looked for.
_PATHS_OF_SCOPE = 20
_MARK = b"\x01"  # begins a commit in the log
_END = b"\x02"  # ends its author there
# Words of summaries that are looked for in a change, and their weight next to that of paths when changes are compared.
_WORD = compile_on_use(r"[a-z]{4,}")
_WORDS_WEIGHT = 0.3


class PastCommit(Record):
    """A commit of the history, with its type in lower case and its scope as our grammar spells it, if it has them.

    `spelling` is the scope as it was written. `upkeep` marks bumps, releases and what bots commit; `id` is the commit's
    object name, and `day` the day it was authored, from 1970, if they were read.
    """

    type: str | None
    scope: str | None
    summary: str
    paths: tuple[bytes, ...]
    upkeep: bool = False
    spelling: str | None = None
    id: str = ""
    day: int = 0

    @property
    def has_header(self) -> bool:
        """Whether it begins with a type or a scope."""
        return self.type is not None or self.scope is not None


class History:
    """The last commits, newest first, and what they say about a new change. Immutable."""

    def __init__(self, commits: Iterable[PastCommit]) -> None:
        self.commits = tuple(commits)
        if not self._has_areas:
            self.commits = tuple([_take_type(commit) for commit in self.commits])
        self._commits_by_token: dict[bytes, list[int]] = defaultdict(list)
        tokens = []
        for index, commit in enumerate(self.commits):
            tokens.append(_list_tokens(commit.paths))
            for token in tokens[-1]:
                self._commits_by_token[token].append(index)
        weights = {token: self._square_weight(token) for token in self._commits_by_token}
        self._norms = []
        for found in tokens:
            self._norms.append(math.sqrt(sum([weights[token] for token in found])))

    @classmethod
    def load(cls, repository: Repository, revision: str = "HEAD") -> History:
        """Read the last commits up to `revision`, without merges, by one git process; empty before the first commit.

        Nothing is fetched: if a partial clone lacks objects, the history is empty.
        """
        options = ("--no-merges", "--name-only", "--no-renames")
        try:
            output, complete = read_head(
                make_log_command("%x01%H %at %an %ae%x02%s", *options, last=COMMITS_READ, revisions=[revision]),
                limit=LOG_BYTES_READ,
                directory=repository.worktree,
                environment={**repository.environment, **NO_LAZY_FETCH},
            )  # fmt: skip
        except GitError:
            return cls(())
        if not complete:
            output = output[: output.rfind(b"\0") + 1]
        return cls(_parse(output))

    def count_scope_votes(self, paths: Sequence[bytes], *, upkeep: bool = False) -> dict[str | None, float]:
        """Return how strongly the most similar past changes suggest each scope or none; sums to 1, or is empty.

        `upkeep` selects which past changes count: bumps, releases and those of bots, or all others.
        """
        return _compute_shares((commit.scope, vote) for commit, vote in self._find_voters(paths, upkeep))

    def count_type_votes(self, paths: Sequence[bytes], *, upkeep: bool = False) -> dict[str, float]:
        """Return how strongly the most similar past changes suggest each type.

        The sum tells how much is known: each past change of the very same paths adds up to 1, and it is near 0 if
        nothing was like this change.
        """
        return _sum_votes((commit.type, vote) for commit, vote in self._find_voters(paths, upkeep) if commit.type)

    def count_types(self, kinds: frozenset[str] | None = None) -> dict[str, float]:
        """Return how often each type was given, to changes of the same kinds of files unless `kinds` is None.

        Upkeep is left out; old commits count less.
        """
        counts: dict[str, float] = defaultdict(float)
        for index, commit in self._list_conventional_commits(upkeep=False):
            if commit.type and (kinds is None or self._has_kinds(commit, kinds)):
                counts[commit.type] += _weigh_age(index)
        return counts

    def rate_scopes_of_files(self, paths: Sequence[bytes], *, upkeep: bool = False) -> dict[str | None, float]:
        """Return how strongly past changes of the same files suggest each scope or none, each value below 1."""
        wanted = set(paths[:PATHS_COMPARED])
        shared: Counter[int] = Counter()
        for path in wanted:
            shared.update(self._commits_by_token.get(path, ()))
        votes = []
        for index, number in shared.items():
            commit = self.commits[index]
            if self._says_scope(commit) and commit.upkeep == upkeep:
                votes.append((commit.scope, _weigh_age(index) * number / math.sqrt(len(wanted) * len(commit.paths))))
        # Half a vote is an abstention, since one change of one file is no habit yet.
        return _compute_shares(votes, abstained=0.5)

    def rate_nouns(self, paths: Sequence[bytes]) -> dict[str, float]:
        """Return the nouns of `paths` at places where past scopes stood, each with a value from 0 to 1.

        If changes below `services/` were scoped by the next folder's name, a new folder there is a scope too.
        """
        paths = paths[:PATHS_COMPARED]
        shares: dict[str, float] = defaultdict(float)
        for path in paths:
            best: dict[str, float] = {}
            for place, noun in _list_places(path):
                hits, total = self._place_votes.get(place, (0.0, 0.0))
                best[noun] = max(best.get(noun, 0.0), hits / (total + 1))
            for noun, share in best.items():
                shares[noun] += share / len(paths)
        return {noun: share for noun, share in shares.items() if share > 0}

    def find_nearest(self, paths: Sequence[bytes], words: Set[str], count: int, *, upkeep: bool) -> list[PastCommit]:
        """Return the past changes most similar to one of `paths`, whose lines have `words`, the nearest first.

        Either upkeep or all others count, as `upkeep` says.
        """
        nearness = self._score_paths(paths, upkeep)
        for index, commit in self._list_conventional_commits(upkeep):
            summary = set(_WORD.findall(commit.summary.lower()))
            if summary:
                shared = len(summary & words) / math.sqrt(len(summary))
                nearness[index] += _WORDS_WEIGHT * shared
        nearest = sorted(nearness, key=lambda index: (-nearness[index] * _weigh_age(index), index))[:count]
        return [self.commits[index] for index in nearest]

    @cached_property
    def scopes(self) -> Counter[str]:
        return Counter(commit.scope for commit in self.commits if commit.scope)

    def count_scopes(self, *, upkeep: bool) -> Counter[str | None] | None:
        """Return how often each scope was written, if people's headers are so many that they show all, else None.

        Those of bumps and releases count for `upkeep` alone.
        """
        written = Counter(commit.scope for _, commit in self._list_conventional_commits(upkeep=False))
        if written.total() < _HEADERS_OF_PEOPLE:
            return None
        if upkeep:
            written.update(commit.scope for _, commit in self._list_conventional_commits(upkeep=True))
        return written

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The types that are a habit, the most frequent first.

        Empty if most headers have an unusual type or none: what stands before their colon is an area, as in `net: x`.
        """
        given = [(commit.type, commit.day) for commit in self.commits if commit.type]
        usual = [name for name, _ in given if name in _USUAL_TYPES]
        if 2 * len(usual) < self.conventional:
            return ()
        return find_used_types(given)

    @property
    def spellings(self) -> set[str]:
        return {commit.spelling for commit in self.commits if commit.spelling and is_word(commit.spelling)}

    def spell_scope(self, scope: str, paths: Sequence[bytes]) -> str:
        """Return `scope` as the project writes it, or writes others in the same folder, for a change of `paths`.

        A folder that a past change wrote before it is left out if the noun stands in another one here.
        """
        folder, noun = _find_noun(scope, paths)
        votes: dict[str, float] = defaultdict(float)
        for index, commit in enumerate(self.commits):
            if commit.scope == scope and commit.spelling and is_word(commit.spelling):
                above, _, bare = commit.spelling.rpartition("/")
                other = above.rpartition("/")[2]
                # `binding` is the folder `bindings`.
                elsewhere = folder and above and not other.startswith(folder) and not folder.startswith(other)
                votes[bare if elsewhere else commit.spelling] += _weigh_age(index)
        if not votes:
            # As others of several words are written.
            joined = any("_" in spelling for spelling in self.spellings)
            votes[noun if joined and noun.islower() else scope] = _UNSEEN_VOTES
        share = self._share_with_folder(folder) if folder else 0.0
        if share:
            bare = max(votes, key=votes.__getitem__).rpartition("/")[2]
            votes[bare] += 1 - share
            votes[f"{folder}/{bare}"] += share
        return max(votes, key=votes.__getitem__)

    def _share_with_folder(self, folder: str) -> float:
        """Return how much of the scopes in `folder` have it written before them; 0 if only a few do."""
        below = beside = 0.0
        for index, commit in enumerate(self.commits):
            if commit.spelling and commit.spelling.rpartition("/")[0] == folder:
                below += _weigh_age(index)
            elif commit.scope and _find_noun(commit.scope, commit.paths)[0] == folder:
                beside += _weigh_age(index)
        return below / (below + beside) if below >= _HABIT_VOTES else 0.0

    @cached_property
    def conventional(self) -> int:
        return sum(commit.has_header for commit in self.commits)

    def _has_kinds(self, commit: PastCommit, kinds: frozenset[str]) -> bool:
        """Whether the commit changed files of exactly these `kinds`; for most commits the first path decides."""
        kinds_of_paths: set[str] = set()
        for path in commit.paths:
            kinds_of_paths.add(classify_path(path))
            if not kinds_of_paths <= kinds:
                return False
        return kinds_of_paths == kinds

    @cached_property
    def _place_votes(self) -> dict[str, tuple[float, float]]:
        """For each place in a path the changes below it, weighted by age: those scoped by the noun there, and all."""
        votes: dict[str, tuple[float, float]] = {}
        for index, commit in self._list_conventional_commits(upkeep=False):
            matches: dict[str, bool] = {}
            for path in commit.paths[:_PATHS_OF_SCOPE]:
                for place, noun in _list_places(path):
                    matches[place] = matches.get(place, False) or noun == commit.scope
            age = _weigh_age(index)
            for place, is_scope in matches.items():
                hits, total = votes.get(place, (0.0, 0.0))
                votes[place] = (hits + age * is_scope, total + age)
        return votes

    def _list_conventional_commits(self, upkeep: bool) -> Iterator[tuple[int, PastCommit]]:
        for index, commit in enumerate(self.commits):
            if commit.has_header and commit.upkeep == upkeep:
                yield index, commit

    def _find_voters(self, paths: Sequence[bytes], upkeep: bool) -> Iterator[tuple[PastCommit, float]]:
        """Yield the commits most similar by cosine of weighted paths and folders, and their votes."""
        scores = self._score_paths(paths, upkeep)
        for index in sorted(scores, key=lambda index: (-scores[index], index))[:COMMITS_VOTING]:
            yield self.commits[index], scores[index] * scores[index] * _weigh_age(index)

    def _score_paths(self, paths: Sequence[bytes], upkeep: bool) -> dict[int, float]:
        """Return the similarity of each past change that has paths or folders in common with `paths`, by its index."""
        scores: dict[int, float] = defaultdict(float)
        squares = 0.0
        for token in _list_tokens(paths):
            weight = self._square_weight(token)
            squares += weight
            for index in self._commits_by_token.get(token, ()):
                if self._says_scope(self.commits[index]) and self.commits[index].upkeep == upkeep:
                    scores[index] += weight
        for index in scores:
            scores[index] /= self._norms[index] * math.sqrt(squares)
        return scores

    def _says_scope(self, commit: PastCommit) -> bool:
        """Whether `commit` has a scope, or none on purpose: in a project of areas, that is any commit."""
        return commit.has_header or self._has_areas

    @cached_property
    def _has_areas(self) -> bool:
        """Whether more headers begin with an area, as in `net/http: x`, than with a type."""
        areas = sum(commit.scope is not None and commit.type is None for commit in self.commits)
        return 2 * areas > self.conventional

    def _square_weight(self, token: bytes) -> float:
        rarity = math.log((1 + len(self.commits)) / (1 + len(self._commits_by_token.get(token, ()))))
        return float((rarity + 0.1) ** 2)


def _find_noun(scope: str, paths: Sequence[bytes]) -> tuple[str, str]:
    """Return the folder above the first part of `paths` that `scope` is the name of, and that part as it is written.

    Return no folder and the scope itself if there is none.
    """
    for path in paths[:_PATHS_OF_SCOPE]:
        *folders, name = path.decode("utf-8", "replace").split("/")
        parts = [*folders, name.split(".")[0] or name]
        for place, part in enumerate(parts):
            if normalize_scope(part) == scope:
                return ["", *parts][place], part
    return "", scope


@cache
def normalize_scope(scope: str) -> str | None:
    """Return `scope` as our grammar spells it, `^[a-z][a-z0-9-]*$`, or None if that is impossible."""
    noun = scope.strip().lower().rpartition("/")[2].removesuffix(".md")
    noun = noun.replace("_", "-").replace(" ", "-").replace(".", "-")
    is_plain = noun.isascii() and noun.replace("-", "").isalnum()
    return noun if is_plain and noun[0].isalpha() else None


def list_nouns(path: bytes) -> list[str]:
    return [noun for _, noun in _list_places(path)]


# Most paths occur many times in a history.
@cache
def _list_places(path: bytes) -> list[tuple[str, str]]:
    """Return each noun of `path` with its place: the folder above it, and whether it names a file or a folder."""
    *folders, name = path.decode("utf-8", "replace").split("/")
    places = []
    for index, folder in enumerate(folders[: FOLDERS_COMPARED + 1]):
        noun = normalize_scope(folder)
        if noun:
            places.append(("/".join(folders[:index]) + "/", noun))
    noun = normalize_scope(name.split(".")[0] or name)
    if noun:
        places.append(("/".join(folders) + "/*", noun))
    return places


def _weigh_age(index: int) -> float:
    return float(0.5 ** (index / HALF_LIFE))


def _parse(output: bytes) -> Iterator[PastCommit]:
    paths: list[bytes] = []
    record = b""
    for field in (*output.split(b"\0"), _MARK):
        if field.startswith(_MARK):
            if record:
                about, _, header = record.partition(_END)
                commit, time, author = about.split(b" ", 2)
                past = read_past_commit(header, paths, name=commit.decode("ascii"), day=find_day(time.decode("ascii")))
                past.upkeep = past.upkeep or _BOT.search(author) is not None
                yield past
            record, paths = field[1:], []
        elif field and len(paths) < PATHS_COMPARED:
            # After the NUL of the header git still starts a new line for the list of paths.
            paths.append(field if paths else field.removeprefix(b"\n"))


def read_past_commit(line: bytes, paths: Iterable[bytes], *, name: str = "", day: int = 0) -> PastCommit:
    """Return a commit of the past from its paths and the first line of its message, in whatever encoding."""
    text = line[:1000].decode("utf-8", "replace")
    commit = PastCommit(None, None, text, tuple(paths), id=name, day=day)
    header = parse_loose_header(text)
    if header is None:
        return commit
    kind = header.type.lower()
    spelling = (header.scope or "").strip()
    area = None if kind in _USUAL_TYPES or not is_word(kind) else normalize_scope(kind)
    if area and header.scope is None and any(area in list_nouns(path) for path in commit.paths[:_PATHS_OF_SCOPE]):
        # No type, but a part of the paths that are changed, as in `net/http: x`.
        spelling = header.type
    elif kind.isascii() and kind.isalpha():
        commit.type = kind
    else:
        return commit
    commit.summary = header.summary
    commit.scope = normalize_scope(spelling)
    if commit.scope:
        commit.spelling = spelling
    is_routine = commit.scope in _UPKEEP_SCOPES or kind in _UPKEEP_TYPES
    is_telling = has_digit(header.summary) or "dependenc" in header.summary.lower()
    commit.upkeep = is_routine or (is_telling and _UPKEEP_SUMMARY.match(header.summary) is not None)
    return commit


def _take_type(commit: PastCommit) -> PastCommit:
    """Return `commit` with its area as its type: among usual types, `examples` in `examples: x` is one, too."""
    if commit.type or not commit.spelling or not commit.spelling.isalpha():
        return commit
    kind = commit.spelling.lower()
    return PastCommit(kind, None, commit.summary, commit.paths, commit.upkeep, id=commit.id, day=commit.day)


def _list_tokens(paths: Sequence[bytes]) -> list[bytes]:
    """Return what two changes can have in common: paths, the folders above them, and the files' bare names."""
    tokens: dict[bytes, None] = {}
    for path in paths[:PATHS_COMPARED]:
        tokens.update(dict.fromkeys(_list_path_tokens(path)))
    return list(tokens)


@cache
def _list_path_tokens(path: bytes) -> list[bytes]:
    *folders, name = path.split(b"/")
    tokens = [path, b"name:" + name.split(b".")[0].lower()]
    for depth in range(1, min(len(folders), FOLDERS_COMPARED) + 1):
        tokens.append(b"/".join(folders[:depth]) + b"/")
    return tokens


def _compute_shares(votes: Iterable[tuple[Key, float]], *, abstained: float = 0.0) -> dict[Key, float]:
    counts = _sum_votes(votes)
    total = sum(counts.values()) + abstained
    return {key: weight / total for key, weight in counts.items()}


def _sum_votes(votes: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    counts: dict[Key, float] = defaultdict(float)
    for key, weight in votes:
        counts[key] += weight
    return counts
