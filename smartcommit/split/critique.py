"""A second look at a model's commits, by the same model with other questions: what is in the wrong commit?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import BaseModel, Field

from smartcommit.agent.tool import read_arguments, tool
from smartcommit.draft.conform import one_line
from smartcommit.errors import ToolRetry
from smartcommit.llm.api import Json
from smartcommit.llm.client import LLMClient
from smartcommit.split.emit import Commit, CommitCollector, counter_of, evidence_of
from smartcommit.split.plan import CommitDict
from smartcommit.split.prompt import REVIEW_SYSTEM_PROMPT, hunk_line, opening, room_of, texts
from smartcommit.split.tools import SplitContext
from smartcommit.waiting import Deadline


class Move(BaseModel):
    hunk: str = Field(max_length=400, description="the id of a hunk")
    commit: int = Field(ge=1, description="the number of the commit that it belongs to")


class ReviewCommitsArgs(BaseModel):
    moves: list[Move] = Field(default_factory=list, max_length=100)
    new_commits: list[Commit] = Field(default_factory=list, max_length=20)
    remarks: list[str] = Field(default_factory=list, max_length=20, description="what is wrong, in a sentence each")

    def post_process(self) -> None:
        for commit in self.new_commits:
            commit.post_process()
        self.remarks = [one_line(remark)[:300] for remark in self.remarks if remark.strip()]


@tool(ReviewCommitsArgs)
def review_commits(args: ReviewCommitsArgs, **_: Any) -> ReviewCommitsArgs:
    """Say what is in the wrong commit; all lists are empty where nothing is."""
    return args


def critique_and_revise(
    analyzer: SplitContext,
    client: LLMClient,
    commits: Sequence[CommitDict],
    *,
    deadline: Deadline,
    log: Callable[[str], None] = lambda line: None,
) -> list[CommitDict]:
    """`commits` as the review leaves them; a review that cannot be used changes nothing.

    Raises: LLMError; Cancelled.
    """
    args = _asked(analyzer, client, commits, deadline)
    if args is None:
        return list(commits)
    log(f"review_commits({len(args.moves)} moves, {len(args.new_commits)} new commits)")
    try:
        return revised(commits, args, counter_of(analyzer, evidence_of(analyzer)))
    except ToolRetry:
        return list(commits)


def critique(analyzer: SplitContext, client: LLMClient, commits: Sequence[CommitDict], *, deadline: Deadline) -> str:
    """What is wrong with `commits` in a model's words, a line each; empty where nothing is.

    Raises: LLMError; Cancelled.
    """
    args = _asked(analyzer, client, commits, deadline)
    if args is None:
        return ""
    moves = [f"'{move.hunk}' belongs to commit {move.commit}" for move in args.moves]
    new = [
        f"'{one_line(commit.summary)}' is a commit of its own: {', '.join(commit.hunks)}" for commit in args.new_commits
    ]
    return "\n".join([*args.remarks, *moves, *new])


def revised(commits: Sequence[CommitDict], args: ReviewCommitsArgs, counter: CommitCollector) -> list[CommitDict]:
    """`commits` with the moves and the new commits of `args`; those that keep no hunk are gone.

    Raises: ToolRetry when a hunk or a commit is not there, a message is refused, or units are parted that belong
    together.
    """
    places = {hunk: number for number, commit in enumerate(commits, 1) for hunk in commit["hunks"]}
    for move in args.moves:
        (unit,) = counter.names.find([move.hunk])
        if unit.id not in places or move.commit > len(commits):
            raise ToolRetry(f"'{move.hunk}' cannot be moved to commit {move.commit}")
        places[unit.id] = move.commit
    new = []
    for number, commit in enumerate(args.new_commits, len(commits) + 1):
        new.append(counter.entry(commit, ()))
        places.update((hunk, number) for hunk in new[-1]["hunks"])
    found = []
    for number, entry in enumerate([*commits, *new], 1):
        hunks = [hunk for hunk, place in places.items() if place == number]
        if hunks:
            counter.take(counter.names.of(hunks), ())
            found.append({**entry, "hunks": hunks})
    return found


def _asked(
    analyzer: SplitContext, client: LLMClient, commits: Sequence[CommitDict], deadline: Deadline
) -> ReviewCommitsArgs | None:
    call, _ = client.call_with_tool(_prompt(analyzer, client, commits), review_commits, deadline=deadline)
    if call is None:
        return None
    try:
        return review_commits(read_arguments(review_commits, call.arguments))
    except ToolRetry:
        return None


def _prompt(analyzer: SplitContext, client: LLMClient, commits: Sequence[CommitDict]) -> list[Json]:
    lines = []
    for number, commit in enumerate(commits, 1):
        lines.append(f"{number}. {commit['message'].splitlines()[0]}")
        names = analyzer.names.of(commit["hunks"])
        lines += [f"   {hunk_line(name, analyzer.names.hunk_map[name])}" for name in names]
    head = "\n".join(["The commits:", *lines, "", "The change:"])
    told = "\n".join([head, *texts(analyzer.names, room_of(client.config) - len(head))])
    return opening(REVIEW_SYSTEM_PROMPT, told, analyzer.rules, analyzer.history)
