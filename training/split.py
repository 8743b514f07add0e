"""Fits the weights of the embedded splitter: `python training/split.py [--write] CHANGES.jsonl.gz...`.

The files are those that `changes.py` writes. Each project is split with weights that were fitted without it; the table
that is printed has a column for each file. Single commits count only if they have two parts or more. With `--write` the
weights fitted to all projects are written into the package. The same changes give the same weights. With `--continue`
the network for parts begins with the weights that the package has, for changes of further projects.

Needs numpy.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

# The matrices are small: more threads only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from smartcommit.change.uses import list_uses  # noqa: E402
from smartcommit.git.diff import FileDiff, Hunk  # noqa: E402
from smartcommit.git.hunks import ChangeUnits, Unit, group_by_file, read_units  # noqa: E402
from smartcommit.git.repo import Repository  # noqa: E402
from smartcommit.split.constraints import find_inseparable  # noqa: E402
from smartcommit.split.embedded import similarity  # noqa: E402
from smartcommit.split.embedded.commit_count import Dendrogram, Level, average_link, choose_level  # noqa: E402
from smartcommit.split.embedded.partition import Division, find_partition  # noqa: E402
from smartcommit.split.embedded.similarity import (  # noqa: E402
    Comparison,
    Features,
    Network,
    Pair,
    Regression,
    Weights,
    read_part,
)

# Each of n pairs of a change weighs n to the negative power of `POWER`, so that a large change counts more than a small
# one, but not as much more as it has pairs. Those of a single commit weigh half of that.
POWER = 0.55
SINGLE = 0.7
RIDGE = 30.0
# The network for parts.
UNITS = 24
EPOCHS = 12
BATCH = 512
RATE = 0.003
DECAY = 0.1
# Where a network is fitted further with `--continue`: the units that are added, and how gently.
ADDED_UNITS, CONTINUED_EPOCHS, CONTINUED_RATE = 8, 8, 0.001
# Projects are held out in so many groups.
FOLDS = 10
# The thresholds, chosen by what this script prints. `whole` is the dial between single commits that stay whole and
# changes that are split. `small` is how much less groups of at most `small_lines` have to fit to be joined.
LEVELS = {
    "whole": 0.65, "whole_growth": -0.03, "cut": 0.6, "cut_growth": 0.27, "cut_at_most": 0.7,
    "small": 0.1, "small_lines": 4,
}  # fmt: skip

Fitted = TypeVar("Fitted", Network, Regression)
Counts = Counter[int]
Score = tuple[float, bool]


@dataclass(slots=True)
class Change:
    """A change whose commits are known, of a project that is held out in `fold`.

    `files` are the rows of its files by their paths, and `repository` has them while the changes are read.
    `labels` has, for each path, the lines of each commit in each hunk, or in the whole file if it cannot be divided.
    `counts` has the lines of each commit in each part, with whole files as parts. `features` are those of each pair of
    parts. `tree`, `level` and `found` are how the change is split while its project is held out.
    """

    source: str
    project: str
    commits: int
    units: ChangeUnits
    labels: dict[bytes, list[Counts]]
    files: Mapping[bytes, Mapping[str, Any]]
    repository: Repository
    fold: int = 0
    counts: list[Counts] = field(default_factory=list)
    features: dict[Pair, Features] = field(default_factory=dict)
    tree: Dendrogram = field(default_factory=lambda: Dendrogram(0, ()))
    level: Level = field(default_factory=lambda: Level(0))
    found: Division = field(default_factory=lambda: Division(ChangeUnits(), []))

    def count_lines(self, units: Iterable[Unit]) -> Counts:
        """Return the number of lines of each commit in `units`."""
        counts: Counts = Counter()
        for unit in units:
            for path in unit.paths:
                for labels in self.labels.get(path, []):
                    counts.update(labels)
        return counts


@dataclass(slots=True)
class Samples:
    """What weights are fitted to: rows of features, with the truth, the weight and the fold of each row."""

    names: list[str] = field(default_factory=list)
    rows: list[list[float]] = field(default_factory=list)
    truths: list[float] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    folds: list[int] = field(default_factory=list)

    def add(self, features: Features, truth: float, *, weight: float, fold: int) -> None:
        """Add a row; all rows have the same features."""
        self.names = self.names or sorted(features)
        self.rows.append([float(features[name]) for name in self.names])
        self.truths.append(truth)
        self.weights.append(weight)
        self.folds.append(fold)

    def fit(self, fitter: Callable[[Sequence[str], Any, Any, Any], Fitted]) -> list[Fitted]:
        """Return for each fold the weights fitted to the others, and last those fitted to all."""
        x, y, w = numpy.array(self.rows), numpy.array(self.truths), numpy.array(self.weights)
        folds = numpy.array(self.folds)
        fitted = []
        for fold in range(FOLDS + 1):
            others = folds != fold
            fitted.append(fitter(self.names, x[others], y[others], w[others]))
        return fitted


def main() -> None:
    """Print how well projects are split while they are held out, and write the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("changes", nargs="+", metavar="CHANGES.jsonl.gz")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--continue", action="store_true", dest="further", help="begin with the package's weights")
    options = parser.parse_args()
    changes: list[Change] = []
    for path in options.changes:
        changes += read_changes(path)
    if len({change.project for change in changes}) < 2:
        parser.error("changes of two or more projects are needed")
    for fold, ours in enumerate(group_by_fold(changes)):
        for change in ours:
            change.fold = fold
            compare_parts(change)
    weights = similarity.load_weights()
    fit_and_split(changes, weights, further=options.further)
    print_table(changes)
    print_calibration(changes)
    if options.write:
        target = ROOT / "smartcommit" / "split" / "embedded" / "weights.json"
        target.write_text(json.dumps(weights, separators=(",", ":")) + "\n", encoding="utf-8")


