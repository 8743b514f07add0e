"""Fits the weights of candidates within files: `python training/within.py [--write] CHANGES.jsonl.gz...`.

The files are those that `changes.py` and `split.py` use, after the weights of `split.py` were written: candidates are
judged by whether they improve the split that the package makes with these. Projects are held out as there. For each
threshold a row is printed: how good the split is if the user is asked whenever a candidate is that likely, and takes it
if it is better, and how often that is. Changes in files whose names begin with `tangle` weigh more, as there are few.

Needs numpy.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import Any

from split import (
    FOLDS,
    ROOT,
    Change,
    Counts,
    Samples,
    Score,
    fit_network,
    format_scores,
    group_by_fold,
    match_best,
    read_changes,
    split,
)

from smartcommit.git.hunks import Unit, read_contents
from smartcommit.split.embedded import similarity
from smartcommit.split.embedded.finders import Candidate, Surroundings, find_candidates, find_certain, measure
from smartcommit.split.embedded.pieces import File, Piece
from smartcommit.split.embedded.similarity import Features, Network, activate
from smartcommit.split.embedded.splitter import list_files

# How much a candidate has to improve the balanced accuracy to be right, and what counts as no difference.
GAIN, NO_DIFFERENCE = 0.02, 0.005
# The weight of changes in which several concerns were really mixed, and that of candidates that make no difference.
TANGLED, INDIFFERENT = 6.0, 0.3
UNITS = 12
THRESHOLDS = (0.4, 0.43, 0.45, 0.46, 0.47, 0.48, 0.5)

Groups = dict[Piece, Hashable]


@dataclass(slots=True)
class Judged:
    """A change with the score of its split, and for each candidate its features and the score with it."""

    source: str
    project: str
    commits: int
    score: Score
    candidates: list[tuple[Features, Score]] = field(default_factory=list)
    fold: int = 0


def main() -> None:
    """Print what questions gain while projects are held out, and write the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("changes", nargs="+", metavar="CHANGES.jsonl.gz")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    judged: list[Judged] = []
    for path in options.changes:
        judged += map(judge, read_changes(path))
    for fold, ours in enumerate(group_by_fold(judged)):
        for one in ours:
            one.fold = fold
    fitted = sample(judged).fit(partial(fit_network, count=UNITS))
    print_table(judged, fitted)
    if options.write:
        weights = similarity.load_weights()
        weights["candidates"] = fitted[FOLDS]
        target = ROOT / "smartcommit" / "split" / "embedded" / "weights.json"
        target.write_text(json.dumps(weights, separators=(",", ":")) + "\n", encoding="utf-8")


def judge(change: Change) -> Judged:
    """Return the change with its candidates, each beside what the package does without asking."""
    _, files = list_files(change.units, read_contents(change.repository, change.units.diffs))
    certain = find_certain(files)
    lines = count_lines(change, files)
    found = split(change)
    groups = assign(files, found.groups)
    for number, pieces in enumerate(certain):
        groups.update(dict.fromkeys(pieces, ("certain", number)))
    judged = Judged(change.source, change.project, change.commits, score(change.commits, groups, lines))
    around = Surroundings(files, len(set(groups.values())), found.confidence or 1.0)
    for candidate in find_candidates(files, apart_from=certain):
        if not is_group(candidate, groups):
            taken = {**groups, **dict.fromkeys(candidate.pieces, "candidate")}
            judged.candidates.append((measure(candidate, around), score(change.commits, taken, lines)))
    return judged


def assign(files: Iterable[File], groups: Sequence[Sequence[Unit]]) -> Groups:
    """Return the number of the group of each piece; the units of `groups` are whole files."""
    by_path: dict[bytes, int] = {}
    for number, units in enumerate(groups):
        for unit in units:
            by_path[unit.change.path] = number
    found: Groups = {}
    for file in files:
        found.update(dict.fromkeys(file.pieces, by_path.get(file.path, 0)))
    return found


