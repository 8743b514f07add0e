"""The twelve tools on a real jj."""

import json
from pathlib import Path

import pytest

from smartcommit.jj.guidance import FORM, TOOLS, write_guide
from smartcommit.jj.models import TaskItem, ToolResponse
from smartcommit.jj.tools import Planner
from smartcommit.message.rules import Rules
from tests.support.workspace import Workspace

NESTED = [
    TaskItem("read comments", "in the tokeniser"),
    TaskItem("keep positions", level=1),
    TaskItem("test both", level=1),
    TaskItem("document them"),
]
FINISHED = """feat(parser): accept comments in lists

Configurations have comments.

Constraints:
- Do not: change how strings are read

Tasks [X]:
- [x] read comments: in the tokeniser
  - [x] keep positions
  - [x] test both
- [x] document them
"""


@pytest.fixture
def tools(workspace: Workspace) -> Planner:
    return Planner(str(workspace.path))


def done(response: ToolResponse) -> ToolResponse:
    assert response.status == "success", response.action_taken
    return response


def refused(response: ToolResponse, *words: str) -> ToolResponse:
    assert response.status == "error"
    for word in words:
        assert word in response.action_taken
    return response


def planned(tools: Planner, *tasks: TaskItem) -> None:
    done(tools.start_planning("feat", "do it"))
    done(tools.set_tasks(tasks or [TaskItem("one"), TaskItem("two")]))


def test_a_change_without_anything_is_uninitialised(tools: Planner, workspace: Workspace) -> None:
    state = done(tools.get_plan()).current_state
    assert (state.phase, state.has_goal) == ("uninitialized", False)
    (workspace.path / "file").write_text("work\n")
    response = done(tools.get_plan())
    assert (response.current_state.phase, response.current_state.has_goal) == ("planning", False)
    assert "modifications but no description" in response.action_taken
    done(tools.start_planning("feat", "x"))


def call(tools: Planner, name: str) -> ToolResponse:
    """A call of a tool with arguments that would do."""
    arguments: dict[str, list[object]] = {
        "start_planning": ["fix", "y"], "update_description": ["why"], "set_constraints": [["Never: x"]],
        "set_tasks": [[TaskItem("a")]], "mark_task": ["one"],
    }  # fmt: skip
    if name == "update_goal":
        return tools.update_goal(summary="y")
    return getattr(tools, name)(*arguments.get(name, []))


@pytest.mark.parametrize("text", ["", "fixed stuff\n\nTasks:\nnothing\n", "feat: x\n", FINISHED])
def test_every_reply_carries_state_and_next_actions(tools: Planner, workspace: Workspace, text: str) -> None:
    for name in TOOLS:
        workspace.describe(text)
        before = workspace.operation
        response = call(tools, name)
        blocked = {entry.partition(": ")[0] for entry in response.next_actions.blocked}
        assert blocked | {*response.next_actions.available} == set(TOOLS), name
        assert all(": " in entry for entry in (*response.next_actions.blocked, *response.next_actions.recommended))
        assert response.next_actions.recommended
        keys = json.loads(response.as_json())
        assert {"status", "action_taken", "current_state", "next_actions"} <= set(keys)
        assert set(keys["next_actions"]) == {"recommended", "blocked", "available"}
        assert {"phase", "has_goal", "total_tasks", "completed_tasks"} <= set(keys["current_state"])
        if not text and name not in ("start_planning", "get_plan", "verify_plan"):
            refused(response, "no plan yet: call start_planning to create one")
            assert f"{name}: no plan yet: call start_planning to create one" in response.next_actions.blocked
            assert workspace.operation == before
        if text.startswith("fixed"):
            assert (response.raw_commit_content, response.current_state.has_goal) == (text, False)
            assert (response.status, workspace.operation) == ("success" if name == "verify_plan" else "error", before)


def test_a_malformed_description_raises_the_choice_and_b_leaves_it(tools: Planner, workspace: Workspace) -> None:
    workspace.describe("fixed stuff\n")
    before = workspace.operation
    asked = done(tools.verify_plan())
    assert FORM in asked.action_taken
    assert "CURRENT MESSAGE:\nfixed stuff" in asked.action_taken
    assert asked.alignment_check.required_confirmation
    left = done(tools.verify_plan("B"))
    assert left.raw_commit_content == "fixed stuff\n"
    assert workspace.operation == before
    assert "start_planning with confirm=true" in done(tools.verify_plan("A")).action_taken
    done(tools.start_planning("fix", "mend stuff", confirm=True))
    done(tools.update_description("fixed stuff"))
    assert workspace.description == "fix: mend stuff\n\nfixed stuff\n\nConstraints: none\n"


@pytest.mark.parametrize("text", ["a person's text\n", "feat: x\n", FINISHED])
def test_a_text_that_is_there_is_replaced_when_confirmed(tools: Planner, workspace: Workspace, text: str) -> None:
    workspace.describe(text)
    response = refused(tools.start_planning("fix", "y"), "confirm=true")
    assert response.alignment_check.required_confirmation
    assert workspace.description == text
    done(tools.start_planning("fix", "y", confirm=True))
    assert workspace.description == "fix: y\n\nConstraints: none\n"
    workspace.jj("undo")
    assert workspace.description == text


