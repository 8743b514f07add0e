"""How near `git smart-commit range` comes to the commits of people: `python benchmarks/ranges.py GIT_DIRECTORY...`.

Draws merged branches of 2 to 8 commits from each project, makes each a single commit "wip" in a scratch repository, and
cuts that anew. Prints how many kept their tree, got messages that the rules accept, and were undone exactly, and how
the commits score beside those of the branch. With the same directories and `--seed` the same branches are drawn.
Status 1 where a tree, a message or an undo is wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from history import NAME, SPLIT_BASELINES, SplitScore, average, find_origins, score_split  # noqa: E402
from real_commits import open_repository  # noqa: E402

from smartcommit.errors import GitError  # noqa: E402
from smartcommit.git.repo import Repository  # noqa: E402
from tests.support.repository import IDENTITY, Repo  # noqa: E402

NEWEST = 1500  # merges of a project to draw from
COMMITS, HUNKS = range(2, 9), range(2, 81)
PROGRAM = "import sys; sys.path.insert(0, sys.argv.pop(1)); from smartcommit.cli import main; sys.exit(main())"


@dataclass(frozen=True)
class Branch:
    """A branch in the git directory `source`: its commits above `base`, oldest first."""

    source: str
    base: str
    commits: list[str]


@dataclass(frozen=True)
class Outcome:
    """What became of a branch, with the scores of the split and of baselines."""

    same_tree: bool
    accepted: bool
    undone: bool
    scores: list[SplitScore]


def main() -> int:
    """Print the figures of all projects together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="+", metavar="GIT_DIRECTORY")
    parser.add_argument("--each", type=int, default=3, help="branches per project")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ.update(IDENTITY)
    outcomes: list[Outcome] = []
    for directory in options.projects:
        wanted = len(outcomes) + options.each
        for branch in draw_branches(os.path.abspath(directory), options.seed):
            with tempfile.TemporaryDirectory() as folder:
                outcomes += cut_anew(branch, Path(folder))
            if len(outcomes) == wanted:
                break
        print(f"{directory}: {len(outcomes)} branches so far", file=sys.stderr, flush=True)
    if not outcomes:
        sys.exit("no merged branches in these projects")
    return print_figures(outcomes)


def draw_branches(source: str, seed: int) -> Iterator[Branch]:
    """Yield the merged branches of a project that are neither too small nor too large, in random order."""
    repository = open_repository(source)
    log = repository.run("log", "--first-parent", "--min-parents=2", "--max-parents=2", f"-{NEWEST}", "--format=%P")
    merged = [line.split() for line in log.decode().splitlines()]
    random.Random(seed).shuffle(merged)
    for onto, tip in merged:
        base = repository.run("merge-base", onto, tip).decode().strip()
        listing = repository.run("rev-list", "--reverse", "--topo-order", "--parents", f"{base}..{tip}").decode()
        rows = [line.split() for line in listing.splitlines()]
        if len(rows) not in COMMITS or any(len(row) != 2 for row in rows):
            continue
        try:
            patch = repository.run("diff-tree", "-p", base, tip)
        except GitError:  # a partial clone lacks a file
            continue
        if len(re.findall(rb"^@@ ", patch, re.MULTILINE)) in HUNKS:
            yield Branch(source, base, [row[0] for row in rows])


def cut_anew(branch: Branch, folder: Path) -> list[Outcome]:
    """Return what becomes of a branch that was made one commit, or nothing if it cannot be checked out."""
    repo = Repo.init(folder)
    (folder / ".git/objects/info/alternates").write_text(f"{branch.source}/objects\n")
    tree = f"{branch.commits[-1]}^{{tree}}"
    squashed = repo.git("commit-tree", "-p", branch.base, "-m", "wip", tree).strip()
    repo.git("update-ref", "HEAD", squashed)
    if repo.run("reset", "-q", "--hard").returncode != 0:  # a partial clone lacks a file
        return []
    done = run_program(repo, "range", f"{branch.base}..", "--yes")
    made = repo.git("rev-list", "--reverse", f"{branch.base}..HEAD").split()
    same_tree = repo.git("rev-parse", "HEAD^{tree}") == repo.git("rev-parse", tree)
    accepted = run_program(repo, "check", "--range", f"{branch.base}..HEAD").returncode == 0
    scores = score(Repository.find(str(folder)), branch, made)
    undone = run_program(repo, "undo").returncode == 0
    undone = undone and repo.git("rev-parse", "HEAD").strip() == squashed and not repo.git("status", "--porcelain")
    if done.returncode or not (same_tree and accepted and undone):
        print(f"{branch.source} {branch.base}..{branch.commits[-1]}: {done.stdout}{done.stderr}", file=sys.stderr)
    return [Outcome(same_tree and done.returncode == 0, accepted, undone, scores)]


def run_program(repo: Repo, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of this checkout."""
    command = [sys.executable, "-c", PROGRAM, str(ROOT), *words]
    return subprocess.run(command, cwd=repo.path, capture_output=True, text=True, check=False)


def score(repository: Repository, branch: Branch, made: list[str]) -> list[SplitScore]:
    """Return the scores of the commits `made` and of each baseline, beside the commits of the branch."""
    made_by = find_origins(repository, branch.base, made)
    lines = {}
    for line, commit in find_origins(repository, branch.base, branch.commits).items():
        if line in made_by:
            lines[line] = commit
    scores = [score_split(NAME, lines, made_by)]
    for name, group in SPLIT_BASELINES.items():
        scores.append(score_split(name, lines, dict(zip(lines, map(group, lines), strict=True))))
    return scores


def print_figures(outcomes: list[Outcome]) -> int:
    """Print what was counted, and return the exit status."""
    counts = []
    for name in ("same_tree", "accepted", "undone"):
        counts.append(sum(getattr(outcome, name) for outcome in outcomes))
        print(f"{name.replace('_', ' '):24} {counts[-1]} of {len(outcomes)}")
    for scores in zip(*(outcome.scores for outcome in outcomes), strict=True):
        mean = average(scores)
        print(f"{mean.name:24} balanced {mean.balanced:.3f}  exact {mean.exact:.3f}")
    return int(min(counts) < len(outcomes))


if __name__ == "__main__":
    sys.exit(main())
