"""The commits that are replayed, and which of them changed a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartcommit.bench.history import RecordedCommit, copy_git_dir, fold_commits, read_commits, read_header
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from tests.support.repository import Repo

BEFORE = "one\ntwo\nthree\nfour\nfive\nsix\n"


def test_each_line_has_the_commit_that_changed_it(repo: Repo) -> None:
    repo.commit("chore: base", {"a.txt": BEFORE, "gone.txt": "1\n2\n"})
    first = repo.commit("feat: count from zero", {"a.txt": "zero\n" + BEFORE})
    repo.git("rm", "-q", "gone.txt")
    second = repo.commit("fix: say five twice", {"a.txt": "zero\n" + BEFORE.replace("five", "5\n5")})
    (change,) = fold_commits(*opened(repo))
    assert [commit.oid for commit in change.commits] == [first, second]
    assert change.lines == {
        (b"a.txt", "+", 1): 0,
        (b"a.txt", "-", 5): 1,
        (b"a.txt", "+", 6): 1,
        (b"a.txt", "+", 7): 1,
        (b"gone.txt", "-", 1): 1,
        (b"gone.txt", "-", 2): 1,
    }


def test_only_lines_of_the_diff_have_commits(repo: Repo) -> None:
    repo.commit("chore: base", {"a.txt": BEFORE})
    repo.commit("feat: drop six", {"a.txt": BEFORE.replace("six\n", "")})
    repo.commit("fix: bring six back", {"a.txt": BEFORE.replace("two", "2"), "b.txt": "1\n2\n3\n"})
    assert list(fold_commits(*opened(repo))) == []
    repo.commit("chore: base", {"a.txt": BEFORE})
    repo.commit("feat: drop six and one", {"a.txt": BEFORE.replace("six\n", "").replace("one\n", "")})
    repo.commit("fix: bring six back", {"a.txt": BEFORE.replace("one\n", ""), "c.txt": "1\n2\n3\n"})
    (change,) = fold_commits(*opened(repo))
    assert change.lines == {(b"a.txt", "-", 1): 0, (b"c.txt", "+", 1): 1, (b"c.txt", "+", 2): 1, (b"c.txt", "+", 3): 1}


def test_only_commits_of_one_author_in_a_row_are_folded(repo: Repo) -> None:
    repo.commit()
    for number, author in enumerate(["A <a@x.org>", "A <a@x.org>", "B <b@x.org>", "A <a@x.org>", "B <b@x.org>"]):
        repo.stage({f"{number}.txt": "1\n2\n3\n"})
        repo.git("commit", "-q", f"--author={author}", "-m", f"feat: add {number}")
    subjects = []
    for change in fold_commits(*opened(repo)):
        subjects.append([commit.header.summary for commit in change.commits])
    assert subjects == [["add 0", "add 1"]]


@pytest.mark.parametrize("content", ["\0\1\n" * 9, "line\n" * 601])
def test_binary_and_large_changes_are_not_folded(repo: Repo, content: str) -> None:
    repo.commit()
    repo.commit("feat: add one", {"a": "1\n2\n3\n4\n"})
    repo.commit("feat: add two", {"b": content})
    assert list(fold_commits(*opened(repo))) == []


def test_merges_and_other_headers_are_not_replayed(repo: Repo) -> None:
    repo.commit("feat: the root has no parent")
    repo.git("switch", "-q", "-c", "side")
    repo.commit("fix(Core): mend it (#12)", {"a": "1\n"})
    repo.git("switch", "-q", "main")
    repo.commit("no type", {"b": "1\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "feat: merge", "side")
    repository, commits = opened(repo)
    assert [str(commit.header) for commit in commits] == ["fix(Core): mend it"]
    assert commits[0].author == repo.git("log", "-1", "--format=%ae").strip()
    with pytest.raises(SmartcommitError, match="among the last 1 commit"):
        read_commits(repository, 1)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("feat: add x", "feat: add x"),
        ("Fix(My Scope)!: add x (#1)", "fix(My Scope)!: add x"),
        ("feat:  add x ", "feat: add x"),
        ("feat add x", None),
        ("feat: ", None),
        ("feat(: x", None),
        ("", None),
    ],
)
def test_headers_are_read_in_the_projects_own_spelling(line: str, expected: str | None) -> None:
    header = read_header(line)
    assert (header and str(header)) == expected


def test_the_copy_shares_objects_and_configuration_and_nothing_else(repo: Repo) -> None:
    head = repo.commit("feat: one", {"a": "1\n"})
    repo.git("config", "smartcommit.types", "feat")
    with copy_git_dir(Repository.find(str(repo.path))) as copy:
        assert copy.head() == head
        assert copy.run("config", "smartcommit.types") == b"feat\n"
        copy.run("update-ref", "--no-deref", "HEAD", repo.git("commit-tree", "-m", "x", "HEAD^{tree}").strip())
        folder = Path(copy.git_dir)
        assert folder.exists()
    assert not folder.exists()
    assert repo.git("rev-parse", "HEAD").strip() == head


def opened(repo: Repo) -> tuple[Repository, list[RecordedCommit]]:
    repository = Repository.find(str(repo.path))
    return repository, read_commits(repository, 100)
