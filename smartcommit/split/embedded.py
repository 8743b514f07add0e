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
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

from smartcommit.change import filetypes
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.git.hunks import ChangeUnits, Unit, group_by_file
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.ordering import order_groups

STRATEGIES = ("auto", "hunk", "file", "directory")

# The mean similarity below which groups are not joined. Higher values separate more combined commits (0.55 is best for
# that), lower ones keep more single commits whole.
_THRESHOLD = 0.5
# Comparison takes quadratic time: with more parts than this, those of one folder count as one.
_PARTS = 150

Group = list[Unit]
# Lines of a hunk and bytes of a line that are examined.
LINES = 400
WIDTH = 400

_IDENTIFIER = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{2,}")
_WORD = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}(?![a-z])|\d{3,}")
_TEST_AFFIX = re.compile(r"^tests?_|[_.-]?tests?$|[_.-]?spec$")
# With more parts words are rarer and similarities lower; a term that grows with the number of parts makes up for that.
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
    """Return the units of `pieces` in groups, one for each commit, in the order of the commits.

    With `hunk` each unit is a group; with `file` and `directory` the units of a file, or of the files in one folder,
    form a group. `count` is the number of groups to make, as far as the units can be separated.
    """
    bundles = find_inseparable(pieces.units)
    if strategy == "directory":
        bundles = _merge_by(bundles, _folder)
    elif strategy == "file":
        bundles = _merge_by(bundles, lambda unit: unit.change.path)
    if strategy == "auto" or (count is not None and count < len(bundles)):
        bundles = _cluster(_coarsen(bundles), count)
    return order_groups(bundles)


def _cluster(parts: Sequence[Group], count: int | None) -> list[Group]:
    model = SimilarityModel([extract_features(group_by_file(part)) for part in parts])
    groups = average_link(len(parts), model.probability, threshold=_THRESHOLD, count=count)
    return [list(chain.from_iterable(map(parts.__getitem__, positions))) for positions in groups]


def _coarsen(parts: list[Group]) -> list[Group]:
    """Return `parts` joined by folder, then by ever higher folders, until there are few enough to compare."""
    depth = max((unit.change.path.count(b"/") for unit in chain.from_iterable(parts)), default=0)
    while len(parts) > _PARTS and depth >= 0:
        limit = depth
        parts = _merge_by(parts, lambda unit: b"/".join(_folder(unit).split(b"/")[:limit]))  # noqa: B023
        depth -= 1
    return parts


def _merge_by(parts: Sequence[Group], key: Callable[[Unit], Hashable]) -> list[Group]:
    """Return `parts`, merged if their first units have the same key, in the order of the first of each."""
    merged: dict[Hashable, Group] = {}
    for part in parts:
        merged.setdefault(key(part[0]), []).extend(part)
    return list(merged.values())


def _folder(unit: Unit) -> bytes:
    return posixpath.dirname(unit.change.path)


def average_link(
    size: int, fit: Callable[[int, int], float], *, threshold: float, count: int | None = None
) -> list[list[int]]:
    """Return the positions 0 to `size` - 1 in groups, each in ascending order, the groups by their first.

    `fit` returns the similarity of two positions, from 0 to 1. Groups are joined while their mean similarity is at
    least `threshold`, or until there are `count` groups. `fit` is called once for each pair.
    """
    link = _Link(size, fit)
    while len(link.groups) > (count or 1):
        value, one, other = link.best()
        if count is None and value < threshold:
            break
        link.join(one, other)
    return sorted(map(sorted, link.groups.values()))


