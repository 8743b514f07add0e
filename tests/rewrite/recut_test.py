"""`--range`: commits of the branch are cut anew."""

from __future__ import annotations

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.split.outcome import DONE
from tests.support.repository import Repo
from tests.support.splitting import status_of


@pytest.fixture
def branch(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.chdir(based.path)
    based.git("branch", "start")
    for number in range(3):
        files = {f"part{number}/code.py": f"def part{number}():\n    return {number}\n", "notes.md": f"note {number}\n"}
        based.commit(f"wip {number}", files)
    return based


def uncommitted(repo: Repo) -> tuple[str, str]:
    """Return everything that is not committed: the index with its flags and times, and the status."""
    return repo.git("ls-files", "--stage", "-v", "--debug"), status_of(repo)


def test_the_commits_are_others_and_end_in_the_same_tree(branch: Repo) -> None:
    branch.write("base.txt", "staged\n")
    branch.git("add", "base.txt")
    branch.write("base.txt", "unstaged\n")
    branch.write("untracked", "\n")
    old, before = branch.git("rev-parse", "HEAD").strip(), uncommitted(branch)
    assert git_smart_commit(["--range", "start..", "--yes"]) == DONE
    assert branch.git("rev-parse", "HEAD").strip() != old
    assert branch.git("rev-parse", "HEAD^{tree}") == branch.git("rev-parse", f"{old}^{{tree}}")
    assert branch.git("merge-base", "HEAD", "start") == branch.git("rev-parse", "start")
    assert uncommitted(branch) == before
    assert git_smart_commit(["--undo"]) == DONE
    assert branch.git("rev-parse", "HEAD").strip() == old
    assert uncommitted(branch) == before


def test_undo_keeps_what_was_staged_since(branch: Repo) -> None:
    old = branch.git("rev-parse", "HEAD").strip()
    assert git_smart_commit(["--range", "start..", "--yes"]) == DONE
    branch.stage({"later.txt": "later\n"})
    branch.write("later.txt", "and changed\n")
    before = uncommitted(branch)
    assert git_smart_commit(["--undo"]) == DONE
    assert branch.git("rev-parse", "HEAD").strip() == old
    assert uncommitted(branch) == before
