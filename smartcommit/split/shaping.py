"""What a model may do to the hunks it was given, and ask about the commits that it made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import BaseModel, Field

from smartcommit.agent.tool import tool
from smartcommit.errors import SplitError, ToolFailed, ToolRetry
from smartcommit.git.hunks import Unit
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.cut import cut_unit
from smartcommit.split.file_states import Checker
from smartcommit.split.hunk_ids import assigned
from smartcommit.split.plan import CommitDict
from smartcommit.split.summary import hunk_line
from smartcommit.terminal import printable

# Cuts that one change is worth; each is parsed a few times.
_CUTS = 40


class CutHunkArgs(BaseModel):
    id: str = Field(max_length=400, description="an id from the list of hunks")
    removed: int = Field(0, ge=0, description="how many of its removed lines belong to the first half")
    added: int = Field(0, ge=0, description="how many of its added lines belong to the first half")


class CheckCommitsArgs(BaseModel):
    pass


def shaping_tools(analyzer: GitAnalyzer, commits: Sequence[CommitDict]) -> tuple[Callable[..., str], ...]:
    """The tools for one classification, whose `commits` are those emitted so far."""

    @tool(CutHunkArgs)
    def cut_hunk(args: CutHunkArgs, **_: Any) -> str:
        """Cut a hunk in two at a line, where its halves belong to two commits and the file parses with either."""
        return _cut(analyzer, args, commits)

    @tool(CheckCommitsArgs)
    def check_commits(args: CheckCommitsArgs, **_: Any) -> str:
        """Say whether every file parses after each of the commits that were emitted so far."""
        return _parse_report(analyzer, commits)

    return cut_hunk, check_commits


def _cut(analyzer: GitAnalyzer, args: CutHunkArgs, commits: Sequence[CommitDict]) -> str:
    (unit,) = analyzer.names.find([args.id])
    taken = assigned(commits, [unit.id])
    if taken:
        raise ToolRetry(f"'{args.id}' is already in {taken[unit.id]}")
    if sum(other.id.rpartition("::")[2].endswith(".1") for other in analyzer.pieces.units) >= _CUTS:
        raise ToolFailed("enough was cut: sort the hunks as they are now")
    try:
        pieces = cut_unit(analyzer.pieces, unit.id, removed=args.removed, added=args.added)
    except SplitError as error:
        raise ToolRetry(f"{printable(str(error))}; {error.hint}" if error.hint else printable(str(error))) from None
    known = {other.id for other in analyzer.pieces.units}
    analyzer.pieces = pieces
    analyzer.names.renew(pieces.units)
    halves = [other for other in pieces.units if other.id not in known]
    return "\n".join([f"'{args.id}' is cut into", *(_told(analyzer, half) for half in halves)])


def _parse_report(analyzer: GitAnalyzer, commits: Sequence[CommitDict]) -> str:
    by_id = {unit.id: unit for unit in analyzer.pieces.units}
    states = Checker(analyzer.pieces).states([[by_id[hunk] for hunk in commit["hunks"]] for commit in commits])
    broken = [
        f"commit {number} leaves '{printable(path.decode('utf-8', 'surrogateescape'))}' in a state that does not parse"
        for number, files in enumerate(states, 1)
        for path, parses in files.items()
        if parses is False
    ]
    return "\n".join(
        [*broken, "such commits are made one with the next that touches the file"] if broken else ["all parse"]
    )


def _told(analyzer: GitAnalyzer, unit: Unit) -> str:
    (name,) = analyzer.names.of([unit.id])
    return hunk_line(name, unit)
