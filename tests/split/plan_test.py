"""The split plan: what it refuses, and what names its units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from smartcommit.errors import SplitError
from smartcommit.git.hunks import ChangeUnits
from smartcommit.split.plan import PlannedCommit
from tests.support.plans import hostile_pieces, plan_of
from tests.support.repository import Repo
from tests.support.reviewing import pieces_of
from tests.support.situations_split import SITUATIONS


@pytest.fixture
def pieces(based: Repo) -> ChangeUnits:
    return hostile_pieces(based)


def test_units_are_put_in_the_order_of_the_change(pieces: ChangeUnits) -> None:
    plan = plan_of(pieces)
    backwards = [replace(commit, units=commit.units[::-1]) for commit in plan.commits]
    assert plan.with_commits(backwards, pieces.units) == plan
    strange = PlannedCommit("chore: x\n", (replace(pieces.units[0], id="z::9"),))
    with pytest.raises(SplitError, match="'z::9' is not part of the change"):
        plan.with_commits([strange], pieces.units)


@pytest.mark.parametrize(
    ("bend", "reason"),
    [
        (lambda commits: commits[:1], "is not in any commit"),
        (lambda commits: (*commits, commits[0]), "is in more than one commit"),
        (lambda commits: (*commits, PlannedCommit("chore: x\n", ())), "without changes"),
        (
            lambda commits: (*commits, PlannedCommit("chore: x\n", (replace(commits[0].units[0], id="z::9"),))),
            "no part",
        ),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(
    pieces: ChangeUnits, bend: Callable[[tuple[PlannedCommit, ...]], tuple[PlannedCommit, ...]], reason: str
) -> None:
    plan = plan_of(pieces)
    with pytest.raises(SplitError, match=reason.replace("no part", "not part")):
        replace(plan, commits=bend(plan.commits)).check(pieces.units)


def test_ids_are_good_for_one_snapshot_and_fingerprints_for_all(based: Repo) -> None:
    SITUATIONS["two_far_hunks"](based)
    before = pieces_of(based)
    assert [unit.id for unit in before.units] == ["a.txt::1", "a.txt::2"]
    based.write("a.txt", "new first\n" + (based.path / "a.txt").read_text())
    after = pieces_of(based)
    assert [unit.id for unit in after.units] == ["a.txt::1", "a.txt::2", "a.txt::3"]
    assert [unit.fingerprint for unit in after.units][1:] == [unit.fingerprint for unit in before.units]


def test_equal_edits_of_one_file_have_fingerprints_of_their_own(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": "x\ny\n" * 10})
    based.write("a.txt", "x\ny\n" * 3 + "z\n" + "x\ny\n" * 4 + "z\n" + "x\ny\n" * 3)
    units = pieces_of(based).units
    assert len({unit.fingerprint for unit in units}) == len(units) == 2
