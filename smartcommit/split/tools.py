"""The tools by which a model looks at the hunks of a change, beside those for its files."""

from __future__ import annotations

import re
from typing import Any, Protocol

from pydantic import BaseModel, Field

from smartcommit.agent.context import Context
from smartcommit.agent.results import cut
from smartcommit.agent.tool import tool
from smartcommit.git.hunks import ChangeUnits, Unit, list_units
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.embedded import partition
from smartcommit.split.hunk_ids import Names
from smartcommit.split.summary import hunk_line, text_of

_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{3,}")
_WIDTH = 400
_RELATED = 12
_ID = Field(max_length=400, description="an id from the list of hunks")


class Hunks(Context, Protocol):
    """A change that is to be split."""

    @property
    def pieces(self) -> ChangeUnits: ...

    @property
    def names(self) -> Names: ...


class ListHunksArgs(BaseModel):
    path: str = Field("", max_length=1000, description="only those of files whose path begins so")


class ShowHunkArgs(BaseModel):
    id: str = _ID


class RelatedArgs(BaseModel):
    id: str = _ID


class ProposePartitionArgs(BaseModel):
    count: int = Field(0, ge=0, le=100, description="how many groups to make; 0 for as many as fit")


@tool(ListHunksArgs)
def list_hunks(args: ListHunksArgs, *, analyzer: Hunks, **_: Any) -> str:
    """List the hunks of the change: id, kind of file, lines added and removed, and the function they are in."""
    found = [hunk_line(name, unit) for name, unit in analyzer.names.hunk_map.items() if name.startswith(args.path)]
    return "\n".join(found) or "no hunks there"


@tool(ShowHunkArgs)
def show_hunk(args: ShowHunkArgs, *, analyzer: Hunks, **_: Any) -> str:
    """Show all lines of one hunk."""
    (unit,) = analyzer.names.find([args.id])
    return "\n".join(text_of(unit)) or "no lines changed"


@tool(RelatedArgs)
def related(args: RelatedArgs, *, analyzer: Hunks, **_: Any) -> str:
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
def propose_partition(args: ProposePartitionArgs, *, analyzer: Hunks, **_: Any) -> str:
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
