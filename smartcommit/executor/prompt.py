"""What an agent is told."""

from __future__ import annotations

from smartcommit.executor.output import FAILED, MARKER, PLACEHOLDER
from smartcommit.executor.plan import PlanTask, TaskPlan

# Characters of a failure that the next attempt is told: its end, where reasons stand.
FAILURE_LIMIT = 6000

_INSTRUCTIONS = f"""## Instructions
1. Implement the task as described
2. Verify ALL acceptance criteria are met
3. If you have a code review skill available (e.g., `/code-review`), use it
4. **DO NOT commit your changes** - the orchestrator will handle the commit
5. When done, output your suggested commit message in this format:
   {MARKER} {PLACEHOLDER}

IMPORTANT: Leave changes uncommitted. The orchestrator will commit after validating.
If you cannot meet every criterion, output a line '{FAILED} <why>' instead of a message.
"""
_RETRY = (
    "**Note**: Previous attempts failed. If there are uncommitted changes from previous attempts, "
    "review them and continue from where the previous attempt left off."
)


def plan_context(plan: TaskPlan) -> str:
    """What every task's agent is told of the plan: its name, purpose, source, and which tasks are done."""
    lines = [f"# Plan: {plan.name}"]
    if plan.description:
        lines += ["", plan.description]
    if plan.source_file:
        lines += ["", f"Source document: {plan.source_file}"]
    lines += ["", "Tasks:"]
    marks = {"completed": "x"}
    lines += [f"- [{marks.get(task.status, ' ')}] {task.id} {task.title}" for task in plan.tasks]
    return "\n".join(lines)


def build_prompt(task: PlanTask, plan_context: str, attempt: int, max_attempts: int, *, failure: str = "") -> str:
    """The prompt for an attempt at `task`; `failure` is why the last one failed, in its own words."""
    blocks = [plan_context, f"## Task {task.id}: {task.title}"]
    if task.description:
        blocks.append(task.description)
    blocks.append(f"Attempt {attempt} of {max_attempts}")
    if attempt > 1 or failure:
        blocks.append(_RETRY)
    if failure:
        blocks.append(f"The last attempt ended with:\n\n{_quoted(failure)}")
    if task.acceptance_criteria:
        numbered = [f"{number}. {text}" for number, text in enumerate(task.acceptance_criteria, 1)]
        blocks.append("\n".join(["## Acceptance criteria", *numbered]))
    blocks.append(_INSTRUCTIONS)
    return "\n\n".join(blocks)


def _quoted(text: str) -> str:
    cut = text[-FAILURE_LIMIT:]
    return "\n".join(f"    {line}" for line in cut.splitlines())
