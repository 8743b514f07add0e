"""The commits that are rewritten: which they are."""

import pytest

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


def test_a_base_that_went_on_counts_from_where_the_branch_left_it(branch: Repo) -> None:
    start = branch.git("rev-parse", "start").strip()
    tip = branch.git("commit-tree", "-p", "start", "-m", "later", "start^{tree}").strip()
    branch.git("branch", "-f", "start", tip)
    assert read_named_range(Repository.find(str(branch.path)), "start..").base == start


def test_commits_that_were_not_pushed_are_those_above_the_last_merge(branch: Repo) -> None:
    branch.git("checkout", "-q", "-b", "side", "start")
    branch.commit("feat: go on aside")
    branch.git("checkout", "-q", "main")
    branch.git("merge", "-q", "-m", "Merge side", "side")
    last = branch.commit("feat: add the last file")
    found = find_unpushed_range(Repository.find(str(branch.path)))
    assert (found.oids, found.has_merges) == ([last], False)
    assert found.base == branch.git("rev-parse", "HEAD~1").strip()
