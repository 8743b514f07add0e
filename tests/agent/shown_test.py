"""What a system prompt tells about a project stays short, however long its history is."""

from smartcommit.agent.shown import LINE, SHOWN, Results, format_habits, list_prompt_variables, take_lines
from smartcommit.change.history import History, PastCommit
from smartcommit.message.rules import MEANINGS, Rules


def test_what_just_fits_is_shown_whole() -> None:
    line = "x" * LINE
    assert take_lines([line, line, line], 2 * LINE + 2) == [line, line]
    assert take_lines([f"{line[1:]} y"], SHOWN) == [f"{line[1:]} [2 more characters]"]
    results = Results()
    assert results.shorten("y" * SHOWN) == "y" * SHOWN
    told = results.shorten("y\n" * SHOWN)
    assert told == "y\n" * (SHOWN // 2) + "[showing 3000 of 6001 lines; use query_tool_result with id r1 for the rest]"
    assert (results.shorten("y\n" * SHOWN), list(results)) == (told, ["r1"])


def test_types_are_told_with_what_they_mean_and_a_limit_that_leaves_room() -> None:
    told = list_prompt_variables(Rules(types=("feat", "own"), summary_limit=100), History([]), None)
    assert (told["types"], told["meanings"], told["limit"]) == ("feat, own", f"feat {MEANINGS['feat']}.", "60")
    assert (told["scopes"], told["language"]) == ("", "")
    assert list_prompt_variables(Rules(summary_limit=50), History([]), "German")["limit"] == "50"


def test_only_the_most_used_scopes_are_told() -> None:
    commits = []
    for number in range(14):
        commits += [PastCommit("feat", f"scope{number}", "add x", ())] * (20 - number)
    told = list_prompt_variables(Rules(), History(commits), None)["scopes"]
    assert told == f" Scopes used so far: {', '.join(f'scope{number}' for number in range(8))}."


def test_the_last_summaries_are_shown_without_upkeep() -> None:
    commits = [PastCommit("build", None, "bump x", (), upkeep=True)]
    commits += [PastCommit("feat", None, f"add {number}", ()) for number in range(7)]
    assert format_habits(History(commits))[1:-1] == [f"  add {number}" for number in range(5)]
    assert format_habits(History(commits[:1])) == ()
