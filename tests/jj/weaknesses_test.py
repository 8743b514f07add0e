"""What earlier planners got wrong, one test each: none of it can happen here, on a real jj."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from smartcommit.jj.guidance import guide
from smartcommit.jj.models import TaskItem
from smartcommit.jj.tools import Tools
from smartcommit.message.rules import Rules
from tests.jj.tools_test import done, planned, refused
from tests.support.workspace import Workspace


@pytest.fixture
def tools(workspace: Workspace) -> Tools:
    made = Tools(str(workspace.path))
    planned(made)
    return made


def test_w1_no_refused_field_bricks_the_plan(tools: Tools, workspace: Workspace) -> None:
    before = workspace.description
    refused(tools.set_constraints(["keep the interface"]))
    refused(tools.update_goal(scope="two words"))
    refused(tools.set_tasks([TaskItem("a", "one\ntwo")]))
    refused(tools.update_goal(summary="one\ntwo"))
    assert workspace.description == before
    done(tools.mark_task("one"))


def test_w2_no_line_feed_adds_a_task_or_finishes_the_job(tools: Tools, workspace: Workspace) -> None:
    before = workspace.description
    refused(tools.set_tasks([TaskItem("a\n- [x] b")]))
    refused(tools.set_constraints(["Never: x\n\nTasks [X]:\n- [x] a"]))
    refused(tools.update_goal(summary="x\n\nTasks [X]:\n- [x] a"))
    refused(tools.update_description("why\n\nTasks [X]:\n- [x] a"))
    assert workspace.description == before


def test_w3_no_orphan_is_dropped(tools: Tools, workspace: Workspace) -> None:
    before = workspace.description
    refused(tools.set_tasks([TaskItem("deep", level=2)]), "no task above it has level 1")
    assert workspace.description == before


def test_w4_ids_are_the_same_when_set_and_when_read(tools: Tools) -> None:
    refused(tools.set_tasks([TaskItem("Fix foo: bar")]))
    refused(tools.set_tasks([TaskItem("a"), TaskItem("a")]))
    set_ = done(tools.set_tasks([TaskItem("Über Größe"), TaskItem("日本語")]))
    assert set_.current_state.current_task_id == "über-grösse"
    tasks = tools.get_tasks().tasks
    assert tasks is not None
    assert [task.id for task in tasks] == ["über-grösse", "日本語"]


def test_w5_the_same_summary_below_two_parents_is_reachable_twice(tools: Tools, workspace: Workspace) -> None:
    done(tools.set_tasks([TaskItem("a"), TaskItem("t", level=1), TaskItem("b"), TaskItem("t", level=1)]))
    done(tools.mark_task("b/t"))
    assert workspace.description.endswith("- [ ] a\n  - [ ] t\n- [x] b\n  - [x] t\n")


def test_w6_a_parent_is_never_marked_above_open_children(tools: Tools) -> None:
    done(tools.set_tasks([TaskItem("a"), TaskItem("t", level=1)]))
    assert refused(tools.mark_task("a")).current_state.completed_tasks == 0


def test_w7_the_last_task_does_not_finish_the_job(tools: Tools, workspace: Workspace) -> None:
    done(tools.mark_task("one"))
    assert done(tools.mark_task("two")).current_state.phase == "executing"
    assert "Tasks [ ]:" in workspace.description


def test_w8_tasks_are_read_with_ids_and_every_reply_guides(tools: Tools) -> None:
    tasks = tools.get_tasks()
    assert tasks.tasks is not None
    assert [(task.id, task.summary) for task in tasks.tasks] == [("one", "one"), ("two", "two")]
    assert tasks.current_state.current_task_id == "one"
    assert "mark_task" in tasks.next_actions.available


def test_w9_no_plan_and_no_text_is_destroyed_without_asking(tools: Tools, workspace: Workspace) -> None:
    before = workspace.description
    check = refused(tools.start_planning("fix", "other")).alignment_check
    assert check is not None
    assert check.required_confirmation
    assert workspace.description == before


@pytest.mark.parametrize(
    "text",
    ["feat: x\n\nTasks [ ]:\n- [X] a\n\nSigned-off-by: A <a@b>\n", "feat: x\n\nTasks [x]:\n- [x] a\n",
     "feat: x\n\nConstraints: none\n\nTasks [ ]:\n- [ ] a\n\nChange-Id: I1\n"],
)  # fmt: skip
def test_w10_trailers_and_letter_case_are_no_malformed_plan(tools: Tools, workspace: Workspace, text: str) -> None:
    workspace.describe(text)
    assert done(tools.mark_task("a")).current_state.total_tasks == 1
    for trailer in ("Signed-off-by: A <a@b>", "Change-Id: I1"):
        assert (trailer in text) == (trailer in workspace.description)


def test_w10_tabs_are_reported_and_not_taken_for_prose(tools: Tools, workspace: Workspace) -> None:
    workspace.describe("feat: x\n\nTasks [ ]:\n- [ ] a\n\t- [ ] b\n")
    assert "tasks-indent" in refused(tools.get_tasks()).action_taken


def test_w11_a_line_of_prose_that_opens_a_section_is_refused_before_it_is_written(
    tools: Tools, workspace: Workspace
) -> None:
    before = workspace.description
    refused(tools.update_description("Constraints: these are many"))
    assert workspace.description == before
    done(tools.update_description("The constraints: these are many"))


def test_w12_a_summary_that_says_error_is_no_failure(tools: Tools, workspace: Workspace) -> None:
    done(tools.update_goal(summary="error: fatal: Permission denied"))
    assert workspace.description.startswith("feat: error: fatal: Permission denied\n")


def test_w13_two_clients_do_not_overwrite_each_other(tools: Tools, workspace: Workspace) -> None:
    other = Tools(str(workspace.path))
    with ThreadPoolExecutor(2) as pool:
        for answer in (pool.submit(tools.mark_task, "one"), pool.submit(other.mark_task, "two")):
            done(answer.result())
    assert done(tools.get_plan()).current_state.completed_tasks == 2
    assert workspace.versions() == 1


def test_w14_the_repository_is_named_and_the_current_directory_does_not_count(
    tools: Tools, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = Workspace.init(workspace.path.parent / "elsewhere")
    monkeypatch.chdir(elsewhere.path)
    done(tools.update_goal(summary="y" * 120))
    assert elsewhere.description == ""
    assert "y" * 120 in workspace.description


def test_w15_what_is_not_enforced_is_said() -> None:
    told = " ".join(guide(Rules()).split())
    assert "nothing is remembered between calls" in told
    assert "what you report as done is not verified" in told
