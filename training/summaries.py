"""Fit the weights of summaries to the commits of projects, and write the package's data file.

    python training/summaries.py GIT_DIRECTORY ... [--commits N]

Needs numpy, which the package itself does not. Each argument is a git directory, as for `training/drafts.py`, whose
weights are used for the verbs and so come first. The same commits always give the same weights.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from smartcommit.change.facts import ChangeFacts  # noqa: E402
from smartcommit.change.history import History  # noqa: E402
from smartcommit.draft.embedded.classify import choose_scope, choose_type, score_verbs  # noqa: E402
from smartcommit.draft.embedded.summarize import (  # noqa: E402
    Evidence,
    SummaryWeights,
    find_evidence,
    list_candidates,
    needs_choice,
    rate_words,
)
from smartcommit.draft.request import read_change  # noqa: E402
from smartcommit.git.diff import FileDiff  # noqa: E402
from smartcommit.git.repo import Repository  # noqa: E402
from smartcommit.message.header import Header  # noqa: E402
from smartcommit.message.rules import DEFAULT_TYPES  # noqa: E402
from smartcommit.state_files import replace_file  # noqa: E402

DATA = ROOT / "smartcommit" / "draft" / "embedded" / "summaries.json"
HEADER = re.compile(r"([A-Za-z]+)(?:\([^()]+\))?!?: +(\S.*)")
REFERENCE = re.compile(r"\s*\((?:[\w./-]*#\d+(?:,\s*)?)+\)\s*$")
WORD = re.compile(r"[a-z0-9_]+")
# Parts that the projects are put into: the words of each part are rated by a fit to the others.
PARTS = 4
# A word has a weight of its own if it occurs in so many projects; so many imagined occurrences hold it back.
PROJECTS, IMAGINED = 5, 4.0
WORD_RIDGE, FORM_RIDGE = 3.0, 0.3
ROUNDS = 12
# A measure of a sentence counts if it occurs in so many commits.
COMMITS = 40
# Weights of single words below this, in hundredths, decide nothing.
LEAST = 15


@dataclass
class Row:
    """A commit: what is known of it, and the words of the summary that its author gave it."""

    project: str
    evidence: Evidence
    summary: list[str]

    @property
    def words(self) -> Mapping[str, Mapping[str, float]]:
        """The words of the change with their measures."""
        return self.evidence.vocabulary.words

    @property
    def known(self) -> np.ndarray:
        """Whether each word of the vocabulary is in the summary."""
        return np.array([word in self.summary for word in self.words], float)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--commits", type=int, default=60)
    arguments = parser.parse_args()
    rows: list[Row] = []
    for directory in arguments.directories:
        rows += read_project(directory, arguments.commits)
        print(directory, len(rows), flush=True)
    replace_file(str(DATA), json.dumps(fit(rows).as_dict(), separators=(",", ":"), sort_keys=True).encode() + b"\n")


def read_project(directory: str, commits: int) -> Iterator[Row]:
    """Yield the rows of every fifth of the last commits, so that they come from a longer time."""
    where = os.path.abspath(directory)
    # Nothing here needs a working tree, and a mirror has none.
    repository = Repository(worktree=where, git_dir=where, common_dir=where, object_format="sha1")
    listing = repository.run(
        "log", "--first-parent", "--no-merges", "--min-parents=1", "--format=%H", f"-{5 * commits}"
    )
    for commit in listing.decode().split()[::5]:
        header = repository.run("log", "-1", "--format=%s", commit).decode("utf-8", "replace").strip()
        diffs, _ = read_change(repository, f"{commit}~1", commit)
        if diffs:
            yield from make_rows(directory, header, diffs, History.load(repository, f"{commit}~1"))


def make_rows(project: str, header: str, diffs: Sequence[FileDiff], history: History) -> Iterator[Row]:
    """Yield the row of a change whose author gave it `header`, if that is conventional and needs any choice."""
    found = HEADER.match(header)
    change = ChangeFacts(diffs)
    if not found or not needs_choice(change, history):
        return
    name = choose_type(change, history, tuple(dict.fromkeys((*DEFAULT_TYPES, *history.types))))
    scope = choose_scope(change, history, None, chosen_type=name)
    evidence = find_evidence(change, history, Header(name, "", scope=scope), score_verbs(change, name, history))
    words = WORD.findall(REFERENCE.sub("", found[2]).lower())
    if words and evidence.vocabulary.words:
        yield Row(project, evidence, words)


def fit(rows: Sequence[Row]) -> SummaryWeights:
    """Return the weights of words, and those of sentences made of words that were rated without their own project."""
    projects = sorted({row.project for row in rows})
    part_of = {project: number % PARTS for number, project in enumerate(projects)}
    fits = []
    for part in range(PARTS):
        fits.append(fit_words([row for row in rows if part_of[row.project] != part]))
    forms = fit_forms(rows, [fits[part_of[row.project]] for row in rows])
    words = fit_words(rows)
    return SummaryWeights(words.words, words.word_measures, forms)


def fit_words(rows: Sequence[Row]) -> SummaryWeights:
    """A logit over the measures of words, and one weight for each word that many projects have."""
    names = sorted(set(chain.from_iterable(chain.from_iterable(row.words.values() for row in rows))))
    table = np.vstack([tabulate(row.words, names) for row in rows])
    known = np.concatenate([row.known for row in rows])
    words = list(chain.from_iterable(row.words for row in rows))
    projects = list(chain.from_iterable(repeat(row.project, len(row.words)) for row in rows))
    weights = descend(table, known, np.zeros(len(names)), np.zeros(len(words)))
    own: dict[str, float] = {}
    for _ in range(2):
        likely = 1 / (1 + np.exp(-(table @ weights)))
        own = weigh_words(words, projects, known, likely)
        weights = descend(table, known, weights, np.array([own.get(word, 0.0) for word in words]))
    in_hundredths = {word: round(100 * weight) for word, weight in own.items() if abs(weight) * 100 >= LEAST}
    measures = {name: round(100 * float(weight)) for name, weight in zip(names, weights, strict=True)}
    return SummaryWeights(in_hundredths, measures, {})


def tabulate(words: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> np.ndarray:
    places = {name: place for place, name in enumerate(names)}
    table = np.zeros((len(words), len(names)))
    for number, measures in enumerate(words.values()):
        for name, value in measures.items():
            if name in places:
                table[number, places[name]] = value
    return table


def weigh_words(
    words: Sequence[str], projects: Sequence[str], known: np.ndarray, likely: np.ndarray
) -> dict[str, float]:
    """The logarithm of how much more often than expected each word of many projects is in summaries."""
    seen: dict[str, float] = defaultdict(float)
    expected: dict[str, float] = defaultdict(float)
    having: dict[str, set[str]] = defaultdict(set)
    for word, project, is_known, chance in zip(words, projects, known, likely, strict=True):
        seen[word] += is_known
        expected[word] += chance
        having[word].add(project)
    weights = {}
    for word in sorted(seen):
        if len(having[word]) >= PROJECTS:
            weights[word] = float(np.log((seen[word] + IMAGINED) / (expected[word] + IMAGINED)))
    return weights


def descend(table: np.ndarray, known: np.ndarray, weights: np.ndarray, given: np.ndarray) -> np.ndarray:
    """The weights of a logit with a ridge, beside what is `given`, by Newton's method."""
    ridge = WORD_RIDGE * np.eye(len(weights))
    weights = weights.copy()
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-(table @ weights + given)))
        slope = table.T @ (known - likely) - ridge @ weights
        step = np.linalg.solve((table * (likely * (1 - likely))[:, None]).T @ table + ridge, slope)
        weights += step
        if np.abs(step).max() < 1e-4:
            break
    return weights


