"""What an agent is told."""

from smartcommit.executor.executor import build_prompt, shorten
from smartcommit.executor.plan import PlanTask
from smartcommit.executor.plan_dir import new_plan

TASK = PlanTask(
    id="t02", title="Use it", description="In the parser.", acceptance_criteria=["it parses", "tests pass"], attempts=1
)


def test_the_prompt_tells_plan_task_criteria_and_not_to_commit() -> None:
    tasks = [PlanTask(id="t01", title="Add it", status="completed"), TASK]
    plan = new_plan(".", "Parser", description="Read more.", sourceFile="docs/parser.md", tasks=tasks)
    prompt = build_prompt(plan, TASK, 5)
    assert prompt.startswith(
        "# Plan: parser\n\nRead more.\n\nSource document: docs/parser.md\n\n"
        "Tasks:\n- [x] t01 Add it\n- [ ] t02 Use it\n\n"
        "## Task t02: Use it\n\nIn the parser.\n\nAttempt 1 of 5\n\n"
    )
    assert "## Acceptance criteria\n1. it parses\n2. tests pass\n" in prompt
    assert "4. **DO NOT commit your changes** - smartcommit commits them for you\n" in prompt
    assert "\n   SUGGESTED_COMMIT_MESSAGE: <your descriptive commit message>\n" in prompt
    assert "Previous attempts failed" not in prompt


def test_a_long_failure_is_told_by_its_end() -> None:
    assert shorten("it failed\n" + "x" * 100_000 + " and\nthe reason") == "it failed\nand\nthe reason"
