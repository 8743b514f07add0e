"""Data model of a task plan: tasks and their state; and how a checklist in Markdown becomes one.

`plan.json` has the fields and keys of the prior art, and a schema version. Unknown fields are kept, so that an older
and a newer smartcommit can work on the same plan.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.alias_generators import to_camel

from smartcommit.agent.tool import explain_validation
from smartcommit.errors import TaskPlanError

# Limits well above any real plan that keep memory bounded.
TASKS_AT_MOST = 500
# Characters of a title.
TITLE_AT_MOST = 500
# Bytes of a file.
SIZE_LIMIT = 1 << 22
# A fence, which may start an item. Source: CommonMark, fenced code blocks.
_FENCE = re.compile(r"(?:(?:[-*+]|\d{1,4}[.)]) +)?(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"# +(.+?)[ #]*$")
# The check box, if there is one, and the text.
_ITEM = re.compile(r"[ \t]{0,40}(?:[-*+]|\d{1,4}[.)]) +(?:\[([ xX])\] +)?(.*)$")
_CHECK = re.compile(r"[Cc]heck: *`?([^`]+?)`?$")
_INTRODUCTION_LIMIT = 4000
_TAB_WIDTH = 4


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
        return next((task for task in self.tasks if task.id == task_id), None)

    def list_checks(self) -> list[str]:
        checks = [self.check, *(task.check for task in self.tasks)]
        return [check for check in dict.fromkeys(checks) if check]

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


class Checklist:
    """The checklist in a document: `name` and `description` of the plan, and its `tasks`, if there are any.

    A top-level item is a task, `- [ ] title: description`. Items below it are its acceptance criteria, other text is
    its description, also what is between fences, and `Check: command` names a command that must pass.
    """

    def __init__(self, text: str) -> None:
        self.name = ""
        self._tasks: list[_Task] = []
        self._introduction: list[str] = []
        self._level: int | None = None
        # The open fence.
        self._fence = ""
        for line in text.splitlines():
            self._take(line.expandtabs(_TAB_WIDTH).rstrip())

    @property
    def tasks(self) -> list[dict[str, Any]]:
        return [task.make_fields(f"t{number:02d}") for number, task in enumerate(self._tasks, 1)]

    @property
    def description(self) -> str:
        return "\n".join(self._introduction).strip()[:_INTRODUCTION_LIMIT]

    def _take(self, line: str) -> None:
        text = line.lstrip()
        depth = len(line) - len(text)
        item, fence = _ITEM.match(line), _FENCE.match(text)
        is_below = bool(line) and depth > (self._level or 0)
        if self._fence or fence:
            if not self._tasks:
                self._introduction.append(line)
            elif is_below:
                self._tasks[-1].description.append(line)
            if fence and not self._fence:
                self._fence = fence[1]
            elif text.startswith(self._fence):
                self._fence = ""
        elif item and item[1] and (self._level is None or depth <= self._level):
            self._level = depth
            self._tasks.append(_Task(item))
        elif self._tasks:
            if is_below:
                self._tasks[-1].add(text, item)
        elif not self.name and (heading := _HEADING.match(line)):
            self.name = heading[1]
        else:
            self._introduction.append(line)


class _Task:
    """A task, with the lines of its texts; they are joined at the end, since there may be very many."""

    def __init__(self, item: re.Match[str]) -> None:
        title, _, details = item[2].partition(": ")
        self._title = title.strip()
        self._status = "pending" if item[1] == " " else "completed"
        self.description = [details.strip()] if details.strip() else []
        self._criteria: list[list[str]] = []
        self._checks: list[str] = []

    def add(self, text: str, item: re.Match[str] | None) -> None:
        if item:
            text = item[2]
        if check := _CHECK.match(text):
            self._checks.append(check[1])
        elif item:
            self._criteria.append([text])
        elif self._criteria:
            self._criteria[-1].append(text)
        else:
            self.description.append(text)

    def make_fields(self, name: str) -> dict[str, Any]:
        fields = {
            "id": name,
            "title": self._title,
            "description": "\n".join(self.description),
            "acceptanceCriteria": [" ".join(item) for item in self._criteria],
            "status": self._status,
        }
        if len(self._checks) == 1:
            fields["check"] = self._checks[0]
        elif self._checks:
            # Each in a subshell, since a command may change the directory.
            fields["check"] = " && ".join(f"( {check} )" for check in self._checks)
        return fields
