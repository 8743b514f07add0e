"""The branch that HEAD names, and whether it has commits of its own, read from files."""

from pathlib import Path

import pytest

from smartcommit.git.repo import Repository
from tests.support.repository import Repo


def test_the_branch_is_the_one_that_git_names(repo: Repo, tmp_path: Path) -> None:
    found = Repository.find(str(repo.path))
    assert found.branch() == repo.git("symbolic-ref", "--short", "HEAD").rstrip()  # before the first commit
    repo.commit(files={"a": "a\n"})
    repo.git("switch", "-q", "-c", "größe/next-1")
    assert found.branch() == "größe/next-1"
    repo.git("worktree", "add", "-q", "-b", "beside", str(tmp_path / "beside"))
    assert Repository.find(str(tmp_path / "beside")).branch() == "beside"
    repo.git("checkout", "-q", "--detach")
    assert found.branch() is None
    repo.git("config", "core.preferSymlinkRefs", "true")
    repo.git("switch", "-q", "größe/next-1")
    assert found.branch() == "größe/next-1"


@pytest.mark.components
@pytest.mark.usefixtures("later_git")
def test_git_is_asked_where_refs_are_not_files(repo: Repo, tmp_path: Path) -> None:
    repo.git("init", "-q", "--ref-format=reftable", "-b", "next", str(tmp_path / "tables"))
    found = Repository.find(str(tmp_path / "tables"))
    assert found.branch() == "next"
    assert not found.has_own_commits("next")


def test_the_branch_that_is_rebased_is_at_work(repo: Repo) -> None:
    found = Repository.find(str(repo.path))
    repo.commit(files={"a": "a\n"})
    repo.git("switch", "-q", "-c", "fix/a")
    assert found.branch_at_work() == "fix/a"
    repo.commit(files={"a": "b\n"})
    for backend in ("--merge", "--apply"):
        repo.git("checkout", "-q", "--detach", "HEAD~1")
        assert found.branch_at_work() == ""
        repo.commit(files={"a": "c\n"})
        assert repo.run("rebase", backend, "HEAD", "fix/a").returncode != 0
        assert (found.branch(), found.branch_at_work()) == (None, "fix/a")
        repo.git("rebase", "--abort")


def test_a_branch_has_the_commits_that_were_made_or_pushed_on_it(repo: Repo) -> None:
    found = Repository.find(str(repo.path))
    repo.commit(files={"a": "a\n"})
    repo.git("switch", "-q", "-c", "fix/a")
    assert not found.has_own_commits("fix/a")
    repo.git("update-ref", "refs/remotes/origin/fix/b", "HEAD")
    repo.commit(files={"a": "b\n"})
    assert found.has_own_commits("fix/a")
    repo.git("switch", "-q", "-c", "fix/b", "refs/remotes/origin/fix/b")
    assert found.has_own_commits("fix/b")
    assert not found.has_own_commits("")
    assert not found.has_own_commits("none")
