"""`smartcommit stats`: what became of the drafts of this repository."""

from __future__ import annotations

import json

import pytest

from smartcommit.cli import main
from smartcommit.config import Settings
from smartcommit.draft.corrections import save_draft
from smartcommit.git.repo import Repository
from tests.support.repository import Repo


def test_drafts_and_commits_are_compared(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repo.path)
    repo.commit("base", {"a.py": "1\n"})
    repository = Repository.find()
    save_draft(repository, Settings(environment={}), "feat(api): add x\n", head=repository.head(), paths=[b"a.py"])
    repo.commit("fix(api): add y", {"a.py": "2\n"})
    assert main(["stats", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["drafts"], shown["unchanged"]) == (1, 0)
    assert shown["kept"] == {"type": 0, "scope": 1, "verb": 1}
    assert main(["stats", "--forget"]) == 0
    assert main(["stats"]) == 0
    assert "0" in capsys.readouterr().out
