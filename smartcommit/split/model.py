"""A split by a model, from the first question to commits in their order."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from pydantic import BaseModel

from smartcommit import state_files
from smartcommit.agent import git_tools
from smartcommit.agent.loop import agentic_loop, dump, turn_limit
from smartcommit.agent.tool import read_arguments, spec_of, tool
from smartcommit.draft.submit import SubmitMessageArgs, message_of, watched
from smartcommit.errors import AgentError, Cancelled, LLMError, ToolRetry
from smartcommit.git.hunks import ChangeUnits, Unit, list_units
from smartcommit.llm.api import ApiConfig, Json
from smartcommit.llm.client import LLMClient
from smartcommit.message.parse import Message
from smartcommit.message.rules import Rules
from smartcommit.split import tools
from smartcommit.split.critique import critique_and_revise
from smartcommit.split.emit import EmitCommitArgs, FinalizeCommitsArgs, counter_of, evidence_of, new_gate
from smartcommit.split.file_states import Checker
from smartcommit.split.messages import joined_commit, joined_message
from smartcommit.split.ordering import ordered
from smartcommit.split.plan import CommitDict
from smartcommit.split.prompt import AGENTIC_SYSTEM_PROMPT, list_room_of, opening, room_of, size_of_list
from smartcommit.split.propose import ProposeCommitsArgs, propose
from smartcommit.split.tools import SplitContext, shaping_tools
from smartcommit.waiting import Deadline

TRANSCRIPT = "split-transcript.json"

TOOLS = (*tools.TOOLS, *git_tools.TOOLS)


def split(
    analyzer: SplitContext,
    client: LLMClient,
    *,
    deadline: Deadline,
    wish: str = "",
    keep: Callable[[Sequence[CommitDict]], None] = lambda commits: None,
    log: Callable[[str], None] = lambda line: None,
) -> tuple[list[CommitDict], list[str]]:
    """The commits of a change in their order, and patterns that the model would ignore; units in none are skipped.

    All questions share the `deadline`. `keep` gets the commits after each that was emitted. Once the commits are there,
    a second look that is not had, or not waited for, changes nothing.

    Raises: LLMError or AgentError when the model does not come to an end in time; Cancelled.
    """
    commits, gitignore = classify_changes(analyzer, client, deadline=deadline, wish=wish, keep=keep, log=log)
    if len(commits) > 1:
        try:
            commits = critique_and_revise(analyzer, client, commits, deadline=deadline, log=log)
        except (LLMError, Cancelled) as error:
            log(f"not reviewed: {error}")
    return in_order(commits, analyzer.pieces, analyzer.rules), gitignore


def preview(analyzer: SplitContext, config: ApiConfig, wish: str = "") -> str:
    """Exactly what a model would be sent first, as JSON; nothing is sent."""
    client = _Preview(config)
    with suppress(_Unsent):
        classify_changes(analyzer, client, deadline=Deadline(1), wish=wish)
    return client.shown


def coarsen_to_context(pieces: ChangeUnits, config: ApiConfig) -> ChangeUnits:
    """`pieces` in hunks, or in whole files where a model could not be told of all hunks.

    Raises: AgentError when even the files are too many.
    """
    if size_of_list(pieces.units) <= list_room_of(config):
        return pieces
    return check_fits_context(ChangeUnits(pieces.diffs, list_units(pieces.diffs, ()), {}), config)


def check_fits_context(pieces: ChangeUnits, config: ApiConfig) -> ChangeUnits:
    """`pieces` as they are.

    Raises: AgentError when they are too many for a model to be told of.
    """
    if size_of_list(pieces.units) > list_room_of(config):
        raise AgentError(f"the model cannot be told of {len(pieces.units)} parts at once")
    return pieces


class _Unsent(Exception):
    """The question was shown instead."""


class _Preview(LLMClient):
    """A client that keeps what it would send first."""

    shown = ""

    def chat(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), *, deadline: Deadline, force: bool = False
    ) -> Json:
        self.shown = self.preview(messages, tools)
        raise _Unsent


def classify_changes(
    analyzer: SplitContext,
    client: LLMClient,
    *,
    deadline: Deadline,
    wish: str = "",
    keep: Callable[[Sequence[CommitDict]], None] = lambda commits: None,
    log: Callable[[str], None] = lambda line: None,
) -> tuple[list[CommitDict], list[str]]:
    """The commits that a model makes of the change, and patterns that it would ignore; units in none are skipped.

    `keep` gets the commits after each that was emitted. `wish` is what a person said about the commits. A server whose
    models call no tools is asked for all commits at once.

    Raises: LLMError or AgentError when the model does not come to an end in time; Cancelled.
    """
    emitted_commits: list[CommitDict] = []
    emitted_hunks: set[str] = set()
    evidence = evidence_of(analyzer, wish)
    counter = counter_of(analyzer, evidence)
    merger = Merger(client, deadline, new_gate(analyzer, evidence)().accept, analyzer.rules)

    def add(commits: Sequence[CommitDict]) -> None:
        emitted_commits.extend(commits)
        emitted_hunks.update(hunk for commit in commits for hunk in commit["hunks"])
        keep(emitted_commits)

    @tool(EmitCommitArgs, whole=True)
    def emit_commit(args: EmitCommitArgs, **_: Any) -> str:
        """Emit one commit: its message and the ids of its hunks. Answers with the hunks that are still unassigned."""
        entry = counter.entry(args.commit, emitted_commits)
        add([entry])
        subject = entry["message"].splitlines()[0]
        return f"Commit emitted: '{subject}'. Remaining unassigned hunks: {counter.names.without(emitted_hunks)}"

    @tool(FinalizeCommitsArgs, alone=False)
    def finalize_commits(args: FinalizeCommitsArgs, **_: Any) -> tuple[list[CommitDict], list[str]]:
        """Finish the work: every hunk is in a commit that was emitted, or named here as skipped."""
        counter.check_final(args.skipped_hunks, emitted_commits)
        return analyzer.merge_overlapping_commits(emitted_commits, merger.word), args.gitignore

    def countdown(left: int) -> str:
        return countdown_message(left, emitted_commits, counter.names.without(emitted_hunks))

    def take_all(args: ProposeCommitsArgs) -> tuple[list[CommitDict], list[str]]:
        # A hunk may be in two of these: such commits become one.
        merged = analyzer.merge_overlapping_commits([counter.entry(one, ()) for one in args.commits], merger.word)
        counter.check_final((), merged)
        add(merged)
        return emitted_commits, args.gitignore

    _fit(emit_commit, analyzer)
    tools_at_hand: list[Callable[..., str]] = [*TOOLS, *shaping_tools(analyzer, emitted_commits)]
    looks = [watched(look, evidence) for look in tools_at_hand]
    messages = _beginning(analyzer, client.config, wish)
    given = len(messages)
    try:
        return agentic_loop(  # type: ignore[no-any-return]
            client, messages, [*looks, emit_commit], finalize_commits,
            deadline=deadline, countdown_message_fn=countdown, turns=turn_limit(len(analyzer.pieces.units)),
            log=log, analyzer=analyzer,
        )  # fmt: skip
    except AgentError:
        if emitted_commits:
            raise
        return propose(
            client, _beginning(analyzer, client.config, wish), take_all, hunks=list(counter.names.hunk_map),
            types=analyzer.rules.types, deadline=deadline, log=log,
        )  # fmt: skip
    finally:
        if analyzer.settings.flag("transcript") and len(messages) > given:
            state_files.save(analyzer.repository.git_dir, TRANSCRIPT, dump(client.config, messages))


def _beginning(analyzer: SplitContext, config: ApiConfig, wish: str) -> list[Json]:
    return opening(
        AGENTIC_SYSTEM_PROMPT, analyzer.build_diff_summary(room_of(config)), analyzer.rules, analyzer.history,
        language=analyzer.settings.text("language"), wish=wish, issues=analyzer.settings.words("issue-pattern"),
    )  # fmt: skip


def countdown_message(left: int, commits: Sequence[CommitDict], unassigned: Sequence[str]) -> str:
    """What to do with the turns that are left, by what was emitted and which hunks are in no commit."""
    turns = f"{left} {'turn is' if left == 1 else 'turns are'} left"
    if not commits:
        return f"{turns} and nothing was emitted: emit commits, then finalize NOW."
    if unassigned:
        return f"{turns}, {len(unassigned)} hunks unassigned: emit or skip each, then finalize NOW: {unassigned}"
    return f"{turns} and all hunks are assigned: call finalize_commits NOW."


def _fit(emit_commit: Callable[..., str], analyzer: SplitContext) -> None:
    """Put the project's types into the schema: what a server holds its model to needs no second try."""
    parameters = spec_of(emit_commit)["function"]["parameters"]
    parameters["properties"]["commit"]["properties"]["type"]["enum"] = list(analyzer.rules.types)


