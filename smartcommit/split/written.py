"""A plan that was written down, and read again: strictly, since people and programs edit such files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from smartcommit.errors import SplitError, SplitPlanOutdated
from smartcommit.git.hunks import Kind, Unit
from smartcommit.split.plan import VERSION, PlannedCommit, SplitPlan, clean

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class WrittenUnit:
    """How a unit was written down."""

    id: str
    kind: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class WrittenPlan:
    """A plan as it was written down, not yet held against any snapshot; the fields are those of SplitPlan."""

    base: str | None
    target: str
    staged: bool
    engine: str
    commits: tuple[tuple[str, tuple[WrittenUnit, ...]], ...]
    left_out: tuple[bytes, ...]
    skipped: tuple[WrittenUnit, ...]
    issues: tuple[dict[str, str], ...]
    gitignore: tuple[str, ...]

    @property
    def units(self) -> list[WrittenUnit]:
        """All units, those of the commits and the skipped ones."""
        return [*self.skipped, *(unit for _, units in self.commits for unit in units)]

    @property
    def paths(self) -> set[str]:
        """The paths that the units are about, a rename's new one."""
        return {unit.id.rpartition("::")[0] for unit in self.units}

    @property
    def is_cut(self) -> bool:
        """Whether files come in parts, so that a snapshot must be looked at in hunks."""
        return any(unit.kind != "file" for unit in self.units)

    def bound(self, units: Sequence[Unit], *, base: str | None, target: str) -> SplitPlan:
        """The plan for the snapshot of `base` and `target` with its `units`.

        Raises: SplitPlanOutdated, naming what differs, when it was made for another snapshot; SplitError when it is not
        one for all units, or an entry's `id` or `kind` is not that of the unit which its fingerprint names.
        """
        by_fingerprint = {unit.fingerprint: unit for unit in units}
        plan = SplitPlan(
            base=self.base,
            target=self.target,
            staged=self.staged,
            engine=self.engine,
            commits=tuple(PlannedCommit(message, _found(written, by_fingerprint)) for message, written in self.commits),
            left_out=self.left_out,
            skipped=_found(self.skipped, by_fingerprint),
            issues=self.issues,
            gitignore=self.gitignore,
        )
        if plan.base != base:
            raise SplitPlanOutdated("HEAD is not the commit that the plan was made for", hint="make the plan again")
        if plan.target != target:
            planned = {unit.id for unit in plan.units}
            new = next((f": '{unit.id}' is not in the plan" for unit in units if unit.id not in planned), "")
            raise SplitPlanOutdated(f"the files have changed since the plan was made{new}", hint="make the plan again")
        for entry, unit in zip(self.units, plan.units, strict=True):
            if (entry.id, entry.kind) != (unit.id, unit.kind):
                raise SplitError(
                    f"'{entry.id}' ({entry.kind}) has the fingerprint of '{unit.id}' ({unit.kind})",
                    hint="move units as a whole, or make the plan again",
                )
        plan.check(units)
        return plan


def read_plan(text: str) -> WrittenPlan:
    """The plan that `SplitPlan.to_json` wrote.

    Raises: SplitError when it is none, or of another version.
    """
    try:
        fields = json.loads(text.removeprefix("\ufeff"))  # some editors begin a file with a byte order mark
        version = _value(fields, "version", int)
        if version != VERSION:
            raise SplitError(f"this plan is of version {version}", hint="make the plan again")
        return WrittenPlan(
            base=None if fields["base"] is None else _value(fields, "base", str),
            target=_value(fields, "target", str),
            staged=_value(fields, "staged", bool),
            engine=_value(fields, "engine", str),
            commits=tuple(
                (clean(_value(entry, "message", str)), _units(entry, "units")) for entry in _list(fields, "commits")
            ),
            left_out=tuple(map(os.fsencode, _texts(fields, "left_out"))),
            skipped=_units(fields, "skipped"),
            issues=tuple(
                {name: _value(issue, name, str) for name in ("message", "path")}
                for issue in _list(fields, "issues", optional=True)
            ),
            gitignore=tuple(_texts(fields, "gitignore", optional=True)),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SplitError("this is not a split plan", hint="make one with '--save-plan FILE'") from error


def _value(fields: Any, name: str, kind: type[Value]) -> Value:
    # Of exactly this type: for Python True is an int, and 1.0 equals 1.
    if type(value := fields[name]) is not kind:
        raise TypeError(name)
    return value


def _list(fields: Any, name: str, *, optional: bool = False) -> list[Any]:
    return [] if optional and name not in fields else _value(fields, name, list)


def _texts(fields: Any, name: str, *, optional: bool = False) -> list[str]:
    entries = _list(fields, name, optional=optional)
    if any(type(entry) is not str for entry in entries):
        raise TypeError(name)
    return entries


def _units(fields: Any, name: str) -> tuple[WrittenUnit, ...]:
    units = tuple(
        WrittenUnit(*(_value(entry, part, str) for part in ("id", "kind", "fingerprint")))
        for entry in _list(fields, name)
    )
    if any(unit.kind not in get_args(Kind) for unit in units):
        raise TypeError(name)
    return units


def _found(written: Sequence[WrittenUnit], by_fingerprint: Mapping[str, Unit]) -> tuple[Unit, ...]:
    for entry in written:
        if entry.fingerprint not in by_fingerprint:
            raise SplitPlanOutdated(f"'{entry.id}' has changed since the plan was made", hint="make the plan again")
    return tuple(by_fingerprint[entry.fingerprint] for entry in written)
