"""What sets the hooks up and reports on them, under a later git with its references in a reftable."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.setup.pre_commit import NAME
from tests.git.transaction_test import has_reftable
from tests.support import programs
from tests.support.components import component
from tests.support.precommit import Framework
from tests.support.repository import Repo
from tests.support.workspace import on_path

pytestmark = pytest.mark.components
SAMPLE = """\
repos:
- repo: local
  hooks:
  - {id: mine, name: mine, entry: git --version, language: system, always_run: true}
"""


@pytest.fixture(autouse=True)
def reftable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = programs.linked(tmp_path / "programs", Path(sys.executable).with_name("pre-commit"))
    monkeypatch.setenv("PATH", on_path(folder))
    monkeypatch.setenv("PATH", on_path(Path(component("git-2.55", "git")).parent))
    monkeypatch.setenv("GIT_DEFAULT_REF_FORMAT", "reftable")
    # Nobody's own Ollama takes part.
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")


@pytest.fixture(params=["repository", "worktree", "unborn"])
def place(request: pytest.FixtureRequest, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository, a linked worktree of one, or a repository without commits, which is the current directory."""
    found = repo
    if request.param != "unborn":
        repo.commit("feat: begin", {"a.py": "def a():\n    return 1\n"})
    if request.param == "worktree":
        repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
        found = Repo(tmp_path / "linked")
    assert has_reftable(repo)
    monkeypatch.chdir(found.path)
    return found


def test_install_and_uninstall(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install"]) == 0
    assert_hooks_work(place, "installed by 'smartcommit install'", capsys)
    assert main(["uninstall"]) == 0
    assert not (common_dir(place) / "hooks/commit-msg").exists()
    assert place.run("commit", "-q", "--allow-empty", "-m", "oops").returncode == 0


def test_the_hooks_of_pre_commit_and_their_undo(
    place: Repo, precommit: Framework, capsys: pytest.CaptureFixture[str]
) -> None:
    place.write(NAME, SAMPLE)
    rev = precommit.hooks.git("rev-parse", "HEAD").strip()
    assert main(["install", "--pre-commit", "--repo", str(precommit.hooks.path), "--rev", rev]) == 0
    place.git("add", NAME)
    assert_hooks_work(place, "run by pre-commit", capsys)
    assert main(["uninstall"]) == 0
    assert (place.path / NAME).read_text() == SAMPLE
    assert not (common_dir(place) / "hooks/commit-msg").exists()


def assert_hooks_work(repo: Repo, manner: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Whether doctor finds both hooks in order, a draft is made, and a wrong message is refused."""
    capsys.readouterr()
    assert main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    found = [finding for finding in report["findings"] if finding["part"] == "hooks"]
    assert [finding["state"] for finding in found] == ["ok", "ok"], found
    for hook, finding in zip(("prepare-commit-msg", "commit-msg"), found, strict=True):
        assert finding["text"].startswith(f"{hook}, {manner}, ")
    assert report["versions"]["git"] == "2.55.0"
    repo.stage({"new.py": "def new():\n    return 2\n"})
    repo.git("commit", "-q", env={"GIT_EDITOR": "true"})
    assert "new" in repo.message()
    assert repo.message().startswith(("feat", "chore"))
    assert repo.run("commit", "-q", "--allow-empty", "-m", "oops").returncode == 1


def common_dir(repo: Repo) -> Path:
    return Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir").strip())
