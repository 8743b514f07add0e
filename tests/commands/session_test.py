"""`smartcommit session`: JSON in and out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from smartcommit.commands.session import command
from tests.support.repository import Repo
from tests.support.sessions import Agent


def call(repo: Repo, *arguments: str, status: str = "ok") -> dict[str, Any]:
    """What `smartcommit session ARGUMENTS` prints, which has this `status`."""
    done = CliRunner().invoke(command, [*arguments, "--repo", str(repo.path)], catch_exceptions=True)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    answer: dict[str, Any] = json.loads(done.output)
    assert answer["status"] == status
    return answer


@pytest.fixture
def one(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "one")
    assert call(based, "start", "--product", "claude")["session"] == "one"
    return based


def test_a_session_from_its_start_to_its_end(one: Repo) -> None:
    Agent(one, "one").replace("base.txt", "base\n", "base\nagent\n")
    one.write("base.txt", "base\nagent\nperson\n")
    status = call(one, "status")
    (file,) = status["files"]
    assert (file["path"], file["own"]) == ("base.txt", 1)
    (hunk,) = file["left"]
    assert (hunk["owner"], hunk["lines"]) == ("nobody", ["+person"])
    assert status["next"] == ["smartcommit session plan --session one"]
    call(one, "claim", hunk["id"])
    assert call(one, "status")["files"] == [{"path": "base.txt", "own": 2, "left": []}]
    call(one, "end")
    (left,) = call(one, "status", "--session", "two words")["files"][0]["left"]
    assert left["owner"] == "one"
    call(one, "claim", left["id"], "--session", "two words")


def test_names_that_are_not_utf8_survive(one: Repo) -> None:
    one.write(b"\xff", "x\n")
    assert [file["path"] for file in call(one, "status")["files"]] == ["\udcff"]


def test_a_session_needs_an_id(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SMARTCOMMIT_SESSION", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"):
        monkeypatch.delenv(name, raising=False)
    assert call(based, "status", status="error")["error"] == "no session"
