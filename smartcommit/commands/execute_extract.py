"""Extracts a plan from a document without a checklist, with the configured model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from smartcommit.config import load, wants_model
from smartcommit.errors import TaskPlanError
from smartcommit.executor.extract import OUTPUT, PATIENCE, extract
from smartcommit.git.repo import Repository
from smartcommit.llm.client import LLMClient
from smartcommit.llm.provider import api_config
from smartcommit.terminal import printable
from smartcommit.waiting import Deadline


def plan_fields(document: str, repository: Repository) -> dict[str, Any]:
    """Return the fields of a plan for `document`.

    Raise TaskPlanError if no model is configured, LLMError or AgentError if the model fails, Cancelled on Ctrl-C.
    """
    settings = load(repository.worktree)
    if not wants_model(settings):
        raise TaskPlanError(
            "the document has no checklist, and no model is configured to extract tasks",
            hint="write the tasks as '- [ ] title', or run 'git config smartcommit.model NAME'",
        )
    client = LLMClient(replace(api_config(settings), output=OUTPUT))
    click.echo(printable(f"asking {client.config.model} for a plan"), err=True)
    return extract(
        document,
        repository,
        client,
        deadline=Deadline(PATIENCE),
        log=lambda line: click.echo(printable(line), err=True),
    )
