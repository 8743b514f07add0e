"""The embedded splitter: features of pairs of files, and average-linkage clustering.

The same change is always split in the same way. A change that belongs together stays one commit.

The weights were fitted to changes that were folded together from real commits of sixteen projects, each project judged
by weights fitted to the others.
"""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from smartcommit.change import filetypes
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.git.hunks import ChangeUnits, Unit, diffs_of
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.ordering import ordered

STRATEGIES = ("auto", "hunk", "file", "directory")

# Where joining stops. Higher values tell more folded commits apart (0.55 does it best), lower ones leave more single
# commits whole.
_THRESHOLD = 0.5
# Comparing costs the square of the parts: beyond this many those of one folder are looked at as one.
_PARTS = 150

Group = list[Unit]
# What one part may cost, whatever its size.
LINES = 400
WIDTH = 400

_IDENTIFIER = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{2,}")
_WORD = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}(?![a-z])|\d{3,}")
_TEST_AFFIX = re.compile(r"^tests?_|[_.-]?tests?$|[_.-]?spec$")
# Shared words fade with the number of parts, since a word is rarer then; the size of the change balances that.
_PARTS_AT_MOST = 150

_BIAS = -2.52
_WORDS = 3.04
_CHANGED_NAMES = 1.54
_FOLDER = 1.20
_MENTION = 0.76
_FORMATTING = 1.14
_DEPENDENCIES = 0.73
_NAME_PARTS = 0.67


def partition(pieces: ChangeUnits, *, strategy: str = "auto", count: int | None = None) -> list[Group]:
    """The units of `pieces` in the groups, and the order, that their commits are made in.

    With `hunk` each unit is a group of its own; with `file` and `directory` those of a file, or of the files in one
    folder, form one. `count` is how many groups to make, as far as there are so many that can be parted.
    """
    bundles = find_inseparable(pieces.units)
    if strategy == "directory":
        bundles = _merged(bundles, _folder)
    elif strategy == "file":
        bundles = _merged(bundles, lambda unit: unit.change.path)
    if strategy == "auto" or (count is not None and count < len(bundles)):
        bundles = _clustered(_coarse(bundles), count)
    return ordered(bundles)


def _clustered(parts: Sequence[Group], count: int | None) -> list[Group]:
    judge = SimilarityModel([extract_features(diffs_of(part)) for part in parts])
    groups = average_link(len(parts), judge.probability, threshold=_THRESHOLD, count=count)
    return [[unit for position in group for unit in parts[position]] for group in groups]


def _coarse(parts: list[Group]) -> list[Group]:
    """`parts`, joined by folder and then by the folders above until there are few enough to compare."""
    depth = max((unit.change.path.count(b"/") for part in parts for unit in part), default=0)
    while len(parts) > _PARTS and depth >= 0:
        limit = depth
        parts = _merged(parts, lambda unit: b"/".join(_folder(unit).split(b"/")[:limit]))  # noqa: B023
        depth -= 1
    return parts


def _merged(parts: Sequence[Group], key: Callable[[Unit], Hashable]) -> list[Group]:
    """`parts`, those together whose first units have the same key, in the order of the first of each."""
    merged: dict[Hashable, Group] = {}
    for part in parts:
        merged.setdefault(key(part[0]), []).extend(part)
    return list(merged.values())


def _folder(unit: Unit) -> bytes:
    return posixpath.dirname(unit.change.path)


def average_link(
    size: int, fit: Callable[[int, int], float], *, threshold: float, count: int | None = None
) -> list[list[int]]:
    """The positions 0 to `size` - 1 in groups, each in ascending order, the groups by their first.

    `fit` says how well two positions fit, from 0 to 1. Groups are joined while their members fit at least `threshold`
    on average, or until there are `count` groups. Time grows with the square of `size` for `fit`, and with little more
    for joining.
    """
    link = _Link(size, fit)
    while len(link.groups) > (count or 1):
        value, one, other = link.best()
        if count is None and value < threshold:
            break
        link.join(one, other)
    return [sorted(members) for _, members in sorted(link.groups.items())]


class _Link:
    """The groups, each under its first position; `_fits[a][b]`, with a < b, is the mean fit of their members."""

    def __init__(self, size: int, fit: Callable[[int, int], float]) -> None:
        self.groups = {position: [position] for position in range(size)}
        self._fits = {one: {other: fit(one, other) for other in range(one + 1, size)} for one in range(size)}
        self._nearest = {one: _nearest(row) for one, row in self._fits.items()}

    def best(self) -> tuple[float, int, int]:
        """The two groups that fit best, and how well; the first of equals."""
        one = min(self.groups, key=lambda group: (-self._nearest[group][0], group))
        return (self._nearest[one][0], one, self._nearest[one][1])

    def join(self, one: int, other: int) -> None:
        """Add the later group `other` to `one`."""
        ours, theirs = len(self.groups[one]), len(self.groups[other])
        self.groups[one] += self.groups.pop(other)
        gone = self._fits.pop(other)
        del self._nearest[other], self._fits[one][other]
        for third in self.groups:
            if third == one:
                continue
            row, key = (self._fits[third], one) if third < one else (self._fits[one], third)
            old = self._fits[third].pop(other) if third < other else gone[third]
            row[key] = (row[key] * ours + old * theirs) / (ours + theirs)
            if third < one or self._nearest[third][1] == other:
                self._nearest[third] = _nearest(self._fits[third])
        self._nearest[one] = _nearest(self._fits[one])


