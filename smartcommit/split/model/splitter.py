"""Orchestrates a model's split, from the first prompt to ordered commits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from pydantic import BaseModel

from smartcommit import state_files
from smartcommit.agent import git_tools
from smartcommit.agent.loop import agentic_loop, dump, turn_limit
from smartcommit.agent.tool import read_arguments, spec_of, tool
from smartcommit.draft.model.submit import SubmitMessageArgs, build_message, watched
from smartcommit.errors import AgentError, Cancelled, LLMError, NoTerminalCall, ToolRetry
from smartcommit.git.hunks import ChangeUnits
from smartcommit.llm.api import ApiConfig, Json
from smartcommit.llm.client import LLMClient
from smartcommit.message.parse import Message
from smartcommit.message.rules import Rules
from smartcommit.split.cut import keep_files_whole
from smartcommit.split.file_states import Checker
from smartcommit.split.messages import join_by_strength, join_commits
from smartcommit.split.model import tools
from smartcommit.split.model.critique import critique_and_revise
from smartcommit.split.model.emit import EmitCommitArgs, FinalizeCommitsArgs, collect_evidence, new_collector, new_gate
from smartcommit.split.model.prompt import (
    AGENTIC_SYSTEM_PROMPT,
    list_room_of,
    room_of,
    size_of_list,
    start_conversation,
)
from smartcommit.split.model.propose import ProposeCommitsArgs, propose
from smartcommit.split.model.tools import ModelPlan, ModelRequest, SplitContext, shaping_tools
from smartcommit.split.ordering import order_groups
from smartcommit.split.plan import PlannedCommit, list_groups, list_ids, list_units
from smartcommit.waiting import Deadline

TRANSCRIPT = "split-transcript.json"

TOOLS = (*tools.TOOLS, *git_tools.TOOLS)


def split(analyzer: SplitContext, client: LLMClient, request: ModelRequest) -> ModelPlan:
    """Return what the model plans for a change, with the commits in their order.

    A review by the model that fails, or that the user does not wait for, changes nothing.

    Raise LLMError or AgentError if the model does not finish in time, and Cancelled.
    """
    plan = classify_changes(analyzer, client, request)
    if len(plan.commits) > 1:
        try:
            critique_and_revise(analyzer, client, plan, request)
        except (LLMError, Cancelled) as error:
            request.log(f"not reviewed: {error}")
    plan.commits = order_commits(plan.commits, analyzer.change, analyzer.rules)
    return plan


def preview(analyzer: SplitContext, config: ApiConfig, instructions: str = "") -> str:
    """Return exactly what a model would be sent first, as JSON; nothing is sent."""
    client = _Preview(config)
    with suppress(_Unsent):
        classify_changes(analyzer, client, ModelRequest(Deadline(1), instructions))
    return client.shown


def coarsen_to_context(change: ChangeUnits, config: ApiConfig) -> ChangeUnits:
    """Return `change` in hunks, or in whole files if the list of all hunks exceeds the model's context.

    Raise AgentError if even the list of files does.
    """
    if size_of_list(change.units) > list_room_of(config):
        change = keep_files_whole(change)
        check_fits_context(change, config)
    return change


def check_fits_context(change: ChangeUnits, config: ApiConfig) -> None:
    """Raise AgentError if the list of hunks exceeds the model's context."""
    if size_of_list(change.units) > list_room_of(config):
        raise AgentError(f"too many hunks for the model: {len(change.units)}")


class _Unsent(Exception):
    """The request was recorded instead of sent."""


class _Preview(LLMClient):
    """A client that records its first request."""

    shown = ""

    def _send(self, payload: Json, deadline: Deadline) -> Json:
        self.shown = self.show(payload)
        raise _Unsent


def classify_changes(analyzer: SplitContext, client: LLMClient, request: ModelRequest) -> ModelPlan:
    """Return what a model plans for the change, as it emits its commits.

    A model that calls no tools is asked for all commits at once.
    """
    evidence = collect_evidence(analyzer, request.instructions)
    collector = new_collector(analyzer, evidence)
    plan = ModelPlan(issues=collector.issues)
    emitted_commits = plan.commits
    merger = MessageMerger(client, request.deadline, new_gate(analyzer, evidence)().accept, analyzer.rules)

    def find_unassigned() -> list[str]:
        return collector.names.without(list_ids(list_units(emitted_commits)))

    @tool(EmitCommitArgs, whole=True)
    def emit_commit(args: EmitCommitArgs, **_: Any) -> str:
        """Emit one commit: its message and the ids of its hunks. Returns the hunks that are still unassigned."""
        entry = collector.entry(args.commit, emitted_commits)
        emitted_commits.append(entry)
        request.keep(plan)
        return f"Commit emitted: '{entry.subject}'. Remaining unassigned hunks: {find_unassigned()}"

    @tool(FinalizeCommitsArgs, alone=False)
    def finalize_commits(args: FinalizeCommitsArgs, **_: Any) -> ModelPlan:
        """Finish. Every hunk must be in an emitted commit or listed here as skipped."""
        collector.check_final(args.skipped_hunks, emitted_commits)
        plan.commits = analyzer.merge_overlapping_commits(emitted_commits, merger.merge)
        plan.gitignore = args.gitignore
        return plan

    def countdown(left: int) -> str:
        return countdown_message(left, emitted_commits, find_unassigned())

    def take_all(args: ProposeCommitsArgs) -> ModelPlan:
        # Two of these may share a hunk; such commits are merged.
        merged = analyzer.merge_overlapping_commits([collector.entry(one, ()) for one in args.commits], merger.merge)
        collector.check_final((), merged)
        request.keep(ModelPlan(merged))
        return ModelPlan(merged, collector.issues, args.gitignore)

    _restrict_types(emit_commit, analyzer)
    looks = map(partial(watched, evidence=evidence), (*TOOLS, *shaping_tools(analyzer, emitted_commits)))
    messages = _open(analyzer, client.config, request)
    with _transcript(analyzer, client.config, messages):
        try:
            return agentic_loop(  # type: ignore[no-any-return]
                _require_tools(client), messages, [*looks, emit_commit], finalize_commits,
                deadline=request.deadline, countdown_message_fn=countdown,
                turns=turn_limit(len(analyzer.change.units)), log=request.log, analyzer=analyzer,
            )  # fmt: skip
        except AgentError:
            if emitted_commits:
                raise
            return propose(
                client, _open(analyzer, client.config, request), take_all,
                hunks=list(collector.names.hunk_map), types=analyzer.rules.types, request=request,
            )  # fmt: skip


