"""Real history: a commit of this repository, taken as a change to what was before, comes out of its pieces whole."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.repository import Repo
from tests.support.splitting import assert_line, head_of, run_shuffled, status_of

# All of them take minutes; these are spread over the whole history.
COMMITS = 10


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a source distribution has no history")
def test_commits_of_the_past_are_split_in_any_order_and_end_in_their_tree(tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(tmp_path / "repo")], check=True)
    repo = Repo(tmp_path / "repo")
    # In a shallow clone the one commit there is has no parent.
    history = repo.git("rev-list", "--max-parents=1", "HEAD").split()
    for commit in history[:: max(1, len(history) // COMMITS)]:
        repo.git("checkout", "-q", "--detach", commit)
        leave_as_files(repo, commit)
        old = head_of(repo)
        count = run_shuffled(repo, random.Random(commit), halved=True)
        assert repo.git("rev-parse", "HEAD^{tree}") == repo.git("rev-parse", f"{commit}^{{tree}}"), commit
        assert len(assert_line(repo, old)) == count
        assert status_of(repo) == ""


def leave_as_files(repo: Repo, commit: str) -> None:
    """Take `commit` back, and its changes for those of the working tree."""
    if repo.run("rev-parse", "--verify", "-q", f"{commit}~").returncode == 0:
        repo.git("reset", "-q", f"{commit}~")
    else:
        repo.git("checkout", "-q", "--orphan", "first")
        repo.git("rm", "-rq", "--cached", ".")
