"""Plans as files: what is read, what is refused, and what survives."""

import json
from typing import Any

import pytest

from smartcommit.errors import TaskPlanError
from smartcommit.executor.plan import TaskPlan, read_plan
from tests.support.table import rows

PRIOR_ART: dict[str, Any] = {
    "id": "b7iRAe", "name": "git-status", "description": "Show the status", "sourceFile": "docs/designs/status.md",
    "createdAt": "2026-02-08T12:49:06.123Z", "status": "in_progress",
    "tasks": [
        {
            "id": "t01", "title": "Add a package", "description": "Write it",
            "acceptanceCriteria": ["it builds", "tests pass"], "status": "completed", "attempts": 1,
        },
        {
            "id": "t02", "title": "Use it", "description": "", "acceptanceCriteria": [], "status": "pending",
            "attempts": 0,
        },
    ],
}  # fmt: skip


def read(content: object) -> TaskPlan:
    return read_plan(json.dumps(content).encode(), "plan.json")


def test_unknown_fields_survive_a_change() -> None:
    given = {**PRIOR_ART, "schemaVersion": 1, "budget": None, "team": {"lead": ["Ada"], "snake_case": 1}}
    given["tasks"] = [{**PRIOR_ART["tasks"][0], "estimate": 3.5}]
    plan = read_plan(json.dumps(given).encode(), "plan.json")
    plan.tasks[0].status = "pending"
    plan.tasks[0].attempts += 1
    given["tasks"] = [{**PRIOR_ART["tasks"][0], "estimate": 3.5, "status": "pending", "attempts": 2}]
    assert json.loads(plan.to_bytes()) == given


@rows(
    ("change", "said"),
    ({"tasks": []}, "tasks: List should have at least 1 item"),
    ({"tasks": [{"id": "t01", "title": " \n"}]}, "a task needs a title"),
    ({"tasks": [{"id": "t01", "title": "a"}, {"id": "t01", "title": "b"}]}, "two tasks have the same id"),
    ({"tasks": [{"id": "t01", "title": "a", "status": "done"}]}, "tasks.0.status: Input should be"),
    ({"id": "../../etc"}, "id: String should match"),
    ({"name": "../x"}, "name: String should match"),
    ({"schemaVersion": 2}, "schemaVersion: Input should be 1"),
)
def test_what_is_no_plan_is_refused_and_says_why(change: dict[str, object], said: str) -> None:
    with pytest.raises(TaskPlanError) as refused:
        read({**PRIOR_ART, **change})
    assert said in str(refused.value)


@rows(("content", "said"), (b"\xff\xfe", "is not JSON"), (b"[" * 100_000, "is not JSON"), (b"[]", "is not a task plan"))
def test_what_is_no_json_object_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(TaskPlanError, match=said):
        read_plan(content, "plan.json")


def test_a_title_is_one_line_whatever_is_given() -> None:
    plan = read_plan(json.dumps({**PRIOR_ART, "tasks": [{"id": "t01", "title": "Add\n\n[rafa]  x"}]}).encode(), "p")
    assert plan.tasks[0].title == "Add [rafa] x"


def test_a_plan_tells_what_is_done_and_what_is_checked() -> None:
    third = {"id": "t03", "title": "Mend it", "check": "make"}
    plan = read({**PRIOR_ART, "check": "make", "tasks": [*PRIOR_ART["tasks"], third]})
    assert plan.completed == ["t01"]
    assert plan.list_checks() == ["make"]
    assert plan.find("t03") == plan.tasks[2]
    assert (plan.tasks[2].status, plan.tasks[2].attempts, plan.find("t04")) == ("pending", 0, None)
