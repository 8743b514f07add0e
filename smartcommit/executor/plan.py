"""Data model of a task plan: tasks and their state.

`plan.json` has the fields and keys of the prior art, and a schema version. Unknown fields are kept, so that an older
and a newer smartcommit can work on the same plan.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.alias_generators import to_camel

from smartcommit.agent.tool import explain_validation
from smartcommit.errors import TaskPlanError
from smartcommit.jj.models import identify_tasks
from smartcommit.message.parse import Message
from smartcommit.message.plan_sections import slug

# Limits well above any real plan that keep memory bounded: tasks, characters of a title, bytes of a file.
TASKS_AT_MOST, TITLE_AT_MOST = 500, 500
SIZE_LIMIT = 1 << 22


class _Model(BaseModel):
    model_config = ConfigDict(extra="allow", alias_generator=to_camel, populate_by_name=True, validate_assignment=True)


class PlanTask(_Model):
    """A task. `attempts` counts the failed ones and the current one; `check` is a command that must pass."""

    id: str = Field(min_length=1, max_length=500)
    title: str = Field(max_length=TITLE_AT_MOST)
    description: str = ""
    acceptance_criteria: list[str] = []
    status: Literal["pending", "in_progress", "completed", "failed"] = "pending"
    attempts: int = Field(0, ge=0)
    check: str | None = None

    @field_validator("title")
    @classmethod
    def _one_line(cls, title: str) -> str:
        title = " ".join(title.split())
        if not title:
            raise ValueError("a task needs a title")
        return title


class TaskPlan(_Model):
    """Tasks in order. `source_file` is the document they come from, relative to the top level."""

    # Another one has been written by a newer smartcommit.
    schema_version: Literal[1] = 1
    id: str = Field(pattern=r"^[A-Za-z0-9]{1,40}$")
    name: str = Field(pattern=r"^[^\W_][\w.-]{0,79}$")
    description: str = ""
    source_file: str = ""
    created_at: str = ""
    status: Literal["not_started", "in_progress", "completed", "failed"] = "not_started"
    check: str | None = None
    tasks: list[PlanTask] = Field(min_length=1, max_length=TASKS_AT_MOST)

    @field_validator("tasks")
    @classmethod
    def _distinct(cls, tasks: list[PlanTask]) -> list[PlanTask]:
        if len({task.id for task in tasks}) < len(tasks):
            raise ValueError("two tasks have the same id")
        return tasks

    @property
    def completed(self) -> list[str]:
        return [task.id for task in self.tasks if task.status == "completed"]

    def find(self, task_id: str) -> PlanTask | None:
        for task in self.tasks:
            if task.id == task_id:
                return task
        return None

    def commands(self) -> list[str]:
        checks = [self.check, *(task.check for task in self.tasks)]
        return list(filter(None, dict.fromkeys(checks)))

    def to_bytes(self) -> bytes:
        data = self.model_dump(by_alias=True)
        for part in (data, *data["tasks"]):
            if part["check"] is None:
                del part["check"]
        # An unpaired surrogate in an unknown field stays the escape that it was.
        return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def read_plan(content: bytes, place: str) -> TaskPlan:
    """Return the plan in the bytes of a `plan.json`, which errors call `place`; or raise TaskPlanError."""
    try:
        return TaskPlan.model_validate(json.loads(content))
    except ValidationError as error:
        raise TaskPlanError(f"'{place}' is not a task plan: {explain_validation(error, limit=3)}") from None
    except (ValueError, RecursionError):
        raise TaskPlanError(f"'{place}' is not JSON") from None


def make_plan(fields: Mapping[str, object]) -> TaskPlan:
    try:
        return TaskPlan.model_validate(fields)
    except ValidationError as error:
        raise TaskPlanError(
            f"cannot create a plan from this document: {explain_validation(error, limit=3)}",
            hint=f"use at most {TASKS_AT_MOST} tasks, with titles of at most {TITLE_AT_MOST} characters",
        ) from None


def plan_of(message: Message | None) -> TaskPlan | None:
    """Return the leaf tasks in a jj description as a plan, None without any; raise TaskPlanError if one is invalid."""
    if message is None or message.header is None or not message.tasks:
        return None
    texts = [str(message.header), message.description]
    texts += map("Constraint: {}".format, message.constraints or [])
    tasks = []
    for name, task in identify_tasks(message.tasks):
        if not task.children:
            status = "completed" if task.completed else "pending"
            tasks.append({"id": name, "title": task.summary, "description": task.details, "status": status})
    plan = make_plan(
        {
            "id": "jj",
            "name": slug(message.header.summary)[:60].strip("-") or "plan",
            "description": "\n\n".join(filter(None, texts)),
            "tasks": tasks,
        }
    )
    if plan.completed:
        plan.status = "in_progress"
    if len(plan.completed) == len(plan.tasks):
        plan.status = "completed"
    return plan
