"""A model's split, from the first prompt to ordered commits, with the tools for it to look at hunks and cut them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from smartcommit.agent import git_tools
from smartcommit.agent.loop import agentic_loop, count_turns, find_turn_limit
from smartcommit.agent.shown import list_prompt_variables
from smartcommit.agent.tool import spec_of, tool
from smartcommit.draft.model.submit import watched
from smartcommit.errors import AgentError, NoToolCalls, SplitError, ToolFailed, ToolRetry
from smartcommit.git.hunks import ChangeUnits
from smartcommit.llm.api import ApiConfig, Json
from smartcommit.llm.client import LLMClient
from smartcommit.message.characters import printable
from smartcommit.message.rules import Rules
from smartcommit.split.analyzer import GitAnalyzer, find_assigned
from smartcommit.split.cut import keep_files_whole
from smartcommit.split.messages import join_commits
from smartcommit.split.model.emit import (
    SAMPLE_OUTPUT,
    CommitCollector,
    EmitCommitArgs,
    FinalizeCommitsArgs,
    ProposeCommitsArgs,
    describe_commit,
)
from smartcommit.split.model.prompt import (
    AGENTIC_SYSTEM_PROMPT,
    add_wishes,
    list_lines,
    list_room_of,
    measure_room,
    size_of_list,
    summarize,
    text_of,
)
from smartcommit.split.ordering import Checker, order_groups
from smartcommit.split.plan import PlannedCommit, list_ids, list_units
from smartcommit.waiting import Deadline

# Answers that a model which calls no tools may give: the first one, and one that corrects it.
_ANSWERS_ASKED = 2
_ID = Field(max_length=400, description="an id from the list of hunks")
# Number of cuts that are allowed in one change, because the file is parsed a few times for each.
_CUTS_ALLOWED = 40


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """How a model is asked to split a change.

    All of its requests share the `deadline`. `instructions` are the user's about the commits. `log` is called with a
    line for each of its calls.
    """

    deadline: Deadline
    instructions: str = ""
    log: Callable[[str], None] = lambda line: None


class HunkArgs(BaseModel):
    id: str = _ID


@tool(HunkArgs)
def show_hunk(args: HunkArgs, *, analyzer: GitAnalyzer, **_: Any) -> str:
    """Show all lines of one hunk."""
    (unit,) = analyzer.names.find([args.id])
    return "\n".join(text_of(unit)) or "no lines changed"


class CutHunkArgs(HunkArgs):
    removed: int = Field(0, ge=0, description="number of its removed lines that go into the first half")
    added: int = Field(0, ge=0, description="number of its added lines that go into the first half")


@tool(CutHunkArgs)
def cut_hunk(args: CutHunkArgs, *, collector: CommitCollector, **_: Any) -> str:
    """Cut a hunk in two at a line, if its halves belong in different commits and the file parses with either."""
    analyzer = collector.analyzer
    (unit,) = analyzer.names.find([args.id])
    assigned = find_assigned(collector.commits, [unit])
    if assigned:
        raise ToolRetry(f"'{args.id}' is already in {assigned[unit.id]}")
    if analyzer.cuts >= _CUTS_ALLOWED:
        raise ToolFailed("no more cuts allowed: assign the hunks as they are now")
    try:
        halves = analyzer.cut(unit.id, removed=args.removed, added=args.added)
    except SplitError as error:
        reason = printable(str(error))
        if error.hint:
            reason += f"; {error.hint}"
        raise ToolRetry(reason) from None
    return "\n".join([f"cut '{args.id}' into", *list_lines(analyzer.names, analyzer.names.of(halves))])


TOOLS = (show_hunk, *git_tools.TOOLS, cut_hunk)


def preview(analyzer: GitAnalyzer, config: ApiConfig, instructions: str = "") -> str:
    """Return exactly what a model would be sent first, as JSON; nothing is sent."""
    client = _Preview(config)
    with suppress(_Unsent):
        classify_changes(CommitCollector(analyzer, instructions), client, ModelRequest(Deadline(1), instructions))
    return client.shown


def coarsen_to_context(change: ChangeUnits, config: ApiConfig) -> ChangeUnits:
    """Return `change` in hunks, or in whole files if the list of all hunks exceeds the model's context.

    Raise AgentError if even the list of files does.
    """
    if size_of_list(change.units) > list_room_of(config):
        change = keep_files_whole(change)
        if size_of_list(change.units) > list_room_of(config):
            raise AgentError(f"too many hunks for the model: {len(change.units)}")
    return change


class _Unsent(Exception):
    """The request was recorded instead of sent."""


class _Preview(LLMClient):
    """A client that records its first request."""

    shown = ""

    def _send(self, payload: Json, deadline: Deadline) -> Json:
        self.shown = self.show(payload)
        raise _Unsent


def classify_changes(collector: CommitCollector, client: LLMClient, request: ModelRequest) -> None:
    """Have a model plan commits for the change, which the `collector` has, in the end in an order that can be applied.

    A model that calls no tools is asked for all commits at once.

    Raise LLMError or AgentError if the model does not finish in time, and Cancelled.
    """
    analyzer, emitted_commits = collector.analyzer, collector.commits

    def find_unassigned() -> list[str]:
        return collector.names.without(list_ids(list_units(emitted_commits)))

    @tool(EmitCommitArgs, whole=True, describe=describe_commit)
    def emit_commit(args: EmitCommitArgs, **_: Any) -> str:
        """Emit one commit: its message and the ids of its hunks. Returns the hunks that are still unassigned."""
        entry = collector.entry(args.commit, emitted_commits)
        left_out = find_assigned(emitted_commits, collector.names.find(args.commit.hunks))
        emitted_commits.append(entry)
        reply = f"Commit emitted: '{entry.subject}'."
        if left_out:
            reply += f" Hunks that stay in earlier commits: {collector.names.of(left_out)}."
        return f"{reply} Remaining unassigned hunks: {find_unassigned()}"

    @tool(FinalizeCommitsArgs, find_needed=lambda: None if emitted_commits else emit_commit)
    def finalize_commits(args: FinalizeCommitsArgs, **_: Any) -> CommitCollector:
        """Finish. Every hunk must be in an emitted commit or listed here as skipped."""
        collector.check_final(args.skipped_hunks, emitted_commits)
        collector.gitignore = args.gitignore
        return collector

    def countdown(left: int) -> str:
        turns = f"{count_turns(left)} left"
        unassigned = find_unassigned()
        if not emitted_commits:
            return f"{turns} and nothing was emitted: emit commits, then finalize NOW."
        if unassigned:
            return f"{turns}, {len(unassigned)} hunks unassigned: emit or skip each, then finalize NOW: {unassigned}"
        return f"{turns} and all hunks are assigned: call finalize_commits NOW."

    # A server that enforces the schema needs no second try.
    commit = spec_of(emit_commit)["function"]["parameters"]["properties"]["commit"]
    commit["properties"]["type"]["enum"] = list(analyzer.rules.types)
    looks = (watched(item, evidence=collector.evidence) for item in TOOLS)
    messages = _open(analyzer, client.config, request)
    try:
        if not client.takes_tools:
            raise NoToolCalls("the model takes no tools")
        agentic_loop(
            client, messages, [*looks, emit_commit], finalize_commits,
            deadline=request.deadline, countdown_message_fn=countdown,
            turns=find_turn_limit(len(analyzer.change.units)), log=request.log, analyzer=analyzer, collector=collector,
        )  # fmt: skip
    except NoToolCalls:
        _ask_for_all(collector, client, request)
    collector.commits = order_commits(collector.commits, analyzer.change, analyzer.rules)


def _ask_for_all(collector: CommitCollector, client: LLMClient, request: ModelRequest) -> None:
    """Have the model make all commits in a single answer.

    Deprecated: one answer with the whole plan is the largest output there is, and the first to fail. It is for models
    that call no tools alone; do not add anything here.
    """

    @tool(ProposeCommitsArgs)
    def propose_commits(args: ProposeCommitsArgs, **_: Any) -> CommitCollector:
        """Propose all commits at once."""
        # Of two that share a hunk the smaller one has it: often a commit is the whole change once more.
        accepted: dict[int, PlannedCommit] = {}
        for number in sorted(range(len(args.commits)), key=lambda number: len(args.commits[number].hunks)):
            commit = args.commits[number]
            others = list(accepted.values())
            units = collector.names.find(commit.hunks)
            if not find_assigned(others, units).keys() >= set(list_ids(units)):
                accepted[number] = collector.entry(commit, others)
        proposed = [accepted[item] for item in sorted(accepted)]
        collector.check_final((), proposed)
        collector.commits, collector.gitignore = proposed, args.gitignore
        return collector

    parts = spec_of(propose_commits)["function"]["parameters"]["properties"]["commits"]["items"]["properties"]
    parts["type"]["enum"] = list(collector.rules.types)
    parts["hunks"]["items"]["enum"] = list(collector.names.hunk_map)
    parts["hunks"]["minItems"] = 1
    sample = json.dumps(SAMPLE_OUTPUT, ensure_ascii=False)
    wanted = (
        f"No tools are available. Return all commits at once, in the format of this plan for another change: {sample}"
    )
    messages = [*_open(collector.analyzer, client.config, request), {"role": "user", "content": wanted}]
    agentic_loop(
        client, messages, [], propose_commits, deadline=request.deadline, turns=_ANSWERS_ASKED, log=request.log
    )


def _open(analyzer: GitAnalyzer, config: ApiConfig, request: ModelRequest) -> list[Json]:
    summary = summarize(analyzer.names, analyzer.history, room=measure_room(config))
    asked = add_wishes(summary, request.instructions, analyzer.settings.words("issue-pattern"))
    variables = list_prompt_variables(analyzer.rules, analyzer.history, analyzer.settings.text("language"))
    return [
        {"role": "system", "content": AGENTIC_SYSTEM_PROMPT.substitute(variables).strip()},
        {"role": "user", "content": asked},
    ]


def order_commits(commits: Sequence[PlannedCommit], change: ChangeUnits, rules: Rules) -> list[PlannedCommit]:
    """Return `commits` with dependencies first, merging those that only make sense, or parse, together."""
    numbers: dict[str, int] = {}
    for number, commit in enumerate(commits):
        numbers.update(dict.fromkeys(list_ids(commit.units), number))
    joined = []
    for group in Checker(change).merge_broken(order_groups([commit.units for commit in commits])):
        merged = dict.fromkeys(numbers[item] for item in list_ids(group))
        joined.append(join_commits([commits[item] for item in merged], rules))
    return joined
