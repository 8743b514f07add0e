"""How likely two parts of a change belong to one commit, judged by their names, words and places.

The weights were fitted to changes folded together from real commits of sixteen projects, each project judged by weights
fitted to the others.
"""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from smartcommit.change import filetypes
from smartcommit.git.diff import FileDiff, Hunk

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
_PARTS = 0.67


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
        self._size = _PARTS * math.log(min(len(parts), _PARTS_AT_MOST))
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