def group_by_fold(changes: Iterable[Change]) -> list[list[Change]]:
    """Return the changes of the projects that are held out together, for each fold."""
    projects = sorted({change.project for change in changes})
    found: list[list[Change]] = [[] for _ in range(FOLDS)]
    for change in changes:
        found[projects.index(change.project) % FOLDS].append(change)
    return found


def read_changes(path: str) -> Iterator[Change]:
    """Yield the changes in a file that `changes.py` wrote."""
    rows = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if "files" in row:
                rows.append(row)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", "--bare", folder], check=True)
        command = ["git", "-C", folder, "fast-import", "--quiet"]
        subprocess.run(command, input=b"".join(write_commits(rows)), check=True)
        repository = Repository(worktree=folder, git_dir=folder, common_dir=folder, object_format="sha1")
        for number, row in enumerate(rows):
            units = read_units(repository, f"refs/old/{number}", f"refs/new/{number}", cut=False)
            labels = read_labels(row["files"], units.diffs)
            files = {file["path"].encode("utf-8", "surrogateescape"): file for file in row["files"]}
            source = Path(path).name.partition(".")[0]
            yield Change(source, row["repo"], len(row["commits"]), units, labels, files, repository)


def write_commits(rows: Sequence[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield commands for `git fast-import` that make two commits of each row: the files before and after."""
    for number, row in enumerate(rows):
        for side in ("old", "new"):
            yield b"commit refs/%s/%d\ncommitter a <a> 0 +0000\ndata 0\n" % (side.encode(), number)
            for file in row["files"]:
                if file[side] is None:
                    continue
                path = file["path"].encode("utf-8", "surrogateescape")
                quoted = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
                content = file[side].encode("utf-8", "surrogateescape")
                mode = file[f"{side}_mode"].encode()
                yield b'M %s inline "%s"\ndata %d\n%s\n' % (mode, quoted, len(content), content)


def read_labels(files: Iterable[Mapping[str, Any]], diffs: Iterable[FileDiff]) -> dict[bytes, list[Counts]]:
    """Return for each path the lines of each commit in each hunk, or in the whole file if it was not modified."""
    hunks = {diff.change.path: diff.hunks for diff in diffs if diff.change.status == "M"}
    labels = {}
    for file in files:
        path = file["path"].encode("utf-8", "surrogateescape")
        labels[path] = [label_hunk(file, hunk) for hunk in hunks.get(path, ())]
        if not labels[path]:
            labels[path] = [Counter([*file["added"].values(), *file["removed"].values()])]
    return labels


def label_hunk(file: Mapping[str, Any], hunk: Hunk) -> Counts:
    """Return the number of lines of each commit in a hunk of `file`."""
    counts: Counts = Counter()
    for side, start, count in (("added", hunk.new_start, hunk.new_count), ("removed", hunk.old_start, hunk.old_count)):
        for line in range(start, start + count):
            if str(line) in file[side]:
                counts[file[side][str(line)]] += 1
    return counts


def compare_parts(change: Change) -> None:
    """Set the features of each pair of parts."""
    bundles = find_inseparable(change.units.units)
    change.counts = list(map(change.count_lines, bundles))
    files = list(map(group_by_file, bundles))
    comparison = Comparison(list(map(read_part, files)), list_uses(files))
    for one, other in combinations(range(len(bundles)), 2):
        change.features[one, other] = comparison.features(one, other)


def same_share(change: Change, one: Counts, other: Counts) -> float:
    """Return the share of the pairs of lines, one line from each count, that are of one commit."""
    if change.commits == 1:
        return 1.0
    same = sum(lines * other[commit] for commit, lines in one.items())
    pairs = one.total() * other.total()
    return same / pairs if pairs else 0.0


def fit_and_split(changes: Sequence[Change], weights: Weights, *, further: bool = False) -> None:
    """Split each change as the package does, with weights fitted to the projects of the other folds.

    At the end `weights`, those that the package uses, are fitted to all projects.
    """
    weights["levels"] = LEVELS
    fitter = fit_network
    if further:
        fitter = partial(fit_network, count=ADDED_UNITS, start=weights["parts"])
    parts = sample_parts(changes).fit(fitter)
    for change in changes:
        weights["parts"] = parts[change.fold]
        change.tree = link(change, weights["parts"])
    confidence = sample_confidence(changes).fit(fit_logistic)
    for change in changes:
        weights["parts"], weights["confidence"] = parts[change.fold], confidence[change.fold]
        change.level = choose_level(change.tree)
        change.found = split(change)
    weights["parts"], weights["confidence"] = parts[-1], confidence[-1]


def sample_parts(changes: Iterable[Change]) -> Samples:
    """Return the pairs of parts; those of which both have many lines weigh more."""
    samples = Samples()
    for change in changes:
        weight = weigh_pairs(change)
        for (one, other), features in change.features.items():
            truth = same_share(change, change.counts[one], change.counts[other])
            lines = math.sqrt(max(0.5, features["least_lines"]))
            samples.add(features, truth, weight=weight * lines, fold=change.fold)
    return samples


def sample_confidence(changes: Iterable[Change]) -> Samples:
    """Return how far each level is from the next best one, and whether it is right."""
    samples = Samples()
    for change in changes:
        level = choose_level(change.tree)
        if level.other is None:
            continue
        features = {"margin": level.margin, "size": math.log(change.tree.size)}
        samples.add(features, float(is_level_right(change, level)), weight=1.0, fold=change.fold)
    return samples


def weigh_pairs(change: Change) -> float:
    """Return the weight of each pair of parts of a change."""
    weight = 1 / max(1, len(change.features)) ** POWER
    return weight * SINGLE if change.commits == 1 else weight


def fit_network(
    names: Sequence[str], x: Any, y: Any, w: Any, *, count: int = UNITS, start: Network | None = None
) -> Network:
    """Return a network of `count` units fitted by Adam with decoupled weight decay; `x`, `y` and `w` are arrays.

    With `start` its units come first, are fitted gently, and decay to what they were.
    """
    chance = numpy.random.default_rng(0)
    mean, spread = x.mean(0), x.std(0)
    spread[spread < 1e-6] = 1e9
    z, w = (x - mean) / spread, w / w.mean()
    size = len(names)
    fitted = [
        chance.normal(0, size**-0.5, (size, count)), numpy.zeros(count),
        chance.normal(0, count**-0.5, count), numpy.zeros(1),
    ]  # fmt: skip
    kept = [numpy.zeros_like(value) for value in fitted]
    epochs, first_rate = EPOCHS, RATE
    if start is not None:
        earlier = read_network(start, names, mean, spread)
        for number, value in enumerate(earlier[:3]):
            kept[number] = numpy.concatenate([value, kept[number]], axis=-1)
            fitted[number] = numpy.concatenate([value, fitted[number]], axis=-1)
        kept[3], fitted[3] = earlier[3], earlier[3].copy()
        epochs, first_rate = CONTINUED_EPOCHS, CONTINUED_RATE
    descents = [Descent(numpy.zeros_like(value), numpy.zeros_like(value)) for value in fitted]
    steps = epochs * (len(z) // BATCH)
    rows = chance.permutation(len(z))
    for step in range(1, steps + 1):
        if len(rows) < BATCH:
            rows = chance.permutation(len(z))
        batch, rows = rows[:BATCH], rows[BATCH:]
        slopes = find_slopes(fitted, z[batch], y[batch], w[batch])
        rate = first_rate * (1 - step / steps)
        for value, slope, descent, aim in zip(fitted, slopes, descents, kept, strict=True):
            value[...] -= rate * (descent.step(slope, step) + DECAY * (value - aim))
    weights = fitted[0] / spread[:, None]
    return {
        "weights": {name: round_all(row) for name, row in zip(names, weights, strict=True)},
        "units": round_all(fitted[1] - mean @ weights),
        "output": round_all(fitted[2]),
        "bias": round(float(fitted[3][0]), 4),
    }


def read_network(network: Network, names: Sequence[str], mean: Any, spread: Any) -> list[Any]:
    """Return a network for columns with this mean and spread; features that it does not know weigh nothing."""
    unknown = [0.0] * len(network["units"])
    weights = numpy.array([network["weights"].get(name, unknown) for name in names])
    units = numpy.array(network["units"]) + mean @ weights
    weights[spread > 1e8] = 0
    output, bias = numpy.array(network["output"]), numpy.array([network["bias"]])
    return [weights * spread[:, None], units, output, bias]


@dataclass(slots=True)
class Descent:
    """The running means of some weights' slopes and of their squares. Source: Adam (Kingma and Ba, 2015)."""

    mean: Any
    square: Any

    def step(self, slope: Any, number: int) -> Any:
        """Return the direction of a step, which is of size 1 where the slope is steady."""
        self.mean += 0.1 * (slope - self.mean)
        self.square += 0.001 * (slope * slope - self.square)
        return self.mean / (1 - 0.9**number) / (numpy.sqrt(self.square / (1 - 0.999**number)) + 1e-8)


def find_slopes(fitted: Sequence[Any], z: Any, y: Any, w: Any) -> list[Any]:
    """Return the slopes of the loss in the weights of a network, for a batch of rows."""
    weights, units, output, bias = fitted
    active = numpy.maximum(z @ weights + units, 0)
    p = 1 / (1 + numpy.exp(-numpy.clip(active @ output + bias, -30, 30)))
    error = w * (p - y) / len(z)
    back = numpy.outer(error, output) * (active > 0)
    return [z.T @ back, back.sum(0), active.T @ error, error.sum(keepdims=True)]


def round_all(values: Iterable[Any]) -> list[float]:
    return [round(float(value), 4) for value in values]


def fit_logistic(names: Sequence[str], x: Any, y: Any, w: Any) -> Regression:
    """Return a ridge regression by Newton's method on standardized columns; `x`, `y` and `w` are arrays."""
    w = w / w.mean()
    mean = (x * w[:, None]).sum(0) / w.sum()
    spread = numpy.sqrt(((x - mean) ** 2 * w[:, None]).sum(0) / w.sum())
    spread[spread < 1e-6] = 1e9
    z = numpy.hstack([(x - mean) / spread, numpy.ones((len(x), 1))])
    penalty = numpy.eye(z.shape[1]) * RIDGE
    penalty[-1, -1] = 0
    fitted = numpy.zeros(z.shape[1])
    for _ in range(12):
        p = 1 / (1 + numpy.exp(-numpy.clip(z @ fitted, -30, 30)))
        slope = (z * (w * p * (1 - p))[:, None]).T @ z + penalty
        fitted -= numpy.linalg.solve(slope, z.T @ (w * (p - y)) + penalty @ fitted)
    found = fitted[:-1] / spread
    bias = fitted[-1] - (found * mean).sum()
    weights = {name: round(float(weight), 4) for name, weight in zip(names, found, strict=True)}
    return {"bias": round(float(bias), 4), "weights": weights}


def link(change: Change, network: Network) -> Dendrogram:
    """Return the dendrogram of the parts of a change."""

    def fit(one: int, other: int) -> float:
        return similarity.activate(change.features[one, other], network)

    return average_link(len(change.counts), fit)


def split(change: Change) -> Division:
    """Return how the package splits a change."""
    return find_partition(change.units, asking=True)


def print_table(changes: Sequence[Change]) -> None:
    """Print the scores in a row for each way to split and a column for each file."""
    heading, rule = "|", "|---"
    rows = ["a commit for each file", "the chosen number", "the better of two numbers, if they are close"]
    questions = []
    for source, ours in group_by_source(changes).items():
        is_single = ours[0].commits == 1
        heading += f" | {source}: " + ("left whole" if is_single else "balanced, exact")
        rule += "|---"
        each = [score(change, find_inseparable(change.units.units)) for change in ours]
        chosen = [score(change, change.found.groups) for change in ours]
        asked = list(map(score_better, ours))
        for number, scores in enumerate((each, chosen, asked)):
            rows[number] += f" | {format_scores(scores, is_single=is_single)}"
        share = fmean(change.found.alternative is not None for change in ours)
        questions.append(f"{share:.0%} of {len(ours)} ({source})")
    print(f"{heading} |\n{rule}|")
    for row in rows:
        print(f"| {row} |")
    print(f"\nTwo numbers are close in {', '.join(questions)}.\n")


def group_by_source(changes: Iterable[Change]) -> dict[str, list[Change]]:
    """Return the changes of each file, without single commits of one part."""
    found: dict[str, list[Change]] = {}
    for change in changes:
        if change.commits > 1 or len(change.counts) > 1:
            found.setdefault(change.source, []).append(change)
    return found


def format_scores(scores: Sequence[Score], *, is_single: bool) -> str:
    """Return the mean balanced accuracy and the share of exact splits; for single commits they are the same."""
    balanced = format_share(fmean(balanced for balanced, _ in scores))
    if is_single:
        return balanced
    return f"{balanced}, {format_share(fmean(exact for _, exact in scores))}"


def format_share(share: float) -> str:
    return f"{share:.3f}".removeprefix("0")


def score_better(change: Change) -> Score:
    """Return the score if a user who is asked chooses the better of two numbers."""
    chosen = score(change, change.found.groups)
    if change.found.alternative is None:
        return chosen
    return max(chosen, score(change, change.found.alternative.groups))


def print_calibration(changes: Iterable[Change]) -> None:
    """Print how often the chosen number of groups of whole files is right, by tenths of the confidence."""
    found: dict[int, list[bool]] = {}
    for change in changes:
        if change.level.other is not None:
            found.setdefault(int(change.level.confidence * 10), []).append(is_level_right(change, change.level))
    print("| confidence | right | changes |\n|---|---|---|")
    for tenth, rights in sorted(found.items()):
        print(f"| {tenth / 10} to {(tenth + 1) / 10} | {format_share(fmean(rights))} | {len(rights)} |")


def is_level_right(change: Change, level: Level) -> bool:
    """Whether the number of groups that was chosen is at least as good as the next best one."""
    assert level.other is not None
    return score_level(change, level.count) >= score_level(change, level.other)


def score_level(change: Change, count: int) -> Score:
    """Return the score of `count` groups of whole files."""
    bundles = find_inseparable(change.units.units)
    groups = []
    for positions in change.tree.groups(count):
        units: list[Unit] = []
        for position in positions:
            units += bundles[position]
        groups.append(units)
    return score(change, groups)


def score(change: Change, groups: Sequence[Sequence[Unit]]) -> Score:
    """Return the balanced accuracy of a split, and whether it is exact.

    Groups are matched one to one with commits. Balanced accuracy is the mean, over the commits, of the share of a
    commit's lines that are in its group.
    """
    if change.commits == 1:
        return float(len(groups) == 1), len(groups) == 1
    having = list(map(change.count_lines, groups))
    sizes: Counts = Counter()
    for lines in having:
        sizes.update(lines)
    table = []
    for lines in having:
        table.append([lines[commit] / max(1, sizes[commit]) for commit in range(change.commits)])
    matched = match_best(table, change.commits)
    return matched / change.commits, len(groups) == change.commits and matched > change.commits - 1e-9


def match_best(table: Sequence[Sequence[float]], commits: int) -> float:
    """Return the largest sum of a one-to-one matching of rows to columns, by the sets of columns that are taken."""
    best = {0: 0.0}
    for row in table:
        for taken, total in list(best.items()):
            for commit in range(commits):
                if not taken >> commit & 1:
                    now = taken | 1 << commit
                    best[now] = max(best.get(now, 0.0), total + row[commit])
    return max(best.values())


if __name__ == "__main__":
    main()
