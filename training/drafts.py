"""Fit the weights of drafts to the commits of projects, and write the package's data file.

    python training/drafts.py GIT_DIRECTORY ... [--commits N]

Needs numpy, which the package itself does not. Each argument is a git directory, bare or not, of which N commits with
conventional headers are read, each with the history before it. The same commits always give the same weights.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from random import Random

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from smartcommit.change.facts import ChangeFacts  # noqa: E402
from smartcommit.change.history import COMMITS_READ, PATHS_COMPARED, History, PastCommit, read_past_commit  # noqa: E402
from smartcommit.draft.embedded.classify import CLASSES, Weights, find_class, weigh_habits  # noqa: E402
from smartcommit.draft.embedded.measure import measure  # noqa: E402
from smartcommit.draft.request import read_change  # noqa: E402
from smartcommit.git.habits import find_day  # noqa: E402
from smartcommit.git.repo import Repository  # noqa: E402
from smartcommit.message.rules import DEFAULT_TYPES  # noqa: E402
from smartcommit.state_files import replace_file  # noqa: E402

_HEADER = re.compile(r"[A-Za-z]{1,30}(?:\([^()\r\n]+\))?!?: +\S")
DATA = ROOT / "smartcommit" / "draft" / "embedded" / "weights.json"
# Of each project so many commits are listed; examples are among the LATEST conventional ones, and each has a history.
LISTED, LATEST, LEAST_HISTORY = 2400, 1500, 100
# Files of an example, and how many commits at most are left out of the history before it.
FILES, GAP = 30, 250
# A measure says something in general if it occurs in so many projects, and in so many commits.
PROJECTS, COMMITS = 12, 50
# How strongly the weights of measures, and of habits by class, are held near 0.
RIDGE, HABIT_RIDGE = 16.0, 20.0
STEPS, RATE = 100, 0.05
# Weights below this, in hundredths, decide nothing.
LEAST = 4


@dataclass
class Commit:
    """A commit of a project: its ids, the author's address, the header, and what it says as a part of the history."""

    id: str
    parents: list[str]
    author: str
    header: str
    past: PastCommit


@dataclass
class Row:
    """A commit: what is measured of it, and the type that its author chose."""

    project: str
    measures: Mapping[str, float]
    types: tuple[str, ...]
    habits: list[dict[str, float]]
    type: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--commits", type=int, default=90)
    arguments = parser.parse_args()
    rows: list[Row] = []
    for directory in arguments.directories:
        rows += read_project(directory, arguments.commits)
        print(directory, len(rows), flush=True)
    write(fit(rows))


def read_project(directory: str, commits: int) -> Iterator[Row]:
    """Yield the rows of some of the last commits by people, each with the history before it.

    Half of them leave out the commits just before, as if the work had been done on a branch for long.
    """
    where = os.path.abspath(directory)
    # Nothing here needs a working tree, and a mirror has none.
    repository = Repository(worktree=where, git_dir=where, common_dir=where, object_format="sha1")
    listed = list(list_commits(repository))
    generator = Random(zlib.crc32(Path(where.removesuffix("/repo")).name.encode()))
    places = [place for place in range(len(listed) - LEAST_HISTORY + 1) if is_example(listed[place])][:LATEST]
    generator.shuffle(places)
    found = 0
    for place in places:
        commit = listed[place]
        if len(commit.past.paths) >= FILES:
            continue
        diffs, _ = read_change(repository, commit.parents[0], commit.id)
        if not 1 <= len(diffs) <= FILES:
            continue
        start = min(place + 1 + generator.choice([0, generator.randrange(GAP)]), len(listed) - LEAST_HISTORY)
        history = History(map(attrgetter("past"), listed[start : start + COMMITS_READ]))
        yield from make_rows(directory, commit.header, ChangeFacts(diffs), history)
        found += 1
        if found == commits:
            return


def list_commits(repository: Repository) -> Iterator[Commit]:
    """Yield the last commits, newest first, with their paths."""
    output = repository.run(
        "log", f"-{LISTED}", "--no-merges", "-z", "--format=%x01%H%x02%P%x02%ae%x02%at%x02%s", "--encoding=UTF-8",
        "--name-only", "--no-renames",
    )  # fmt: skip
    for record in output.split(b"\x01")[1:]:
        fields, *paths = record.removesuffix(b"\0").split(b"\0")
        commit, parents, author, time, header = fields.split(b"\x02", 4)
        # git puts a line break before the first path.
        names = [path.removeprefix(b"\n") for path in paths if path][:PATHS_COMPARED]
        text = header.decode("utf-8", "replace")
        past = read_past_commit(header, names, day=find_day(time.decode()))
        yield Commit(commit.decode(), parents.decode().split(), author.decode("utf-8", "replace"), text, past)


def is_example(commit: Commit) -> bool:
    """Whether a person wrote the commit, with a conventional header, and it is no release."""
    by_machine = "[bot]" in commit.author or "bot@" in commit.author
    if by_machine or "release" in commit.header.lower() or not commit.parents:
        return False
    return _HEADER.match(commit.header) is not None


