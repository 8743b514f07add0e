"""The commits that are rewritten: which they are, and which are refused."""

import pytest

from smartcommit.errors import SplitError
from smartcommit.git.repo import Repository
from smartcommit.rewrite.commits import find_unpushed_range, read_named_range
from tests.support.repository import Repo
from tests.support.table import rows


@pytest.fixture
def branch(based: Repo) -> Repo:
    based.git("branch", "start")
    for number in range(3):
        based.write(f"file{number}", f"{number}\n")
        based.git("add", "-A")
        based.git("commit", "-q", "-m", f"feat: add file {number}\n\nbody\n", f"--author=A {number} <a@example.com>")
    return based


@rows("name", "start..", "start..HEAD", "start..@")
def test_a_range_has_the_commits_since_its_base_oldest_first(branch: Repo, name: str) -> None:
    found = read_named_range(Repository.find(str(branch.path)), name)
    assert [commit.title for commit in found.commits] == [f"feat: add file {number}" for number in range(3)]
    assert [commit.author.partition(b" <")[0] for commit in found.commits] == [b"A 0", b"A 1", b"A 2"]
    assert [found.base, found.head] == branch.git("rev-parse", "start", "HEAD").split()
    assert not found.has_merges
    assert found.commits[0].text == "feat: add file 0\n\nbody\n"


@rows("name", "..HEAD", "start..start", "start...HEAD", "nowhere..", "--all..", "HEAD..")
def test_another_name_is_refused(branch: Repo, name: str) -> None:
    with pytest.raises(SplitError):
        read_named_range(Repository.find(str(branch.path)), name)


def test_a_base_that_went_on_counts_from_where_the_branch_left_it(branch: Repo) -> None:
    start = branch.git("rev-parse", "start").strip()
    tip = branch.git("commit-tree", "-p", "start", "-m", "later", "start^{tree}").strip()
    branch.git("branch", "-f", "start", tip)
    assert read_named_range(Repository.find(str(branch.path)), "start..").base == start


def test_merges_are_refused_unless_they_are_allowed(branch: Repo) -> None:
    side = branch.git("commit-tree", "-p", "start", "-m", "side", "start^{tree}").strip()
    branch.git("merge", "-q", "-m", "merge", side)
    repository = Repository.find(str(branch.path))
    with pytest.raises(SplitError, match="merges"):
        read_named_range(repository, "start..")
    assert read_named_range(repository, "start..", allow_merges=True).has_merges
    with pytest.raises(SplitError, match="all commits up to 'HEAD' were pushed, or belong to a merge"):
        find_unpushed_range(repository)


def test_pushed_commits_are_refused_unless_they_are_allowed(branch: Repo) -> None:
    branch.git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    repository = Repository.find(str(branch.path))
    with pytest.raises(SplitError, match="pushed already: 2 of 3 commits"):
        read_named_range(repository, "start..")
    assert len(read_named_range(repository, "start..", allow_pushed=True).commits) == 3
    assert [commit.title for commit in find_unpushed_range(repository).commits] == ["feat: add file 2"]


def test_the_first_commit_has_no_base(branch: Repo) -> None:
    found = find_unpushed_range(Repository.find(str(branch.path)))
    assert (found.base, len(found.commits)) == (None, 4)