def fit_forms(rows: Sequence[Row], fits: Sequence[SummaryWeights]) -> dict[str, int]:
    """The weights by which the measures of a sentence tell, within its change, how near it is to the summary given."""
    tables = []
    for row, words in zip(rows, fits, strict=True):
        tables.append(list(measure_candidates(row, words)))
    counts: Counter[str] = Counter()
    for table in tables:
        counts.update(set(chain.from_iterable(measures for measures, _ in table)))
    names = sorted(name for name in counts if counts[name] >= COMMITS)
    places = {name: place for place, name in enumerate(names)}
    squares, products = FORM_RIDGE * np.eye(len(names)), np.zeros(len(names))
    for table in tables:
        values = np.zeros((len(table), len(names)))
        for number, (measures, _) in enumerate(table):
            for name, value in measures.items():
                if name in places:
                    values[number, places[name]] = value
        scores = np.array([score for _, score in table])
        values -= values.mean(0)
        squares += values.T @ values / len(table)
        products += values.T @ (scores - scores.mean()) / len(table)
    weights = np.linalg.solve(squares, products)
    return {name: round(10000 * float(weight)) for name, weight in zip(names, weights, strict=True)}


def measure_candidates(row: Row, words: SummaryWeights) -> Iterator[tuple[dict[str, float], float]]:
    """Yield the measures of each sentence that can be said of a change, and how near it is to the summary given."""
    for candidate in list_candidates(row.evidence, rate_words(row.evidence.vocabulary, words)):
        yield candidate.measures, rate_overlap(WORD.findall(candidate.text.lower()), row.summary)


def rate_overlap(drafted: Sequence[str], given: Sequence[str]) -> float:
    """ROUGE-L: the F1 of the longest common subsequence of words."""
    lengths = [0] * (len(given) + 1)
    for word in drafted:
        before = 0
        for place, other in enumerate(given, 1):
            kept = lengths[place]
            lengths[place] = before + 1 if word == other else max(kept, lengths[place - 1])
            before = kept
    return 2 * lengths[-1] / (len(drafted) + len(given))


if __name__ == "__main__":
    main()
