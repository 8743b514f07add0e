"""Real history: a commit of this repository, taken as a change to its parent, comes out of its pieces whole."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

from tests.conftest import ROOT
from tests.support.repository import Repo
from tests.support.splitting import assert_line, head_of, run_shuffled, status_of

# All of them take minutes; these are spread over the whole history.
COMMITS = 10


def test_commits_of_the_past_are_split_in_any_order_and_end_in_their_tree(tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(tmp_path / "repo")], check=True)
    repo = Repo(tmp_path / "repo")
    history = repo.git("rev-list", "--min-parents=1", "--max-parents=1", "HEAD").split()
    assert history, "without a history nothing is shown"
    for commit in history[:: max(1, len(history) // COMMITS)]:
        # A mixed reset leaves the files as the commit has them.
        repo.git("checkout", "-q", "--detach", commit)
        repo.git("reset", "-q", f"{commit}~")
        old = head_of(repo)
        count = run_shuffled(repo, random.Random(commit), halved=True)
        assert repo.git("rev-parse", "HEAD^{tree}") == repo.git("rev-parse", f"{commit}^{{tree}}"), commit
        assert len(assert_line(repo, old)) == count
        assert status_of(repo) == ""
