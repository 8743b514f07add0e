"""How often the files of a change were changed together in the project's history."""

from __future__ import annotations

import math
from collections.abc import Iterable

from smartcommit.change.history import PastCommit

# Files of a past commit that count: a larger one says little about any two of its files, and a single one nothing.
_LEAST_FILES, _MOST_FILES = 2, 20
# What is added to a share's counts, so that a few commits are not taken for a rule.
_TOGETHER_BEFORE, _SEEN_BEFORE = 0.2, 1
# Such commits from which a history has habits: the first commits of a project add many files at once.
_LEAST_COMMITS = 20
# Commits of each of two files after which it says something that they were never changed together.
_COMMITS_KNOWN = 2


class Habits:
    """The past commits in which each of `paths` was changed together with others, by their positions."""

    def __init__(self, commits: Iterable[PastCommit], paths: frozenset[bytes]) -> None:
        self._commits: dict[bytes, set[int]] = {path: set() for path in paths}
        telling = [commit for commit in commits if _LEAST_FILES <= len(commit.paths) <= _MOST_FILES]
        self._are_known = len(telling) >= _LEAST_COMMITS
        for number, commit in enumerate(telling if self._are_known else ()):
            for path in paths.intersection(commit.paths):
                self._commits[path].add(number)

    def features(self, one: bytes, other: bytes) -> dict[str, float]:
        """Return what the history says of two files, by names; all is 0 if there is none."""
        first, second = self._commits.get(one, set()), self._commits.get(other, set())
        together, seen = len(first & second), min(len(first), len(second))
        share = 0.0
        if self._are_known:
            share = (together + _TOGETHER_BEFORE) / (seen + _SEEN_BEFORE)
        return {
            "history": float(self._are_known),
            "together": share,
            "times_together": math.log1p(together),
            "seen": math.log1p(seen),
            "never_together": float(not together and seen >= _COMMITS_KNOWN),
        }


UNKNOWN = Habits((), frozenset())
