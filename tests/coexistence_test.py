"""Our hooks beside other programs that own git's hooks, by the lines that the documentation gives."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support import programs
from tests.support.installation import Installation
from tests.support.repository import Repo

PAGE = (ROOT / "docs" / "installing.md").read_text()


@pytest.fixture
def lefthook(repo: Repo) -> Repo:
    """A repository with the configuration that the documentation gives for lefthook, installed by it."""
    (block,) = re.findall(r"`lefthook.yml`:\n\n  ```yaml\n(.*?)  ```", PAGE, re.DOTALL)
    repo.write("lefthook.yml", textwrap.dedent(block))
    subprocess.run([Path(sys.executable).with_name("lefthook"), "install"], cwd=repo.path, check=True)
    return repo


def test_lefthook_calls_the_scripts_in_a_worktree_with_a_blank_in_its_path(
    lefthook: Repo, installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without them on PATH commits pass, with one line from each hook."""
    with pytest.MonkeyPatch.context() as patched:
        programs.only(patched, tmp_path / "empty")
        made = lefthook.run("commit", "--allow-empty", "-m", "oops")
    assert made.returncode == 0, made.stderr
    said = (made.stdout + made.stderr).decode()
    assert said.count("smartcommit is not on PATH: no draft\n") == 1
    assert said.count("smartcommit is not on PATH: message not checked\n") == 1
    assert "not found" not in said
    monkeypatch.setenv("PATH", f"{installation.bin}{os.pathsep}{os.environ['PATH']}")
    lefthook.git("add", "lefthook.yml")
    lefthook.commit("ci: configure lefthook")
    lefthook.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "a worktree"))
    linked = Repo(tmp_path / "a worktree")
    linked.stage({"docs/guide.md": "# Guide\n"})
    made = linked.run("commit", env={"GIT_EDITOR": "true"})
    assert made.returncode == 0, made.stderr
    assert linked.message().strip() == "docs: add guide.md"
    assert linked.run("commit", "--allow-empty", "-m", "oops").returncode != 0
