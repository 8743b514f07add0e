"""`smartcommit session` as a coding agent runs it: JSON in and out."""

import io
import json
import os
from typing import Any

import pytest

from smartcommit.cli import main
from smartcommit.split.outcome import DONE, GIT_FAILED, NOTHING, USAGE
from tests.support.repository import Repo
from tests.support.sessions import Agent, call


@pytest.fixture
def agent(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Agent:
    monkeypatch.setenv("SMARTCOMMIT_SESSION", "session-1")
    monkeypatch.chdir(based.path)
    return Agent(based, "session-1")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def run_verb(*arguments: str, stdin: str = "") -> tuple[int, dict[str, Any]]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        status = main(["session", *arguments])
        captured = capsys.readouterr()
        assert captured.err == ""
        return status, json.loads(captured.out)

    return run_verb


def test_a_session_from_its_start_to_its_end(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "one")
    assert call(based, "start", "--product", "claude")["session"] == "one"
    Agent(based, "one").replace("base.txt", "base\n", "base\nagent\n")
    based.write("base.txt", "base\nagent\nperson\n")
    status = call(based, "status")
    (file,) = status["files"]
    assert (file["path"], file["own"]) == ("base.txt", 1)
    (hunk,) = file["left"]
    assert (hunk["owner"], hunk["lines"]) == ("nobody", ["+person"])
    assert status["next"] == ["smartcommit session plan --session one"]
    call(based, "claim", hunk["id"])
    assert call(based, "status")["files"] == [{"path": "base.txt", "own": 2, "left": []}]
    call(based, "end")
    (left,) = call(based, "status", "--session", "two words")["files"][0]["left"]
    assert left["owner"] == "one"
    assert call(based, "claim", left["id"], "--session", "two words")["status"] == "ok"


def test_a_session_plans_commits_and_undoes(based: Repo, agent: Agent, run: Any) -> None:
    for verb in ("plan", "commit"):
        status, document = run(verb)
        assert (status, document["status"]) == (NOTHING, "nothing")
    agent.write("new.py", "def f():\n    return 1\n")
    before = based.state()
    status, plan = run("plan")
    assert (status, plan["status"], based.state()) == (DONE, "ok", before)
    plan["commits"][0]["message"] = "feat: add f"
    status, made = run("commit", "--signoff", "--plan", "-", stdin=json.dumps(plan))
    assert (status, made["status"]) == (DONE, "ok")
    assert made["commits"][0]["oid"] == based.git("rev-parse", "HEAD").strip()
    assert based.message() == "feat: add f\n\nSigned-off-by: Cora Committer <cora@example.invalid>\n\n"
    (command,) = made["next"]
    status, undone = run(*command.split()[2:])
    assert (status, undone["undone"]) == (DONE, 1)
    assert based.git("status", "--porcelain") == "?? new.py\n"


def test_errors_are_objects_too(based: Repo, agent: Agent, run: Any) -> None:
    agent.write("new.py", "x = 1\n")
    plan = json.dumps(run("plan")[1])
    agent.write("new.py", "x = 2\n")
    status, document = run("commit", "--plan", "-", stdin=plan)
    assert (status, document["status"]) == (GIT_FAILED, "error")
    assert document["next"] == ["smartcommit session plan --session session-1"]
    for text in ("", "{}", "[]", '{"version": 1}'):
        status, document = run("commit", "--plan", "-", stdin=text)
        assert (status, document["error"]) == (GIT_FAILED, "this is not a split plan")
    status, document = run("commit", "--exec", "echo no; false")
    assert status == GIT_FAILED
    assert "  no" in "\n".join(document["output"]).splitlines()
    assert run("claim", "nothing")[1]["next"] == ["smartcommit session status"]
    assert run("undo")[0] == NOTHING
    assert based.subjects() == ["chore: base"]


def test_a_ticket_of_another_form_is_wrong_usage(based: Repo, agent: Agent, run: Any) -> None:
    based.write(".smartcommit", "[smartcommit]\n\tticket = ABC-[0-9]+\n")
    agent.write("new.py", "x = 1\n")
    status, document = run("commit", "--ticket", "X")
    assert (status, document["status"]) == (USAGE, "error")
    assert document["hint"]


def test_names_that_are_not_utf8_survive(based: Repo, agent: Agent, run: Any) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    agent.write(name, "x = 1\n")
    assert [file["path"] for file in run("status")[1]["files"]] == [name]
    status, plan = run("plan")
    assert plan["commits"][0]["units"][0]["path"] == name
    status, _ = run("commit", "--plan", "-", stdin=json.dumps(plan))
    assert status == DONE
    assert based.git("-c", "core.quotePath=false", "show", "--name-only", "--format=", "-z") == f"{name}\0"
