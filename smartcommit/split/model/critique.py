"""Second pass in which the model reviews its own commits."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, Field

from smartcommit.agent.tool import read_arguments, tool
from smartcommit.draft.conform import one_line
from smartcommit.errors import ToolRetry
from smartcommit.llm.api import Json
from smartcommit.llm.client import LLMClient
from smartcommit.split.model.emit import Commit, CommitCollector, collect_evidence, new_collector
from smartcommit.split.model.prompt import CRITIQUE_SYSTEM_PROMPT, list_lines, room_of, show_hunks, start_conversation
from smartcommit.split.model.tools import ModelPlan, ModelRequest, SplitContext
from smartcommit.split.plan import PlannedCommit, list_ids
from smartcommit.waiting import Deadline


class Move(BaseModel):
    hunk: str = Field(max_length=400, description="the id of a hunk")
    commit: int = Field(ge=1, description="the number of the commit that it belongs to")


class ReviewCommitsArgs(BaseModel):
    moves: list[Move] = Field(default_factory=list, max_length=100)
    new_commits: list[Commit] = Field(default_factory=list, max_length=20)
    remarks: list[str] = Field(default_factory=list, max_length=20, description="problems, one sentence each")

    def post_process(self) -> None:
        for commit in self.new_commits:
            commit.post_process()
        self.remarks = [one_line(remark)[:300] for remark in self.remarks if remark.strip()]


@tool(ReviewCommitsArgs)
def review_commits(args: ReviewCommitsArgs, **_: Any) -> ReviewCommitsArgs:
    """Report hunks that are in the wrong commit. Leave all lists empty if there are none."""
    return args


def critique_and_revise(analyzer: SplitContext, client: LLMClient, plan: ModelPlan, request: ModelRequest) -> None:
    """Let the model revise the commits of `plan`; a review that cannot be used changes nothing."""
    args = _ask(analyzer, client, plan.commits, request.deadline)
    if args is None:
        return
    request.log(f"review_commits({len(args.moves)} moves, {len(args.new_commits)} new commits)")
    collector = new_collector(analyzer, collect_evidence(analyzer))
    with suppress(ToolRetry):
        plan.commits = revise(plan.commits, args, collector)
        plan.issues += collector.issues


def critique(analyzer: SplitContext, client: LLMClient, commits: Sequence[PlannedCommit], *, deadline: Deadline) -> str:
    """Return what the model says is wrong with `commits`, a line each, or nothing."""
    args = _ask(analyzer, client, commits, deadline)
    if args is None:
        return ""
    lines = list(args.remarks)
    for move in args.moves:
        lines.append(f"'{move.hunk}' belongs in commit {move.commit}")
    for commit in args.new_commits:
        lines.append(f"'{one_line(commit.summary)}' should be a commit of its own: {', '.join(commit.hunks)}")
    return "\n".join(lines)


def revise(
    commits: Sequence[PlannedCommit], args: ReviewCommitsArgs, collector: CommitCollector
) -> list[PlannedCommit]:
    """Return `commits` with the moves and new commits of `args`, without those that are left empty.

    Raise ToolRetry if a hunk or a commit does not exist, a message is rejected, or units that must stay together are
    separated.
    """
    places: dict[str, int] = {}
    for number, commit in enumerate(commits, 1):
        places.update(dict.fromkeys(list_ids(commit.units), number))
    for move in args.moves:
        (unit,) = collector.names.find([move.hunk])
        if unit.id not in places or move.commit > len(commits):
            raise ToolRetry(f"cannot move '{move.hunk}' to commit {move.commit}")
        places[unit.id] = move.commit
    entries = list(commits)
    for new in args.new_commits:
        entries.append(collector.entry(new, ()))
        places.update(dict.fromkeys(list_ids(entries[-1].units), len(entries)))
    hunks: dict[int, list[str]] = {}
    for hunk, number in places.items():
        hunks.setdefault(number, []).append(hunk)
    revised = []
    for number in sorted(hunks):
        units = collector.take(collector.names.of(hunks[number]), ())
        revised.append(replace(entries[number - 1], units=tuple(units)))
    return revised


def _ask(
    analyzer: SplitContext, client: LLMClient, commits: Sequence[PlannedCommit], deadline: Deadline
) -> ReviewCommitsArgs | None:
    call, _ = client.call_with_tool(_prompt(analyzer, client, commits), review_commits, deadline=deadline)
    if call is None:
        return None
    try:
        return review_commits(read_arguments(review_commits, call.arguments))
    except ToolRetry:
        return None


def _prompt(analyzer: SplitContext, client: LLMClient, commits: Sequence[PlannedCommit]) -> list[Json]:
    lines = ["The commits:"]
    for number, commit in enumerate(commits, 1):
        lines.append(f"{number}. {commit.subject}")
        lines += map("   {}".format, list_lines(analyzer.names, analyzer.names.of(list_ids(commit.units))))
    head = "\n".join([*lines, "", "The change:"])
    summary = "\n".join([head, *show_hunks(analyzer.names, room_of(client.config) - len(head))])
    return start_conversation(CRITIQUE_SYSTEM_PROMPT, summary, analyzer.rules, analyzer.history)
