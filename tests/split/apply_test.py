"""The proof before anything moves: a chain that is not the snapshot's is refused, whatever made it."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace

import pytest

from smartcommit.errors import SplitError, TreeMismatch
from smartcommit.git.diff import FileChange
from smartcommit.git.fast_import import Identity
from smartcommit.git.hunks import ChangeUnits, Unit, read_units
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_snapshot
from smartcommit.split.apply import prepare
from smartcommit.split.plan import PlannedCommit, SplitPlan
from tests.support.repository import Repo
from tests.support.splitting import WHO, assert_sound

Bend = Callable[[Snapshot, list[Unit]], list[Unit]]


def unchanged(snapshot: Snapshot, units: list[Unit]) -> list[Unit]:
    """A unit that changes nothing, before the others."""
    oid = snapshot.repository.run("rev-parse", f"{snapshot.base}:base.txt").decode().strip()
    change = FileChange("M", b"base.txt", None, "100644", "100644", oid, oid)
    return [Unit("base.txt::1", "file", change, (), "x"), *units]


def lost(snapshot: Snapshot, units: list[Unit]) -> list[Unit]:
    return units[1:]


def altered(snapshot: Snapshot, units: list[Unit]) -> list[Unit]:
    change = copy(units[0].change)
    change.new_mode = "100755"
    return [replace(units[0], change=change), *units[1:]]


@pytest.mark.parametrize(("bend", "reason"), [(unchanged, "empty"), (lost, "end in tree"), (altered, "end in tree")])
def test_a_chain_that_is_not_the_change_is_refused(based: Repo, bend: Bend, reason: str) -> None:
    for name in "abc":
        based.write(name, f"{name}\n")
    before, objects = based.state(), based.git("count-objects", "-v")
    with take_snapshot(Repository.find(str(based.path))) as snapshot:
        pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=False)
        units = bend(snapshot, pieces.units)
        commits = tuple(PlannedCommit("chore: x\n", (unit,)) for unit in units)
        plan = SplitPlan(snapshot.base, snapshot.target, staged=False, engine="test", commits=commits)
        plan = replace(plan, change=ChangeUnits(pieces.diffs, units, {}))
        with pytest.raises(TreeMismatch, match=reason):
            prepare(snapshot, plan, Identity(WHO, WHO))
    assert (based.state(), based.git("count-objects", "-v")) == (before, objects)
    assert_sound(based)


@pytest.mark.parametrize("field", ["base", "target", "staged"])
def test_a_plan_for_another_snapshot_is_refused(based: Repo, field: str) -> None:
    based.write("a", "a\n")
    with take_snapshot(Repository.find(str(based.path))) as snapshot:
        pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=False)
        commits = (PlannedCommit("chore: x\n", tuple(pieces.units)),)
        plan = SplitPlan(snapshot.base, snapshot.target, staged=False, engine="test", commits=commits)
        with pytest.raises(SplitError, match="another snapshot"):
            prepare(snapshot, replace(plan, change=pieces, **{field: "1" * 40}), Identity(WHO, WHO))
