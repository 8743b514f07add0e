"""Where the product's promises are tested: each row names the tests that hold it, and here they must exist."""

from __future__ import annotations

from tests.support.documentation import ROOT, names_in

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
        "jj/run_test.py::test_a_missing_jj_halts_everything",
        "jj/run_test.py::test_a_failing_jj_halts_everything_and_says_how_to_mend_it",
        "jj/run_test.py::test_words_on_standard_error_never_fail_a_zero_exit",
        "jj/tools_test.py::test_there_is_no_repository",
    ],
    "jj is called apart from its user's settings": [
        "jj/run_test.py::test_the_exact_calls_of_jj",
        "jj/run_test.py::test_a_persons_settings_change_nothing",
        "jj/run_test.py::test_a_jj_that_hangs_is_given_up",
        "jj/run_test.py::test_a_long_plan_passes_where_an_argument_would_not",
    ],
    "an empty change is uninitialised": ["jj/tools_test.py::test_a_change_without_anything_is_uninitialised"],
    "edits at the same time lose nothing": [
        "jj/weaknesses_test.py::test_w13_two_clients_do_not_overwrite_each_other",
        "jj/run_test.py::test_a_description_that_was_changed_meanwhile_is_not_overwritten",
    ],
}
SPLIT = {
    "hunks have ids, and fingerprints that outlast a snapshot": [
        "split/plan_test.py::test_ids_are_good_for_one_snapshot_and_fingerprints_for_all",
        "split/plan_test.py::test_equal_edits_of_one_file_have_fingerprints_of_their_own",
    ],
    "any file name is listed, emitted and committed": [
        "split/model_test.py::test_a_file_of_any_name_can_be_emitted",
        "split/situations_test.py::test_names_are_shown_without_commanding_the_terminal",
    ],
    "it works from a folder, in a worktree and before the first commit": [
        "split/situations_test.py::test_a_subfolder_splits_the_whole_tree",
        "split/situations_test.py::test_a_linked_worktree_is_split_on_its_own_branch",
        "split/situations_test.py::test_the_first_commit_of_a_repository_can_be_a_split",
    ],
    "an operation in progress is refused": [
        "split/situations_test.py::test_an_operation_in_progress_is_refused_and_named",
    ],
    "whatever ends it early, index and working tree stay": [
        "commands/split_test.py::test_a_dry_run_shows_the_refs_and_leaves_no_object",
        "commands/split_test.py::test_json_is_all_that_is_printed_and_changes_nothing",
        "commands/split_test.py::test_an_interrupt_at_the_question_changes_nothing",
        "split/model_test.py::test_whatever_goes_wrong_nothing_is_touched_and_what_there_is_is_kept",
    ],
    "every kind of file and change is committed to the byte": [
        "split/situations_test.py::test_every_situation_is_split_without_a_loss",
    ],
    "in any order, hunk by hunk, the tree is git's own": [
        "split/situations_test.py::test_every_situation_is_split_into_hunks_in_any_order",
    ],
    "no random repository loses a byte or gets an empty commit": [
        "split/laws_test.py::test_nothing_is_lost_and_no_commit_is_empty",
    ],
    "what git cannot part stays together": [
        "split/model_test.py::test_what_git_cannot_part_is_emitted_and_skipped_together",
        "split/constraints_test.py::test_bundles",
    ],
    "a commit that cannot be made stops everything": [
        "split/apply_test.py::test_a_chain_that_is_not_the_change_is_refused",
        "commands/split_test.py::test_a_key_that_cannot_sign_stops_everything",
        "git/transaction_test.py::test_the_hook_for_refs_is_asked_and_may_refuse",
    ],
    "a killed split is old or complete": [
        "git/transaction_test.py::test_a_killed_split_is_old_or_complete_and_recovers",
        "git/transaction_test.py::test_splits_killed_at_random_instants_recover",
        "git/transaction_test.py::test_a_lock_that_a_killed_git_left_is_named_with_an_error",
        "git/transaction_test.py::test_a_killed_undo_recovers",
    ],
    "after a crash between refs and index a plain commit fails": [
        "git/transaction_test.py::test_a_killed_split_is_old_or_complete_and_recovers",
    ],
    "locks, edits, another HEAD and another split are refused or right": [
        "git/transaction_test.py::test_a_held_lock_refuses_and_is_left_alone",
        "git/transaction_test.py::test_what_another_process_does_meanwhile_refuses_the_split",
        "git/transaction_test.py::test_a_refreshed_index_and_an_edited_file_do_not_stop_a_split",
        "git/transaction_test.py::test_two_splits_at_once_make_one",
    ],
    "hooks see the caller's environment, and what they write stays": [
        "git/transaction_isolation_test.py::test_a_hook_sees_the_environment_and_the_objects_of_the_caller",
        "git/transaction_isolation_test.py::test_objects_that_a_hook_creates_survive",
        "git/transaction_isolation_test.py::test_a_hook_that_rewrites_the_index_does_not_make_the_next_commit_revert_the_split",
    ],
    "a copy or a moved repository undoes itself and nothing else": [
        "git/transaction_isolation_test.py::test_a_copy_or_a_moved_repository_undoes_itself_and_nothing_else",
    ],
    "garbage collection at the same time loses nothing": [
        "git/transaction_isolation_test.py::test_a_collection_of_garbage_at_the_same_time_loses_nothing",
    ],
    "the number of git processes is constant": [
        "commands/split_test.py::test_it_takes_a_constant_number_of_git_processes",
    ],
    "undo restores HEAD, index and flags, unless HEAD moved": [
        "git/transaction_test.py::test_undo_restores_head_and_index_byte_for_byte",
        "git/transaction_test.py::test_undo_is_refused_when_something_has_happened_since",
    ],
    "what a plan leaves out keeps its state": [
        "split/index_rest_test.py::test_every_situation_can_be_committed_in_part",
        "split/index_rest_test.py::test_hunks_of_one_file_keep_their_state",
        "split/index_rest_test.py::test_a_mode_keeps_its_state",
        "split/index_rest_test.py::test_what_was_only_intended_stays_so",
    ],
    "definitions come before uses": [
        "split/constraints_test.py::test_a_name_is_added_before_it_is_used",
        "split/constraints_test.py::test_the_uses_of_a_name_go_before_it_does",
        "split/ordering_test.py::test_a_definition_is_committed_before_its_use",
        "split/ordering_test.py::test_a_definition_goes_after_its_uses",
        "split/ordering_test.py::test_what_needs_one_another_is_one_commit",
        "split/model_test.py::test_commits_come_in_the_order_that_their_contents_ask_for",
    ],
    "every commit parses wherever the change begins and ends so": [
        "split/file_states_test.py::test_every_intermediate_commit_of_a_split_by_hunks_parses",
        "split/file_states_test.py::test_commits_between_which_a_file_would_not_parse_are_one",
        "split/file_states_test.py::test_the_plan_tells_what_does_not_parse",
    ],
    "each commit is tried before anything moves": [
        "split/exec_check_test.py::test_every_commit_is_tried_and_told_of",
        "split/exec_check_test.py::test_a_commit_that_fails_leaves_everything_as_it_was",
        "split/exec_check_test.py::test_what_passed_is_not_tried_again",
    ],
    "a hunk is cut where both halves parse": [
        "split/cut_test.py::test_python_is_cut_between_what_parses_alone",
        "split/cut_test.py::test_other_files_are_cut_where_their_parser_or_their_look_allows",
        "split/cut_test.py::test_a_written_plan_cuts_again_what_it_was_made_of",
        "split/model_test.py::test_a_model_can_cut_a_hunk_and_commit_its_halves",
        "commands/split_test.py::test_a_hunk_that_was_cut_in_a_review_is_committed_in_parts",
    ],
    "the settings and environment of the caller change nothing": [
        "split/situations_test.py::test_the_environment_and_settings_of_the_caller_change_nothing",
    ],
    "history is split to pieces and comes out whole": [
        "split/replay_test.py::test_commits_of_the_past_are_split_in_any_order_and_end_in_their_tree",
    ],
    "hooks run as documented, and none is displaced": [
        "git/transaction_test.py::test_only_the_hook_for_refs_runs_and_no_hook_is_displaced",
        "git/transaction_test.py::test_the_hook_for_refs_is_asked_and_may_refuse",
        "commands/split_test.py::test_a_message_that_breaks_the_policy_stops_everything",
    ],
    "no object of a run that was given up is left": [
        "git/transaction_test.py::test_nothing_of_a_killed_split_is_left_in_the_repository",
        "commands/split_test.py::test_a_dry_run_shows_the_refs_and_leaves_no_object",
        "split/apply_test.py::test_a_chain_that_is_not_the_change_is_refused",
    ],
    "nested repositories and sparse files are never staged by surprise": [
        "split/situations_test.py::test_a_repository_in_the_working_tree_is_left_out_and_named",
        "split/situations_test.py::test_files_outside_a_sparse_checkout_are_left_out_and_named",
    ],
    "only the staged change is split where that is asked": [
        "split/situations_test.py::test_what_is_staged_is_split_and_the_rest_stays",
        "commands/split_test.py::test_staged_splits_what_is_staged",
    ],
    "each emission is checked at once": [
        "split/model_test.py::test_what_cannot_be_is_refused_with_the_reason",
    ],
    "each reply lists exactly what is unassigned": [
        "split/model_test.py::test_each_reply_lists_exactly_what_is_still_unassigned",
        "split/model_test.py::test_the_list_of_what_remains_is_never_cut",
    ],
    "finalizing needs a decision on every hunk": [
        "split/model_test.py::test_finalizing_before_anything_was_emitted_is_refused",
        "split/model_test.py::test_what_cannot_be_is_refused_with_the_reason",
    ],
    "the countdown says what to do": [
        "split/model_test.py::test_the_countdown_says_what_to_do_by_what_was_emitted",
    ],
    "a silent model is reminded, forced and left": [
        "agent/loop_test.py::test_who_only_talks_is_reminded_then_forced_then_left",
    ],
    "the last turn may be mended once": [
        "split/model_test.py::test_the_last_turn_can_only_finalize_and_may_mend_that_once",
        "agent/loop_test.py::test_the_last_turn_offers_the_end_only_and_grants_one_more",
    ],
    "every call of a reply is answered": [
        "agent/loop_test.py::test_every_call_of_a_turn_is_answered_in_order",
    ],
    "malformed arguments are told": [
        "agent/loop_test.py::test_what_went_wrong_is_told_and_the_model_can_mend_it",
    ],
    "a wrong id comes back with candidates": [
        "split/model_test.py::test_seed_6_a_wrong_id_comes_back_with_candidates_and_is_mended",
    ],
    "commits that share a hunk become one": [
        "split/model_test.py::test_commits_that_share_a_hunk_become_one_and_the_model_only_words_it",
    ],
    "every tool looks at the snapshot": [
        "split/model_test.py::test_every_tool_looks_at_the_snapshot",
    ],
    "a link is not followed": [
        "agent/git_tools_test.py::test_a_link_shows_where_it_points_and_is_not_followed",
        "agent/git_tools_test.py::test_what_is_not_in_the_trees_is_refused",
    ],
    "large files are told by their symbols and kept results": [
        "agent/git_tools_test.py::test_symbols_are_listed_with_their_lines",
        "agent/git_tools_test.py::test_a_kept_result_is_asked_about_by_lines_and_by_text",
    ],
    "generated files go by name": [
        "split/model_test.py::test_generated_files_and_those_for_secrets_are_named_and_not_shown",
    ],
    "what is to be done outlives every compaction": [
        "agent/loop_test.py::test_old_results_give_way_and_what_is_to_be_done_stays",
    ],
    "a busy server is asked again and a failing one told": [
        "llm/client_test.py::test_a_busy_server_that_recovers_is_asked_again",
        "llm/client_test.py::test_every_failure_has_its_error",
    ],
    "the dialect is chosen and can be named": [
        "draft/engine_test.py::test_the_address_tells_the_dialect_unless_it_is_named",
    ],
    "settings have an order and show their source": [
        "commands/config_test.py::test_each_setting_is_shown_with_its_source",
    ],
    "what a model noticed is shown and not committed": [
        "split/model_test.py::test_what_was_noticed_is_shown_and_not_committed",
        "split/review/tui_test.py::test_what_a_model_noticed_and_what_is_left_out_can_be_read",
    ],
    "what a project looks out for reaches the model once": [
        "split/model_test.py::test_what_the_project_looks_out_for_reaches_the_model_once",
    ],
    "what breaks has its mark and one trailer": [
        "split/model_test.py::test_a_breaking_change_has_its_mark_and_its_trailer",
    ],
    "patterns for .gitignore are offered": [
        "split/model_person_test.py::test_a_person_can_have_what_is_junk_ignored",
        "split/model_test.py::test_a_dry_run_by_a_model_changes_nothing_and_suggests_nothing",
        "split/gitignore_test.py::test_what_is_missing_is_appended",
    ],
    "a plan is pure JSON, bound to its snapshot, and replayed": [
        "commands/split_test.py::test_json_is_all_that_is_printed_and_changes_nothing",
        "commands/split_test.py::test_a_saved_plan_can_be_edited_and_carried_out",
        "commands/split_test.py::test_a_plan_is_not_carried_out_on_what_has_changed",
        "split/plan_json_test.py::test_a_later_version_is_refused",
    ],
    "the panes and the text review do the same": [
        "split/review/tui_test.py::test_each_key_changes_the_commits_as_it_says",
        "split/review/text_test.py::test_each_command_changes_the_commits_as_it_says",
        "split/review/edits_test.py::test_no_operation_loses_or_doubles_a_hunk",
    ],
    "a message saved unchanged is unchanged": [
        "split/review/text_test.py::test_a_message_that_is_saved_unchanged_stays_byte_for_byte",
    ],
    "an interrupt keeps the partial plan and says where": [
        "split/model_test.py::test_an_interrupt_keeps_the_partial_plan_and_says_where",
        "split/model_test.py::test_the_partial_plan_can_be_carried_out",
        "commands/split_test.py::test_sigint_while_a_model_works_keeps_its_plan_and_is_4",
    ],
    "splitting anew starts clean": [
        "split/model_test.py::test_each_classification_starts_clean",
        "split/model_person_test.py::test_a_person_can_have_the_change_split_anew",
        "split/model_person_test.py::test_a_plan_that_is_replayed_is_not_split_anew",
    ],
    "tokens are reported": [
        "split/model_test.py::test_tokens_and_requests_are_reported",
    ],
    "without network and model the same command works": [
        "split/model_test.py::test_without_a_network_and_a_model_the_same_command_works",
    ],
    "no secret leaves the machine": [
        "split/model_test.py::test_no_planted_secret_leaves_the_machine",
    ],
    "the messages pass the project's rules": [
        "commands/split_test.py::test_a_message_that_breaks_the_policy_stops_everything",
    ],
    "a run on a few changes splits them": [
        "split/model_test.py::test_seed_1_a_run_on_a_few_unstaged_changes_splits_them",
    ],
    "the log shows a call for each commit": [
        "split/model_test.py::test_seed_2_the_turn_log_shows_a_call_for_each_commit",
    ],
    "the model ends by finalizing": [
        "split/model_test.py::test_seed_3_the_model_ends_by_finalizing",
    ],
    "the panes show the commits": [
        "split/review/tui_test.py::test_the_tui_shows_the_correct_commits",
    ],
    "what is committed is the change": [
        "split/model_test.py::test_seed_5_what_is_committed_is_the_change",
    ],
    "every exit status is reached": [
        "commands/split_test.py::test_nothing_to_split_has_a_status_of_its_own",
        "split/model_test.py::test_a_server_that_is_not_there_is_told",
        "commands/split_test.py::test_a_message_that_breaks_the_policy_stops_everything",
        "commands/split_test.py::test_without_a_terminal_the_plan_is_shown_and_nothing_done",
        "commands/split_test.py::test_wrong_usage_is_64",
    ],
}
EXECUTOR = {
    "a plan is read, kept and written whole": [
        "executor/plan_test.py::test_unknown_fields_survive_a_change",
        "executor/plan_test.py::test_a_plan_of_the_prior_art_is_read_and_gets_a_version",
    ],
    "the log holds the sequence": [
        "executor/git_backend_test.py::test_the_log_holds_the_sequence_with_parents_and_durations",
    ],
    "one run in a working tree": [
        "executor/weaknesses_test.py::test_w13_two_runs_in_one_tree_are_refused_also_of_two_plans",
        "executor/weaknesses_test.py::test_w13_a_lock_whose_process_is_gone_locks_nobody_out_even_if_its_number_lives",
    ],
    "a tree with a person's changes is refused, our own files are not": [
        "executor/git_backend_test.py::test_changes_of_a_person_refuse_a_run_and_are_named",
        "executor/weaknesses_test.py::test_w6_neither_lock_nor_output_is_committed_nor_does_an_untracked_folder_refuse_a_run",
    ],
    "a commit for each task, with its metadata": [
        "executor/git_backend_test.py::test_the_executor_commits_work_and_metadata_together_once_a_task",
    ],
    "the agent's suggestion is found, and only its own": [
        "executor/weaknesses_test.py::test_w5_the_suggestion_is_found_whatever_stands_around_it",
        "executor/weaknesses_test.py::test_w5_an_earlier_attempts_suggestion_is_not_used",
        "executor/git_backend_test.py::test_without_a_suggestion_the_task_names_the_commit",
    ],
    "an agent's own commit is accepted": [
        "executor/git_backend_test.py::test_an_agents_own_commit_is_accepted_and_recorded",
        "executor/git_backend_test.py::test_an_agent_that_commits_everything_leaves_a_commit_of_metadata",
    ],
    "nothing to commit is no error": [
        "executor/git_backend_test.py::test_nothing_to_commit_at_all_is_no_commit_and_no_error",
    ],
    "allow-dirty commits nothing": [
        "executor/git_backend_test.py::test_allow_dirty_commits_nothing_at_all",
    ],
    "a commit that fails leaves the task open": [
        "executor/weaknesses_test.py::test_w1_a_commit_that_fails_leaves_the_task_open_and_keeps_the_cause",
        "executor/git_backend_test.py::test_a_hooks_refusal_uses_an_attempt_and_is_told_to_the_next",
    ],
    "the tree is clean after a commit, or the run stops": [
        "executor/git_backend_test.py::test_a_tree_dirty_after_the_commit_stops_the_run_and_the_task_stays_completed",
    ],
    "a failed task keeps its work": [
        "executor/git_backend_test.py::test_a_task_that_fails_commits_nothing_and_keeps_the_tree",
        "executor/git_backend_test.py::test_a_failed_attempts_work_is_there_for_the_next",
    ],
    "it goes on after a cancel or a failure": [
        "executor/weaknesses_test.py::test_w2_resuming_is_not_blocked_by_our_own_files",
        "executor/weaknesses_test.py::test_w3_cancelling_uses_no_attempt_and_is_no_failure",
    ],
    "success needs evidence": [
        "executor/weaknesses_test.py::test_w4_success_is_not_the_exit_status_alone",
        "executor/git_backend_test.py::test_a_check_must_pass_and_its_words_reach_the_next_attempt",
    ],
    "a hung agent is ended with its children": [
        "executor/weaknesses_test.py::test_w12_a_hung_agent_is_ended_with_its_children_and_tried_again",
    ],
    "whoever is killed, it comes to the same end": [
        "executor/kill_test.py::test_whoever_is_killed_wherever_it_comes_to_the_same_end",
        "executor/kill_test.py::test_a_run_killed_at_any_step_comes_to_the_same_end",
    ],
    "the proof, and never the prefix, lets its commits through": [
        "executor/hooks_test.py::test_our_hooks_through_precommit_leave_the_executor_alone_and_refuse_its_text_by_hand",
        "executor/hooks_test.py::test_the_proof_holds_for_one_message_of_one_commit",
    ],
}


def test_the_tests_of_every_promise_exist() -> None:
    missing = []
    for names in (*PLANNER.values(), *SPLIT.values(), *EXECUTOR.values()):
        for name in names:
            path, _, test = name.partition("::")
            if test not in names_in(ROOT / "tests" / path):
                missing.append(name)
    assert not missing
