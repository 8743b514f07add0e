"""Whether a file was written since the ledger looked at it, as far as that can be told without git."""

import os
from pathlib import Path

import pytest

from smartcommit.errors import GitError
from smartcommit.git.repo import Repository
from smartcommit.session import last_look, worktree
from smartcommit.session.ledger import Ledger
from tests.support.repository import Repo


def may_be_written(repo: Repo) -> bool:
    return last_look.may_be_written(str(repo.path), last_look.find_git_dir(str(repo.path)))


def look(repo: Repo) -> None:
    """Look at what differs from HEAD, a while after it was written."""
    for path in repo.path.iterdir():
        if path.is_file():
            os.utime(path, (1_700_000_000, 1_700_000_000))
    with Ledger(Repository.find(str(repo.path))) as ledger:
        ledger.refresh()


def test_a_known_file_that_is_written_is_noticed(based: Repo) -> None:
    assert not may_be_written(based)  # there is no ledger yet
    based.write("one.txt", "1\n")
    look(based)
    assert not may_be_written(based)
    based.write("one.txt", "2\n")
    assert may_be_written(based)
    look(based)
    (based.path / "one.txt").unlink()
    assert may_be_written(based)


def test_a_linked_worktree_has_its_own(based: Repo, tmp_path: Path) -> None:
    based.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.write("one.txt", "1\n")
    look(linked)
    linked.write("one.txt", "2\n")
    assert may_be_written(linked)
    assert not may_be_written(based)


def test_what_git_prints_beyond_a_limit_is_an_error_and_not_cut(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository.find(str(based.path))
    based.write("one.txt", "1\n")
    assert worktree.read_status(repository).untracked == [b"one.txt"]
    monkeypatch.setattr(worktree, "_OUTPUT", 10)
    with pytest.raises(GitError, match="too much"):
        worktree.read_status(repository)
