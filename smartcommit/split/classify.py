"""A change split by a model: it looks, emits a commit as soon as a grouping is clear, and finalizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from smartcommit import state_files
from smartcommit.agent import git_tools
from smartcommit.agent.loop import agentic_loop, turn_limit
from smartcommit.agent.tool import spec_of, tool
from smartcommit.agent.transcript import dump
from smartcommit.draft.conform import accepted, ticket_of
from smartcommit.draft.grounding import Evidence, watched
from smartcommit.draft.submit import MessageGate
from smartcommit.errors import AgentError
from smartcommit.llm.api import Json
from smartcommit.llm.client import LLMClient
from smartcommit.llm.config import ApiConfig
from smartcommit.split import tools
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.emit import CommitCollector, EmitCommitArgs, FinalizeCommitsArgs
from smartcommit.split.merging import Merger
from smartcommit.split.plan import CommitDict
from smartcommit.split.prompt import AGENTIC_SYSTEM_PROMPT, opening, room_of
from smartcommit.split.propose import ProposeCommitsArgs, propose
from smartcommit.split.shaping import shaping_tools
from smartcommit.split.summary import text_of
from smartcommit.waiting import Deadline

TRANSCRIPT = "split-transcript.json"
# Characters of the change that messages are held against.
_EVIDENCE = 4 << 20

TOOLS = (*tools.TOOLS, *git_tools.TOOLS)


def classify_changes(
    analyzer: GitAnalyzer,
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
    merger = Merger(client, deadline, _new_gate(analyzer, evidence)().accept, analyzer.rules)

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


def _beginning(analyzer: GitAnalyzer, config: ApiConfig, wish: str) -> list[Json]:
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


def evidence_of(analyzer: GitAnalyzer, wish: str = "") -> Evidence:
    """What messages may name: everything in the change, the branch, and what a person said."""
    lines = "\n".join(_within(_EVIDENCE, (line for unit in analyzer.pieces.units for line in text_of(unit))))
    changed = (path for change in analyzer.get_changed_files() for path in (change.path, change.old_path or b""))
    paths = "\n".join(path.decode("utf-8", "replace") for path in changed)
    evidence = Evidence(lines, paths, analyzer.snapshot.branch or "", wish)
    evidence.examples += [commit.summary for commit in analyzer.history.commits[:5]]
    return evidence


def _within(room: int, lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        room -= len(line)
        if room < 0:
            return
        yield line


def counter_of(analyzer: GitAnalyzer, evidence: Evidence) -> CommitCollector:
    """Where the commits of this change are handed in."""
    return CommitCollector(analyzer.names, analyzer.rules, analyzer.history, _new_gate(analyzer, evidence))


def _new_gate(analyzer: GitAnalyzer, evidence: Evidence) -> Callable[[], MessageGate]:
    rules = analyzer.rules
    ticket = ticket_of(analyzer.snapshot.branch or "", rules)
    return lambda: MessageGate(rules, evidence, lambda text: accepted(text, rules), ticket)


def _fit(emit_commit: Callable[..., str], analyzer: GitAnalyzer) -> None:
    """Put the project's types into the schema: what a server holds its model to needs no second try."""
    parameters = spec_of(emit_commit)["function"]["parameters"]
    parameters["properties"]["commit"]["properties"]["type"]["enum"] = list(analyzer.rules.types)
