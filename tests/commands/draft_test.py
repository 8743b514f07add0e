"""`smartcommit draft` as a person runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.support.repository import Repo


def test_it_prints_a_message_for_what_is_staged(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    repo.commit("base", {"sub/a.md": "1\n"})
    repo.stage({"b.md": "1\n"})
    repo.write("sub/a.md", "2\n")
    before = repo.state()
    monkeypatch.chdir(repo.path / "sub")
    assert main(["draft", "--engine", "embedded"]) == 0
    assert capfd.readouterr() == ("docs: add b.md\n", "")
    assert repo.state() == before


def test_it_keeps_the_projects_policy(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    repo.commit("base", {".smartcommit": "[smartcommit]\n\ttypes = feat doc\n"})
    repo.stage({"b.md": "1\n"})
    monkeypatch.chdir(repo.path)
    assert main(["draft"]) == 0
    assert capfd.readouterr().out == "doc: add b.md\n"


@pytest.mark.parametrize("born", [True, False])
def test_nothing_staged_is_one_clear_line(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], born: bool
) -> None:
    if born:
        repo.commit("base", {"a": "1\n"})
    monkeypatch.chdir(repo.path)
    assert main(["draft"]) == 1
    assert capfd.readouterr() == ("", "smartcommit: nothing is staged to draft a message for\n")


def test_a_folder_that_is_no_repository_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["draft"]) == 1
    assert "not a git repository" in capfd.readouterr().err


def test_an_unknown_engine_is_wrong_usage(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repo.path)
    assert main(["draft", "--engine", "x"]) == 2
    assert "embedded" in capfd.readouterr().err
