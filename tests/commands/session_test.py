"""`smartcommit session`: JSON in and out."""

import pytest

from tests.support.repository import Repo
from tests.support.sessions import Agent, call


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
    assert call(one, "claim", left["id"], "--session", "two words")["status"] == "ok"


def test_names_that_are_not_utf8_survive(one: Repo) -> None:
    one.write(b"\xff", "x\n")
    assert [file["path"] for file in call(one, "status")["files"]] == ["\udcff"]
