"""`smartcommit install --global`: what the hooks of all repositories do in one, and beside its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.support.components import component
from tests.support.repository import Repo
from tests.support.workspace import on_path

pytestmark = pytest.mark.components


@pytest.fixture
def everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git 2.55 is on PATH, and the hooks of all repositories are installed."""
    monkeypatch.setenv("PATH", on_path(Path(component("git-2.55", "git")).parent))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    (tmp_path / "gitconfig").write_text('[protocol "file"]\n\tallow = always')
    assert main(["install", "--global"]) == 0


@pytest.fixture
def conventional(repo: Repo, everywhere: None, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository whose history has conventional headers, as the current directory."""
    for number in range(5):
        repo.commit(f"feat: add {number}", {f"{number}.txt": "a\n"})
    monkeypatch.chdir(repo.path)
    return repo


def commit(repo: Repo, message: str, *options: str) -> tuple[int, str]:
    done = repo.run(*options, "commit", "-q", "--allow-empty", "-m", message)
    return done.returncode, done.stderr.decode()


def is_drafted(repo: Repo, *options: str) -> bool:
    """Whether the editor of a commit opens with a draft; the commit is given up."""
    done = repo.run(*options, "commit", "--allow-empty", env={"GIT_EDITOR": repo.editor('cp "$1" "$0.seen"; exit 1')})
    assert done.returncode == 1
    return not Path(repo.editor("") + ".seen").read_text().startswith("\n")


@pytest.mark.usefixtures("everywhere")
def test_first_commits_of_fresh_repositories_pass(tmp_path: Path) -> None:
    for number in range(3):
        fresh = Repo.init(tmp_path / str(number))
        fresh.stage({"a.txt": "a\n"})
        status, said = commit(fresh, "initial commit")
        assert status == 0
        assert "warning" in said
        assert "smartcommit: not refused: this repository has no rules for messages" in said


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize(
    "headers",
    [["wip"] * 6, ["feat: a"] * 4, ["wip"] * 5 + ["feat: a"] * 4, ["mm: fix a leak", "net: add a field"] * 4],
    ids=["none", "few", "less than half", "subsystems"],
)
def test_a_history_without_conventional_headers_refuses_nothing(repo: Repo, headers: list[str]) -> None:
    for header in headers:
        repo.commit(header)
    assert commit(repo, "wip on things")[0] == 0
    repo.stage({"guide.md": "# Guide\n"})
    assert is_drafted(repo)
    repo.git("config", "smartcommit.types", "feat,fix")
    assert commit(repo, "wip on things")[0] == 1


def test_a_policy_or_a_conventional_history_refuses(conventional: Repo, tmp_path: Path) -> None:
    status, said = commit(conventional, "wip")
    assert (status, said.count("Your message was saved")) == (1, 1)
    fresh = Repo.init(tmp_path / "fresh")
    fresh.write(".smartcommit", "[smartcommit]\n\tsummaryLimit = 60\n")
    assert commit(fresh, "wip")[0] == 1


def test_worktrees_submodules_and_exported_directories_are_ordinary(conventional: Repo, tmp_path: Path) -> None:
    conventional.git("worktree", "add", "-q", "../linked", "-b", "linked")
    conventional.git("clone", "-q", "--separate-git-dir", str(tmp_path / "apart.git"), ".", str(tmp_path / "apart"))
    conventional.git("submodule", "--quiet", "add", str(conventional.path), "sub")
    for name in ("linked", "apart", "repo/sub"):
        assert commit(Repo(tmp_path / name), "wip")[0] == 1, name
    done = conventional.run("commit", "--allow-empty", "-m", "wip again", env={"GIT_DIR": ".git"})
    assert done.returncode == 1


@pytest.mark.parametrize("kind", ["options", "core.worktree", "gemini"])
def test_repositories_that_an_agent_keeps_are_left_alone(conventional: Repo, tmp_path: Path, kind: str) -> None:
    shadow = tmp_path / (".gemini/history/1234" if kind == "gemini" else "shadow")
    conventional.git("clone", "-q", ".", str(shadow))
    target, options = conventional, [f"--git-dir={shadow}/.git", f"--work-tree={conventional.path}"]
    if kind == "core.worktree":
        Repo(shadow).git("config", "core.worktree", str(conventional.path))
        target, options = Repo(shadow), []
    if kind == "gemini":
        target, options = Repo(shadow), []
    assert commit(target, "checkpoint-1", *options) == (0, "")
    assert not is_drafted(target, *options)


def test_a_configuration_that_was_not_there_is_gone_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", on_path(Path(component("git-2.55", "git")).parent))
    home = Path(os.environ["HOME"])
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    assert main(["install", "--global"]) == 0
    assert (home / ".gitconfig").exists()
    assert main(["uninstall", "--global"]) == 0
    assert not (home / ".gitconfig").exists()
    (home / "xdg/git").mkdir()
    (home / "xdg/git/config").write_text("")
    assert main(["install", "--global"]) == 0
    assert not (home / ".gitconfig").exists()
    assert main(["uninstall", "--global"]) == 0
    assert not (home / "xdg/git/config").exists()


def test_hooks_in_another_file_of_the_user_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", on_path(Path(component("git-2.55", "git")).parent))
    home = Path(os.environ["HOME"])
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    (home / "xdg/git").mkdir(parents=True)
    (home / "xdg/git/config").touch()
    assert main(["install", "--global"]) == 0
    (home / ".gitconfig").write_text("[alias]\n\tst = status\n")
    capsys.readouterr()
    assert main(["uninstall", "--global"]) == 0
    assert capsys.readouterr().out == f"removed the hooks from '{home}/xdg/git/config'\n"
    assert not (home / "xdg/git/config").exists()
