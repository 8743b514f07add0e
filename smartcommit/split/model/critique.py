"""What a model says is wrong with commits, for a person who reviews them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from smartcommit.agent.loop import explain_end
from smartcommit.agent.tool import name_of, read_arguments, tool
from smartcommit.draft.conform import one_line
from smartcommit.errors import NoTerminalCall, ToolRetry
from smartcommit.llm.api import Json
from smartcommit.llm.client import LLMClient
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.model.prompt import CRITIQUE_SYSTEM_PROMPT, list_lines, room_of, show_hunks, start_conversation
from smartcommit.split.plan import PlannedCommit, list_ids
from smartcommit.waiting import Deadline


class ReviewCommitsArgs(BaseModel):
    remarks: list[str] = Field(default_factory=list, max_length=20, description="problems, one sentence each")


@tool(ReviewCommitsArgs)
def review_commits(args: ReviewCommitsArgs, **_: Any) -> str:
    """Report what is wrong with the commits. Leave the list empty if they are good."""
    return "\n".join(one_line(remark)[:300] for remark in args.remarks if remark.strip())


def critique(analyzer: GitAnalyzer, client: LLMClient, commits: Sequence[PlannedCommit], *, deadline: Deadline) -> str:
    """Return what the model says is wrong with `commits`, one line for each problem; raise NoTerminalCall if nothing.

    LLMError and Cancelled are as for `LLMClient.call_with_tool`.
    """
    call, data = client.call_with_tool(_prompt(analyzer, client, commits), review_commits, deadline=deadline)
    rejection = ""
    if call is not None:
        try:
            return review_commits(read_arguments(review_commits, call.arguments))
        except ToolRetry as refusal:
            rejection = str(refusal)
    reason, hint = explain_end(client, data, name_of(review_commits), turns=1, rejection=rejection)
    raise NoTerminalCall(reason, hint=hint)


def _prompt(analyzer: GitAnalyzer, client: LLMClient, commits: Sequence[PlannedCommit]) -> list[Json]:
    lines = ["The commits:"]
    for number, commit in enumerate(commits, 1):
        lines.append(f"{number}. {commit.subject}")
        lines += map("   {}".format, list_lines(analyzer.names, analyzer.names.of(list_ids(commit.units))))
    head = "\n".join([*lines, "", "The change:"])
    summary = "\n".join([head, *show_hunks(analyzer.names, room_of(client.config) - len(head))])
    return start_conversation(CRITIQUE_SYSTEM_PROMPT, summary, analyzer.rules, analyzer.history)
