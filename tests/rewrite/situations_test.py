"""Commits of every kind are rewritten, whatever is not committed beside them, and nothing else changes."""

import random
from collections.abc import Callable

import pytest

from smartcommit.errors import SplitError
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import take_range_snapshot
from smartcommit.git.transaction.undo import undo
from tests.support.histories import assert_same, read_state
from tests.support.profile import is_full
from tests.support.repository import Repo
from tests.support.situations_split import SITUATIONS
from tests.support.splitting import assert_line, assert_sound, rewrite

# Those with more than files: of the index, of HEAD, and of the configuration.
BESIDE = [
    "staged_then_edited", "staged_rename", "intent_to_add", "skipped_entries", "sparse_checkout", "split_index",
    "submodule_moved_on", "submodule_added", "filters", "hostile_settings", "detached", "bisecting", "hostile_names",
]  # fmt: skip


def assert_rewritten_and_undone(repo: Repo) -> None:
    """Assert that commits since `start` are others with the same last tree afterwards, and the old ones when undone."""
    before, old = read_state(repo), repo.git("rev-parse", "HEAD").strip()
    made = rewrite(repo, "start", chance=random.Random(7))
    head = repo.git("rev-parse", "HEAD").strip()
    assert (head, head != old) == (made.commits[-1].commit, True)
    assert repo.git("rev-parse", "HEAD^{tree}") == repo.git("rev-parse", f"{old}^{{tree}}")
    assert len(assert_line(repo, repo.git("rev-parse", "start").strip())) == len(made.commits)
    assert_same(before, read_state(repo))
    undo(Repository.find(str(repo.path)))
    assert repo.git("rev-parse", "HEAD").strip() == old
    assert_same(before, read_state(repo))
    assert_sound(repo)


@pytest.mark.parametrize("name", SITUATIONS if is_full() else BESIDE)
def test_what_is_not_committed_stays(based: Repo, name: str) -> None:
    based.git("branch", "start")
    based.commit("wip", {"in/a.txt": "a\n", "out/b.txt": "b\n", "base.txt": "base\nmore\n"})
    SITUATIONS[name](based)
    assert_rewritten_and_undone(based)


@pytest.mark.parametrize("name", SITUATIONS)
def test_commits_of_every_kind_are_rewritten(based: Repo, name: str) -> None:
    based.git("branch", "start")
    SITUATIONS[name](based)
    options = ("-c", "core.safecrlf=false", "-c", "core.hooksPath=/dev/null")
    based.git(*options, "add", "-A")
    based.git(*options, "commit", "-q", "--allow-empty", "-m", "wip")
    based.git(*options, "commit", "-q", "--allow-empty", "-m", "nothing")
    if based.git("rev-parse", "HEAD^{tree}") == based.git("rev-parse", "start^{tree}"):
        return
    assert_rewritten_and_undone(based)


def link(based: Repo) -> Repo:
    based.git("worktree", "add", "-q", "-b", "side", str(based.path.parent / "linked"))
    based.write("base.txt", "edited here\n")
    return Repo(based.path.parent / "linked")


def find_submodule(based: Repo) -> Repo:
    SITUATIONS["submodule_added"](based)
    (link,) = based.path.glob("*/.git")
    submodule = Repo(link.parent)
    submodule.git("checkout", "-q", "-B", "main")
    submodule.git("remote", "remove", "origin")
    return submodule


def make_longer_names(based: Repo) -> Repo:
    repo = Repo.init(based.path.parent / "sha256", "--object-format=sha256")
    repo.commit(files={"base.txt": "base\n"})
    return repo


@pytest.mark.parametrize("find", [link, find_submodule, make_longer_names])
def test_a_repository_of_any_kind_is_rewritten_alone(based: Repo, find: Callable[[Repo], Repo]) -> None:
    repo = find(based)
    repo.git("branch", "start")
    repo.commit("wip", {"a.txt": "a\n", "b.txt": "b\n"})
    repo.stage({"a.txt": "staged\n"})
    repo.write("b.txt", "edited\n")
    others = read_state(based)["files"]
    assert_rewritten_and_undone(repo)
    assert read_state(based)["files"] == others


def test_an_index_that_is_missing_stays_so(based: Repo) -> None:
    based.git("branch", "start")
    based.commit("wip", {"a.txt": "a\n", "b.txt": "b\n"})
    index = based.path / ".git/index"
    index.unlink()
    before, old = read_state(based), based.git("rev-parse", "HEAD")
    rewrite(based, "start")
    assert_same(before, read_state(based))
    undo(Repository.find(str(based.path)))
    assert (read_state(based), based.git("rev-parse", "HEAD")) == (before, old)
    assert_sound(based)


@pytest.mark.parametrize("cause", ["unborn", "merge", "conflict"])
def test_commits_that_must_not_be_rewritten_now_are_refused(based: Repo, cause: str) -> None:
    start = based.git("rev-parse", "HEAD").strip()
    based.commit("wip", {"a.txt": "a\n"})
    if cause == "unborn":
        based.git("checkout", "-q", "--orphan", "first")
    elif cause == "merge":
        (based.path / ".git/MERGE_HEAD").write_text(f"{start}\n")
    elif cause == "conflict":
        blob = based.git("rev-parse", "HEAD:a.txt").strip()
        based.git("update-index", "--index-info", stdin=f"100644 {blob} 1\tc\n100644 {blob} 3\tc\n".encode())
    before = based.state()
    with pytest.raises(SplitError), take_range_snapshot(Repository.find(str(based.path)), start):
        pass
    assert based.state() == before
    assert not list(based.path.glob(".git/smartcommit/split/*"))