class _Link:
    """The groups by their first positions; `_fits[a][b]`, with a < b, is the mean fit of the members of two."""

    def __init__(self, size: int, fit: Callable[[int, int], float]) -> None:
        self.groups: dict[int, list[int]] = {}
        self._fits: dict[int, dict[int, float]] = {}
        self._nearest: dict[int, tuple[float, int]] = {}
        for one in range(size):
            self.groups[one] = [one]
            self._fits[one] = {other: fit(one, other) for other in range(one + 1, size)}
            self._nearest[one] = _nearest(self._fits[one])

    def best(self) -> tuple[float, int, int]:
        """Return the fit of the two groups that fit best, and their positions; the first if several fit as well."""
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
            row, key = self._fits[min(one, third)], max(one, third)
            old = self._fits[third].pop(other) if third < other else gone[third]
            row[key] = (row[key] * ours + old * theirs) / (ours + theirs)
            if third < one or self._nearest[third][1] == other:
                self._nearest[third] = _nearest(self._fits[third])
        self._nearest[one] = _nearest(self._fits[one])


def _nearest(row: dict[int, float]) -> tuple[float, int]:
    """Return the best fit of a group with a later one, and which that is; the first if several fit as well."""
    other = min(row, key=lambda position: (-row[position], position), default=-1)
    return row.get(other, -1.0), other


@dataclass(slots=True)
class Features:
    """The features of a part of a change.

    `words` counts the words in the names on changed lines, `changed` holds the names that one side has more often than
    the other; `folders` leads to the file, and `stem` is its bare name without affixes of tests.
    """

    kind: str
    folders: Sequence[str]
    stem: str
    names: frozenset[str]
    changed: frozenset[str]
    words: Counter[str]
    formatting: bool


def extract_features(diffs: Sequence[FileDiff]) -> Features:
    """Return the features of a part that consists of `diffs`, at least one; the first one's path counts."""
    path = diffs[0].change.path
    folder, name = posixpath.split(path.decode("utf-8", "replace"))
    hunks = list(chain.from_iterable(map(attrgetter("hunks"), diffs)))
    removed, added = _count_names(hunks, "removed"), _count_names(hunks, "added")
    both = removed + added
    return Features(
        kind=filetypes.classify_path(path),
        folders=list(filter(None, folder.split("/"))),
        stem=_TEST_AFFIX.sub("", name.lower().split(".")[0]),
        names=frozenset(both),
        changed=frozenset((removed - added) + (added - removed)),
        words=_words(both),
        formatting=bool(hunks) and all(map(_is_formatting, hunks)),
    )


class SimilarityModel:
    """Estimates the probability that two of `parts` belong together; rare names and words count more."""

    def __init__(self, parts: Sequence[Features]) -> None:
        self._parts = parts
        self._size = _NAME_PARTS * math.log(min(len(parts), _PARTS_AT_MOST))
        self._words = _weigh(list(map(attrgetter("words"), parts)))
        self._changed = _weigh([dict.fromkeys(part.changed, 1) for part in parts])

    def probability(self, one: int, other: int) -> float:
        """Return the probability for the parts at two positions, from 0 to 1."""
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


def _count_names(hunks: Sequence[Hunk], side: str) -> Counter[str]:
    names: Counter[str] = Counter()
    for hunk in hunks:
        for line in getattr(hunk, side)[:LINES]:
            names.update(map(bytes.decode, _IDENTIFIER.findall(line[:WIDTH])))
    return names


def _words(names: Mapping[str, int]) -> Counter[str]:
    words: Counter[str] = Counter()
    for name, count in names.items():
        for word in _WORD.findall(name):
            words[word.lower()] += count
    return words


def _is_formatting(hunk: Hunk) -> bool:
    before, after = b"".join(hunk.removed), b"".join(hunk.added)
    return b"".join(before.split()) == b"".join(after.split())


def _weigh(parts: Sequence[Mapping[str, int]]) -> list[dict[str, float]]:
    """Return each part's words as a vector of length 1. Source: tf-idf with logarithmic counts."""
    frequency = Counter(chain.from_iterable(parts))
    vectors = []
    for part in parts:
        weights = {}
        for word, count in part.items():
            weights[word] = (1 + math.log(count)) * math.log((len(parts) + 1) / frequency[word])
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
