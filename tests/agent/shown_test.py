"""What a system prompt tells about a project stays short, however long its history is."""

from smartcommit.agent.shown import format_habits, list_prompt_variables
from smartcommit.change.history import History, PastCommit
from smartcommit.message.rules import Rules


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
