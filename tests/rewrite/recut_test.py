"""`--range`: commits of the branch are cut anew."""

from __future__ import annotations

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.split.outcome import DONE
from tests.support.repository import Repo
from tests.support.splitting import joined_index, status_of


@pytest.fixture
def branch(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.chdir(based.path)
    based.git("branch", "start")
    for number in range(3):
        files = {f"part{number}/code.py": f"def part{number}():\n    return {number}\n", "notes.md": f"note {number}\n"}
        based.commit(f"wip {number}", files)
    return based


def test_the_commits_are_others_and_end_in_the_same_tree(branch: Repo) -> None:
    branch.write("base.txt", "staged\n")
    branch.git("add", "base.txt")
    branch.write("base.txt", "unstaged\n")
    branch.write("untracked", "\n")
    old, index, status = branch.git("rev-parse", "HEAD").strip(), joined_index(branch), status_of(branch)
    entries = branch.git("ls-files", "--stage", "-v", "--debug")
    assert git_smart_commit(["--range", "start..", "--yes"]) == DONE
    assert branch.git("rev-parse", "HEAD").strip() != old
    assert branch.git("rev-parse", "HEAD^{tree}") == branch.git("rev-parse", f"{old}^{{tree}}")
    assert branch.git("merge-base", "HEAD", "start") == branch.git("rev-parse", "start")
    assert (branch.git("ls-files", "--stage", "-v", "--debug"), status_of(branch)) == (entries, status)
    assert git_smart_commit(["--undo"]) == DONE
    assert branch.git("rev-parse", "HEAD").strip() == old
    assert (joined_index(branch), status_of(branch)) == (index, status)
