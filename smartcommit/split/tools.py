"""Tools by which a model lists, shows, cuts and checks hunks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pydantic import BaseModel, Field

from smartcommit.agent.results import cut
from smartcommit.agent.tool import tool
from smartcommit.change.history import History
from smartcommit.config import Settings
from smartcommit.errors import SplitError, ToolFailed, ToolRetry
from smartcommit.git.diff import FileChange
from smartcommit.git.hunks import ChangeUnits, Unit, list_units
from smartcommit.git.repo import Context
from smartcommit.git.snapshot import Snapshot
from smartcommit.message.rules import Rules
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.cut import cut_unit
from smartcommit.split.embedded import partition
from smartcommit.split.file_states import Checker
from smartcommit.split.hunk_ids import Names, assigned
from smartcommit.split.plan import CommitDict
from smartcommit.split.prompt import hunk_line, text_of
from smartcommit.terminal import printable

_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{3,}")
_WIDTH = 400
_RELATED = 12
_ID = Field(max_length=400, description="an id from the list of hunks")
# Cuts that one change is worth; each is parsed a few times.
_CUTS = 40


class SplitContext(Context, Protocol):
    """A change that is to be split, and what holds for its commits."""

    pieces: ChangeUnits

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
        self, commits: Sequence[CommitDict], word: Callable[[list[str]], str] | None = None
    ) -> list[CommitDict]: ...


class ListHunksArgs(BaseModel):
    path: str = Field("", max_length=1000, description="only those of files whose path begins so")


class ShowHunkArgs(BaseModel):
    id: str = _ID


class RelatedArgs(BaseModel):
    id: str = _ID


class ProposePartitionArgs(BaseModel):
    count: int = Field(0, ge=0, le=100, description="how many groups to make; 0 for as many as fit")


@tool(ListHunksArgs)
def list_hunks(args: ListHunksArgs, *, analyzer: SplitContext, **_: Any) -> str:
    """List the hunks of the change: id, kind of file, lines added and removed, and the function they are in."""
    found = [hunk_line(name, unit) for name, unit in analyzer.names.hunk_map.items() if name.startswith(args.path)]
    return "\n".join(found) or "no hunks there"


@tool(ShowHunkArgs)
def show_hunk(args: ShowHunkArgs, *, analyzer: SplitContext, **_: Any) -> str:
    """Show all lines of one hunk."""
    (unit,) = analyzer.names.find([args.id])
    return "\n".join(text_of(unit)) or "no lines changed"


@tool(RelatedArgs)
def related(args: RelatedArgs, *, analyzer: SplitContext, **_: Any) -> str:
    """List the hunks that must stay with this one, and those that share names with it, the rarest first."""
    (unit,) = analyzer.names.find([args.id])
    units = list(analyzer.names.hunk_map.values())
    bound = next(together for together in find_inseparable(units) if unit in together)
    names = {other.id: _names(other) for other in units}
    shared = {
        other.id: sorted(
            names[unit.id] & names[other.id], key=lambda name: sum(name in found for found in names.values())
        )
        for other in units
        if other is not unit and names[unit.id] & names[other.id]
    }
    nearest = sorted(shared, key=lambda found: -len(shared[found]))[:_RELATED]
    lines = [f"{name}: stays with it" for name in analyzer.names.of(other.id for other in bound if other is not unit)]
    for found in nearest:
        (name,) = analyzer.names.of([found])
        lines.append(f"{name}: shares {', '.join(word.decode() for word in shared[found][:6])}")
    return "\n".join(cut(lines, 4000)) if lines else "no other hunk shares a name with it"


@tool(ProposePartitionArgs)
def propose_partition(args: ProposePartitionArgs, *, analyzer: SplitContext, **_: Any) -> str:
    """Propose groups made by rules from names, words and places: a first draft, which keeps each file whole."""
    pieces = analyzer.pieces
    by_path: dict[bytes, list[str]] = {}
    for unit in pieces.units:
        by_path.setdefault(unit.change.path, []).append(unit.id)
    groups = partition(ChangeUnits(pieces.diffs, list_units(pieces.diffs, ()), {}), count=args.count or None)
    named = [analyzer.names.of(hunk for unit in group for hunk in by_path[unit.change.path]) for group in groups]
    return "\n".join(f"{number}. {', '.join(group)}" for number, group in enumerate(named, 1))


TOOLS = (list_hunks, show_hunk, related, propose_partition)


def _names(unit: Unit) -> set[bytes]:
    lines = [line for hunk in unit.hunks for line in (*hunk.removed[:_WIDTH], *hunk.added[:_WIDTH])]
    return {name for line in lines for name in _NAME.findall(line[:_WIDTH])}


class CutHunkArgs(BaseModel):
    id: str = Field(max_length=400, description="an id from the list of hunks")
    removed: int = Field(0, ge=0, description="how many of its removed lines belong to the first half")
    added: int = Field(0, ge=0, description="how many of its added lines belong to the first half")


class CheckCommitsArgs(BaseModel):
    pass


def shaping_tools(analyzer: SplitContext, commits: Sequence[CommitDict]) -> tuple[Callable[..., str], ...]:
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


def _cut(analyzer: SplitContext, args: CutHunkArgs, commits: Sequence[CommitDict]) -> str:
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


def _parse_report(analyzer: SplitContext, commits: Sequence[CommitDict]) -> str:
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


def _told(analyzer: SplitContext, unit: Unit) -> str:
    (name,) = analyzer.names.of([unit.id])
    return hunk_line(name, unit)