def _nearest(row: dict[int, float]) -> tuple[float, int]:
    """The best fit among a group's later ones, and whose it is; the first of equals."""
    other = min(row, key=lambda position: (-row[position], position), default=-1)
    return (row[other], other) if row else (-1.0, -1)


@dataclass(slots=True)
class Features:
    """What a part of a change is judged by.

    `words` counts the words in the names on changed lines, `changed` holds the names that one side has more often than
    the other; `folders` leads to the file and `stem` is its bare name, without what marks a test.
    """

    kind: str
    folders: Sequence[str]
    stem: str
    names: frozenset[str]
    changed: frozenset[str]
    words: Counter[str]
    formatting: bool


def extract_features(diffs: Sequence[FileDiff]) -> Features:
    """The traits of a part that consists of `diffs`, of which there is at least one; the first gives the place."""
    path = diffs[0].change.path
    folder, name = posixpath.split(path.decode("utf-8", "replace"))
    hunks = [hunk for diff in diffs for hunk in diff.hunks]
    removed = _names(line for hunk in hunks for line in hunk.removed[:LINES])
    added = _names(line for hunk in hunks for line in hunk.added[:LINES])
    both = removed + added
    return Features(
        kind=filetypes.kind_of(path),
        folders=folder.split("/") if folder else [],
        stem=_TEST_AFFIX.sub("", name.lower().split(".")[0]),
        names=frozenset(both),
        changed=frozenset((removed - added) + (added - removed)),
        words=_words(both),
        formatting=bool(hunks) and all(map(_is_formatting, hunks)),
    )


class SimilarityModel:
    """The probability that two of `parts` belong together; a name or word counts the more the fewer parts have it."""

    def __init__(self, parts: Sequence[Features]) -> None:
        self._parts = parts
        self._size = _NAME_PARTS * math.log(min(len(parts), _PARTS_AT_MOST))
        self._words = _weighted([part.words for part in parts])
        self._changed = _weighted([dict.fromkeys(part.changed, 1) for part in parts])

    def probability(self, one: int, other: int) -> float:
        """The probability for the parts at two positions, from 0 to 1."""
        a, b = self._parts[one], self._parts[other]
        score = (
            _BIAS
            + self._size
            + _WORDS * _cosine(self._words[one], self._words[other])
            + _CHANGED_NAMES * _cosine(self._changed[one], self._changed[other])
            + _FOLDER * _nearness(a.folders, b.folders)
            + _MENTION * (_mentions(a, b) or _mentions(b, a))
            + _FORMATTING * (a.formatting and b.formatting)
            + _DEPENDENCIES * ({a.kind, b.kind} <= {filetypes.MANIFEST, filetypes.LOCK})
        )
        return 1 / (1 + math.exp(-score))


def _names(lines: Iterable[bytes]) -> Counter[str]:
    return Counter(name.decode() for line in lines for name in _IDENTIFIER.findall(line[:WIDTH]))


def _words(names: Mapping[str, int]) -> Counter[str]:
    words: Counter[str] = Counter()
    for name, count in names.items():
        for word in _WORD.findall(name):
            words[word.lower()] += count
    return words


def _is_formatting(hunk: Hunk) -> bool:
    before, after = (b"".join(b"".join(lines).split()) for lines in (hunk.removed, hunk.added))
    return before == after


def _weighted(parts: Sequence[Mapping[str, int]]) -> list[dict[str, float]]:
    """Each part's words as a vector of length 1. Source: tf-idf with logarithmic counts."""
    having = Counter(word for part in parts for word in part)
    vectors = []
    for part in parts:
        weights = {
            word: (1 + math.log(count)) * math.log((len(parts) + 1) / having[word]) for word, count in part.items()
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        vectors.append({word: weight / length for word, weight in weights.items()})
    return vectors


def _cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    if len(a) > len(b):
        a, b = b, a
    return sum(weight * b[word] for word, weight in a.items() if word in b)


def _nearness(a: Sequence[str], b: Sequence[str]) -> float:
    common = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        common += 1
    return (common + 1) / (max(len(a), len(b)) + 1)


def _mentions(a: Features, b: Features) -> bool:
    return a.stem in b.names or (len(a.stem) > 3 and a.stem in b.words)
