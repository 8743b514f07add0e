"""What an agent leaves where no commit of ours can hold it: it is told so, and nothing is committed half."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.executor.progress import ProgressLog
from tests.executor.conftest import Execute
from tests.support.agents import WORKS, Agent, plan_in, work
from tests.support.repository import Repo

Make = Callable[..., Agent]


@pytest.mark.parametrize("ending", ["", "sys.exit(1)"])
def test_without_its_git_directory_nothing_is_committed_to_the_repository_around(
    tmp_path: Path, make_agent: Make, execute: Execute, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], ending: str,
) -> None:  # fmt: skip
    outer = Repo.init(tmp_path / "outer")
    head = outer.commit("chore: outer", {"mine.txt": "mine\n", ".gitignore": "agent*\n"})
    outer.write("mine.txt", "half done\n")
    inner = Repo.init(outer.path / "inner")
    plan_in(inner, "first")
    inner.commit("chore: base", {"base.txt": "base\n"})
    monkeypatch.chdir(inner.path)
    shutil.copytree(inner.path / ".git", tmp_path / "kept")
    assert execute(make_agent(f'{WORKS}; subprocess.run(["rm", "-rf", ".git"])\n{ending}')) == 1
    shown = capsys.readouterr().err
    assert f"the git directory '{inner.path}/.git' is gone\nhint: the work is in the tree" in shown
    assert outer.git("rev-parse", "HEAD").strip() == head
    assert outer.git("diff", "--cached", "--name-only") == ""
    shutil.copytree(tmp_path / "kept", inner.path / ".git", dirs_exist_ok=True)
    (inner.path / "t01").unlink()
    assert execute(make_agent(), "resume") == 0
    assert sorted(work(inner)) == ["base.txt", "t01"]
