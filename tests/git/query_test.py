"""What the hooks ask git first, on real repositories."""

import subprocess
from pathlib import Path

from smartcommit.git.query import Place, locate, parse_boolean
from tests.support.repository import Repo
from tests.support.table import rows


def place_of(repo: Repo) -> Place:
    found = locate(str(repo.path), with_head=True)
    assert (found.worktree, found.common_dir) == (str(repo.path.resolve()), str(repo.path.resolve() / ".git"))
    assert found.object_format == "sha1"
    return found


def test_a_place_says_what_head_has(repo: Repo) -> None:
    unborn = place_of(repo)
    assert (unborn.head, unborn.has_policy) == (None, False)
    # A file of this name must not be taken for the one in HEAD.
    repo.commit("feat: x", {"HEAD:.smartcommit": "x\n"})
    without = place_of(repo)
    assert (without.head, without.has_policy) == (repo.git("rev-parse", "HEAD").strip(), False)
    repo.commit("feat: y", {".smartcommit": "[smartcommit]\n\ttypes = feat\n"})
    assert place_of(repo).has_policy


def test_a_worktree_has_its_own_git_directory(repo: Repo, tmp_path: Path) -> None:
    repo.commit("feat: x", {"a\nb/x": "x\n"})
    repo.git("worktree", "add", "-q", "-b", "two", str(tmp_path / "two\nlines"))
    found = locate(str(tmp_path / "two\nlines"))
    assert found.worktree == str((tmp_path / "two\nlines").resolve())
    assert found.git_dir.startswith(f"{found.common_dir}/worktrees/")


def test_there_is_no_place_outside_a_working_tree(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    assert locate(str(tmp_path / "bare")) is None
    assert locate(str(repo.path / ".git")) is None


@rows("value", "true", "YES", "on", "1", "2", "false", "No", "off", "0", "00", "", "maybe", "-")
def test_a_boolean_means_what_it_means_to_git(value: str) -> None:
    command = ["git", "-c", f"a.b={value}", "config", "--type=bool", "a.b"]
    answer = subprocess.run(command, capture_output=True, check=False).stdout
    assert parse_boolean(value) == {b"true\n": True, b"false\n": False}.get(answer)
