"""Recognizes the executor's own messages in a history, by the plan that says the same.

Their form alone proves nothing, since anybody can type it. The commit must also complete that very task in a plan's
file; in jj, where a plan is a description, a plan among the checked messages must list the task as complete.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.errors import TaskPlanError
from smartcommit.executor.jj_backend import plan_of
from smartcommit.executor.plan import TaskPlan, read_plan
from smartcommit.executor.plan_dir import PLAN
from smartcommit.executor.task_message import default_message, plan_message
from smartcommit.git.repo import Repository
from smartcommit.message.parse import parse
from smartcommit.state_files import PLANS


def list_completed(repository: Repository, commit: str) -> list[str]:
    """Return the messages for what `commit` completes in the files of plans; a few processes."""
    options = ("diff-tree", "--root", "-r", "-z", "--name-only", "--no-commit-id", "--no-renames")
    messages = []
    for path in map(os.fsdecode, repository.run(*options, commit, "--", PLANS).split(b"\0")[:-1]):
        after = _read(repository, f"{commit}:{path}") if path.endswith(f"/{PLAN}") else None
        if after is not None:
            messages += _compare(_read(repository, f"{commit}^:{path}"), after)
    return messages


def list_described(plans: Sequence[str]) -> list[str]:
    """Return the messages for the complete tasks of the messages `plans`."""
    messages = []
    for text in plans:
        message = parse(text).message
        if message.header is not None and message.tasks:
            messages += _compare(None, plan_of(message))
    return messages


def _read(repository: Repository, name: str) -> TaskPlan | None:
    found = repository.ended("cat-file", "blob", name, expected=(0, 128))
    try:
        return read_plan(found.stdout, name) if found.returncode == 0 else None
    except TaskPlanError:
        return None


def _compare(before: TaskPlan | None, after: TaskPlan) -> list[str]:
    done: list[str] = []
    finished = False
    if before is not None:
        done, finished = before.completed, before.status == "completed"
    messages = []
    for task in after.tasks:
        if task.status == "completed" and task.id not in done:
            messages.append(default_message(task))
    if after.status == "completed" and not finished:
        messages.append(plan_message(after))
    return messages
