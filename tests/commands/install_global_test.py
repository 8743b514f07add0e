"""`smartcommit install --global`: what the hooks of all repositories do in one, and beside its own."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.conftest import ROOT
from tests.support.components import component
from tests.support.installation import Installation
from tests.support.precommit import Framework
from tests.support.repository import Repo
from tests.support.workspace import on_path

PAGE = (ROOT / "docs/installing.md").read_text()
NEW, OLD = "git with hooks in its configuration", "any git"
GITS = [OLD, pytest.param(NEW, marks=pytest.mark.components)]


@pytest.fixture(params=GITS)
def everywhere(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which git is on PATH; the hooks of all repositories are installed."""
    if request.param == NEW:
        monkeypatch.setenv("PATH", on_path(Path(component("git-2.55", "git")).parent))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    (tmp_path / "gitconfig").write_text('[protocol "file"]\n\tallow = always')
    assert main(["install", "--global"]) == 0
    return str(request.param)


@pytest.fixture
def conventional(repo: Repo, everywhere: str, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository whose history has conventional headers, as the current directory."""
    for number in range(5):
        repo.commit(f"feat: add {number}", {f"{number}.txt": "a\n"})
    monkeypatch.chdir(repo.path)
    return repo


def commit(repo: Repo, message: str, *options: str) -> tuple[int, str]:
    """Status and standard error of a commit."""
    done = repo.run(*options, "commit", "-q", "--allow-empty", "-m", message)
    return done.returncode, done.stderr.decode()


def is_drafted(repo: Repo, *options: str) -> bool:
    """Whether the editor of a commit opens with a draft; the commit is given up."""
    done = repo.run(*options, "commit", "--allow-empty", env={"GIT_EDITOR": repo.editor('cp "$1" "$0.seen"; exit 1')})
    assert done.returncode == 1
    return not Path(repo.editor("") + ".seen").read_text().startswith("\n")


def write_hook(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    path.chmod(0o755)


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(folder))] = (stat.S_IMODE(path.lstat().st_mode), path.read_bytes())
    return found


@pytest.mark.usefixtures("everywhere")
def test_first_commits_of_fresh_repositories_pass(tmp_path: Path) -> None:
    for number in range(20):
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


def own_directory(repo: Repo) -> None:
    write_hook(repo.path / ".githooks/commit-msg", "#!/bin/sh\necho own >> log\n")
    repo.git("config", "core.hooksPath", ".githooks")


def own_hook(repo: Repo) -> None:
    write_hook(repo.path / ".git/hooks/commit-msg", "#!/bin/sh\necho own >> log\n")


def lefthook(repo: Repo) -> None:
    repo.write("lefthook.yml", "commit-msg:\n  commands:\n    own:\n      run: echo own >> log\n")
    install(repo, "lefthook", "install")


def pre_commit(repo: Repo) -> None:
    configure(repo)
    install(repo, "pre-commit", "install", "--hook-type", "commit-msg")


def prek(repo: Repo) -> None:
    configure(repo)
    install(repo, "prek", "install", "--hook-type", "commit-msg")


def configure(repo: Repo) -> None:
    hook = "{id: own, name: own, language: system, entry: sh -c 'echo own >> log', stages: [commit-msg]}"
    repo.write(".pre-commit-config.yaml", f"repos:\n- repo: local\n  hooks:\n  - {hook}\n")
    repo.git("add", ".pre-commit-config.yaml")
    repo.commit("ci: configure pre-commit")


def install(repo: Repo, name: str, *arguments: str) -> None:
    """Run a program that installs hooks, as `install --global` says where core.hooksPath is set."""
    environment = dict(os.environ)
    if repo.run("config", "core.hooksPath").returncode == 0:
        environment["GIT_CONFIG_GLOBAL"] = os.devnull
    command = [Path(sys.executable).with_name(name), *arguments]
    done = subprocess.run(command, cwd=repo.path, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.mark.parametrize("owner", [own_hook, own_directory, lefthook, pre_commit, prek])
def test_hooks_that_are_installed_afterwards_run_beside_ours(
    conventional: Repo, everywhere: str, owner: Callable[[Repo], None]
) -> None:
    owner(conventional)
    assert commit(conventional, "fix: mend a")[0] == 0
    assert (conventional.path / "log").read_text() == "own\n"
    # A directory of the repository itself takes the place of the one for all.
    ours = everywhere == NEW or owner is not own_directory
    assert commit(conventional, "wip")[1].count("Your message was saved") == ours


def test_installing_here_as_well_says_that_it_is_not_needed(
    conventional: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(conventional.path / ".git")
    capsys.readouterr()
    assert main(["install"]) == 0
    assert capsys.readouterr().out == (
        "nothing to do: 'smartcommit install --global' has installed these hooks for all your repositories\n"
    )
    after = snapshot(conventional.path / ".git")
    assert {name for name in after if before.get(name) != after[name]} == {"smartcommit/hooks.lock"}


@pytest.mark.parametrize("option", ["--files", "--config"])
@pytest.mark.usefixtures("everywhere")
def test_hooks_here_and_everywhere_run_once(conventional: Repo, everywhere: str, option: str) -> None:
    if everywhere == OLD:
        assert main(["uninstall", "--global"]) == main(["install"]) == main(["install", "--global"]) == 0
    else:
        assert main(["install", option]) == 0
    assert commit(conventional, "wip")[1].count("Your message was saved") == 1


def husky_lines(repo: Repo) -> None:
    for name in ("prepare-commit-msg", "commit-msg"):
        write_hook(repo.path / ".husky/_" / name, f'#!/bin/sh\nsh -e .husky/{name} "$@"\n')
    repo.git("config", "core.hooksPath", ".husky/_")
    assert main(["install", "--add-lines"]) == 0


def lefthook_lines(repo: Repo) -> None:
    (block,) = re.findall(r"`lefthook.yml`:\n\n  ```yaml\n(.*?)  ```", PAGE, re.DOTALL)
    repo.write("lefthook.yml", textwrap.dedent(block))
    install(repo, "lefthook", "install")


@pytest.mark.parametrize("lines", [husky_lines, lefthook_lines])
def test_lines_that_run_our_hooks_run_them_once(
    conventional: Repo, installation: Installation, monkeypatch: pytest.MonkeyPatch, lines: Callable[[Repo], None]
) -> None:
    monkeypatch.setenv("PATH", f"{installation.bin}{os.pathsep}{os.environ['PATH']}")
    lines(conventional)
    done = conventional.run("commit", "-q", "--allow-empty", "-m", "wip")
    assert done.returncode == 1
    assert (done.stderr + done.stdout).count(b"Your message was saved") == 1


@pytest.mark.slow
def test_what_pre_commit_runs_already_runs_once(conventional: Repo, precommit: Framework) -> None:
    precommit.configure(conventional)
    install(conventional, "pre-commit", "install", "--hook-type", "commit-msg", "--hook-type", "prepare-commit-msg")
    status, said = commit(conventional, "wip")
    assert (status, said.count("Your message was saved")) == (1, 1), said


@pytest.mark.slow
def test_init_works_afterwards_and_our_hooks_run_once(
    conventional: Repo, precommit: Framework, everywhere: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(conventional.path / ".git")
    assert (
        main(["init", "--repo", str(precommit.hooks.path), "--rev", precommit.hooks.git("rev-parse", "HEAD").strip()])
        == 0
    )
    conventional.git("add", ".pre-commit-config.yaml")
    status, said = commit(conventional, "wip")
    assert (status, said.count("Your message was saved")) == (1, 1), said
    assert main(["init", "--remove"]) == 0
    after = snapshot(conventional.path / ".git")
    for name in ("config", *(each for each in after if each.startswith("hooks/"))):
        assert after[name] == before[name]


def test_a_former_installation_is_replaced_and_everything_undone(
    conventional: Repo, everywhere: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if everywhere == OLD:
        monkeypatch.setenv("PATH", on_path(Path(component("git-2.55", "git")).parent))
        assert main(["install", "--global"]) == 0
    assert conventional.run("config", "core.hooksPath").returncode == 1
    assert commit(conventional, "wip")[1].count("Your message was saved") == 1
    assert main(["uninstall", "--global"]) == 0
    assert (tmp_path / "gitconfig").read_text().rstrip("\n") == '[protocol "file"]\n\tallow = always'
    assert os.listdir(tmp_path / "config/smartcommit") == ["hooks.lock"]
    assert commit(conventional, "wip")[0] == 0


@pytest.mark.components
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


@pytest.mark.components
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


def test_a_hook_that_pre_commit_runs_runs_once(conventional: Repo) -> None:
    """The hook in the repository was there before pre-commit's, which has renamed it."""
    assert main(["uninstall", "--global"]) == 0
    assert main(["install", "--files"]) == 0
    (conventional.path / ".pre-commit-config.yaml").write_text("repos: []\n")
    conventional.commit("chore: configure", {})
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    command = [sys.executable, "-m", "pre_commit", "install", "-t", "commit-msg"]
    subprocess.run(command, cwd=conventional.path, env=environment, check=True, capture_output=True)
    assert main(["install", "--global"]) == 0
    assert commit(conventional, "wip")[1].count("Your message was saved") == 1