def make_rows(project: str, header: str, change: ChangeFacts, history: History) -> Iterator[Row]:
    """Yield the row of a change whose author gave it `header`, if that is conventional."""
    kind, colon, _ = header.partition(": ")
    name = kind.partition("(")[0].rstrip("!").lower()
    types = tuple(dict.fromkeys((*DEFAULT_TYPES, *history.types)))
    if colon and name in types:
        habits = weigh_habits(change, history, types)
        yield Row(project, measure(change), types, habits, name)


def fit(rows: Sequence[Row]) -> Weights:
    """Return the weights of types."""
    names = find_common_measures(rows)
    weights, habits = fit_types(rows, tabulate_measures(rows, names))
    return Weights(
        type_habits=habits.astype(float).round(3).tolist(),
        type_weights=";".join(compress(weights, names)),
    )


def find_common_measures(rows: Sequence[Row]) -> list[str]:
    """Return the measures that occur in enough projects and commits."""
    projects: dict[str, set[str]] = defaultdict(set)
    commits: Counter[str] = Counter()
    for row in rows:
        for name in row.measures:
            projects[name].add(row.project)
            commits[name] += 1
    return sorted(name for name in commits if len(projects[name]) >= PROJECTS and commits[name] >= COMMITS)


def tabulate_measures(rows: Sequence[Row], names: Sequence[str]) -> np.ndarray:
    """Return a table with a row for each commit and a column for each of `names`."""
    places = {name: place for place, name in enumerate(names)}
    table = np.zeros((len(rows), len(names)), np.float32)
    for number, row in enumerate(rows):
        for name, value in row.measures.items():
            if name in places:
                table[number, places[name]] = value
    return table


def fit_types(rows: Sequence[Row], table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fit a conditional logit: each project chooses among its own types, which share weights by class.

    Return the weights of the measures, and for each class those of the habits.
    """
    widest = max(len(row.types) for row in rows)
    habits = np.zeros((len(rows), widest, 3), np.float32)
    absent = np.full((len(rows), widest), -1e9, np.float32)
    places = np.zeros((len(rows), widest), int)
    chosen = np.zeros((len(rows), widest), np.float32)
    for number, row in enumerate(rows):
        for place, name in enumerate(row.types):
            habits[number, place] = [logarithms[name] for logarithms in row.habits]
            absent[number, place] = 0
            places[number, place] = CLASSES.index(find_class(name))
        chosen[number, row.types.index(row.type)] = 1
    return descend(table, places, habits, absent=absent, chosen=chosen)


def descend(
    table: np.ndarray,
    places: np.ndarray,
    habits: np.ndarray,
    *,
    absent: np.ndarray,
    chosen: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights that make what was chosen likeliest, by gradient descent (Adam) with a ridge.

    `table` has the measures of each commit, `places` the class of each of its alternatives, `habits` their logarithms;
    `absent` is 0 for an alternative and very low beyond them, and `chosen` is 1 for the one that was chosen. The habits
    have a weight for all classes, to which each class adds its own.
    """
    size = len(table)
    weights = np.zeros((table.shape[1], len(CLASSES)), np.float32)
    shared = np.full(habits.shape[2], 0.1, np.float32)
    own = np.zeros((len(CLASSES), habits.shape[2]), np.float32)
    values = (weights, shared, own)
    moments = [(np.zeros_like(value), np.zeros_like(value)) for value in values]
    lines = np.arange(size)[:, None]
    for step in range(1, STEPS + 1):
        scores = (table @ weights)[lines, places] + np.einsum("ntk,ntk->nt", habits, shared + own[places]) + absent
        likely = np.exp(scores - scores.max(1, keepdims=True))
        error = (likely / likely.sum(1, keepdims=True) - chosen) / size
        by_class = np.zeros((size, len(CLASSES)), np.float32)
        np.add.at(by_class, (lines, places), error)
        of_habits = error[:, :, None] * habits
        by_habit = np.zeros_like(own)
        np.add.at(by_habit, places, of_habits)
        slopes = (
            table.T @ by_class + RIDGE / size * weights,
            of_habits.sum((0, 1)) + 0.5 / size * shared,
            by_habit + HABIT_RIDGE / size * own,
        )
        rate = RATE * (0.525 + 0.475 * math.cos(math.pi * step / STEPS))
        for value, slope, (mean, square) in zip(values, slopes, moments, strict=True):
            np.add(mean, 0.1 * (slope - mean), out=mean)
            np.add(square, 0.01 * (slope**2 - square), out=square)
            change = rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
            np.subtract(value, change, out=value)
    return weights, shared + own


def compress(weights: np.ndarray, names: Sequence[str]) -> list[str]:
    """Return a row for each measure: its name, and the places at which it has a weight, each with it in hundredths."""
    kept = []
    for name, row in zip(names, np.rint(100 * weights).astype(int), strict=True):
        entries: list[int] = []
        for place, weight in enumerate(row):
            if abs(weight) >= LEAST:
                entries += [place, int(weight)]
        if entries:
            kept.append(f"{name}: {' '.join(map(str, entries))}")
    return sorted(kept)


def write(weights: Weights) -> None:
    """Write the data file of the package."""
    content = json.dumps(weights.as_dict(), separators=(",", ":"), sort_keys=True)
    replace_file(str(DATA), f"{content}\n".encode())


if __name__ == "__main__":
    main()