def count_lines(change: Change, files: Iterable[File]) -> Mapping[Piece, Counts]:
    """Return the number of lines of each commit in each piece; those of a whole file are all in its first."""
    counts: dict[Piece, Counts] = {}
    renamed = {diff.change.path: diff.change.old_path for diff in change.units.diffs}
    for file in files:
        counts.update((piece, Counter()) for piece in file.pieces)
        if file.is_divisible:
            for piece in file.pieces:
                counts[piece] = count_in_piece(change.files[file.path], piece)
        elif file.pieces:
            for path in {file.path, renamed[file.path]}:
                for labels in change.labels.get(path or b"", []):
                    counts[file.pieces[0]].update(labels)
    return counts


def count_in_piece(file: Mapping[str, Any], piece: Piece) -> Counts:
    counts: Counts = Counter()
    for side, lines in (("removed", piece.hunk.old_lines), ("added", piece.hunk.new_lines)):
        for line in lines:
            commit = file[side].get(str(line + 1))
            if commit is not None:
                counts[commit] += 1
    return counts


def is_group(candidate: Candidate, groups: Groups) -> bool:
    """Whether the candidate is a group already."""
    numbers = {groups[piece] for piece in candidate.pieces}
    return len(numbers) == 1 and candidate.pieces == {piece for piece, number in groups.items() if number in numbers}


def score(commits: int, groups: Groups, lines: Mapping[Piece, Counts]) -> Score:
    """Return the balanced accuracy and whether the split is exact, as for whole files."""
    having: dict[Hashable, Counts] = {}
    sizes: Counts = Counter()
    for piece, group in groups.items():
        having.setdefault(group, Counter()).update(lines[piece])
        sizes.update(lines[piece])
    labeled = list(filter(None, having.values()))
    table = []
    for counts in labeled:
        table.append([counts[commit] / max(1, sizes[commit]) for commit in range(commits)])
    matched = match_best(table, commits) if table else 0.0
    return matched / commits, len(labeled) == commits and matched > commits - 1e-9


def sample(judged: Iterable[Judged]) -> Samples:
    """Return the candidates, and whether each improves the split of its change."""
    samples = Samples()
    for one in judged:
        weight = 1 / max(1, len(one.candidates)) ** 0.5
        if one.source.startswith("tangle"):
            weight *= TANGLED
        for features, taken in one.candidates:
            gain = measure_gain(one, taken)
            factor = 1.0 if abs(gain) > NO_DIFFERENCE else INDIFFERENT
            samples.add(features, float(gain > GAIN), weight=weight * factor, fold=one.fold)
    return samples


def measure_gain(judged: Judged, taken: Score) -> float:
    """Return by how much a candidate improves the split: what counts of a single commit is whether it stays whole."""
    if judged.commits == 1:
        return float(taken[1]) - float(judged.score[1])
    return taken[0] - judged.score[0]


def print_table(judged: Sequence[Judged], fitted: Sequence[Network]) -> None:
    """Print the scores in a row for each threshold and a column for each file, and how often the user is asked."""
    sources = list(dict.fromkeys(one.source for one in judged))
    print(f"| asked from | {' | '.join(sources)} |\n|---{'|---' * len(sources)}|")
    for threshold in (1.0, *THRESHOLDS):
        row = f"| {threshold:.2f}"
        for source in sources:
            ours = [one for one in judged if one.source == source and one.commits > 1]
            whole = [one for one in judged if one.source == source and one.commits == 1]
            row += " | "
            if ours:
                row += f"{format_scores([answer(one, fitted, threshold) for one in ours], is_single=False)} "
            if whole:
                row += f"whole {fmean(one.score[1] for one in whole):.3f} "
            row += f"asked {fmean(find_asked(one, fitted, threshold) is not None for one in ours or whole):.2f}"
        print(f"{row} |")


def find_asked(judged: Judged, fitted: Sequence[Network], threshold: float) -> Score | None:
    """Return the score with the candidate that the user is asked about, or None if the user is not asked."""
    best, least = None, threshold
    for features, taken in judged.candidates:
        probability = activate(features, fitted[judged.fold])
        if probability >= least:
            best, least = taken, probability
    return best


def answer(judged: Judged, fitted: Sequence[Network], threshold: float) -> Score:
    """Return the score if the user who is asked takes the better split."""
    asked = find_asked(judged, fitted, threshold)
    return judged.score if asked is None else max(judged.score, asked)


if __name__ == "__main__":
    main()