def test_a_parent_is_complete_by_its_children_alone(tools: Planner) -> None:
    planned(tools, *NESTED)
    refused(tools.mark_task("read-comments"), "mark its children instead", "'keep-positions', 'test-both'")
    assert done(tools.mark_task("keep-positions")).current_state.completed_tasks == 1
    assert done(tools.mark_task("test-both")).current_state.completed_tasks == 3
    assert done(tools.mark_task("test-both")).current_state.completed_tasks == 1


def test_only_finish_job_writes_the_finished_heading(tools: Planner, workspace: Workspace) -> None:
    done(tools.start_planning("feat", "do it"))
    refused(tools.finish_job(), "without tasks cannot be complete")
    refused(tools.unfinish_job(), "not finished")
    done(tools.set_tasks([TaskItem("one"), TaskItem("two")]))
    refused(tools.finish_job(), "2/2 tasks open: 'one', 'two'")
    done(tools.mark_task("one"))
    response = done(tools.mark_task("two"))
    assert "Tasks [ ]:" in workspace.description
    assert response.current_state.phase == "executing"
    assert response.alignment_check.question.startswith("all tasks are complete")
    assert response.next_actions.recommended == [
        "update_description: explain why the change is necessary, what changes at a high level, how it is done, "
        "and the context that a reader of the code needs",
        "finish_job: all tasks are complete",
    ]
    assert done(tools.finish_job()).current_state.phase == "complete"
    finished = workspace.description
    assert "Tasks [X]:" in finished
    assert done(tools.unfinish_job()).current_state.phase == "executing"
    assert workspace.description == finished.replace("[X]", "[ ]")
    done(tools.finish_job())
    assert "reopened the finished plan" in done(tools.mark_task("one")).action_taken
    assert "Tasks [ ]:\n- [ ] one\n- [x] two" in workspace.description


def test_an_edit_asks_about_each_task_that_is_complete(tools: Planner, workspace: Workspace) -> None:
    for name in ("start_planning", "update_goal", "update_description", "set_constraints", "set_tasks", "unfinish_job"):
        workspace.describe(FINISHED)
        given = {"confirm": True} if name == "start_planning" else {}
        response = done(tools.start_planning("fix", "y", **given) if given else call(tools, name))
        assert response.alignment_check.required_confirmation
        for task in ("'read-comments' (read comments)", "'keep-positions' (keep positions)", "Which of them"):
            assert task in response.alignment_check.question, name
    workspace.describe("feat: x\n\nTasks [ ]:\n- [ ] a\n")
    for name in ("update_goal", "update_description", "set_constraints", "set_tasks"):
        assert done(call(tools, name)).alignment_check is None, name


def test_a_refused_edit_shows_the_plan_as_it_still_is(tools: Planner, workspace: Workspace) -> None:
    planned(tools)
    before = workspace.operation
    response = refused(tools.update_goal(type="nonsense"), "type-unknown")
    assert response.current_state == done(tools.get_plan()).current_state
    assert workspace.description.startswith("feat: do it\n")
    refused(tools.set_tasks([TaskItem("a"), TaskItem("a")]))
    for text in ("why\n\nConstraints:\n- Never: x", "Constraints: these are many"):
        refused(tools.update_description(text), "nothing was written")
    assert workspace.operation == before
    done(tools.update_description("The constraints: these are many"))


def test_the_scope_is_lowered_and_that_is_told(tools: Planner, workspace: Workspace) -> None:
    assert "lower case" in done(tools.start_planning("feat", "x", scope="API")).action_taken
    assert workspace.description.startswith("feat(api): x\n")
    done(tools.update_goal(scope="", breaking=True))
    assert workspace.description.startswith("feat!: x\n")


def test_the_projects_own_rules_hold(workspace: Workspace) -> None:
    tools = Planner(str(workspace.path), rules=lambda: Rules(types=["perf"], required=["description"]))
    refused(tools.start_planning("feat", "x"), "type-unknown")
    done(tools.start_planning("perf", "x"))
    done(tools.set_tasks([TaskItem("a", completed=True)]))
    refused(tools.finish_job(), "the description is missing")
    assert "reject" in done(tools.verify_plan()).action_taken
    done(tools.update_description("why"))
    done(tools.finish_job())
    assert done(tools.verify_plan()).action_taken == "verified the plan: it is valid"


def test_a_repository_made_later_is_found(workspace: Workspace, tmp_path: Path) -> None:
    tools = Planner(str(tmp_path / "later"))
    response = refused(tools.get_plan(), "no jj repository", "jj git init")
    assert "CRITICAL" not in response.action_taken
    assert (response.current_state, response.next_actions.available) == (None, [])
    assert len(response.next_actions.blocked) == len(TOOLS)
    Workspace.init(tmp_path / "later")
    done(tools.get_plan())


def test_what_is_not_enforced_is_said() -> None:
    told = " ".join(write_guide(Rules()).split())
    assert "nothing is remembered between calls" in told
    assert "what you report as done is not verified" in told
