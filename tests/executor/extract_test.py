"""A plan from a design document, by a scripted model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from smartcommit.cli import main
from smartcommit.executor.plan_dir import list_folders
from tests.support import model_server as server
from tests.support.model_server import ModelServer
from tests.support.repository import Repo

DOCUMENT = '# Design\n\nThe parser shall {accept} "}" comments.\n'
TASK = {"title": "Read comments", "description": "In the tokeniser.", "acceptanceCriteria": ["it parses '}'", " "]}
PLAN = {
    "name": "Parser Comments",
    "description": "Accept comments.",
    "tasks": [TASK, {**TASK, "title": "Document them"}],
}


@pytest.fixture(params=server.DIALECTS)
def model(request: pytest.FixtureRequest, based: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.chdir(based.path)
    (based.path / "design.md").write_text(DOCUMENT)
    with server.serve(request.param, server.calls(("propose_plan", PLAN))) as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running


def planned(based: Repo) -> dict[str, Any]:
    (folder,) = list_folders(str(based.path))
    found: dict[str, Any] = json.loads(Path(folder.path("plan.json")).read_text())
    return found


def test_a_model_finds_the_tasks_of_a_document_without_a_list(based: Repo, model: ModelServer) -> None:
    assert main(["execute", "new", "design.md"]) == 0
    plan = planned(based)
    assert (plan["name"], plan["sourceFile"], plan["status"]) == ("parser-comments", "design.md", "not_started")
    assert [(task["id"], task["title"], task["acceptanceCriteria"]) for task in plan["tasks"]] == [
        ("t01", "Read comments", ["it parses '}'"]), ("t02", "Document them", ["it parses '}'"]),
    ]  # fmt: skip
    assert DOCUMENT in model.questions[0].payload["messages"][1]["content"]
    assert "read_file" in json.dumps(model.questions[0].payload["tools"])
    assert "get_diff" not in json.dumps(model.questions[0].payload["tools"])


def test_the_model_may_look_at_the_repository_first(based: Repo, model: ModelServer) -> None:
    model.script[:] = [server.calls(("read_file", {"path": "base.txt"})), server.calls(("propose_plan", PLAN))]
    assert main(["execute", "new", "design.md"]) == 0
    assert "base" in json.dumps(model.questions[1].payload["messages"][-1])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({**PLAN, "tasks": []}, "the plan has no tasks"),
        ({**PLAN, "tasks": [{**TASK, "title": " "}]}, "task 1 has no title"),
        ({**PLAN, "tasks": [{**TASK, "acceptanceCriteria": [" "]}]}, "has no acceptance criteria"),
        ({**PLAN, "tasks": [{"title": "x"}]}, "acceptanceCriteria: Field required"),
    ],
)
def test_a_plan_that_misses_something_is_sent_back(
    based: Repo, model: ModelServer, wrong: dict[str, Any], said: str
) -> None:
    model.script.insert(0, server.calls(("propose_plan", wrong)))
    assert main(["execute", "new", "design.md"]) == 0
    assert said in json.dumps(model.questions[1].payload["messages"])
    assert len(planned(based)["tasks"]) == 2


def test_no_command_comes_from_a_model(based: Repo, model: ModelServer) -> None:
    model.script[:] = [server.calls(("propose_plan", {**PLAN, "check": "x", "tasks": [{**TASK, "check": "rm -rf ."}]}))]
    assert main(["execute", "new", "design.md"]) == 0
    assert "check" not in json.dumps(planned(based))


def test_secrets_of_the_document_do_not_leave_the_machine(based: Repo, model: ModelServer) -> None:
    token = "ghp_" + "a1B2" * 9
    (based.path / "design.md").write_text(f"{DOCUMENT}\nUse {token}.\n")
    assert main(["execute", "new", "design.md"]) == 0
    assert all(token.encode() not in asked.body for asked in model.asked)


def test_a_model_that_only_talks_leaves_no_plan(
    based: Repo, model: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    model.script[:] = [server.says("I would rather not.")]
    assert main(["execute", "new", "design.md"]) == 1
    assert "smartcommit: " in capsys.readouterr().err
    assert list_folders(str(based.path)) == []


def test_without_a_model_the_way_out_is_named(
    based: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(based.path)
    based.write("design.md", DOCUMENT)
    assert main(["execute", "new", "design.md"]) == 1
    shown = capsys.readouterr().err
    assert "the document has no checklist, and no model is configured" in shown
    assert "hint: write the tasks as '- [ ] title'" in shown