def in_order(commits: Sequence[CommitDict], pieces: ChangeUnits, rules: Rules) -> list[CommitDict]:
    """`commits` so that what others need comes first; those that only make sense, or parse, together are one."""
    places = {hunk: number for number, commit in enumerate(commits) for hunk in commit["hunks"]}
    groups: list[list[Unit]] = [[] for _ in commits]
    for unit in pieces.units:
        if unit.id in places:
            groups[places[unit.id]].append(unit)
    found = []
    for group in Checker(pieces).joined(ordered(groups)):
        parts = [commits[number] for number in dict.fromkeys(places[unit.id] for unit in group)]
        found.append(
            parts[0] if len(parts) == 1 else joined_commit(parts, lambda messages: joined_message(messages, rules))
        )
    return found


class MergeCommitsArgs(BaseModel):
    commit: SubmitMessageArgs


@tool(MergeCommitsArgs)
def merge_commits(args: MergeCommitsArgs, **_: Any) -> Message:
    """Give the one message for all of these commits, which become a single one."""
    return message_of(args.commit)


class Merger:
    """Words the message of commits that become one by a model, and without it where it fails.

    `accept` gives the text of a message that passes the `rules`.
    """

    def __init__(self, client: LLMClient, deadline: Deadline, accept: Callable[[Message], str], rules: Rules) -> None:
        self._client = client
        self._deadline = deadline
        self._accept = accept
        self._rules = rules

    def word(self, messages: list[str]) -> str:
        """One message for `messages`."""
        told = json.dumps(messages, ensure_ascii=False, indent=1)
        asked = [
            {"role": "system", "content": "You write the message of one git commit. Answer by the tool."},
            {"role": "user", "content": f"These commits become one, since they share changes:\n{told}"},
        ]
        try:
            call, _ = self._client.call_with_tool(asked, merge_commits, deadline=self._deadline)
            if call is not None:
                return self._accept(merge_commits(read_arguments(merge_commits, call.arguments)))
        except (LLMError, ToolRetry):
            pass
        return joined_message(messages, self._rules)
