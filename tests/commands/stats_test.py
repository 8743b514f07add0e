"""`smartcommit stats`: what became of the drafts of this repository."""

from __future__ import annotations

import json

import pytest

from smartcommit.cli import main
from smartcommit.config import Settings
from smartcommit.draft.corrections import save_draft
from smartcommit.draft.result import Draft
from smartcommit.git.repo import Repository
from tests.support.repository import Repo


def test_drafts_and_commits_are_compared(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repo.path)
    repo.commit("base", {"a.py": "1\n"})
    repository = Repository.find()
    save_draft(
        repository, Settings(environment={}), Draft("feat(api): add x\n"), head=repository.head(), paths=[b"a.py"]
    )
    repo.commit("fix(api): add y", {"a.py": "2\n"})
    assert main(["stats", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["drafts"], shown["unchanged"]) == (1, 0)
    assert shown["kept"] == {"type": 0, "scope": 1, "verb": 1}
    assert main(["stats", "--forget"]) == 0
    assert main(["stats"]) == 0
    assert "0" in capsys.readouterr().out


def test_what_was_learned_is_shown_with_its_commits(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repo.path)
    repo.commit("base", {"a.py": "1\n"})
    repository = Repository.find()
    assert main(["stats"]) == 0
    assert "->" not in capsys.readouterr().out
    commits = []
    for number, header in enumerate(["feat: introduce x", "feat: add x", "feat: introduce x"]):
        text = "feat(api): add x\n\n- update y\n"
        save_draft(repository, Settings(environment={}), Draft(text), head=repository.head(), paths=[b"a.py"])
        commits.append(repo.commit(header, {"a.py": f"{number} + 1\n"}))
        assert main(["stats", "--format", "json"]) == 0
        shown = json.loads(capsys.readouterr().out)
    verb = {"part": "verb", "drafted": "add", "committed": "introduce", "drafts": 3, "commits": commits[::2]}
    assert verb in shown["learned"]
    assert main(["stats"]) == 0
    last = commits[-1][:7]
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "learned:",
        f"  scope: api -> none (3 of 3 drafts, last in {last})",
        f"  verb: add -> introduce (2 of 3 drafts, last in {last})",
        f"  body: drafted -> none (3 of 3 drafts, last in {last})",
    ]
