"""Where the product's promises are tested: each row names the tests that hold it, and here they must exist."""

from __future__ import annotations

import ast
from functools import cache

import pytest

from tests.conftest import ROOT

# Of the planner.
PLANNER = {
    "exactly twelve tools, arguments validated": [
        "jj/server_test.py::test_there_are_exactly_twelve_tools_with_closed_schemas",
        "jj/inspector_test.py::test_it_lists_twelve_tools_and_finds_nothing_wrong_with_their_schemas",
    ],
    "whatever is accepted reads back equal": [
        "jj/planner_test.py::test_any_goal_reads_back_equal_or_is_refused",
        "jj/planner_test.py::test_any_description_reads_back_equal_or_is_refused",
        "jj/planner_test.py::test_any_constraints_read_back_equal_or_are_refused",
        "jj/planner_test.py::test_any_tasks_read_back_equal_with_the_same_ids_or_are_refused",
    ],
    "no field injects structure": [
        "jj/weaknesses_test.py::test_w2_no_line_feed_adds_a_task_or_finishes_the_job",
        "jj/weaknesses_test.py::test_w11_a_line_of_prose_that_opens_a_section_is_refused_before_it_is_written",
    ],
    "ids are stable and unique": [
        "jj/weaknesses_test.py::test_w4_ids_are_the_same_when_set_and_when_read",
        "jj/weaknesses_test.py::test_w5_the_same_summary_below_two_parents_is_reachable_twice",
    ],
    "a parent is done by its children, four levels deep": [
        "jj/tools_test.py::test_a_parent_is_complete_by_its_children_alone",
        "jj/planner_test.py::test_four_levels_are_accepted_and_a_fifth_is_refused",
    ],
    "only finish_job finishes": [
        "jj/tools_test.py::test_only_finish_job_writes_the_finished_heading",
        "jj/tools_test.py::test_a_plan_without_tasks_is_never_finished",
    ],
    "every reply carries state and next actions": [
        "jj/tools_test.py::test_every_reply_carries_state_and_next_actions",
    ],
    "a text that is there is protected": [
        "jj/tools_test.py::test_a_text_that_is_there_is_replaced_only_when_that_is_confirmed",
        "jj/weaknesses_test.py::test_w9_no_plan_and_no_text_is_destroyed_without_asking",
    ],
    "a malformed message is shown and never written": [
        "jj/tools_test.py::test_a_malformed_description_is_read_only_and_shown_by_every_tool",
        "jj/tools_test.py::test_a_malformed_description_raises_the_choice_and_b_leaves_it",
        "jj/tools_test.py::test_a_reformatted_message_is_judged_before_it_is_written",
    ],
    "trailers and letter case are tolerated": [
        "jj/weaknesses_test.py::test_w10_trailers_and_letter_case_are_no_malformed_plan",
    ],
    "a client is asked where it can be, and told where not": [
        "jj/server_test.py::test_a_client_that_can_be_asked_reaches_a_valid_plan_in_one_call",
        "jj/server_test.py::test_a_client_that_cannot_be_asked_reaches_a_valid_plan_by_the_template",
    ],
    "a failing jj halts": [
        "jj/change_test.py::test_a_missing_jj_halts_everything",
        "jj/change_test.py::test_a_failing_jj_halts_everything_and_says_how_to_mend_it",
        "jj/change_test.py::test_words_on_standard_error_never_fail_a_zero_exit",
        "jj/tools_test.py::test_there_is_no_repository",
    ],
    "jj is called apart from its user's settings": [
        "jj/change_test.py::test_the_exact_calls_of_jj",
        "jj/change_test.py::test_a_persons_settings_change_nothing",
        "jj/change_test.py::test_a_jj_that_hangs_is_given_up",
        "jj/change_test.py::test_a_long_plan_passes_where_an_argument_would_not",
    ],
    "an empty change is uninitialised": ["jj/tools_test.py::test_a_change_without_anything_is_uninitialised"],
    "edits at the same time lose nothing": [
        "jj/weaknesses_test.py::test_w13_two_clients_do_not_overwrite_each_other",
        "jj/change_test.py::test_a_description_that_was_changed_meanwhile_is_not_overwritten",
    ],
}


@cache
def names_in(path: str) -> set[str]:
    tree = ast.parse((ROOT / "tests" / path).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}


@pytest.mark.parametrize("promise", PLANNER)
def test_the_tests_of_a_promise_exist(promise: str) -> None:
    for name in PLANNER[promise]:
        path, _, test = name.partition("::")
        assert test.startswith("test_")
        assert test in names_in(path), f"'{name}' is gone"
