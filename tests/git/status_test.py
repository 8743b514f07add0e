"""What is not committed, as `git status` says it, and what stands in the way."""

from pathlib import Path

import pytest

from smartcommit.errors import GitError, SplitError
from smartcommit.git.repo import Repository
from smartcommit.git.status import list_hidden, list_overlong, read_status, read_worktree_status
from tests.support.repository import Repo
from tests.support.table import rows


def test_every_kind_of_change_is_told_apart(based: Repo, tmp_path: Path) -> None:
    module = Repo.init(tmp_path / "module")
    module.commit("chore: base", {"m.txt": "m\n"})
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(module.path))
    based.git(*add, "moved")
    based.git(*add, "inside")
    based.commit("chore: files", dict.fromkeys(("a.txt", "b.txt", "gone.txt", "cached.txt", "place"), "1\n"))
    based.write("base.txt", "stashed\n")
    based.git("stash", "-q")
    Repo(based.path / "moved").commit("chore: more")
    based.write("inside/m.txt", "changed\n")
    based.write("a.txt", "2\n")
    based.stage({"b.txt": "2\n"})
    (based.path / "gone.txt").unlink()
    based.git("rm", "-q", "--cached", "cached.txt")
    (based.path / "place").unlink()
    Repo.init(based.path / "place").commit()
    based.write("new\nline.txt")
    based.write("announced.txt", "x\n")
    based.git("add", "-N", "announced.txt")
    blob = based.git("rev-parse", "HEAD:a.txt").strip()
    based.git("update-index", "--index-info", stdin=f"100644 {blob} 1\tboth.txt\n100644 {blob} 3\tboth.txt\n".encode())
    status = read_worktree_status(Repository.find(str(based.path)))
    assert (status.head, status.branch) == (based.git("rev-parse", "HEAD").strip(), "main")
    assert (status.unmerged, status.intended, status.removed) == ([b"both.txt"], [b"announced.txt"], [b"cached.txt"])
    assert status.untracked == [b"place/", b"cached.txt", b"new\nline.txt"]
    assert status.staged == {b"b.txt": based.git("rev-parse", ":b.txt").strip(), b"cached.txt": "0" * 40}
    assert (status.inside, status.stashes) == ([b"inside"], 1)
    assert sorted(status.changed) == [
        b"a.txt", b"announced.txt", b"b.txt", b"both.txt", b"cached.txt", b"cached.txt", b"gone.txt", b"moved",
        b"new\nline.txt", b"place",
    ]  # fmt: skip
    with pytest.raises(SplitError, match=r"'both\.txt' has unresolved conflicts"):
        read_status(Repository.find(str(based.path)))


def test_a_status_without_a_branch_or_a_commit_or_a_repository(repo: Repo) -> None:
    found = Repository.find(str(repo.path))
    assert (read_status(found).head, read_status(found).branch) == (None, "main")
    repo.commit()
    repo.git("checkout", "-q", "--detach")
    repo.write("new.txt")
    assert (read_status(found).branch, read_status(found, untracked=False).untracked) == (None, [])
    (repo.path / ".git").rename(repo.path / "away")
    with pytest.raises(GitError, match="no longer exists"):
        read_worktree_status(found)


@rows(
    ("errors", "paths"),
    (b"warning: could not open directory 'deep/': File name too long\ndeep/x: File name too long\n", [b"deep/"]),
    (b"a/b: Filename too long\n", [b"a/b"]),
    (b"warning: could not open directory 'x/': Permission denied\nerror: no\n", []),
)
def test_what_git_goes_on_without_is_known(errors: bytes, paths: list[bytes]) -> None:
    assert list_overlong(errors) == paths


def test_files_that_git_does_not_look_at_are_listed_by_their_flag(based: Repo) -> None:
    based.commit("chore: files", dict.fromkeys(("in/a", "in/b", "in/both", "out/c"), "x\n"))
    based.git("update-index", "--assume-unchanged", "in/a", "in/both")
    based.git("update-index", "--skip-worktree", "in/b", "in/both")
    hidden = list_hidden(Repository.find(str(based.path)))
    assert hidden == {"assume-unchanged": [b"in/a", b"in/both"], "skip-worktree": [b"in/b", b"in/both"]}
    based.git("update-index", "--no-skip-worktree", "in/b", "in/both")
    based.git("sparse-checkout", "set", "--no-cone", "/*", "!/out/")
    assert list_hidden(Repository.find(str(based.path)))["skip-worktree"] == []
