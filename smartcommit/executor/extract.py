"""Extracts tasks from a design document with a model."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, Field

from smartcommit.agent.git_tools import TOOLS
from smartcommit.agent.loop import agentic_loop
from smartcommit.agent.tool import tool
from smartcommit.errors import ToolRetry
from smartcommit.git.repo import Repository, Trees
from smartcommit.llm.api import Json
from smartcommit.llm.client import LLMClient
from smartcommit.waiting import Deadline

# The model's time limit in seconds, and tokens of its answer: a plan is longer than a message.
PATIENCE = 300.0
OUTPUT = 4096
_TASKS, _CRITERIA, _TURNS = 60, 12, 12
# The tools that read the repository; there is no change to look at.
_READING = ("read_file", "list_symbols", "search_codebase", "get_git_log")


class TaskArgs(BaseModel):
    title: str = Field(max_length=200, description="an instruction in the imperative, one line")
    description: str = Field("", max_length=4000)
    acceptance_criteria: list[str] = Field(alias="acceptanceCriteria", max_length=_CRITERIA)


class ProposePlanArgs(BaseModel):
    name: str = Field(max_length=80, description="a few lower-case words")
    description: str = Field("", max_length=2000, description="the purpose of the plan")
    tasks: list[TaskArgs] = Field(max_length=_TASKS, description="in the order in which to do them")


@tool(ProposePlanArgs)
def propose_plan(args: ProposePlanArgs, **_: Any) -> dict[str, Any]:
    """Submit the plan and finish. Every task needs a title and at least one acceptance criterion."""
    if not args.tasks:
        raise ToolRetry("the plan has no tasks")
    # Without checks: a model never specifies commands.
    tasks = []
    for number, task in enumerate(args.tasks, 1):
        if not task.title.strip():
            raise ToolRetry(f"task {number} has no title")
        criteria = [text.strip() for text in task.acceptance_criteria if text.strip()]
        if not criteria:
            raise ToolRetry(f"task {number}, '{task.title}', has no acceptance criteria")
        tasks.append(
            {
                "id": f"t{number:02d}",
                "title": task.title,
                "description": task.description,
                "acceptanceCriteria": criteria,
            }
        )
    return {"name": args.name, "description": args.description, "tasks": tasks}


def extract(
    document: str,
    repository: Repository,
    client: LLMClient,
    *,
    deadline: Deadline,
    log: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Return the fields `name`, `description` and `tasks` of a plan for `document`.

    Raise LLMError or AgentError if the model fails to submit a plan in time; Cancelled; GitError.
    """
    room = max(4000, (client.config.context - client.config.output - 2000) * 3)
    system = files("smartcommit.agent").joinpath("prompts/extract.md").read_text("utf-8")
    messages: list[Json] = [
        {"role": "system", "content": system.strip()},
        {"role": "user", "content": f"The design document:\n\n{document[:room]}"},
    ]
    base = repository.head() or repository.empty_tree
    tools = [function for function in TOOLS if function.__name__ in _READING]
    plan: dict[str, Any] = agentic_loop(
        client, messages, tools, propose_plan, deadline=deadline, turns=_TURNS, log=log,
        analyzer=Trees(repository, base),
    )  # fmt: skip
    return plan
