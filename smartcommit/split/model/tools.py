"""Tools with which a model looks at hunks and cuts them; its request, and the plan it makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from smartcommit.agent.tool import tool
from smartcommit.errors import SplitError, ToolFailed, ToolRetry
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.cut import keep_files_whole
from smartcommit.split.embedded.partition import partition
from smartcommit.split.model.hunk_ids import find_assigned
from smartcommit.split.model.prompt import list_lines, text_of
from smartcommit.split.plan import Issue, PlannedCommit
from smartcommit.terminal import printable
from smartcommit.waiting import Deadline

_ID = Field(max_length=400, description="an id from the list of hunks")
# Number of cuts that are allowed in one change, because the file is parsed a few times for each.
_CUTS_ALLOWED = 40


@dataclass(slots=True)
class ModelPlan:
    """What a model has planned: its commits, and patterns to ignore; units in no commit are skipped."""

    commits: list[PlannedCommit] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    gitignore: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """How a model is asked to split a change.

    All of its requests share the `deadline`. `instructions` are the user's about the commits. `keep` is called with the
    plan after each commit that the model emits, and `log` with a line for each of its calls.
    """

    deadline: Deadline
    instructions: str = ""
    keep: Callable[[ModelPlan], None] = lambda plan: None
    log: Callable[[str], None] = lambda line: None


class HunkArgs(BaseModel):
    id: str = _ID


class ProposePartitionArgs(BaseModel):
    count: int = Field(0, ge=0, le=100, description="number of groups to make; 0 to decide automatically")


@tool(HunkArgs)
def show_hunk(args: HunkArgs, *, analyzer: GitAnalyzer, **_: Any) -> str:
    """Show all lines of one hunk."""
    (unit,) = analyzer.names.find([args.id])
    return "\n".join(text_of(unit)) or "no lines changed"


@tool(ProposePartitionArgs)
def propose_partition(args: ProposePartitionArgs, *, analyzer: GitAnalyzer, **_: Any) -> str:
    """Propose groups by rules, from names, words and paths: a first draft that keeps each file whole."""
    change = analyzer.change
    by_path: dict[bytes, list[str]] = {}
    for unit in change.units:
        by_path.setdefault(unit.change.path, []).append(unit.id)
    lines = []
    for number, group in enumerate(partition(keep_files_whole(change), count=args.count or None), 1):
        hunks: list[str] = []
        for unit in group:
            hunks += by_path[unit.change.path]
        lines.append(f"{number}. {', '.join(analyzer.names.of(hunks))}")
    return "\n".join(lines)


TOOLS = (show_hunk, propose_partition)


class CutHunkArgs(HunkArgs):
    removed: int = Field(0, ge=0, description="number of its removed lines that go into the first half")
    added: int = Field(0, ge=0, description="number of its added lines that go into the first half")


def make_cutter(analyzer: GitAnalyzer, commits: Sequence[PlannedCommit]) -> Callable[..., str]:
    """Return the tool that cuts hunks of one change; `commits` are those emitted so far."""
    cuts: list[str] = []

    @tool(CutHunkArgs)
    def cut_hunk(args: CutHunkArgs, **_: Any) -> str:
        """Cut a hunk in two at a line, if its halves belong in different commits and the file parses with either."""
        (unit,) = analyzer.names.find([args.id])
        taken = find_assigned(commits, [unit])
        if taken:
            raise ToolRetry(f"'{args.id}' is already in {taken[unit.id]}")
        if len(cuts) >= _CUTS_ALLOWED:
            raise ToolFailed("no more cuts allowed: assign the hunks as they are now")
        try:
            halves = analyzer.cut(unit.id, removed=args.removed, added=args.added)
            cuts.append(unit.id)
        except SplitError as error:
            reason = printable(str(error))
            if error.hint:
                reason += f"; {error.hint}"
            raise ToolRetry(reason) from None
        return "\n".join([f"cut '{args.id}' into", *list_lines(analyzer.names, analyzer.names.of(halves))])

    return cut_hunk
