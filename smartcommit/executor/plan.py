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

SCHEMA_VERSION = 1
# Limits well above any real plan that keep memory bounded: tasks, characters of a title, bytes of the file.
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

    schema_version: int = SCHEMA_VERSION
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
        """The ids of the completed tasks."""
        return [task.id for task in self.tasks if task.status == "completed"]

    def find(self, task_id: str) -> PlanTask | None:
        """Return the task with this id."""
        for task in self.tasks:
            if task.id == task_id:
                return task
        return None

    def commands(self) -> list[str]:
        """Return the check commands of the plan and its tasks."""
        found = {self.check: None}
        for task in self.tasks:
            found[task.check] = None
        return list(filter(None, found))

    def to_bytes(self, *, ascii_only: bool = False) -> bytes:
        """Return the content of `plan.json`, with `ascii_only` safe to print on a terminal."""
        data = self.model_dump(by_alias=True)
        for part in (data, *data["tasks"]):
            if part["check"] is None:
                del part["check"]
        # An unpaired surrogate in an unknown field stays the escape that it was.
        return (json.dumps(data, indent=2, ensure_ascii=ascii_only) + "\n").encode("utf-8", "backslashreplace")


def read_plan(content: bytes, place: str) -> TaskPlan:
    """Return the plan in the bytes of a `plan.json`; `place` names it in errors.

    Raise TaskPlanError if it is invalid, or was written by a newer version.
    """
    if len(content) > SIZE_LIMIT:
        raise TaskPlanError(f"'{place}' is larger than {SIZE_LIMIT >> 20} MiB")
    try:
        found = json.loads(content)
        version = SCHEMA_VERSION
        if isinstance(found, dict):
            version = found.get("schemaVersion", SCHEMA_VERSION)
        if version != SCHEMA_VERSION:
            raise TaskPlanError(f"'{place}' has unknown schema version {version!r}", hint="update smartcommit")
        return TaskPlan.model_validate(found)
    except ValidationError as error:
        raise TaskPlanError(f"'{place}' is not a task plan: {explain_validation(error, limit=3)}") from None
    except (ValueError, RecursionError):
        raise TaskPlanError(f"'{place}' is not JSON") from None


def make_plan(fields: Mapping[str, object]) -> TaskPlan:
    """Return a plan with these fields, named as in `plan.json`. Raise TaskPlanError if they are invalid."""
    try:
        return TaskPlan.model_validate(fields)
    except ValidationError as error:
        raise TaskPlanError(
            f"cannot create a plan from this document: {explain_validation(error, limit=3)}",
            hint=f"use at most {TASKS_AT_MOST} tasks, with titles of at most {TITLE_AT_MOST} characters",
        ) from None
