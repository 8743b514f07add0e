"""What sets the hooks up and reports on them, under a later git with its references in a reftable."""

import json
from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.git.transaction_test import has_reftable
from tests.support.commands import Command
from tests.support.repository import Repo


@pytest.mark.components
@pytest.mark.usefixtures("reftable", "inside")
@pytest.mark.parametrize("place", ["repository", "worktree", "unborn"])
def test_hooks_are_installed_found_and_removed(
    place: str, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, smartcommit: Command
) -> None:
    if place != "unborn":
        repo.commit("feat: begin", {"a.py": "def a():\n    return 1\n"})
    if place == "worktree":
        repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
        repo = Repo(tmp_path / "linked")
    common = Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir").strip())
    assert has_reftable(Repo(common.parent))
    monkeypatch.chdir(repo.path)
    smartcommit("install")
    report = json.loads(smartcommit("doctor", "--json").out)
    found = [finding for finding in report["findings"] if finding["part"] == "hooks"]
    assert [finding["state"] for finding in found] == ["ok", "ok"], found
    for hook, finding in zip(("prepare-commit-msg", "commit-msg"), found, strict=True):
        assert finding["text"].startswith(f"{hook}, installed by 'smartcommit install', ")
    assert report["versions"]["git"] == "2.55.0"
    repo.stage({"new.py": "def new():\n    return 2\n"})
    repo.git("commit", "-q", env={"GIT_EDITOR": "true"})
    assert "new" in repo.message()
    assert repo.message().startswith(("feat", "chore"))
    assert repo.run("commit", "-q", "--allow-empty", "-m", "oops").returncode == 1
    assert main(["uninstall"]) == 0
    assert not (common / "hooks/commit-msg").exists()
    assert repo.run("commit", "-q", "--allow-empty", "-m", "oops").returncode == 0
