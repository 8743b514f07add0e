"""Data types exchanged by the planner's tools, and their JSON form.

Source: the commit planner's data structure. The models are made from `smartcommit.message` objects; nothing is parsed
here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass

from smartcommit.message.parse import Message
from smartcommit.message.plan_sections import Task, walk

Phase = Literal["uninitialized", "planning", "executing", "complete"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


@dataclass(config=ConfigDict(extra="forbid"))
class TaskItem:
    """A task of a flat list; its parent is the last task above it whose `level` is one less."""

    summary: Annotated[str, Field(description="one line without ': ', unique among its siblings")]
    details: Annotated[str, Field(description="one line")] = ""
    # The bounds are in the schema only; the planner checks them, since its errors include the state of the plan.
    level: Annotated[int, Field(description="depth, 0 to 3", json_schema_extra={"minimum": 0, "maximum": 3})] = 0
    completed: Annotated[bool, Field(description="only for work that is already done")] = False


class PlanHeader(_Model):
    """The header's parts; the type is one of the project's, by default the eight of the specification."""

    type: str
    scope: str | None = None
    breaking: bool = False
    summary: str


class TaskNode(_Model):
    """A task with its children; `level` is 0 to 3.

    `id` is the summary's slug, or the path of slugs from the top level if another task has the same slug.
    """

    id: str
    summary: str
    details: str = ""
    completed: bool = False
    children: list[TaskNode] = []
    level: int = Field(default=0, ge=0, le=3)
    parent_id: str | None = None


class Metadata(_Model):
    """Counts over the tasks of all levels; `is_complete` is the check box in the heading of the tasks."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    total_tasks: int
    completed_tasks: int
    is_complete: bool


class CommitPlan(_Model):
    """The plan in a change's description."""

    header: PlanHeader
    description: str = ""
    constraints: list[str] = []
    tasks: list[TaskNode] = []
    metadata: Metadata

    @classmethod
    def from_message(cls, message: Message) -> CommitPlan:
        """Return the plan in `message`, which must have a header. Trailers are not part of a plan."""
        assert message.header is not None
        header, tasks = message.header, message.tasks or []
        total, completed = count_tasks(tasks)
        return cls(
            header=PlanHeader(type=header.type, scope=header.scope, breaking=header.breaking, summary=header.summary),
            description=message.description,
            constraints=message.constraints or [],
            tasks=build_nodes(tasks),
            metadata=Metadata(total_tasks=total, completed_tasks=completed, is_complete=message.finished),
        )


class PlanState(_Model):
    """The state of a plan; what is missing is False or 0."""

    phase: Phase = "uninitialized"
    has_goal: bool = False
    has_description: bool = False
    has_constraints: bool = False
    has_tasks: bool = False
    current_task_id: str | None = None
    total_tasks: int = 0
    completed_tasks: int = 0

    @classmethod
    def from_message(cls, message: Message) -> PlanState:
        """Return the state of the plan in `message`; the current task is the first open leaf."""
        tasks = message.tasks or []
        total, completed = count_tasks(tasks)
        phase: Phase = "executing" if completed else "planning"
        if message.finished:
            phase = "complete"
        return cls(
            phase=phase,
            has_goal=True,
            has_description=bool(message.description),
            has_constraints=bool(message.constraints),
            has_tasks=bool(tasks),
            current_task_id=next(iter(list_open_leaves(tasks)), None),
            total_tasks=total,
            completed_tasks=completed,
        )


class NextActions(_Model):
    """What to do next: `recommended` and `blocked` hold `tool: reason`, `available` holds names of tools."""

    recommended: list[str] = []
    blocked: list[str] = []
    available: list[str] = []


class AlignmentCheck(_Model):
    """A question for the caller, to be put to the user if confirmation is required."""

    question: str
    required_confirmation: bool


class ToolResponse(_Model):
    """The response of every tool; `current_state` is None if the change could not be read.

    `plan`, `constraints` and `tasks` are what a tool was asked to read.
    """

    status: Literal["success", "error"]
    action_taken: str
    current_state: PlanState | None = None
    next_actions: NextActions
    alignment_check: AlignmentCheck | None = None
    raw_commit_content: str | None = None
    plan: CommitPlan | None = None
    constraints: list[str] | None = None
    tasks: list[TaskNode] | None = None

    def as_json(self, indent: int | None = None) -> str:
        """Return the response as JSON, without absent fields."""
        return self.model_dump_json(by_alias=True, exclude_none=True, indent=indent)


def count_tasks(tasks: Sequence[Task]) -> tuple[int, int]:
    """Return the number of tasks on all levels, and of those that are complete."""
    total = completed = 0
    for _, task in walk(tasks):
        total += 1
        completed += task.completed
    return total, completed


def identify_tasks(tasks: Sequence[Task]) -> Iterator[tuple[str, Task]]:
    """Yield every task with its id, parents before children."""
    slugs = Counter(task.slug for _, task in walk(tasks))
    for path, task in walk_paths(tasks):
        yield path if slugs[task.slug] > 1 else task.slug, task


def walk_paths(tasks: Sequence[Task], above: str = "") -> Iterator[tuple[str, Task]]:
    """Yield every task with the path of slugs from the top level, parents before children."""
    for task in tasks:
        path = f"{above}{task.slug}"
        yield path, task
        yield from walk_paths(task.children, f"{path}/")


def list_open_leaves(tasks: Sequence[Task]) -> list[str]:
    return [name for name, task in identify_tasks(tasks) if not (task.completed or task.children)]


def build_nodes(tasks: Sequence[Task]) -> list[TaskNode]:
    """Return the tasks as models, with their ids and levels."""
    roots: list[TaskNode] = []
    path: list[TaskNode] = []
    for (name, task), (level, _) in zip(identify_tasks(tasks), walk(tasks), strict=True):
        node = TaskNode(id=name, summary=task.summary, details=task.details, completed=task.completed, level=level)
        path[level:] = [node]
        if level:
            node.parent_id = path[level - 1].id
            path[level - 1].children.append(node)
        else:
            roots.append(node)
    return roots