def _require_tools(client: LLMClient) -> LLMClient:
    """Return `client`; raise NoTerminalCall if it is known that its model takes no tools."""
    if not client.takes_tools:
        raise NoTerminalCall("the model takes no tools")
    return client


def _open(analyzer: SplitContext, config: ApiConfig, request: ModelRequest) -> list[Json]:
    """Return the first messages, about the hunks as they are now."""
    return start_conversation(
        AGENTIC_SYSTEM_PROMPT, analyzer.build_diff_summary(room_of(config)), analyzer.rules, analyzer.history,
        language=analyzer.settings.text("language"), instructions=request.instructions,
        issues=analyzer.settings.words("issue-pattern"),
    )  # fmt: skip


@contextmanager
def _transcript(analyzer: SplitContext, config: ApiConfig, messages: Sequence[Json]) -> Iterator[None]:
    """Save the `messages` that were added, if the user wants a transcript."""
    given = len(messages)
    try:
        yield
    finally:
        if analyzer.settings.flag("transcript") and len(messages) > given:
            state_files.save(analyzer.repository.git_dir, TRANSCRIPT, dump(config, messages))


def countdown_message(left: int, commits: Sequence[PlannedCommit], unassigned: Sequence[str]) -> str:
    """Return what to do with the turns that are left, given the emitted commits and unassigned hunks."""
    turns = f"{left} {'turn is' if left == 1 else 'turns are'} left"
    if not commits:
        return f"{turns} and nothing was emitted: emit commits, then finalize NOW."
    if unassigned:
        return f"{turns}, {len(unassigned)} hunks unassigned: emit or skip each, then finalize NOW: {unassigned}"
    return f"{turns} and all hunks are assigned: call finalize_commits NOW."


def _restrict_types(emit_commit: Callable[..., str], analyzer: SplitContext) -> None:
    """Put the project's types into the schema: a server that enforces it needs no second try."""
    parameters = spec_of(emit_commit)["function"]["parameters"]
    parameters["properties"]["commit"]["properties"]["type"]["enum"] = list(analyzer.rules.types)


def order_commits(commits: Sequence[PlannedCommit], change: ChangeUnits, rules: Rules) -> list[PlannedCommit]:
    """Return `commits` with dependencies first, merging those that only make sense, or parse, together."""
    numbers: dict[str, int] = {}
    for number, commit in enumerate(commits):
        numbers.update(dict.fromkeys(list_ids(commit.units), number))
    found = []
    for group in Checker(change).merge_broken(order_groups(list_groups(commits))):
        merged = dict.fromkeys(numbers[unit.id] for unit in group)
        found.append(join_commits(list(map(commits.__getitem__, merged)), partial(join_by_strength, rules=rules)))
    return found


class MergeCommitsArgs(BaseModel):
    commit: SubmitMessageArgs


@tool(MergeCommitsArgs)
def merge_commits(args: MergeCommitsArgs, **_: Any) -> Message:
    """Provide a single message for these commits, which are merged into one."""
    return build_message(args.commit)


class MessageMerger:
    """Merges the messages of commits with a model, or without it if it fails.

    `accept` returns the text of a message that passes the `rules`.
    """

    def __init__(self, client: LLMClient, deadline: Deadline, accept: Callable[[Message], str], rules: Rules) -> None:
        self._client = client
        self._deadline = deadline
        self._accept = accept
        self._rules = rules

    def merge(self, messages: Sequence[str]) -> str:
        """Return one message for `messages`."""
        listed = json.dumps(messages, ensure_ascii=False, indent=1)
        asked = [
            {"role": "system", "content": "You write the message of a single git commit. Reply with the tool."},
            {"role": "user", "content": f"These commits are merged into one because they share changes:\n{listed}"},
        ]
        with suppress(LLMError, ToolRetry):
            call, _ = self._client.call_with_tool(asked, merge_commits, deadline=self._deadline)
            if call is not None:
                return self._accept(merge_commits(read_arguments(merge_commits, call.arguments)))
        return join_by_strength(messages, self._rules)
