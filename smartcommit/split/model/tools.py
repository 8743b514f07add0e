"""Tools by which a model lists, shows, cuts and checks hunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol

from pydantic import BaseModel, Field

from smartcommit.agent.git_tools import Context
from smartcommit.agent.results import take_lines
from smartcommit.agent.tool import tool
from smartcommit.change.history import History
from smartcommit.change.text import LINES_COMPARED, read_hunk
from smartcommit.config import Settings
from smartcommit.errors import SplitError, ToolFailed, ToolRetry
from smartcommit.git.diff import FileChange
from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.git.snapshot import Snapshot
from smartcommit.message.rules import Rules
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.cut import cut_unit, keep_files_whole
from smartcommit.split.embedded.partition import partition
from smartcommit.split.file_states import Checker
from smartcommit.split.messages import Join
from smartcommit.split.model.hunk_ids import Names, find_assigned
from smartcommit.split.model.prompt import list_lines, text_of
from smartcommit.split.plan import Issue, PlannedCommit, list_groups, list_ids
from smartcommit.terminal import printable
from smartcommit.waiting import Deadline

# Shorter names are shared by chance.
_SHORTEST_NAME = 4
_RELATED = 12
_ID = Field(max_length=400, description="an id from the list of hunks")
# Cuts that are allowed in one change; each is parsed a few times.
_CUTS = 40


class SplitContext(Context, Protocol):
    """The change to split, and the rules for its commits."""

    change: ChangeUnits

    @property
    def snapshot(self) -> Snapshot: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def history(self) -> History: ...

    @property
    def rules(self) -> Rules: ...

    @property
    def names(self) -> Names: ...

    def get_changed_files(self) -> list[FileChange]: ...

    def build_diff_summary(self, room: int) -> str: ...

    def merge_overlapping_commits(
        self, commits: Sequence[PlannedCommit], join: Join | None = None
    ) -> list[PlannedCommit]: ...


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


class ListHunksArgs(BaseModel):
    path: str = Field("", max_length=1000, description="only hunks in files whose path starts with this")


class ShowHunkArgs(BaseModel):
    id: str = _ID


class RelatedArgs(BaseModel):
    id: str = _ID


class ProposePartitionArgs(BaseModel):
    count: int = Field(0, ge=0, le=100, description="number of groups to make; 0 to decide automatically")


@tool(ListHunksArgs)
def list_hunks(args: ListHunksArgs, *, analyzer: SplitContext, **_: Any) -> str:
    """List the hunks of the change: id, kind of file, added and removed lines, and enclosing function."""
    chosen = [name for name in analyzer.names.hunk_map if name.startswith(args.path)]
    return "\n".join(list_lines(analyzer.names, chosen)) or "no matching hunks"


@tool(ShowHunkArgs)
def show_hunk(args: ShowHunkArgs, *, analyzer: SplitContext, **_: Any) -> str:
    """Show all lines of one hunk."""
    (unit,) = analyzer.names.find([args.id])
    return "\n".join(text_of(unit)) or "no lines changed"


@tool(RelatedArgs)
def related(args: RelatedArgs, *, analyzer: SplitContext, **_: Any) -> str:
    """List the hunks that must stay with this one, then those that share names with it, rarest names first."""
    (unit,) = analyzer.names.find([args.id])
    units = list(analyzer.names.hunk_map.values())
    bound = next(together for together in find_inseparable(units) if unit in together)
    names = {other.id: _names(other) for other in units}
    own = names.pop(unit.id)
    frequency = Counter(chain.from_iterable(names.values()))
    shared = {}
    for other, theirs in names.items():
        if not own.isdisjoint(theirs):
            shared[other] = sorted(own & theirs, key=frequency.__getitem__)
    lines = [f"{name}: must stay with it" for name in analyzer.names.of(set(list_ids(bound)) - {unit.id})]
    for found in sorted(shared, key=lambda other: -len(shared[other]))[:_RELATED]:
        (name,) = analyzer.names.of([found])
        lines.append(f"{name}: shares {', '.join(shared[found][:6])}")
    return "\n".join(take_lines(lines, 4000)) or "no other hunk shares a name with it"


@tool(ProposePartitionArgs)
def propose_partition(args: ProposePartitionArgs, *, analyzer: SplitContext, **_: Any) -> str:
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


TOOLS = (list_hunks, show_hunk, related, propose_partition)


def _names(unit: Unit) -> set[str]:
    names: set[str] = set()
    for text in map(read_hunk, unit.hunks):
        names.update(text.removed.names(LINES_COMPARED), text.added.names(LINES_COMPARED))
    return {name for name in names if len(name) >= _SHORTEST_NAME}


class CutHunkArgs(BaseModel):
    id: str = Field(max_length=400, description="an id from the list of hunks")
    removed: int = Field(0, ge=0, description="number of its removed lines that go into the first half")
    added: int = Field(0, ge=0, description="number of its added lines that go into the first half")


class CheckCommitsArgs(BaseModel):
    pass


def shaping_tools(analyzer: SplitContext, commits: Sequence[PlannedCommit]) -> tuple[Callable[..., str], ...]:
    """Return the tools for one classification; `commits` are those emitted so far."""

    @tool(CutHunkArgs)
    def cut_hunk(args: CutHunkArgs, **_: Any) -> str:
        """Cut a hunk in two at a line, if its halves belong in different commits and the file parses with either."""
        return _cut(analyzer, args, commits)

    @tool(CheckCommitsArgs)
    def check_commits(args: CheckCommitsArgs, **_: Any) -> str:
        """Check whether every file parses after each commit emitted so far."""
        lines = []
        for number, files in enumerate(Checker(analyzer.change).check(list_groups(commits)), 1):
            for path, parses in files.items():
                if parses is False:
                    name = printable(path.decode("utf-8", "surrogateescape"))
                    lines.append(f"after commit {number}, '{name}' does not parse")
        if not lines:
            return "all files parse"
        return "\n".join([*lines, "each of these commits is merged with the next one that touches the file"])

    return cut_hunk, check_commits


def _cut(analyzer: SplitContext, args: CutHunkArgs, commits: Sequence[PlannedCommit]) -> str:
    (unit,) = analyzer.names.find([args.id])
    taken = find_assigned(commits, [unit])
    if taken:
        raise ToolRetry(f"'{args.id}' is already in {taken[unit.id]}")
    known = set(list_ids(analyzer.change.units))
    if sum(hunk.rpartition("::")[2].endswith(".1") for hunk in known) >= _CUTS:
        raise ToolFailed("no more cuts allowed: assign the hunks as they are now")
    try:
        change = cut_unit(analyzer.change, unit.id, removed=args.removed, added=args.added)
    except SplitError as error:
        raise ToolRetry(f"{printable(str(error))}; {error.hint}" if error.hint else printable(str(error))) from None
    analyzer.change = change
    analyzer.names.renew(change.units)
    halves = analyzer.names.of(set(list_ids(change.units)) - known)
    return "\n".join([f"cut '{args.id}' into", *list_lines(analyzer.names, halves)])
